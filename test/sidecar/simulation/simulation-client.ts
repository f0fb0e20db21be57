import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { closed } from '../closed.ts';

export interface Told {
  type: string;
  tick?: number;
  problem?: { code: string; detail: string; status: number; type: string };
  [name: string]: unknown;
}

/** A client that waits for each message it is told. */
export class SimulationClient {
  readonly socket: WebSocket;
  readonly told: Told[] = [];
  readonly closed: Promise<number>;
  #taken = 0;
  #wake: () => void = () => {};
  #closedWith: number | null = null;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => {
      // Messages of the service are text, whatever a library makes of them.
      this.told.push(isBinary ? { type: 'binary' } : (JSON.parse(String(data)) as Told));
      this.#wake();
    });
    socket.on('error', () => {});
    this.closed = closed(socket).then(([code]) => {
      this.#closedWith = code as number;
      this.#wake();
      return code as number;
    });
  }

  say(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The next one that was not taken yet. Throws if the connection is closed instead. */
  async next(): Promise<Told> {
    while (this.told.length <= this.#taken) {
      if (this.#closedWith !== null)
        throw new Error(`closed with ${this.#closedWith}, and nothing more was said`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#taken += 1;
    return this.told[this.#taken - 1]!;
  }

  async ask(message: object | string): Promise<Told> {
    this.say(message);
    return this.next();
  }
}

export async function openClient(
  url: string,
  headers: Record<string, string> = {},
): Promise<SimulationClient> {
  const socket = new WebSocket(url, { headers });
  onTestFinished(() => socket.terminate());
  const client = new SimulationClient(socket);
  await once(socket, 'open');
  return client;
}

/** What an upgrade that is refused is answered with. */
export async function refusedUpgrade(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; problem: Record<string, unknown> }> {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    AsyncIterable<Buffer> & { statusCode: number; headers: Record<string, unknown> },
  ];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, problem: JSON.parse(body) };
}
