import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { ENDING } from './installed.ts';

const FOLDER = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs; null if it is not installed. */
function programs(): string | null {
  const versions = existsSync(FOLDER)
    ? readdirSync(FOLDER).sort((one, other) => Number(other) - Number(one))
    : [];
  const found = versions
    .map((version) => join(FOLDER, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
  if (found) return found;
  return spawnSync('initdb', ['--version']).status === 0 ? '' : null;
}

/** `''`: they are on the PATH. */
export const PROGRAMS = programs();
export const hasPostgres = PROGRAMS !== null;

/** PostgreSQL refuses to run as root, so root runs it as the user that the package made. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A server of its own, on a free port and a socket in its folder. */
export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #standbys: PostgresServer[] = [];
  #databases = 0;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** One that another process started and stops. */
  static at(folder: string, port: number): PostgresServer {
    return new PostgresServer(folder, port);
  }

  /** `settings`: lines of postgresql.conf. */
  static async start({ settings = [] }: { settings?: readonly string[] } = {}): Promise<PostgresServer> {
    const server = new PostgresServer(newFolder(), await freePort());
    process.once('exit', server.#stopAtExit);
    try {
      server.#make(settings);
      server.resume();
      return server;
    } catch (error) {
      server.stop();
      throw error;
    }
  }

  #make(settings: readonly string[]): void {
    const { folder } = this;
    this.#run('initdb', ['-D', `${folder}/data`, ...'-U owner -A trust -N --no-locale -E UTF8'.split(' ')]);
    this.#configure([
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'fsync = off',
      'shared_buffers = 32MB',
      ...settings,
    ]);
    // Whoever is called "secretive" needs a password.
    writeFileSync(
      `${folder}/data/pg_hba.conf`,
      'host all secretive 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\nlocal replication all trust\n',
    );
  }

  /** A standby that has to confirm each commit. */
  async addStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer(newFolder(), await freePort());
    const { folder } = standby;
    const name = `standby${this.port}`;
    const source = ['-h', this.folder, '-p', `${this.port}`, '-U', 'owner'];
    standby.#run('pg_basebackup', [...source, '-D', `${folder}/data`, '-R', '-C', '-S', name, '-c', 'fast']);
    const primary = `host=${this.folder} port=${this.port} user=owner application_name=${name}`;
    standby.#configure([`unix_socket_directories = '${folder}'`], [`primary_conninfo = '${primary}'`]);
    standby.resume();
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await this.sql('SELECT pg_reload_conf()');
    const state = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
    while ((await this.sql(state)).length === 0) await sleep(20);
    this.#standbys.push(standby);
    return standby;
  }

  resume(): void {
    const { folder, port } = this;
    const log = openSync(`${folder}/log`, 'a');
    const [program, ...args] = [...ENDING, join(PROGRAMS!, 'postgres'), '-D', `${folder}/data`];
    const server = spawn(program!, args, { ...account(), cwd: folder, stdio: ['ignore', log, log] });
    server.unref();
    closeSync(log);
    const isReady = () =>
      spawnSync(join(PROGRAMS!, 'pg_isready'), ['-q', '-h', folder, '-p', `${port}`]).status === 0;
    while (!isReady())
      if (!isAlive(server.pid!)) throw new Error(`postgres did not start: ${this.#endOfLog()}`);
  }

  /** Ends the sessions and the server. */
  pause(): void {
    this.#run('pg_ctl', ['-D', `${this.folder}/data`, '-m', 'immediate', '-w', 'stop']);
  }

  /** As a machine that loses power. Resolves when nothing of it is left. */
  async kill(): Promise<void> {
    const all = this.#processes();
    this.#signal('SIGKILL', all);
    while (all.some(isAlive)) await sleep(5);
    // Where nobody waits for dead processes, the server would take this one for a living server.
    for (const lock of ['data/postmaster.pid', `.s.PGSQL.${this.port}.lock`])
      rmSync(`${this.folder}/${lock}`, { force: true });
  }

  /** The server answers nobody until `thaw`, and its connections stay open. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** Makes a standby a primary. */
  promote(): void {
    this.#run('pg_ctl', ['-D', `${this.folder}/data`, '-w', 'promote']);
  }

  /** Removes the server, which may be dead or frozen, and its standbys. */
  stop(): void {
    process.off('exit', this.#stopAtExit);
    for (const standby of this.#standbys) standby.stop();
    this.#signal('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  readonly #stopAtExit = () => this.stop();

  /** Gives a file to the account of the server, for its eyes only. */
  own(file: string): void {
    const { uid, gid } = account();
    if (uid !== undefined) chownSync(file, uid, gid!);
    chmodSync(file, 0o600);
  }

  address(parameters: string, { user = 'owner', port = this.port, database = 'postgres' } = {}): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}?${parameters}`;
  }

  /** The address of a new, empty database; with the servers that may become its primary. */
  async newDatabase(...others: readonly PostgresServer[]): Promise<string> {
    this.#databases += 1;
    const database = `db${this.#databases}`;
    await this.sql(`CREATE DATABASE ${database}`);
    // A standby confirms what it has, and shows it a little later.
    const isThere = `SELECT 1 FROM pg_database WHERE datname = '${database}'`;
    for (const other of others) while ((await other.sql(isThere)).length === 0) await sleep(10);
    return `postgres://owner@${[this, ...others].map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`;
  }

  async connect(database = 'postgres'): Promise<pg.Client> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'owner', database });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements, and returns the rows of the last one. */
  async sql(text: string, database?: string): Promise<Record<string, unknown>[]> {
    const client = await this.connect(database);
    try {
      const results = (await client.query(text)) as unknown as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(results) ? results.at(-1)! : results).rows;
    } finally {
      await client.end();
    }
  }

  #configure(settings: readonly string[], auto: readonly string[] = []): void {
    appendFileSync(`${this.folder}/data/postgresql.conf`, lines([`port = ${this.port}`, ...settings]));
    if (auto.length > 0) appendFileSync(`${this.folder}/data/postgresql.auto.conf`, lines(auto));
  }

  /** The server's own process first. */
  #processes(): number[] {
    const file = `${this.folder}/data/postmaster.pid`;
    if (!existsSync(file)) return [];
    const main = Number(readFileSync(file, 'utf8').split('\n')[0]);
    if (!isAlive(main)) return [];
    const children = spawnSync('pgrep', ['-P', `${main}`], { encoding: 'utf8' }).stdout;
    return [main, ...children.split('\n').filter(Boolean).map(Number)];
  }

  #signal(signal: NodeJS.Signals, processes = this.#processes()): void {
    for (const id of processes) {
      try {
        process.kill(id, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }

  #run(program: string, args: string[]): void {
    if (PROGRAMS === null) throw new Error('PostgreSQL is missing');
    const { status, stdout, stderr } = spawnSync(join(PROGRAMS, program), args, {
      ...account(),
      cwd: this.folder,
      encoding: 'utf8',
    });
    if (status === 0) return;
    throw new Error(`${program} ${args.join(' ')}: ${status} ${stdout} ${stderr} ${this.#endOfLog()}`);
  }

  #endOfLog(): string {
    const log = `${this.folder}/log`;
    return existsSync(log) ? readFileSync(log, 'utf8').slice(-1000) : '';
  }
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

function isAlive(id: number): boolean {
  try {
    // A process that nobody has waited for yet is dead as well.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Not in the folder of the tests, which may be closed to other users. */
function newFolder(): string {
  const folder = mkdtempSync('/tmp/cathedral-postgres-');
  const { uid, gid } = account();
  if (uid !== undefined) chownSync(folder, uid, gid!);
  return folder;
}
