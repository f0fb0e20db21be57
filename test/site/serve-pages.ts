import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { COMMON_HEADERS } from '../../pipeline/release/format/response-headers.ts';
import { listen } from '../listen.ts';

/** As for the files of a release. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const FONT_OR_PICTURE = /\.(?:woff2|png|ico)$/;

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
      const body = text ?? (await readFile(join(root, path)));
      const isSmall = FONT_OR_PICTURE.test(path) || !request.headers['accept-encoding']?.includes('br');
      const type = text === undefined ? mediaTypeOf(path) : 'text/plain; charset=utf-8';
      const headers = { ...COMMON_HEADERS, 'content-type': type };
      if (isSmall) response.writeHead(200, headers).end(body);
      else
        response
          .writeHead(200, { ...headers, 'content-encoding': 'br' })
          .end(brotliCompressSync(body, QUALITY));
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  return { server, ...(await listen(server)) };
}
