import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A reader with an address of its own, by which the service counts. */
export class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;

  /** `address`: one of this machine, `127.0.3.1`. */
  constructor(url: string, address: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, localAddress: address, maxSockets: 16 });
  }

  /** Null if the connection was refused or cut off, so that nobody can tell what the server did. */
  get(path: string, headers: Record<string, string> = {}): Promise<Response | null> {
    return new Promise((resolve) => {
      const options = { agent: this.#agent, headers: { ...this.#headers, ...headers }, timeout: 30_000 };
      const sent = request(`${this.#url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
        response.on('error', () => resolve(null));
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => resolve(null));
      sent.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
