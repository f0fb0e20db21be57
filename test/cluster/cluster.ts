import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { freePort } from '../engines/free-port.ts';
import { endHaproxy, hasHaproxy, runHaproxy } from '../engines/haproxy.ts';
import { CREDENTIALS, hasObjectStore, RadosGateway } from '../engines/object-store.ts';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { CLI, Member } from './member.ts';

const run = promisify(execFile);
/** Of a command, bytes: an access log of a million entries. */
const MAX_OUTPUT = 1 << 30;

/** Packages that a cluster needs and this machine lacks. */
export const MISSING = [
  ...(hasPostgres ? [] : ['postgresql']),
  ...(hasObjectStore ? [] : ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common']),
  ...(hasHaproxy ? [] : ['haproxy']),
];

export interface ClusterOptions {
  /** Takes what the members store, and their logs. New or empty. */
  folder: string;
  /** Of the load balancer; by default a free one. */
  port?: number;
  publishers: number;
  sidecars: number;
  /** First day of the demo ledger: `2026-10-01`. */
  from: string;
  /** Environment variables of every member. */
  settings?: Readonly<Record<string, string>>;
  /** Receives one line for each step. */
  log: (line: string) => void;
}

export interface Sidecar {
  member: Member;
  /** Of this server alone, past the load balancer. */
  url: string;
}

interface Engines {
  postgres: PostgresServer;
  standby: PostgresServer;
  objects: RadosGateway;
}

/**
 * A whole service on this machine: PostgreSQL with a synchronous standby, an object store, publishers, sidecars and a load balancer,
 * each in processes of its own, on a demo ledger that keeps growing.
 */
export class Cluster {
  readonly url: string;
  readonly engines: Engines;
  readonly publishers: readonly Member[];
  readonly sidecars: readonly Sidecar[];
  /** Appends events to the ledger. */
  readonly writer: Member;
  /** The environment of a member, for further commands. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #extra: Member[] = [];
  #proxy: ChildProcess;

  private constructor(
    folder: string,
    engines: Engines,
    members: Pick<Cluster, 'url' | 'publishers' | 'sidecars' | 'writer' | 'environment'>,
    proxy: ChildProcess,
  ) {
    this.#folder = folder;
    this.engines = engines;
    this.url = members.url;
    this.publishers = members.publishers;
    this.sidecars = members.sidecars;
    this.writer = members.writer;
    this.environment = members.environment;
    this.#proxy = proxy;
  }

  /** A run on a machine of its own, which ends with it. `args`: more flags of `cathedral build`. */
  build(name: string, args: readonly string[] = []): Member {
    const member = new Member({
      name,
      args: ['build', '--out', join(this.#folder, name, 'out'), ...args],
      env: { ...this.environment, CATHEDRAL_IMPORT_FOLDER: join(this.#folder, name, 'ledger') },
      logFile: join(this.#folder, `${name}.log`),
    });
    this.#extra.push(member);
    return member;
  }

  /** A command of an operator. Rejects if it fails. */
  async command(...args: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [CLI, ...args], {
      env: this.environment,
      maxBuffer: MAX_OUTPUT,
    });
    return stdout;
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const { folder, publishers, sidecars, from, settings = {}, log } = options;
    const port = options.port ?? (await freePort());
    const url = `http://localhost:${port}`;
    mkdirSync(folder, { recursive: true });
    const engines = await startEngines(log);
    const stop: (() => unknown)[] = [];
    try {
      const ledger = join(folder, 'ledger');
      log(`Writing a demo ledger from ${from} on`);
      await writeSample({ out: ledger, from, to: Date.now(), seed: 1 });
      const environment = {
        ...ownEnvironment(),
        // The first publisher has the ledger; all others follow it. All publishers have the same key.
        CATHEDRAL_LEDGER: 'store:',
        CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
        CATHEDRAL_STORE: await engines.postgres.newDatabase(engines.standby),
        CATHEDRAL_RELEASES: await engines.objects.bucket('cathedral'),
        AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
        CATHEDRAL_BASE_URL: url,
        ...settings,
      };
      const start = (name: string, args: readonly string[], env: Record<string, string>) => {
        mkdirSync(join(folder, name));
        const member = new Member({
          name,
          args,
          env: { ...environment, ...env },
          logFile: join(folder, `${name}.log`),
        });
        stop.push(() => member.kill());
        return member;
      };
      const writer = start('writer', ['sample', '--follow', '--ledger', ledger], {});
      log(`Starting ${publishers} publishers and ${sidecars} sidecars`);
      const names = (name: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
      const all = names('publisher', publishers).map((name, index) =>
        start(name, ['publisher', 'run', '--out', join(folder, name, 'out')], {
          CATHEDRAL_IMPORT_FOLDER: join(folder, name, 'ledger'),
          ...(index === 0 && { CATHEDRAL_LEDGER: ledger }),
        }),
      );
      const servers: Sidecar[] = [];
      for (const name of names('sidecar', sidecars)) {
        const own = await freePort();
        const member = start(name, ['serve', '--out', join(folder, name, 'out'), '--port', `${own}`], {
          CATHEDRAL_IMPORT_FOLDER: join(folder, name, 'ledger'),
          CATHEDRAL_HOST: '127.0.0.1',
          CATHEDRAL_TRUSTED_PROXIES: '127.0.0.1',
          CATHEDRAL_DRAIN: '3',
        });
        servers.push({ member, url: `http://127.0.0.1:${own}` });
      }
      const proxy = await runHaproxy(
        folder,
        port,
        servers.map((server) => Number(new URL(server.url).port)),
      );
      const members = { url, publishers: all, sidecars: servers, writer, environment };
      return new Cluster(folder, engines, members, proxy);
    } catch (error) {
      for (const end of stop) await end();
      stopEngines(engines);
      throw error;
    }
  }

  get members(): readonly Member[] {
    return [this.writer, ...this.publishers, ...this.sidecars.map(({ member }) => member)];
  }

  /** Resolves when every sidecar serves a release; rejects if a member ends first, with what it printed. */
  async ready(): Promise<void> {
    for (const { url } of this.sidecars) {
      while (!(await isReady(url))) {
        await this.assertRunning();
        await sleep(200);
      }
    }
    // The load balancer has noticed.
    while (
      !(await fetch(`${this.url}/latest.json`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(200);
  }

  /** Throws what a member printed that has ended. */
  async assertRunning(): Promise<void> {
    const ended = this.members.find(({ isRunning }) => !isRunning);
    if (ended) throw new Error(`${ended.name} has ended:\n${(await ended.log()).slice(-2000)}`);
  }

  /** Stops the members in order, the load balancer last before the engines. */
  async stop(): Promise<void> {
    const all = [...this.members, ...this.#extra];
    for (const member of all) member.signal('SIGCONT');
    await Promise.all(all.map((member) => member.stop()));
    await endHaproxy(this.#proxy);
    stopEngines(this.engines);
  }

  /** Ends the load balancer and starts it again. */
  async restartProxy(): Promise<void> {
    await endHaproxy(this.#proxy);
    const ports = this.sidecars.map(({ url }) => Number(new URL(url).port));
    this.#proxy = await runHaproxy(this.#folder, Number(new URL(this.url).port), ports);
  }
}

async function startEngines(log: (line: string) => void): Promise<Engines> {
  log('Starting PostgreSQL with a synchronous standby');
  const postgres = await PostgresServer.start({ settings: ['max_connections = 100'] });
  try {
    const standby = await postgres.addStandby();
    log('Starting Ceph’s object store');
    return { postgres, standby, objects: await RadosGateway.start() };
  } catch (error) {
    postgres.stop();
    throw error;
  }
}

function stopEngines({ postgres, objects }: Engines): void {
  objects.stop();
  postgres.stop();
}

/** Nothing of the service's own settings comes from whoever starts the cluster. */
function ownEnvironment(): Record<string, string> {
  const { PATH = '', TZ = '', HOME = '', TMPDIR = '/tmp' } = process.env;
  return { PATH, TZ, HOME, TMPDIR };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
