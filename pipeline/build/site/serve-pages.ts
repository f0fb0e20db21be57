import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { COMMON_HEADERS } from '../../release/format/headers.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';

/**
 * Serves a built site to the browser that prints it: on this machine only, for as long as that takes, and under the
 * content security policy of the service, so that nothing shows here that a reader would not see.
 */
export async function servePages(root: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const asked = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
      // An absolute path has no way out of its root once it is normal.
      const path = normalize(asked);
      const body = await readFile(join(root, path));
      response.writeHead(200, { ...COMMON_HEADERS, 'content-type': mediaTypeOf(path) }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
