import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { COMMON_HEADERS } from '../../pipeline/release/format/response-headers.ts';
import { listen } from '../listen.ts';

/** Serves a built site to a browser, on this machine only and under the service's content security policy. */
export async function servePages(root: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      const body = await readFile(join(root, path));
      response.writeHead(200, { ...COMMON_HEADERS, 'content-type': mediaTypeOf(path) }).end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  return { server, ...(await listen(server)) };
}
