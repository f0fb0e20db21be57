import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { freePort } from '../engines/free-port.ts';
import { dataFile, publishTiny } from '../release/publish-tiny.ts';
import { endNginx, listeningOn, runNginx } from '../release/run-nginx.ts';
import { inTurns, measure, median } from './child.ts';
import { atLeast, type Figure, type Report } from './figure.ts';
import { below, withScratch } from './scratch.ts';
import { type Server, serve } from './server.ts';
import { wrk } from './wrk.ts';

const RUNS = 5;
const SECONDS = 2;
const CONNECTIONS = 32;
const LARGE_MB = 200;
/** Each with what it is to reach of bare node:http, without limits and log and with them. */
const SMALL = {
  'a small file': { path: '/economy/coordination', plain: 0.9, full: 0.7 },
  'live JSON': { path: '/economy/supply', plain: 0.85, full: 0.7 },
};
const LARGE = '/economy/large.csv';

/** Clients that a run may take one after the other: more than it has time for. */
const CLIENTS_PER_RUN = 100_000;

/**
 * Each client asks 90 times and is followed by the next: all are counted, and none reaches its limit of 100. Runs share the day's
 * counts, so each has clients of its own; there is room in 10.0.0.0/8 for 167 runs.
 */
const clients = (run: number) => `local n = 90 * ${run * CLIENTS_PER_RUN}
request = function()
  n = n + 1
  local c = math.floor(n / 90)
  local address = string.format("10.%d.%d.%d", math.floor(c / 65536) % 256, math.floor(c / 256) % 256, c % 256)
  return wrk.format(nil, nil, { ["X-Forwarded-For"] = address })
end
`;

/** Writes the script of the clients of each further run. */
export function clientsIn(folder: string): () => Promise<string> {
  const script = join(folder, 'clients.lua');
  let runs = 0;
  return async () => {
    await writeFile(script, clients(runs));
    runs += 1;
    return script;
  };
}

/** Small files, live ones and a large one over HTTP, beside the least that a server can do. */
export async function serving(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    await chmod(folder, 0o755);
    await small(folder, report);
    report(await large(folder));
  });
}

async function small(folder: string, report: Report): Promise<void> {
  const [ledger, out] = below(folder, 'ledger', 'real');
  const newClients = clientsIn(folder);
  await writeSample({ out: ledger, to: '2025-10-01T03:00:00Z', seed: 1 });
  await measure('build', [ledger, out]);
  const start = (guards: string) => serve('sidecar', [out, join(folder, `stores-${guards}`), guards, ledger]);
  const servers = { plain: await start('plain'), full: await start('full') };
  for (const [kind, { path, ...least }] of Object.entries(SMALL)) {
    const bare = await serve('bare', [`${servers.plain.url}${path}`]);
    const { floor, plain, full } = await rates({ floor: bare, ...servers }, { path, newClients });
    await bare.stop();
    const beside = 'beside bare node:http';
    report(
      atLeast(`${kind}, limits and log off, ${beside}`, plain!, floor!, 'requests/s', least.plain),
      atLeast(`${kind}, counted and logged, ${beside}`, full!, floor!, 'requests/s', least.full),
    );
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
}

/** Requests a second of each server, in turn, so that what else the machine does is the same for all. */
export async function rates(
  servers: Readonly<Record<string, Server>>,
  {
    path,
    newClients,
    connections = CONNECTIONS,
  }: { path: string; newClients: () => Promise<string>; connections?: number },
): Promise<Record<string, number>> {
  const asked = Object.entries(servers).map(([name, { url }]) => {
    const load = { url: `${url}${path}`, connections, seconds: SECONDS };
    return [name, async () => (await wrk({ ...load, script: await newClients() })).requestsPerSecond];
  });
  const found: Record<string, number[]> = await inTurns(RUNS, Object.fromEntries(asked));
  return Object.fromEntries(Object.entries(found).map(([name, each]) => [name, median(each)]));
}

async function large(folder: string): Promise<Figure> {
  const out = join(folder, 'out');
  await publishTiny(out, { events: 50, extra: addLarge });
  const ours = await serve('sidecar', [out, join(folder, 'stores-large'), 'plain']);
  const port = await freePort();
  const shipped = (await readFile('deploy/nginx.conf', 'utf8')).replaceAll('/srv/cathedral', out);
  const site = listeningOn(shipped, port).replace(/(?=listen )/, 'sendfile on; ');
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/`)).ok;
  await mkdir(join(folder, 'nginx'), { mode: 0o755 });
  const nginx = await runNginx(join(folder, 'nginx'), site, isUp);
  const rates = await inTurns(RUNS, {
    nginx: () => mebibytesPerSecond(`http://127.0.0.1:${port}`),
    ours: () => mebibytesPerSecond(ours.url),
  }).finally(() => Promise.all([ours.stop(), endNginx(nginx)]));
  const what = `a CSV of ${LARGE_MB} MB, beside nginx with sendfile`;
  return atLeast(what, median(rates.ours), median(rates.nginx), 'MiB/s', 0.85);
}

async function mebibytesPerSecond(url: string): Promise<number> {
  return (await wrk({ url: `${url}${LARGE}`, connections: 2, seconds: SECONDS })).bytesPerSecond / 2 ** 20;
}

async function addLarge(
  staging: Parameters<NonNullable<Parameters<typeof publishTiny>[1]['extra']>>[0],
): Promise<void> {
  const row = '2025-12-01T06:00:00Z,C-151,ATLAS,812.345678,FOR-GOVERNMENTS,61.25\n';
  const content = row.repeat((LARGE_MB * 1_000_000) / row.length);
  const mediaType = 'text/csv; charset=utf-8; header=present';
  await staging.write(dataFile('economy/large.csv', content, { mediaType }));
}
