import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the tests of a run share, each in a process of its own that ends with the run. */
export type EngineName = 'postgres' | 'objects' | 'browser';

const CHILD = join(import.meta.dirname, 'engine-child.ts');
/** The longest that an engine may take to stop, ms; then it is killed. */
const PATIENCE_MS = 10_000;

/**
 * The engines of a run. A worker writes the name of one to a socket, and gets as JSON how to reach it: `{"found": …}` or
 * `{"failed": "why"}`. The first that asks has it started, and the end of the run stops what was started.
 */
export class Engines {
  readonly #server: Server;
  readonly #started = new Map<string, Promise<string>>();
  readonly #children: ChildProcess[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(socket: string): Promise<Engines> {
    const server = createServer();
    const engines = new Engines(server);
    server.on('connection', (connection) => {
      // A worker that was killed meanwhile needs no answer.
      connection.on('error', () => undefined);
      // So few bytes arrive at once.
      connection.once('data', async (name) => connection.end(await engines.#answer(`${name}`)));
    });
    server.listen(socket);
    await once(server, 'listening');
    return engines;
  }

  async stop(): Promise<void> {
    this.#server.close();
    await Promise.all(this.#children.map(stop));
  }

  #answer(name: string): Promise<string> {
    const started = this.#started.get(name) ?? this.#start(name);
    this.#started.set(name, started);
    return started;
  }

  async #start(name: string): Promise<string> {
    // Its input ends with this process, however that ends, and the engine with its input.
    const child = spawn(process.execPath, [CHILD, name], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#children.push(child);
    for await (const line of createInterface({ input: child.stdout! })) return line;
    return JSON.stringify({ failed: `${name} did not start` });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  child.stdin!.end();
  await once(child, 'exit');
  clearTimeout(late);
}
