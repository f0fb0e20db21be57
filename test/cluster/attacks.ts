import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import { PublicManifest } from '../../pipeline/release/format/public-manifest.ts';
import { DAY_MS } from '../../pipeline/words/day.ts';
import { Client, type Response } from './client.ts';
import type { Cluster, Sidecar } from './cluster.ts';
import type { Member } from './member.ts';

/** A promise of docs/scaling.md, and an attack on it. */
export interface Attack {
  name: string;
  promise: string;
  /** Resolves to what was seen; throws Broken if the promise does not hold. */
  run: (cluster: Cluster) => Promise<string>;
}

/** A promise that did not hold. */
class Broken extends Error {}

/** Throws Broken unless the promise holds. */
function holds(condition: boolean, found: string): asserts condition {
  if (!condition) throw new Broken(found);
}

/** Requests per day without a key. */
const QUOTA = 100;
/** Of the days since a time, which are two around midnight. */
const quotaSince = (began: number) =>
  QUOTA * (Math.floor(Date.now() / DAY_MS) - Math.floor(began / DAY_MS) + 1);
const LEASE_MS = 30_000;

let addresses = 0;
/** An address that nobody has used, so that its quota is whole. */
function newAddress(): string {
  addresses += 1;
  return `127.0.${3 + Math.floor(addresses / 250)}.${1 + (addresses % 250)}`;
}

let changes = 0;
/** Makes the next run publish a release although the ledger has nothing new. */
function newSourceCode(): string[] {
  changes += 1;
  return ['--source-code', `https://code.example.org/${changes}`];
}

/** On a busy machine. */
const PATIENCE_S = 120;

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + PATIENCE_S * 1000;
  while (!(await isSo())) {
    holds(Date.now() < end, `after ${PATIENCE_S} s still not: ${what}`);
    await sleep(100);
  }
}

const count = <T>(items: readonly T[], isCounted: (item: T) => boolean) => items.filter(isCounted).length;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** What an attack has started, and ends with it, however it ends. */
const started = new Set<() => unknown>();

/** Sends requests until `stop`, `parallel` at a time, and returns all answers. */
function load(client: Client, paths: readonly string[], parallel: number) {
  const answers: (Response | null)[] = [];
  let isOver = false;
  const work = async () => {
    for (let at = 0; !isOver; at += 1) {
      answers.push(await client.get(paths[at % paths.length]!));
      await sleep(5);
    }
  };
  const all = Promise.all(Array.from({ length: parallel }, work));
  started.add(() => {
    isOver = true;
  });
  return {
    answers,
    stop: async () => {
      isOver = true;
      await all;
      client.close();
      return answers;
    },
  };
}

async function isReady({ url }: Sidecar): Promise<boolean> {
  const client = new Client(url, '127.0.0.1');
  const answer = await client.get('/readyz');
  client.close();
  return answer?.status === 200;
}

async function killAndRestart(sidecar: Sidecar): Promise<void> {
  await sidecar.member.kill();
  await sleep(1_000);
  sidecar.member.restart();
  await until(`${sidecar.member.name} is ready again`, () => isReady(sidecar));
}

/** A key of the service, as an operator issues it. */
async function newKey(
  cluster: Cluster,
  tier: string,
): Promise<{ id: string; bearer: Record<string, string> }> {
  const email = `reader-${Date.now()}@university.example`;
  const issued = await cluster.command(
    ...[
      'keys',
      'issue',
      '--tier',
      tier,
      '--email',
      email,
      '--name',
      'A reader',
      '--affiliation',
      'a university',
    ],
    ...['--purpose', 'a test', '--basis', 'a test', '--deliver', 'print', '--json'],
  );
  const { id, key } = JSON.parse(issued) as { id: string; key: string };
  return { id, bearer: { authorization: `Bearer ${key}` } };
}

const quota: Attack = {
  name: 'quota',
  promise: 'No more requests a day than the quota, over all servers.',
  async run(cluster) {
    const began = Date.now();
    const reader = load(new Client(cluster.url, newAddress()), ['/economy/supply'], 8);
    await sleep(100);
    await killAndRestart(cluster.sidecars[0]!);
    await until('the quota is used up', () => lastOf(reader.answers)?.status === 429);
    const answers = await reader.stop();
    const accepted = count(answers, (answer) => answer?.status === 200);
    holds(accepted <= quotaSince(began), `${accepted} requests were accepted`);
    holds(accepted > QUOTA / 2, `only ${accepted} requests were accepted, which shows nothing`);
    const refused = count(answers, (answer) => answer?.status === 429);
    holds(refused > 0, 'nothing was refused');
    return `${answers.length} requests while a server was killed: ${accepted} accepted, ${refused} refused`;
  },
};

const failover: Attack = {
  name: 'failover',
  promise:
    'No counted request and no entry of the access log is lost when PostgreSQL’s primary dies and its standby takes over.',
  async run(cluster) {
    const [began, address] = [Date.now(), newAddress()];
    const before = new Client(cluster.url, address);
    let accepted = 0;
    for (; accepted < QUOTA - 20; accepted += 1) {
      const answer = await before.get('/economy/supply');
      holds(
        answer?.status === 200,
        `request ${accepted} got ${answer?.status ?? 'no answer'}: ${answer?.body}`,
      );
    }
    before.close();
    const { bearer } = await newKey(cluster, 'government');
    const government = load(new Client(cluster.url, newAddress(), bearer), RESTRICTED, 4);
    const reader = load(new Client(cluster.url, address), ['/economy/supply'], 4);
    const { postgres, standby } = cluster.engines;
    await postgres.kill();
    const pages = new Client(cluster.url, newAddress());
    holds((await pages.get(PAGES[0]!))?.status === 200, 'without PostgreSQL, a page was not served');
    pages.close();
    // Nobody confirms its commits.
    standby.promote();
    await standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
    await standby.sql('SELECT pg_reload_conf()');
    await until('restricted files are served again', () => lastOf(government.answers)?.status === 200);
    await until('the quota is used up', () => lastOf(reader.answers)?.status === 429);
    const [restricted, counted] = [await government.stop(), await reader.stop()];
    accepted += count(counted, (answer) => answer?.status === 200);
    holds(accepted <= quotaSince(began), `${accepted} requests were accepted`);
    const entries = await assertRecorded(cluster, restricted);
    return `${accepted} of ${QUOTA} requests accepted before and after; ${entries} restricted answers, each with its entry; the chain verifies`;
  },
};

const RESTRICTED = ['/government/compliance-report.json', '/government/policy-impact.json'];

function lastOf<T>(items: readonly T[]): T | undefined {
  return items.at(-1);
}

/** Each answer with restricted data has an entry in the access log, whose chain verifies. Returns the number of such answers. */
async function assertRecorded(cluster: Cluster, answers: readonly (Response | null)[]): Promise<number> {
  const sent = answers.flatMap((answer) =>
    answer?.status === 200 ? [String(answer.headers['x-request-id'])] : [],
  );
  holds(sent.length > 0, 'no restricted file was served, which shows nothing');
  const lines = (await cluster.command('access-log', 'export', '--format', 'ndjson')).trim().split('\n');
  const entries = new Set(lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id));
  const lost = sent.filter((id) => !entries.has(id));
  holds(lost.length === 0, `${lost.length} of ${sent.length} answers have no entry: ${lost[0]}`);
  await cluster.command('access-log', 'verify').catch((error: { stdout: string }) => {
    throw new Broken(`the chain of the access log does not verify: ${error.stdout.slice(0, 500)}`);
  });
  return sent.length;
}

const record: Attack = {
  name: 'record',
  promise: 'No restricted byte without an entry in the access log.',
  async run(cluster) {
    const { bearer } = await newKey(cluster, 'government');
    const reader = load(new Client(cluster.url, newAddress(), bearer), RESTRICTED, 8);
    for (const sidecar of cluster.sidecars) {
      await sleep(500);
      await killAndRestart(sidecar);
    }
    const entries = await assertRecorded(cluster, await reader.stop());
    return `${entries} restricted answers while each server was killed in turn, each with its entry; the chain verifies`;
  },
};

const revoked: Attack = {
  name: 'revoked',
  promise: 'A revoked key is refused with the next request, by every server.',
  async run(cluster) {
    const { id, bearer } = await newKey(cluster, 'government');
    const clients = cluster.sidecars.map(({ url }) => new Client(url, '127.0.0.1', bearer));
    const ask = () => Promise.all(clients.map((client) => client.get(RESTRICTED[0]!)));
    const [before] = [await ask()];
    holds(
      before.every((answer) => answer?.status === 200),
      `a new key got ${before.map((answer) => answer?.status).join(', ')}`,
    );
    await cluster.command('keys', 'revoke', '--key-id', id, '--reason', 'a test');
    const after = (await ask()).map((answer) => answer?.status);
    for (const client of clients) client.close();
    holds(
      after.every((status) => status === 401 || status === 403),
      `after it was revoked, the key got ${after.join(', ')}`,
    );
    return `${clients.length} servers refused it with the request after the revocation`;
  },
};

/** The version that a server or the load balancer shows. */
async function versionOf(client: Client): Promise<number | null> {
  const answer = await client.get('/latest.json');
  return answer?.status === 200 ? (JSON.parse(answer.body.toString()) as { version: number }).version : null;
}

async function newestVersion(cluster: Cluster): Promise<number> {
  const client = new Client(cluster.url, '127.0.0.1');
  try {
    for (;;) {
      const version = await versionOf(client);
      if (version !== null) return version;
      await sleep(200);
    }
  } finally {
    client.close();
  }
}

async function newestRelease(cluster: Cluster): Promise<string> {
  const client = new Client(cluster.url, '127.0.0.1');
  const answer = await client.get('/latest.json');
  client.close();
  return (JSON.parse(String(answer?.body)) as { release: string }).release;
}

/** Waits until every server shows a version later than this one, and all the same. */
async function switched(cluster: Cluster, after: number): Promise<number> {
  const clients = cluster.sidecars.map(({ url }) => new Client(url, '127.0.0.1'));
  let versions: (number | null)[] = [];
  try {
    await until(`all servers show one release after ${after}`, async () => {
      versions = await Promise.all(clients.map(versionOf));
      return versions.every((version) => version !== null && version > after && version === versions[0]);
    });
  } finally {
    for (const client of clients) client.close();
  }
  return versions[0]!;
}

/** A reader that never accepts an older release, and checks that each file belongs to one that it has seen the manifest of. */
function followReleases(cluster: Cluster) {
  const client = new Client(cluster.url, newAddress());
  const hashes = new Map<number, Set<string>>();
  const found: string[] = [];
  let newest = 0;
  let reads = 0;
  let isOver = false;
  const readOnce = async () => {
    const manifest = await client.get('/manifest.json', { 'accept-encoding': 'identity' });
    if (manifest?.status !== 200) return;
    const { version, files } = PublicManifest.parse(JSON.parse(manifest.body.toString()));
    if (version < newest) found.push(`version ${version} after ${newest}`);
    newest = Math.max(newest, version);
    hashes.set(version, new Set(files.map(({ sha256 }) => sha256)));
    const path = PAGES[reads % PAGES.length]!;
    const page = await client.get(path, { 'accept-encoding': 'identity' });
    reads += 1;
    if (page?.status !== 200) return;
    const known = [...hashes].filter(([, all]) => all.has(sha256(page.body))).map(([known]) => known);
    // A release that came between the two requests is known with the next manifest.
    if (known.length === 0) late.push({ path, hash: sha256(page.body) });
    else if (Math.max(...known) < version)
      found.push(`${path} of version ${Math.max(...known)} after ${version}`);
  };
  const late: { path: string; hash: string }[] = [];
  started.add(() => {
    isOver = true;
  });
  const all = (async () => {
    while (!isOver) {
      await readOnce();
      await sleep(10);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await all;
      client.close();
      for (const { path, hash } of late)
        if (![...hashes.values()].some((files) => files.has(hash))) found.push(`${path} of no release`);
      return { found, reads, versions: [...hashes.keys()] };
    },
  };
}

/** Not counted. */
const PAGES = [
  '/publisher.vkey',
  '/ledger.vkey',
  '/schemas/events/genesis.schema.json',
  '/schemas/events/heartbeat.schema.json',
];

const older: Attack = {
  name: 'older',
  promise: 'Nobody is sent back to an older release, or gets parts of two.',
  async run(cluster) {
    const before = await newestVersion(cluster);
    const reader = followReleases(cluster);
    const member = cluster.build(`older-${before}`, newSourceCode());
    await killAndRestart(cluster.sidecars.at(-1)!);
    holds((await member.ended()) === 0, `the run failed: ${(await member.log()).slice(-500)}`);
    // One server is late: it hangs while the others switch.
    const late = cluster.sidecars[0]!.member;
    late.signal('SIGSTOP');
    await sleep(15_000);
    late.signal('SIGCONT');
    const version = await switched(cluster, before);
    const { found, reads, versions } = await reader.stop();
    holds(found.length === 0, found.slice(0, 3).join('; '));
    holds(versions.length > 1, 'the reader saw no new release');
    return `${reads} files read from ${before} to ${version}, with one server killed and one late: always whole, never back`;
  },
};

const paused: Attack = {
  name: 'paused',
  promise: 'Two publishers never both publish: the commit of one that hung past its lease is refused.',
  async run(cluster) {
    const before = await newestVersion(cluster);
    const first = cluster.build(`paused-${before}`, newSourceCode());
    // It is making the release then, and has recorded nothing yet.
    await untilLogged(first, /taking the ledger/);
    first.signal('SIGSTOP');
    const second = cluster.build(`second-${before}`, newSourceCode());
    holds((await second.ended()) === 0, `the second run failed: ${(await second.log()).slice(-500)}`);
    first.signal('SIGCONT');
    const status = await first.ended();
    holds(status === 1, `the first run ended with ${status}: ${(await first.log()).slice(-500)}`);
    const version = await switched(cluster, before);
    await assertVerifies(cluster);
    const [, published] = /^published (\S+):/m.exec(await second.log()) ?? [];
    const shown = await newestRelease(cluster);
    holds(shown === published, `${shown} is served instead of ${published}`);
    return `version ${version} is the second one’s, and verifies; the first was refused`;
  },
};

/** The service verifies as its readers verify it. */
async function assertVerifies(cluster: Cluster): Promise<void> {
  const client = new Client(cluster.url, '127.0.0.1');
  const keys = await client.get('/publisher.vkey');
  client.close();
  const key = String(keys?.body).trim().split('\n')[0]!;
  await cluster
    .command('verify', cluster.url, '--verifier-key', key)
    .catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Broken(`the service does not verify: ${stdout}${stderr}`.slice(0, 800));
    });
}

async function untilLogged(member: Member, pattern: RegExp): Promise<void> {
  await until(`${member.name} prints ${pattern}`, async () => {
    const log = await member.log();
    if (!member.isRunning)
      holds((await member.ended()) === 0, `${member.name} has failed: ${log.slice(-500)}`);
    return !member.isRunning || pattern.test(log);
  });
}

const killed: Attack = {
  name: 'killed',
  promise: 'A killed publisher loses nothing: the next one does its work within 30 seconds and one run.',
  async run(cluster) {
    const before = await newestVersion(cluster);
    const sourceCode = newSourceCode();
    const stages = [/fetched \d+ files/, /taking the ledger/, /rendering \d+ files/];
    for (const [index, stage] of stages.entries()) {
      const victim = cluster.build(`killed-${before}-${index}`, sourceCode);
      await untilLogged(victim, stage);
      await victim.kill();
    }
    const began = Date.now();
    const next = cluster.build(`next-${before}`, sourceCode);
    holds((await next.ended()) === 0, `the next run failed: ${(await next.log()).slice(-500)}`);
    const seconds = Math.round((Date.now() - began) / 1000);
    const version = await switched(cluster, before);
    await assertVerifies(cluster);
    return `version ${version} was published ${seconds} s after ${stages.length} publishers were killed, of which up to ${LEASE_MS / 1000} s are the lease`;
  },
};

const live: Attack = {
  name: 'live',
  promise: '/live resumes at any server, without a loss and without a repetition.',
  async run(cluster) {
    const values: { timestamp: string; data: string }[] = [];
    const repeated: string[] = [];
    let ids = 0;
    const open = () => {
      const opened = new EventSource(`${cluster.url}/live?paths=economy/supply`);
      opened.addEventListener('economy/supply', ({ data, lastEventId }) => {
        const { timestamp } = JSON.parse(data) as { timestamp: string };
        const last = values.at(-1);
        // At another server a value may come again with the events since, and so with a later time.
        if (last?.data === data) repeated.push(timestamp);
        if (last && timestamp < last.timestamp) repeated.push(`back to ${timestamp}`);
        values.push({ timestamp, data });
        ids += lastEventId ? 1 : 0;
      });
      return opened;
    };
    let source = open();
    try {
      await until('the first value', () => {
        // A server that has not read the ledger yet refuses, after which no reader connects again by itself.
        if (source.readyState === EventSource.CLOSED) source = open();
        return values.length > 0;
      });
      for (const sidecar of cluster.sidecars) await killAndRestart(sidecar);
      const seen = values.length;
      await until('a value after the last server was killed', () => values.length > seen);
    } finally {
      source.close();
    }
    holds(repeated.length === 0, `repeated or older: ${repeated.slice(0, 3).join(', ')}`);
    return `${values.length} messages, ${ids} of them with an id, while each server was killed in turn: none repeated, none older`;
  },
};

/** A client of the simulation that keeps what it has when its server dies. */
class Player {
  readonly #url: string;
  #socket: WebSocket | null = null;
  tick = -1;

  constructor(url: string) {
    started.add(() => this.close());
    this.#url = `${url.replace('http', 'ws')}/philosophy/simulation`;
  }

  /** Sends a message on a new connection, and waits for its answer. */
  async open(message: object): Promise<void> {
    const socket = new WebSocket(this.#url, { localAddress: newAddress() });
    this.#socket = socket;
    socket.on('error', () => undefined);
    const answered = Promise.withResolvers<void>();
    socket.on('close', () => answered.reject(new Broken('the connection was closed before an answer')));
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as {
        tick?: number;
        problem?: { code: string; detail: string };
      };
      if (answer.problem)
        answered.reject(
          new Broken(`the simulation answered ${answer.problem.code}: ${answer.problem.detail}`),
        );
      this.tick = answer.tick ?? this.tick;
      answered.resolve();
    });
    await once(socket, 'open');
    socket.send(JSON.stringify(message));
    await answered.promise;
    socket.removeAllListeners('close');
  }

  /** Resolves when the server is gone. */
  async lost(): Promise<void> {
    if (this.#socket!.readyState !== WebSocket.CLOSED) await once(this.#socket!, 'close');
  }

  close(): void {
    this.#socket?.terminate();
  }
}

const simulation: Attack = {
  name: 'simulation',
  promise: 'A simulation goes on at any server from its seed and actions.',
  async run(cluster) {
    const [first, second] = cluster.sidecars;
    const player = new Player(first!.url);
    const scenario = { action: 'start_simulation', scenario: 'model_drift', seed: 7 };
    await player.open(scenario);
    await until('some ticks', () => player.tick > 2);
    const { tick } = player;
    const killed = first!.member.kill();
    await player.lost();
    await killed;
    const other = new Player(second!.url);
    await other.open({ ...scenario, tick });
    holds(other.tick >= tick, `it went on at tick ${other.tick} instead of ${tick}`);
    other.close();
    first!.member.restart();
    await until(`${first!.member.name} is ready again`, () => isReady(first!));
    return `at tick ${tick} its server was killed; another one continued at tick ${other.tick}`;
  },
};

const outage: Attack = {
  name: 'outage',
  promise: 'Without the object store the current release is served, and the next one comes when it is back.',
  async run(cluster) {
    const before = await newestVersion(cluster);
    const { objects } = cluster.engines;
    await objects.pause();
    const reader = load(new Client(cluster.url, newAddress()), PAGES, 4);
    const failing = cluster.build(`outage-${before}`, newSourceCode());
    const status = await failing.ended();
    holds(status === 1, `a run without the store ended with ${status}`);
    await sleep(2_000);
    const answers = await reader.stop();
    const served = count(answers, (answer) => answer?.status === 200);
    holds(served === answers.length, `${answers.length - served} of ${answers.length} answers were not 200`);
    await objects.resume();
    const next = cluster.build(`outage-${before}-after`, newSourceCode());
    holds((await next.ended()) === 0, `the run after it failed: ${(await next.log()).slice(-500)}`);
    const version = await switched(cluster, before);
    return `${served} files served without the store; version ${version} when it was back`;
  },
};

const drained: Attack = {
  name: 'drained',
  promise: 'Servers are upgraded one by one, and no request fails.',
  async run(cluster) {
    const reader = load(new Client(cluster.url, newAddress()), PAGES, 6);
    for (const sidecar of cluster.sidecars) {
      await sidecar.member.stop();
      sidecar.member.restart();
      await until(`${sidecar.member.name} is ready again`, () => isReady(sidecar));
      await sleep(2_000);
    }
    const answers = await reader.stop();
    const failed = answers.filter((answer) => answer?.status !== 200);
    holds(
      failed.length === 0,
      `${failed.length} of ${answers.length} failed: ${failed[0]?.status ?? 'cut off'}`,
    );
    return `${answers.length} requests while each server was stopped and started again: all answered`;
  },
};

/** In this order: the last one leaves the cluster without a standby. */
export const ATTACKS: readonly Attack[] = [
  quota,
  record,
  revoked,
  live,
  simulation,
  drained,
  older,
  killed,
  paused,
  outage,
  failover,
];

/** Runs the attacks one after the other. Returns the number of promises that did not hold. */
export async function attack(
  cluster: Cluster,
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<number> {
  let broken = 0;
  for (const { name, promise, run } of attacks) {
    const began = Date.now();
    const verdict = await run(cluster).then(
      (seen) => `held    ${seen}`,
      (error: Error) => {
        broken += 1;
        return `BROKEN  ${error instanceof Broken ? error.message : error.stack}`;
      },
    );
    for (const end of started) end();
    started.clear();
    const seconds = Math.round((Date.now() - began) / 1000);
    say(`${name.padEnd(9)} ${promise} (${seconds} s)\n          ${verdict}`);
  }
  return broken;
}
