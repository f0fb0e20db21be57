import { join } from 'node:path';
import { freePort } from '../engines/free-port.ts';
import { endHaproxy, runHaproxy } from '../engines/haproxy.ts';
import { PostgresServer } from '../engines/postgres.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { atLeast, compare, type Figure, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';
import { type Server, serve } from './server.ts';
import { clientsIn, rates } from './serving.ts';

/** Of a core, for each server: three of them, the load balancer and the load generator fit on two cores. */
const SHARE = 0.3;
const PERIOD_MS = 60;
/** A commit takes milliseconds, and requests that arrive at the same time share it. */
const CONNECTIONS = 256;
/** Counted requests have no bound: the database takes its processor time from the same cores, and is not there three times. */
const LOADS = [
  { what: 'uncounted requests', path: '/economy/', bound: 2.5 },
  { what: 'requests counted in one database', path: '/economy/supply' },
] as const;

/** Three servers behind HAProxy beside one, each with the same share of a core: what a third machine is worth. */
export async function replicas(report: Report): Promise<void> {
  const database = await PostgresServer.start({ settings: ['fsync = on', 'shared_buffers = 128MB'] });
  try {
    await withScratch(async (folder) => {
      const out = join(folder, 'out');
      await publishTiny(out, { events: 50 });
      const address = await database.newDatabase();
      const start = (name: string) => serve('sidecar', [out, join(folder, name), 'full', '', address]);
      const servers = [await start('one'), await start('two'), await start('three')];
      for (const load of LOADS) report(await compareReplicas(folder, servers, load));
    });
  } finally {
    database.stop();
  }
}

/** One and three in turn, so that what else the machine does is the same for both. */
async function compareReplicas(
  folder: string,
  servers: readonly Server[],
  { what, path, bound }: { what: string; path: string; bound?: number },
): Promise<Figure> {
  const proxies = { one: await balance(folder, servers.slice(0, 1)), three: await balance(folder, servers) };
  const endLimits = limitProcessors(servers.map(({ pid }) => pid));
  try {
    const found = await rates(proxies, { path, connections: CONNECTIONS, newClients: clientsIn(folder) });
    const title = `${what}, 3 servers behind HAProxy, beside 1, each with ${SHARE * 100} % of a core`;
    const rate = [title, found.three!, found.one!, 'requests/s'] as const;
    return bound === undefined ? compare(...rate) : atLeast(...rate, bound);
  } finally {
    endLimits();
    await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
  }
}

/** HAProxy with the shipped configuration, except that the load generator's clients keep the addresses which they name. */
async function balance(folder: string, servers: readonly Server[]): Promise<Server> {
  const port = await freePort();
  const child = await runHaproxy(
    folder,
    port,
    servers.map(({ url }) => Number(new URL(url).port)),
    (configuration) => configuration.replace(/^ +http-request set-header X-Forwarded-For .*\n/m, ''),
  );
  process.once('exit', () => child.kill('SIGKILL'));
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => endHaproxy(child) };
}

/**
 * Lets each of the processes run for `SHARE` of every period, one after the other, and stops it for the rest. The clock decides, because
 * not every kernel counts the processor time of a process often enough. Returns how to end that.
 */
function limitProcessors(pids: readonly number[]): () => void {
  const running = new Set(pids);
  const tick = () => {
    const phase = (performance.now() % PERIOD_MS) / PERIOD_MS;
    for (const [index, pid] of pids.entries()) {
      const runs = (phase - index / pids.length + 1) % 1 < SHARE;
      if (runs === running.has(pid)) continue;
      process.kill(pid, runs ? 'SIGCONT' : 'SIGSTOP');
      if (runs) running.add(pid);
      else running.delete(pid);
    }
  };
  const timer = setInterval(tick, 1);
  return () => {
    clearInterval(timer);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}
