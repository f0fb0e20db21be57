import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Resident memory of a server as it is. */
export function residentMb({ pid }: Server): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) / 1024;
}

/** Resident bytes, after two collections: the first one finds what the second one frees. */
export async function settledMemory(server: Server): Promise<number> {
  for (let collection = 0; collection < 2; collection += 1) {
    await sleep(500);
    process.kill(server.pid, 'SIGUSR2');
  }
  await sleep(500);
  return residentMb(server) * 2 ** 20;
}
