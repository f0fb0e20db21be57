import { createHash } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, type Response } from '../cluster/client.ts';
import { Member } from '../cluster/member.ts';
import { freePort } from '../engines/free-port.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { useFolder } from '../setups/use-folder.ts';
import { useStore } from '../setups/use-store.ts';
import { command } from './http/seam.ts';

const store = useStore();

/** Requests a day without a key. */
const QUOTA = 100;
/** Days of quotas are those of UTC. */
const DAY_MS = 86_400_000;
const PARALLEL = 4;
const RESTRICTED = '/government/compliance-report.json';
const PATHS = [
  ...['/latest.json', '/manifest.json', '/publisher.vkey', '/log/checkpoint'],
  ...['/snapshots/index.json', '/economy/mic-history.csv', '/academics/papers.json', '/no-such'],
  '/log/public/policy.json',
];
const HEADERS = ['etag', 'content-type', 'cache-control', 'last-modified', 'content-length'];
const SERVICE = 'https://data.example.org';

interface Replica {
  member: Member;
  url: string;
}

describe.skipIf(store.isMissing)('three replicas over one database and one bucket', () => {
  const folder = useFolder();
  let objects: InProcessStore;
  let environment: Record<string, string>;
  let replicas: [Replica, Replica, Replica];
  /** Request ids of all answers with restricted bytes. */
  const recorded: string[] = [];
  const clients: Client[] = [];
  /** Of a reader whose quota is used up. */
  let counted: [Client, Client, Client];
  let addresses = 0;

  /** One run of a publisher of this name, which has the key file of the others, and an output folder of its own. */
  const publish = (name: string, release: number) =>
    command(
      'build',
      [
        ...['--ledger', join(folder, 'ledger'), '--out', join(folder, name), '--without-site'],
        ...['--publisher-key', join(folder, `${name}.key`), '--switch-delay', '5'],
        ...['--source-code', `https://code.example.org/${release}`],
      ],
      Date.now,
      environment,
    );

  const operator = (words: string, ...args: string[]) => command(words, args, Date.now, environment);

  async function issueKey() {
    const issued = await operator(
      'keys issue',
      ...'--tier government --email ada@institute.example --name Ada --basis mandate'.split(' '),
      ...'--affiliation Institute --purpose Audit --deliver print --json'.split(' '),
    );
    const { id, key } = JSON.parse(issued) as { id: string; key: string };
    return { id, bearer: { authorization: `Bearer ${key}` } };
  }

  /** A reader with an address of its own, so that its quota is whole. */
  function reader(headers: Record<string, string> = {}) {
    addresses += 1;
    const all = replicas.map(({ url }) => new Client(url, `127.0.9.${addresses}`, headers));
    clients.push(...all);
    return all as [Client, Client, Client];
  }

  /** Asks a replica again and again, as long as it runs. */
  async function until({ member }: Replica, isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      if (!member.isRunning) throw new Error(`${member.name} has ended:\n${await member.log()}`);
      await sleep(100);
    }
  }

  async function ready(replica: Replica): Promise<void> {
    const client = new Client(replica.url, '127.0.0.1');
    await until(replica, async () => (await client.get('/readyz'))?.status === 200);
    client.close();
  }

  /** Of the release that a replica answers from. */
  async function versionOf(client: Client): Promise<number> {
    const answer = await client.get('/latest.json');
    expect(answer?.status).toBe(200);
    return (JSON.parse(`${answer!.body}`) as { version: number }).version;
  }

  async function readRestricted(client: Client): Promise<number | null> {
    const answer = await client.get(RESTRICTED);
    if (answer?.status === 200) recorded.push(`${answer.headers['x-request-id']}`);
    return answer?.status ?? null;
  }

  beforeAll(async () => {
    objects = await InProcessStore.start();
    const { PATH = '', TZ = '', HOME = '' } = process.env;
    environment = {
      ...{ PATH, TZ, HOME, TMPDIR: tmpdir() },
      CATHEDRAL_STORE: await store.newDatabase(),
      CATHEDRAL_RELEASES: objects.bucket(),
      CATHEDRAL_BASE_URL: SERVICE,
      AWS_ACCESS_KEY_ID: 'test-access-key',
      AWS_SECRET_ACCESS_KEY: 'test/secret+key',
    };
    const ledger = ['--ledger', join(folder, 'ledger'), '--from', '2026-01-01', '--to', '2026-01-02'];
    await command('sample', [...ledger, '--seed', '1']);
    await publish('first', 1);
    const ports = [await freePort(), await freePort(), await freePort()];
    replicas = ports.map((port, index) => {
      const name = `replica-${index + 1}`;
      const args = ['serve', '--out', join(folder, name), '--port', `${port}`, '--host', '127.0.0.1'];
      const member = new Member({ name, args, env: environment, logFile: join(folder, `${name}.log`) });
      return { member, url: `http://127.0.0.1:${port}` };
    }) as typeof replicas;
    for (const replica of replicas) await ready(replica);
  });

  afterAll(async () => {
    for (const client of clients) client.close();
    for (const { member } of replicas ?? []) await member.kill();
    objects?.stop();
  });

  test('give the same answers, of one release', async () => {
    const readers = reader();
    const answered = (answer: Response | null) => ({
      status: answer?.status,
      ...Object.fromEntries(HEADERS.map((name) => [name, answer?.headers[name]])),
      hash: answer?.status === 404 ? null : createHash('sha256').update(answer!.body).digest('hex'),
    });
    for (const path of PATHS) {
      const [one, ...others] = await Promise.all(readers.map(async (each) => answered(await each.get(path))));
      expect([path, one?.status]).toEqual([path, path === '/no-such' ? 404 : 200]);
      for (const other of others) expect([path, other]).toEqual([path, one]);
    }
  });

  test('all refuse a revoked key with the next request', async () => {
    const { id, bearer } = await issueKey();
    const ask = () => Promise.all(reader(bearer).map(readRestricted));
    expect(await ask()).toEqual([200, 200, 200]);
    await operator('keys revoke', '--key-id', id, '--reason', 'left');
    expect(await ask()).toEqual([401, 401, 401]);
  });

  test('count once over all, and record what they send, while one of them is killed', async () => {
    const began = Date.now();
    counted = reader();
    const restricted = reader((await issueKey()).bearer);
    const [victim] = replicas;
    let accepted = 0;
    let killed: Promise<void> | null = null;
    const refused = new Set<Client>();
    const work = async (turn: number) => {
      for (let at = turn; refused.size < 2; at += 1) {
        const client = counted[at % 3]!;
        const answer = await client.get('/economy/supply');
        if (answer?.status === 200) accepted += 1;
        else if (answer) expect(answer.status).toBe(429);
        if (answer?.status === 429 && client !== counted[0]) refused.add(client);
        if (accepted >= QUOTA / 2) killed ??= victim.member.kill();
        if (at % 5 === 0) await readRestricted(restricted[at % 3]!);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, (_, turn) => work(turn)));
    await killed;
    const days = Math.floor(Date.now() / DAY_MS) - Math.floor(began / DAY_MS) + 1;
    expect(accepted).toBeLessThanOrEqual(days * QUOTA);
    // Of the replica that was killed, what it had counted and not answered.
    expect(accepted).toBeGreaterThanOrEqual(QUOTA - PARALLEL);
  });

  test('never send anyone back to an older release: not from one that was paused either', async () => {
    const [, running, paused] = replicas;
    const clients = reader();
    const before = await versionOf(clients[2]);
    paused.member.signal('SIGSTOP');
    // A standby makes the release, with nothing of the first publisher but its key.
    await mkdir(join(folder, 'standby'));
    await cp(join(folder, 'first.key'), join(folder, 'standby.key'));
    await publish('standby', 2);
    await until(running, async () => (await versionOf(clients[1])) > before);
    const manifest = async (client: Client) => `${(await client.get('/manifest.json'))!.body}`;
    const seen = await manifest(clients[1]);
    // These requests wait for the paused replica.
    const waiting = Array.from({ length: 8 }, () => versionOf(clients[2]));
    paused.member.signal('SIGCONT');
    expect(await Promise.all(waiting)).toEqual(Array(8).fill(before + 1));
    expect(await manifest(clients[2])).toBe(seen);
    for (const client of counted.slice(1)) expect((await client.get('/economy/supply'))?.status).toBe(429);
  });

  test('keep one access log: a whole chain, with an entry for all that was sent', async () => {
    expect(recorded.length).toBeGreaterThan(0);
    const lines = (await operator('access-log export', '--format', 'ndjson')).trim().split('\n');
    const entries = lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id);
    expect(recorded.filter((id) => !entries.includes(id))).toEqual([]);
    expect(new Set(entries).size).toBe(entries.length);
    await operator('access-log verify', '--publisher-key', join(folder, 'first.key'));
  });
});
