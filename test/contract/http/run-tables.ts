import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { filesBelow } from '../../files-below.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { type Facts, faultsOf, linesOf, requestBytes } from './check-row.ts';
import { type Answer, exchange } from './client.ts';
import { NOW, type Published } from './published.ts';
import { command, type OpenServer, openServer } from './seam.ts';
import { onConnections, type Row, readHeaderSets, readRows, sha256, TABLES } from './table.ts';

/** Whoever adds a row leaves its answer out and runs with FILL=1, which writes what the service answers into the table, to be read. FILL=all writes anew what differs. */
const isFilling = process.env.FILL !== undefined;
const DAY_MS = 86_400_000;

/** The requests whose every access is recorded, as docs/access.md has them. */
const RESTRICTED =
  /^\/(?:export|government\/(?:ledger\/export|compliance-report\.json|policy-impact\.json)|log\/tile\/entries\/.*)$/;

const sets = readHeaderSets('HEADERS.txt');
export const titles = new Map(
  (await readFile(join(TABLES, 'PROBLEMS.txt'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => {
      const [, code = '', status, title = ''] = /^(\w+) (\d+) (.*)$/.exec(line)!;
      return [code, { status: Number(status), title }] as const;
    }),
);

let published: Published;
let known: Map<string, string>;

/** Where each published file is, by the SHA-256 of its bytes. */
function hashesIn(out: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const folder of ['current/public', 'current/restricted', 'log', 'log-entries', 'snapshots']) {
    const below = folder.startsWith('current/') ? '' : `${folder}/`;
    for (const [path, bytes] of filesBelow(join(out, folder), below))
      if (!found.has(sha256(bytes))) found.set(sha256(bytes), path);
  }
  return found;
}

let folder: string;
const open = new Map<string, OpenServer>();
/** The access log of each server. */
const logs = new Map<string, string>();

let drawing: Promise<unknown> | null = null;

const HOLDERS = {
  government: ['--tier', 'government', '--basis', 'call back'],
  economist: ['--tier', 'economist', '--volume', '500 a day', '--basis', 'staff page'],
  institutional: ['--tier', 'institutional', '--volume', '500 a day', '--basis', 'agreement 7'],
  philosopher: [
    ...'--tier institutional --areas philosophy --basis agreement'.split(' '),
    ...['--volume', '9 a day'],
  ],
} as const;

async function issue(name: string, args: readonly string[], now: () => number) {
  const words = [
    '--email',
    `${name}@office.example`,
    ...'--name Reader --affiliation Office --purpose Test'.split(' '),
  ];
  const printed = await command(
    'keys issue',
    ['--store', issued(), ...words, ...args, '--deliver', 'print', '--json'],
    now,
  );
  return JSON.parse(printed) as { id: string; key: string };
}

/** Where the keys are issued. */
const issued = () => join(folder, 'issued');

/** Keys of each tier, and some that open nothing. */
async function issueKeys(): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  const now = () => NOW - DAY_MS;
  for (const [name, args] of Object.entries(HOLDERS)) keys[name] = (await issue(name, args, now)).key;
  const revoked = await issue('revoked', HOLDERS.government, now);
  await command('keys revoke', ['--store', issued(), '--key-id', revoked.id, '--reason', 'lost'], now);
  const expired = await issue('expired', [...HOLDERS.government, '--key-days', '1'], now);
  const old = await issue('rotated', HOLDERS.government, now);
  const rotate = ['--key-id', old.id, '--deliver', 'print', '--json'];
  const next = JSON.parse(await command('keys rotate', ['--store', issued(), ...rotate], now)) as {
    key: string;
  };
  return { ...keys, revoked: revoked.key, expired: expired.key, rotated: old.key, successor: next.key };
}

/** What is served by whom; each has stores of its own, but all know the same keys. */
const SERVERS: Record<string, () => Promise<OpenServer>> = {
  main: () => serveFrom(published.out, '--trusted-proxies', '127.0.0.1'),
  live: () => serveFrom(published.out, '--trusted-proxies', '127.0.0.1', '--ledger', published.ledger),
  tagged: () => serveFrom(published.out, '--cache-tag-header', 'Surrogate-Key'),
  direct: () => serveFrom(published.out),
  async empty() {
    await mkdir(join(folder, 'empty'));
    return serveFrom(join(folder, 'empty'));
  },
  /** One request is under way: its thread has yet to start, and then draws. */
  async narrow() {
    const server = await serveFrom(published.out, '--max-active', '1');
    await fetch(`${server.url}/robots.txt`);
    drawing = fetch(`${server.url}/charts/supply.png?series=burned`).then((answer) => answer.bytes());
    await vi.waitUntil(async () => (await fetch(`${server.url}/robots.txt`)).status === 503, { interval: 5 });
    return server;
  },
  impatient: () => serveFrom(published.out, '--request-timeout', '1'),
  async damaged() {
    const out = join(folder, 'damaged');
    await cp(published.out, out, { recursive: true, verbatimSymlinks: true });
    await writeFile(join(out, 'current/public/economy/roi'), '{"damaged":true}');
    await writeFile(join(out, 'current/public/economy/supply-by-day.csv'), 'damaged');
    return serveFrom(out);
  },
  async 'without-keys'() {
    const server = await serveFrom(published.out);
    await rm(join(storeOf(servers), 'keys/keys.sqlite'));
    return server;
  },
  async 'without-counts'() {
    const server = await serveFrom(published.out);
    const counts = join(storeOf(servers), 'limits');
    await rm(counts, { recursive: true, maxRetries: 5 });
    await writeFile(counts, 'no folder');
    return server;
  },
  async 'without-log'() {
    const server = await serveFrom(published.out);
    await fetch(`${server.url}/export`);
    await rm(join(storeOf(servers), 'access-log'), { recursive: true });
    return server;
  },
};

let servers = 0;

const storeOf = (server: number) => join(folder, `${server}-stores`);

async function serveFrom(out: string, ...args: string[]): Promise<OpenServer> {
  servers += 1;
  const store = storeOf(servers);
  await cp(join(issued(), 'keys'), join(store, 'keys'), { recursive: true });
  const common = '--base-url https://data.example.org --documents data/documents --log-level error'.split(
    ' ',
  );
  return openServer(['--out', out, '--store', store, ...common, ...args]);
}

async function serverOf(name: string): Promise<OpenServer> {
  let server = open.get(name);
  if (!server) {
    if (!SERVERS[name]) throw new Error(`no server is known as ${name}`);
    server = await SERVERS[name]();
    logs.set(name, storeOf(servers));
    open.set(name, server);
  }
  return server;
}

let clients = 0;

/** Sends the requests of rows on one connection as often as the first says, and returns the last answers, one for each. */
async function ask(rows: readonly Row[], facts: Facts): Promise<Answer[]> {
  const { server, client: own, times } = rows[0]!;
  const { url } = await serverOf(server);
  const hasProxy = server === 'main' || server === 'live';
  clients += 1;
  const client = hasProxy ? (own ?? `203.0.${Math.floor(clients / 250)}.${clients % 250}`) : null;
  const requests = rows.map((row) => requestBytes(row, client, facts));
  let answers: Answer[] = [];
  for (let time = 0; time < times; time += 1) answers = await exchange(url, requests);
  if (answers.length !== rows.length)
    throw new Error(`${answers.length} answers to ${rows.length} requests before the connection was closed`);
  return answers;
}

/** Where the access log of a server is not what its rows say: one entry for each request of a restricted path, in order, with its outcome. */
async function unrecorded(rows: readonly Row[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, server] of open) {
    if (name === 'without-log') continue;
    await server.close();
    open.delete(name);
    const args = ['--store', logs.get(name)!, '--format', 'ndjson', '--to', '2026-12-31'];
    const printed = await command('access-log export', args);
    const entries = printed
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, string>);
    const found = entries.map(
      ({ method, path, status, key_id }) =>
        `${method} ${path} ${status}${Number(status) < 400 && !key_id ? ' without a key' : ''}`,
    );
    const expected = rows.filter((row) => row.server === name).flatMap(entriesOf);
    if (found.join('\n') !== expected.join('\n'))
      faults.push(`the access log of ${name}: expected\n${expected.join('\n')}\nfound\n${found.join('\n')}`);
  }
  return faults;
}

function entriesOf({ request: [line = ''], answer: [first = ''], times }: Row): string[] {
  const [method = '', target = ''] = line.split(' ');
  const path = target.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/)[0]!;
  // The log takes no other spelling of its addresses.
  const decoded = path.startsWith('/log/') ? path : path.replace(/%[2-7][0-9a-f]/g, decodeURIComponent);
  if (method === 'OPTIONS' || !RESTRICTED.test(decoded)) return [];
  return Array.from({ length: times }, () => `${method} ${path} ${first.split(' ')[0]}`);
}

/** Writes answers behind the rows that have none. */
async function fill(file: string, filled: readonly (readonly [Row, string[]])[]): Promise<void> {
  const lines = (await readFile(join(TABLES, file), 'utf8')).split('\n');
  for (const [row, more] of filled.toReversed()) {
    const answered = row.answer.length + row.body.length;
    lines.splice(row.end - answered, answered, ...more);
  }
  await writeFile(join(TABLES, file), lines.join('\n'));
}

/** Sends the requests of tables to servers over a release, which is made by whoever comes first. */
export function testTables(files: readonly string[], publish: () => Promise<Published>): void {
  beforeAll(async () => {
    published = await publish();
    if (isFilling) known = hashesIn(published.out);
  });

  beforeEach(async () => {
    // Quotas and expiries are those of one moment. Nothing else of the clock is stopped.
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    folder = await temporaryFolder();
  });

  afterEach(async () => {
    await drawing;
    drawing = null;
    await Promise.all([...open.values()].map((server) => server.close()));
    open.clear();
    vi.useRealTimers();
  });

  test.each(files)('%s has what the service answers', async (file) => {
    const rows = readRows(file);
    const facts: Facts = { ...published, sets, titles, keys: await issueKeys() };
    const faults: string[] = [];
    const filled: [row: Row, lines: string[]][] = [];
    const judge = (row: Row, answer: Answer) => {
      if (row.answer.length === 0) filled.push([row, linesOf(row, answer, facts, known ?? new Map())]);
      const found = row.answer.length === 0 ? [] : faultsOf(row, answer, facts);
      if (found.length > 0 && process.env.FILL === 'all')
        filled.push([row, linesOf(row, answer, facts, known)]);
      else faults.push(...found.map((fault) => `${row.place} ${row.request[0]}: ${fault}`));
    };
    for (const some of onConnections(rows)) {
      try {
        const answers = await ask(some, facts);
        for (const [index, row] of some.entries()) judge(row, answers[index]!);
      } catch (error) {
        faults.push(`${some[0]!.place} ${some[0]!.request[0]}: ${error}`);
      }
    }
    faults.push(...(await unrecorded(rows)));
    if (isFilling) await fill(file, filled);
    else
      for (const [row, lines] of filled)
        faults.push(`${row.place} ${row.request[0]}: no answer is written; found\n${lines.join('\n')}`);
    expect(faults.join('\n')).toBe('');
  });
}
