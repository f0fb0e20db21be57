import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hex, type Site } from './publisher.ts';

/** Answers a request in a way of its own; undefined leaves it to the server. */
export type Lie = (response: ServerResponse, request: IncomingMessage, bytes: Buffer | undefined) => unknown;

/** A host of static files that tells of each request, and lies about paths where it is told to. */
export class LyingServer {
  site: Site;
  readonly lies = new Map<string, Lie>();
  /** `GET /path`, with the range that was asked for. */
  readonly requests: string[] = [];
  readonly #server: Server;

  private constructor(site: Site) {
    this.site = site;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(site: Site): Promise<LyingServer> {
    const server = new LyingServer(site);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /**
   * From now on `fetch` finds the files without a socket, with which a request costs a millisecond, until the returned function is
   * called. Lies are still told over HTTP.
   */
  answerHere(): () => void {
    const { fetch } = globalThis;
    const here = async (url: string, options: RequestInit = {}): Promise<Response> => {
      const path = url.slice(this.url.length + 1);
      if (!url.startsWith(`${this.url}/`) || this.lies.has(path)) return fetch(url, options);
      const headers = Object.fromEntries(new Headers(options.headers));
      const { status, body, ...more } = answerOf(headers, this.#asked(path, headers));
      return new Response(body as Uint8Array<ArrayBuffer>, { status, headers: more.headers as HeadersInit });
    };
    Object.assign(globalThis, { fetch: here });
    return () => void Object.assign(globalThis, { fetch });
  }

  #asked(path: string, { range }: Asked): Buffer | undefined {
    this.requests.push(range ? `${path} ${range}` : path);
    return this.site.get(path);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!.slice(1);
    const bytes = this.#asked(path, request.headers);
    const lie = this.lies.get(path);
    if (lie) return void lie(response, request, bytes);
    serve(response, request, bytes);
  }
}

/** What a running service has beside its files: a stream of events. */
export function stream(server: LyingServer): void {
  server.lies.set('live', (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n'),
  );
}

/** Answers the supply otherwise than the release has it. */
export function answer(server: LyingServer, text: string): void {
  server.lies.set('economy/supply', (response) => response.end(text));
}

/** A body without an end, as fast as it is read. */
export function pour(response: ServerResponse, bytes = 65_536): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(bytes, 'x')));
  };
  response.on('drain', more);
  more();
}

/** Headers of a request. */
interface Asked {
  range?: string | undefined;
  'if-none-match'?: string | undefined;
}

/** As static hosts do: with a tag, a part where one is asked for, and 404. */
function answerOf(asked: Asked, bytes: Buffer | undefined) {
  if (!bytes) return { status: 404, headers: {}, body: 'no such file' };
  const etag = `"${hex(bytes).slice(0, 16)}"`;
  if (asked['if-none-match'] === etag) return { status: 304, headers: { etag }, body: null };
  const [, from, last] = /^bytes=(\d+)-(\d*)$/.exec(asked.range ?? '') ?? [];
  if (from === undefined)
    return { status: 200, headers: { etag, 'content-length': `${bytes.length}` }, body: bytes };
  const end = last ? Math.min(Number(last) + 1, bytes.length) : bytes.length;
  const body = bytes.subarray(Number(from), end);
  const range = `bytes ${from}-${end - 1}/${bytes.length}`;
  return {
    status: 206,
    headers: { etag, 'content-range': range, 'content-length': `${body.length}` },
    body,
  };
}

export function serve(response: ServerResponse, request: IncomingMessage, bytes: Buffer | undefined): void {
  const { status, headers, body } = answerOf(request.headers, bytes);
  response.writeHead(status, headers).end(body ?? undefined);
}
