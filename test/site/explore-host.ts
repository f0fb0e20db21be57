import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { headersFor } from '../../pipeline/release/format/response-headers.ts';
import type { Simulation } from '../../src/sidecar/simulation/open-simulation.ts';
import { listen } from '../listen.ts';

export interface Host extends AsyncDisposable {
  origin: string;
  /** Paths that were asked for and are not there. */
  missed: string[];
  /** Streams that are open at `/live`, oldest first; empty for a static host. */
  listeners: ServerResponse[];
  /** What each of them asked for, with its question mark. */
  wanted: string[];
}

/**
 * Serves a built site with the headers of a release: as a static host, or as the service's own server, which numbers its
 * answers and has a stream at `/live` that begins with `greeting`, and `simulation`.
 */
export async function openHost(
  root: string,
  greeting: string | null = null,
  simulation: Pick<Simulation, 'upgrade'> | null = null,
): Promise<Host> {
  const missed: string[] = [];
  const wanted: string[] = [];
  const listeners: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname).slice(1);
    if (greeting !== null) response.setHeader('X-Request-Id', 'a-request');
    if (greeting !== null && path === 'live') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(greeting);
      listeners.push(response);
      wanted.push(search);
      return;
    }
    try {
      const body = await readFile(join(root, path));
      const file = { path, kind: path.endsWith('.html') ? 'page' : 'asset', media_type: mediaTypeOf(path) };
      response.writeHead(200, headersFor(file as ManifestFile)).end(body);
    } catch {
      // A page with old data asks for it; a published release has one, and this one confirms nothing.
      if (path === 'latest.json') return response.end('{}');
      missed.push(pathname);
      response.writeHead(404).end();
    }
  });
  if (simulation) server.on('upgrade', simulation.upgrade);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  };
  const { origin } = await listen(server);
  return { origin, missed, listeners, wanted, [Symbol.asyncDispose]: close };
}
