import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { compress } from '../../pipeline/release/disk/compress.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { COMMON_HEADERS } from '../../pipeline/release/format/response-headers.ts';
import { listen } from '../listen.ts';

/**
 * Serves a built site to a browser, on this machine only, under the service's content security policy, and compressed as it does. `others`:
 * texts that stand beside the site, by their paths.
 */
export async function servePages(
  root: string,
  others: Readonly<Record<string, string>> = {},
): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      const text = others[path];
      const body = text === undefined ? await readFile(join(root, path)) : Buffer.from(text);
      const type = text === undefined ? mediaTypeOf(path) : 'text/plain; charset=utf-8';
      const asked = request.headers['accept-encoding']?.includes('br') ? (['br'] as const) : [];
      const { br } = await compress(body, type, asked);
      const headers = { ...COMMON_HEADERS, 'content-type': type, ...(br && { 'content-encoding': 'br' }) };
      response.writeHead(200, headers).end(br ?? body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  return { server, ...(await listen(server)) };
}
