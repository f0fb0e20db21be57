import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

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

const PROGRAMS = programs();
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

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async start(): Promise<PostgresServer> {
    // Not in the folder of the tests, which may be closed to other users.
    const folder = mkdtempSync('/tmp/cathedral-postgres-');
    const { uid, gid } = account();
    if (uid !== undefined) chownSync(folder, uid, gid!);
    const server = new PostgresServer(folder, await freePort());
    server.#run('initdb', [
      '-D',
      `${folder}/data`,
      '-U',
      'owner',
      '-A',
      'trust',
      '-N',
      '--no-locale',
      '-E',
      'UTF8',
    ]);
    const settings = [
      `port = ${server.port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      'fsync = off',
      'shared_buffers = 32MB',
    ];
    appendFileSync(`${folder}/data/postgresql.conf`, `${settings.join('\n')}\n`);
    // Whoever is called "secretive" needs a password.
    writeFileSync(
      `${folder}/data/pg_hba.conf`,
      'host all secretive 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\n',
    );
    server.resume();
    return server;
  }

  resume(): void {
    this.#run('pg_ctl', ['-D', `${this.folder}/data`, '-w', '-l', `${this.folder}/log`, 'start']);
  }

  /** Ends the sessions and the server. */
  pause(): void {
    this.#run('pg_ctl', ['-D', `${this.folder}/data`, '-m', 'immediate', '-w', 'stop']);
  }

  stop(): void {
    this.pause();
    rmSync(this.folder, { recursive: true });
  }

  /** Gives a file to the account of the server, for its eyes only. */
  own(file: string): void {
    const { uid, gid } = account();
    if (uid !== undefined) chownSync(file, uid, gid!);
    chmodSync(file, 0o600);
  }

  address(parameters: string, { user = 'owner', port = this.port, database = 'postgres' } = {}): string {
    return `postgres://${user}@127.0.0.1:${port}/${database}?${parameters}`;
  }

  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'owner', database: 'postgres' });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements, and returns the rows of the last one. */
  async sql(text: string): Promise<Record<string, unknown>[]> {
    const client = await this.connect();
    try {
      const results = (await client.query(text)) as unknown as pg.QueryResult | pg.QueryResult[];
      return (Array.isArray(results) ? results.at(-1)! : results).rows;
    } finally {
      await client.end();
    }
  }

  #run(program: string, args: string[]): void {
    const { status, stdout, stderr } = spawnSync(join(PROGRAMS!, program), args, {
      ...account(),
      cwd: this.folder,
      encoding: 'utf8',
      // A server that inherits the pipes would keep them open.
      stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
    });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status} ${stdout} ${stderr}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
