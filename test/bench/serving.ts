import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFile, publishTiny } from '../publish/publish-tiny.ts';
import { endNginx, freePort, runNginx } from '../publish/run-nginx.ts';
import { median } from './child.ts';
import { atLeast, type Figure } from './figure.ts';
import { withScratch } from './scratch.ts';
import { type Server, serve } from './server.ts';
import { type Load, wrk } from './wrk.ts';

const RUNS = 3;
const SECONDS = 3;
const CONNECTIONS = 32;
const LARGE_MB = 200;
const SMALL = '/economy/supply';
const LARGE = '/economy/large.csv';

/** Each client asks 90 times and is followed by the next: all are counted, and none reaches its limit. */
const CLIENTS = `math.randomseed(os.time())
local n = 90 * math.random(0, 16777216)
request = function()
  n = n + 1
  local c = math.floor(n / 90)
  local address = string.format("10.%d.%d.%d", math.floor(c / 65536) % 256, math.floor(c / 256) % 256, c % 256)
  return wrk.format(nil, nil, { ["X-Forwarded-For"] = address })
end
`;

/** Small files and a large one over HTTP, beside the least that a server can do. */
export async function serving(): Promise<Figure[]> {
  return withScratch(async (folder) => {
    await chmod(folder, 0o755);
    await publishTiny(join(folder, 'out'), { events: 50, extra: addLarge });
    const script = join(folder, 'clients.lua');
    await writeFile(script, CLIENTS);
    return [...(await small(folder, script)), await large(folder)];
  });
}

async function small(folder: string, script: string): Promise<Figure[]> {
  const plain = await start(folder, 'plain');
  const full = await start(folder, 'full');
  const bare = await serve('bare', [`${plain.url}${SMALL}`]);
  const rates = { bare: [] as number[], plain: [] as number[], full: [] as number[] };
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, server] of Object.entries({ bare, plain, full }))
      rates[name as keyof typeof rates].push((await wrk(smallLoad(server, script))).requestsPerSecond);
  }
  await Promise.all([plain, full, bare].map((server) => server.stop()));
  const [floor, without, withAll] = [rates.bare, rates.plain, rates.full].map(median) as [
    number,
    number,
    number,
  ];
  return [
    atLeast('a small file, limits and log off, beside bare node:http', without, floor, 'requests/s', 0.8),
    atLeast('a small file, counted and logged, beside bare node:http', withAll, floor, 'requests/s', 0.5),
  ];
}

function smallLoad({ url }: Server, script: string): Load {
  return { url: `${url}${SMALL}`, connections: CONNECTIONS, seconds: SECONDS, script };
}

async function large(folder: string): Promise<Figure> {
  const ours = await start(folder, 'plain');
  const port = await freePort();
  const site = (await readFile('docs/nginx.conf', 'utf8'))
    .replaceAll('/srv/cathedral', join(folder, 'out'))
    .replace('listen 80;', `listen 127.0.0.1:${port}; sendfile on;`);
  const isUp = async () => (await fetch(`http://127.0.0.1:${port}/`)).ok;
  await mkdir(join(folder, 'nginx'), { mode: 0o755 });
  const nginx = await runNginx(join(folder, 'nginx'), site, isUp);
  const rates = { ours: [] as number[], nginx: [] as number[] };
  for (let run = 0; run < RUNS; run += 1) {
    rates.nginx.push(await bytesPerSecond(`http://127.0.0.1:${port}`));
    rates.ours.push(await bytesPerSecond(ours.url));
  }
  await Promise.all([ours.stop(), endNginx(nginx)]);
  const [value, reference] = [rates.ours, rates.nginx].map((each) => median(each) / 2 ** 20) as [
    number,
    number,
  ];
  return atLeast(`a CSV of ${LARGE_MB} MB, beside nginx with sendfile`, value, reference, 'MiB/s', 0.6);
}

async function bytesPerSecond(url: string): Promise<number> {
  return (await wrk({ url: `${url}${LARGE}`, connections: 2, seconds: SECONDS })).bytesPerSecond;
}

function start(folder: string, guards: 'plain' | 'full'): Promise<Server> {
  return serve('sidecar', [join(folder, 'out'), join(folder, `stores-${guards}`), guards]);
}

async function addLarge(
  staging: Parameters<NonNullable<Parameters<typeof publishTiny>[1]['extra']>>[0],
): Promise<void> {
  const row = '2025-12-01T06:00:00Z,C-151,ATLAS,812.345678,FOR-GOVERNMENTS,61.25\n';
  const content = row.repeat((LARGE_MB * 1_000_000) / row.length);
  const mediaType = 'text/csv; charset=utf-8; header=present';
  await staging.write(dataFile('economy/large.csv', content, { mediaType }));
}
