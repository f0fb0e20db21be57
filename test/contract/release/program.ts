import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runWords } from '../commands/seam.ts';
import { type OpenServer, openServer } from '../http/seam.ts';

const CLI = resolve(import.meta.dirname, '../../../src/cli.ts');

/** Where the command line keeps what is not in a release. */
const storesIn = (folder: string) => ({
  CATHEDRAL_STORE: folder,
  CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
  CATHEDRAL_BASE_URL: 'https://data.example.org',
});

/** The command line in this process, whose stores are in `folder`. */
export async function cathedral(words: readonly string[], folder: string): Promise<string> {
  const { status, stdout, stderr } = await runWords(words, storesIn(folder));
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** A key of this tier, made by the command line. */
export async function issueKey(tier: string, folder: string): Promise<string> {
  const who = '--email ada@institute.example --name Ada --affiliation Institute --purpose Audit'.split(' ');
  const how = ['--basis', 'staff page', '--volume', '9 a day', '--deliver', 'print', '--json'];
  const stdout = await cathedral(['keys', 'issue', '--tier', tier, ...who, ...how], folder);
  return (JSON.parse(stdout) as { key: string }).key;
}

export interface Service {
  address: string;
  /** What it has logged so far. */
  log: () => string;
  stop: () => Promise<void>;
}

/** `cathedral serve` over a published folder in this process, with its stores in `folder`. */
export async function serveHere(out: string, folder: string): Promise<OpenServer> {
  await mkdir(folder, { recursive: true });
  return openServer(['--out', out, '--log-level', 'error'], storesIn(folder));
}

/** The same in a process of its own, whose log can be read. */
export async function serve(out: string, folder: string): Promise<Service> {
  await mkdir(folder, { recursive: true });
  const words = ['serve', '--out', out, '--port', '0', '--host', '127.0.0.1', '--log-level', 'debug'];
  const { PATH = '', TZ = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [CLI, ...words], {
    env: { PATH, TZ, HOME, ...storesIn(folder), CATHEDRAL_DRAIN: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
