import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatProblem, Problem } from '../../../src/api/problem.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import { LiveQuery } from '../../../src/api/routes/service.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import { answerWith } from '../../../src/sidecar/files/representation.ts';
import { type LiveOptions, type OpenLive, openLive } from '../../../src/sidecar/live/open-live.ts';
import { BASE_URL, DOCUMENTS, VERIFIERS } from './live-ledger.ts';

export interface LiveServer {
  url: string;
  live: OpenLive;
  /** The reports, oldest first. */
  reports: string[];
  close: () => Promise<void>;
}

/** The real-time paths and `/live` over real sockets, without the rest of the service. */
export async function serveLive(
  { ledger, out }: { ledger: string; out: string },
  more: Partial<LiveOptions> = {},
  port = 0,
): Promise<LiveServer> {
  const reports: string[] = [];
  const report = (error: unknown) => void reports.push(String(error));
  const live = await openLive({
    ledger,
    verifiers: VERIFIERS,
    releases: new Releases(out, report),
    documents: DOCUMENTS,
    companions: null,
    baseUrl: BASE_URL,
    pollMs: 100,
    gapMs: 20,
    retryMs: [20, 40],
    maxListeners: 1000,
    maxPerClient: 1000,
    hasReplicas: false,
    report,
    ...more,
  });
  const server = await bareServer((request, response) => answer(request, response, live), port);
  const close = async () => {
    await live.close();
    server.closeIdleConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, live, reports, close };
}

/** A listening server that answers a thrown Problem. */
export async function bareServer(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  port = 0,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    try {
      await handle(request, response);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      response.writeHead(error.status, error.headers).end(formatProblem(error));
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, live: OpenLive): Promise<void> {
  const [path = '', query = ''] = request.url!.slice(1).split('?');
  const address = request.socket.remoteAddress!;
  if (path === 'live')
    return live.listen(request, response, {
      headers: (own) => Object.entries(own).flat(),
      address,
      query: readQuery(LiveQuery, query),
    });
  const resource = live.resource(path);
  if (!resource) throw new Problem('not_found', 'No file is published at this path.');
  const { status, headers, body } = await answerWith(request, resource);
  response.writeHead(status, headers).end(body);
}
