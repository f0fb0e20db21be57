import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parentPort, workerData } from 'node:worker_threads';

/** Of the thread: the program that the site's build made, as a file URL. */
export interface RendererData {
  entry: string;
}

/** The path with its query, in the program's own addresses. */
export interface RenderJob {
  id: number;
  url: string;
}

export interface RenderReply {
  id: number;
  /** 500 where the program failed. */
  status: number;
  body: Uint8Array;
}

/** What @astrojs/node exports in middleware mode. */
interface Program {
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const port = parentPort!;
const { handler } = (await import((workerData as RendererData).entry)) as Program;
// HTTP without a network: what it answers to comes over a pair of streams in this thread.
const server = createServer((request, response) => void handler(request, response));

async function render(url: string): Promise<Omit<RenderReply, 'id'>> {
  const [near, far] = duplexPair() as [Duplex, Duplex];
  server.emit('connection', far);
  const asking = ask({ path: url, createConnection: () => near, headers: { host: 'localhost' } });
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asking.on('response', resolve).on('error', reject).end(),
  );
  const body = await buffer(response);
  near.destroy();
  far.destroy();
  return { status: response.statusCode ?? 500, body };
}

port.on('message', ({ id, url }: RenderJob) => {
  render(url).then(
    (reply) => port.postMessage({ id, ...reply } satisfies RenderReply),
    (error: unknown) => port.postMessage({ id, status: 500, body: Buffer.from(String(error)) }),
  );
});
