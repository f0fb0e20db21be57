import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AwsClient } from 'aws4fetch';
import type { Credentials } from '../../pipeline/objects/object-address.ts';
import { freePort } from './free-port.ts';
import { ENDING, isInstalled } from './installed.ts';

const run = promisify(execFile);

const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin'];

/** Whether Ceph's gateway is installed; `scripts/setup.sh --test` installs it. */
export const hasObjectStore = PROGRAMS.every(isInstalled);

/** Of starting a daemon, and of each command that sets up the cluster. */
const ATTEMPTS = 5;

export const CREDENTIALS: Credentials = {
  accessKeyId: 'test-access-key',
  secretAccessKey: 'test/secret+key',
  sessionToken: null,
};

/**
 * A real S3-compatible store: Ceph's gateway with one monitor and one storage daemon in memory, on free ports of this machine. It
 * takes about ten seconds to start, so a test file starts one for all its tests, with a bucket for each.
 */
export class RadosGateway {
  readonly folder: string;
  readonly endpoint: string;
  readonly #daemons: ChildProcess[] = [];

  private constructor(folder: string, endpoint: string) {
    this.folder = folder;
    this.endpoint = endpoint;
  }

  /** One that another process started and stops. */
  static at(folder: string, endpoint: string): RadosGateway {
    return new RadosGateway(folder, endpoint);
  }

  static async start(): Promise<RadosGateway> {
    const folder = mkdtempSync('/tmp/cathedral-objects-');
    const [monitor, port] = [await freePort(), await freePort()];
    const gateway = new RadosGateway(folder, `http://127.0.0.1:${port}`);
    try {
      for (const name of ['mon', 'osd', 'rgw']) mkdirSync(`${folder}/${name}`);
      writeFileSync(`${folder}/ceph.conf`, settings(folder, monitor, port));
      await gateway.#startDaemons();
      const { accessKeyId, secretAccessKey } = CREDENTIALS;
      const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
      await gateway.#run('radosgw-admin', ['user', 'create', '--uid=test', '--display-name=test', ...keys]);
      return gateway;
    } catch (error) {
      gateway.stop();
      throw error;
    }
  }

  /** `s3+http://127.0.0.1:17480/bucket` */
  address(bucket: string, parameters = ''): string {
    return `s3+${this.endpoint}/${bucket}${parameters}`;
  }

  /** Makes a bucket, and returns its address. */
  async bucket(name = `test-${randomUUID()}`): Promise<string> {
    await signedRequest(this.endpoint, 'PUT', `/${name}`);
    return this.address(name);
  }

  /** Lets everyone read a bucket, as behind a CDN. */
  async allowReading(bucket: string): Promise<void> {
    const Statement = [
      { Effect: 'Allow', Principal: '*', Action: ['s3:GetObject'], Resource: [`arn:aws:s3:::${bucket}/*`] },
    ];
    await signedRequest(
      this.endpoint,
      'PUT',
      `/${bucket}?policy`,
      JSON.stringify({ Version: '2012-10-17', Statement }),
    );
  }

  /** Kills the gateway; what is stored stays. */
  async pause(): Promise<void> {
    const at = this.#daemons.findIndex(({ spawnargs }) => spawnargs.includes('radosgw'));
    const [gateway] = this.#daemons.splice(at, 1) as [ChildProcess];
    const ended = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.kill('SIGKILL');
    await ended;
  }

  async resume(): Promise<void> {
    this.#spawn([...ENDING, 'radosgw', '-f', '--name', 'client.rgw.r']);
    await this.#until('the gateway', async () => (await fetch(this.endpoint)).ok);
  }

  stop(): void {
    for (const daemon of this.#daemons.splice(0).reverse()) daemon.kill('SIGKILL');
    process.off('exit', this.#stopAtExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  readonly #stopAtExit = () => this.stop();

  async #startDaemons(): Promise<void> {
    process.once('exit', this.#stopAtExit);
    await this.#run('ceph-mon', ['--id', 'a', '--mkfs', '--keyring', '/dev/null']);
    writeFileSync(`${this.folder}/mon/keyring`, '');
    this.#spawn([...ENDING, 'ceph-mon', '-f', '--id', 'a']);
    const disk = randomUUID();
    await this.#run('ceph', ['osd', 'create', disk, '0']);
    await this.#run('ceph', ['osd', 'crush', 'add', 'osd.0', '1', 'root=default', 'host=localhost']);
    await this.#run('ceph-osd', ['--id', '0', '--mkfs', '--osd-uuid', disk]);
    this.#spawn([...ENDING, 'ceph-osd', '-f', '--id', '0']);
    await this.resume();
  }

  /**
   * A client of Ceph that speaks to the monitor before it has learned the cluster's id is refused, with EPERM or “wrong fsid”: on a busy
   * machine. So it is tried again; all of these commands may be repeated.
   */
  async #run(program: string, args: string[]): Promise<void> {
    for (let left = ATTEMPTS; ; left -= 1) {
      try {
        await run(program, args, { env: this.#environment, timeout: 120_000 });
        return;
      } catch (error) {
        if (left === 0) throw error;
        await sleep(500);
      }
    }
  }

  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, CEPH_CONF: `${this.folder}/ceph.conf` };
  }

  #spawn([command, ...args]: string[]): void {
    const output = openSync(`${this.folder}/output`, 'a');
    const daemon = spawn(command!, args, { env: this.#environment, stdio: ['ignore', output, output] });
    closeSync(output);
    this.#daemons.push(daemon);
  }

  async #until(what: string, isUp: () => Promise<boolean>): Promise<void> {
    // For the same reason, the storage daemon sometimes ends at once.
    let restarts = ATTEMPTS;
    for (let attempt = 0; attempt < 1200; attempt += 1) {
      const ended = this.#daemons.findIndex(({ exitCode }) => exitCode !== null);
      if (ended >= 0 && restarts === 0) break;
      if (ended >= 0) {
        restarts -= 1;
        const [daemon] = this.#daemons.splice(ended, 1);
        this.#spawn(daemon!.spawnargs);
      }
      if (await isUp().catch(() => false)) return;
      await sleep(100);
    }
    throw new Error(`${what} did not start: ${readFileSync(`${this.folder}/output`, 'utf8').slice(-2000)}`);
  }
}

/** A signed request, apart from the code that is tested. Throws if it fails. */
async function signedRequest(
  endpoint: string,
  method: string,
  path: string,
  body?: string,
): Promise<Response> {
  const { accessKeyId, secretAccessKey } = CREDENTIALS;
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: 'us-east-1' });
  const response = await client.fetch(`${endpoint}${path}`, { method, ...(body && { body }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

function settings(folder: string, monitor: number, port: number): string {
  return `
[global]
fsid = ${randomUUID()}
run dir = ${folder}
log file = ${folder}/$name.log
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
auth cluster required = none
auth service required = none
auth client required = none
mon host = [v1:127.0.0.1:${monitor}]
ms bind msgr2 = false
mon data avail crit = 0
mon allow pool size one = true
paxos propose interval = 0.02
paxos min wait = 0.01
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
osd crush chooseleaf type = 0
[mon.a]
mon data = ${folder}/mon
mon addr = 127.0.0.1:${monitor}
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
osd class load list = *
osd class default list = *
osd class update on start = false
[client.rgw.r]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw thread pool size = 64
rgw dns name = localhost
`;
}
