import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startChild } from './child.ts';

export interface Server {
  /** `http://127.0.0.1:40123` */
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

const running = new Set<Server>();

/** Of a benchmark that failed, too: they would slow the next one down. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

/** Runs `children/<name>.ts`, a server, which prints its address when it listens. */
export async function serve(name: string, args: readonly string[]): Promise<Server> {
  const child = startChild(name, args);
  // Where the bench fails, nobody would stop it.
  process.once('exit', () => child.kill('SIGKILL'));
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}`))),
  ])) as [string];
  const stop = async () => {
    running.delete(server);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  const server = { url, pid: child.pid!, stop };
  running.add(server);
  return server;
}
