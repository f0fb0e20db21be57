import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { headersFor } from '../../pipeline/release/format/response-headers.ts';
import { listen } from '../listen.ts';
import type { Built } from './build-fixture.ts';

/** The pages and the data as a host of files serves them: with the headers that are decided, and blind to queries. */
export async function serveStatic({ out, release }: Built): Promise<{ origin: string; server: Server }> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url
      .slice(1)
      .split('?', 1)[0]!
      .replace(/(^|\/)$/, '$1index.html');
    const found = await readFile(join(out, path))
      .catch(() => readFile(join(release, 'public', path)))
      .catch(() => null);
    if (!found) return response.writeHead(404).end();
    const type = path.startsWith('economy/') && !path.includes('.') ? 'application/json' : mediaTypeOf(path);
    const file = { path, kind: 'page', restricted: false, immutable: false, media_type: type };
    return response.writeHead(200, headersFor(file as ManifestFile)).end(found);
  });
  return { server, ...(await listen(server)) };
}
