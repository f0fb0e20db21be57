import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { type Application, issueKey } from '../../src/sidecar/keys/key-life.ts';
import { keyStoreIn, openKeyStore } from '../../src/sidecar/keys/key-store.ts';
import { PostgresServer } from '../engines/postgres.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { ECONOMIST, GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';
import { appenders } from './access-log-appenders.ts';
import { atLeast, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';
import { serve } from './server.ts';
import { clientsIn, rates } from './serving.ts';

const COUNTED = '/economy/supply';
const RESTRICTED = '/government/compliance-report.json';
/** Each may ask 2,000 times a day, which is more than all runs need. */
const ECONOMISTS = 100;
/** A commit takes milliseconds, and those who ask at the same time share it: what counts is how many requests a busy server answers. */
const CONNECTIONS = 256;

/** Requests that use keys, counts and the access log: in PostgreSQL, which flushes each commit, beside SQLite on the same disk. */
export async function stores(report: Report): Promise<void> {
  const database = await PostgresServer.start({ settings: ['fsync = on', 'shared_buffers = 128MB'] });
  try {
    await withScratch((folder) => compareStores(folder, database, report));
    report(await appenders(await database.newDatabase()));
  } finally {
    database.stop();
  }
}

async function compareStores(folder: string, database: PostgresServer, report: Report): Promise<void> {
  const out = join(folder, 'out');
  await publishTiny(out, { events: 50 });
  const address = await database.newDatabase();
  const files = { sqlite: join(folder, 'sqlite'), postgres: join(folder, 'postgres') };
  const servers = {
    sqlite: await serve('sidecar', [out, files.sqlite, 'full', '', '']),
    postgres: await serve('sidecar', [out, files.postgres, 'full', '', address]),
  };
  await Promise.all(Object.values(files).map((path) => mkdir(path, { recursive: true })));
  const asked = { path: COUNTED, connections: CONNECTIONS };
  const counted = await rates(servers, { ...asked, newClients: clientsIn(folder) });
  report(
    atLeast(
      'counted requests in PostgreSQL, beside SQLite',
      counted.postgres!,
      counted.sqlite!,
      'requests/s',
      0.5,
    ),
  );
  const holders = await applicants(join(files.sqlite, 'keys', 'keys.sqlite'), address);
  const keys = join(folder, 'keys.lua');
  await writeFile(keys, requests(holders));
  const guarded = await rates(servers, { ...asked, newClients: async () => keys });
  report(
    atLeast(
      'requests with a key, half of them counted and half logged, in PostgreSQL, beside SQLite',
      guarded.postgres!,
      guarded.sqlite!,
      'requests/s',
      0.4,
    ),
  );
}

interface Holders {
  economists: string[];
  government: string;
}

/** The same keys in both stores. */
async function applicants(path: string, address: string): Promise<Holders> {
  const database = await openDatabase(address, { application: 'bench', connections: 2 });
  const [sqlite, postgres] = [await openKeyStore(path), keyStoreIn(database)];
  const baseUrl = 'https://data.example.org';
  const keyOf = async (applicant: Application) => {
    const services = { store: sqlite, mailer: null, now: Date.now, randomBytes, baseUrl };
    const { key, record } = await issueKey({ ...applicant, deliver: 'print' }, services);
    await postgres.addKey(record);
    return key!;
  };
  try {
    const economists: string[] = [];
    for (let n = 0; n < ECONOMISTS; n += 1)
      economists.push(await keyOf({ ...ECONOMIST, email: `economist${n}@institute.example` }));
    return { economists, government: await keyOf(GOVERNMENT) };
  } finally {
    await Promise.all([sqlite.close(), database.close()]);
  }
}

/** In turn a counted request of an economist, and a restricted one of the government. */
function requests({ economists, government }: Holders): string {
  const list = economists.map((key) => `"${key}"`).join(', ');
  return `local keys = {${list}}
local n = 0
request = function()
  n = n + 1
  if n % 2 == 0 then return wrk.format(nil, "${RESTRICTED}", { ["Authorization"] = "Bearer ${government}" }) end
  return wrk.format(nil, "${COUNTED}", { ["Authorization"] = "Bearer " .. keys[(n - 1) / 2 % #keys + 1] })
end
`;
}
