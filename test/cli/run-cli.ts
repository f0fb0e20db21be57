import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { formatPublisherKeys } from '../../pipeline/publish/publisher-key-file.ts';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');

export interface Finished {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The real binary in a process of its own, with nothing of this one's environment but the PATH, the zone and the folders, and stores of its own. */
export class RunningCli {
  readonly child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    const { PATH = '', TZ = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const folder = mkdtempSync(join(tmpdir(), 'cathedral-cli-'));
    const out = args[args.indexOf('--out') + 1];
    const stores = {
      CATHEDRAL_PUBLISHER_KEY: publisherKey(args.includes('--out') ? `${out}` : join(folder, 'out')),
      CATHEDRAL_KEYS: join(folder, 'keys.sqlite'),
      CATHEDRAL_LIMITS: join(folder, 'limits.db'),
      CATHEDRAL_ACCESS_LOG: join(folder, 'access-log'),
    };
    this.child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH, TZ, HOME, TMPDIR, ...stores, ...env },
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    onTestFinished(() => {
      this.child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Waits until what it has printed matches. Throws where it ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#stdout + this.#stderr);
      if (match) return match;
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`it ended with ${exitCode ?? signalCode} before ${pattern}: ${this.#stderr}`);
      }
      await Promise.race([
        once(this.child.stdout!, 'data'),
        once(this.child.stderr!, 'data'),
        once(this.child, 'close'),
      ]);
    }
  }

  async finished(): Promise<Finished> {
    const { exitCode, signalCode, stdout } = this.child;
    if ((exitCode === null && signalCode === null) || !stdout!.destroyed) await once(this.child, 'close');
    return {
      status: this.child.exitCode,
      signal: this.child.signalCode,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
  }
}

export function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  return new RunningCli(args, env).finished();
}

/** A file of its own for each folder that is published in, with one key in all of them: it shows in releases. */
function publisherKey(out: string): string {
  const path = `${out}.publisher-key`;
  const key = { name: 'test.example', seed: new Uint8Array(32).fill(3), made: '2025-01-01T00:00:00Z' };
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, formatPublisherKeys([key]), { mode: 0o600 });
  return path;
}
