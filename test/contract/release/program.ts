import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const CLI = resolve(import.meta.dirname, '../../../src/cli.ts');

function start(words: readonly string[], folder: string, more: Record<string, string> = {}): ChildProcess {
  const { PATH = '', TZ = '', HOME = '' } = process.env;
  const own = {
    CATHEDRAL_KEYS: join(folder, 'keys.sqlite'),
    CATHEDRAL_ACCESS_LOG: join(folder, 'access-log'),
    CATHEDRAL_LIMITS: join(folder, 'limits.db'),
    CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
    CATHEDRAL_BASE_URL: 'https://data.example.org',
  };
  return spawn(process.execPath, [CLI, ...words], {
    env: { PATH, TZ, HOME, ...own, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The command line, whose stores are in `folder`. */
export async function cathedral(words: readonly string[], folder: string): Promise<Ran> {
  const child = start(words, folder);
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  await ended;
  return { status: child.exitCode, stdout, stderr };
}

/** A key of this tier, made by the command line. */
export async function issueKey(tier: string, folder: string): Promise<string> {
  const who = [
    '--email',
    'ada@institute.example',
    '--name',
    'Ada',
    '--affiliation',
    'Institute',
    '--purpose',
    'Audit',
  ];
  const how = ['--basis', 'staff page', '--volume', '9 a day', '--deliver', 'print', '--json'];
  const { status, stdout, stderr } = await cathedral(
    ['keys', 'issue', '--tier', tier, ...who, ...how],
    folder,
  );
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { key: string }).key;
}

export interface Service {
  address: string;
  /** What it has logged so far. */
  log: () => string;
  stop: () => Promise<void>;
}

/** `cathedral serve` over a published folder, with its stores in `folder`. */
export async function serve(out: string, folder: string): Promise<Service> {
  await mkdir(folder, { recursive: true });
  const words = ['serve', '--out', out, '--port', '0', '--host', '127.0.0.1', '--log-level', 'debug'];
  const child = start(words, folder, { CATHEDRAL_DRAIN: '0' });
  const ended = once(child, 'close');
  let [said, logged] = ['', ''];
  child.stderr!.setEncoding('utf8').on('data', (more: string) => {
    logged += more;
  });
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout!.setEncoding('utf8').on('data', (more: string) => {
      said += more;
      const [, url] = / at (http:\S+)\n/.exec(said) ?? [];
      if (url) resolve(url);
    });
    child.on('close', () => reject(new Error(`it did not start: ${said}${logged}`)));
  });
  return {
    address,
    log: () => logged,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
