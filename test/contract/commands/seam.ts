import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Environment } from '../../../pipeline/config/config.ts';
import type { Setting } from '../../../pipeline/config/setting.ts';
import { SETTINGS } from '../../../pipeline/config/settings.ts';
import { CathedralError, exitOf } from '../../../pipeline/errors.ts';
import { formatNoteKeys } from '../../../pipeline/ledger/notes/note-keys.ts';
import { readArguments } from '../../../src/commands/command.ts';
import { Progress } from '../../../src/commands/progress.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { understand } from '../../../src/commands/understand.ts';

const PROJECT = resolve(import.meta.dirname, '../../..');
/** `npm start` with the npm that users have. */
export const NPM_START = ['npm', 'run', '--silent', 'start', '--'];
/** The command as it is installed. */
export const COMMAND = [join(PROJECT, 'bin/cathedral')];
const CLI = [process.execPath, join(PROJECT, 'src/cli.ts')];
/**
 * Settings whose default path is in the checkout, which may belong to an operator, so tests set them. Not the ledger, without which
 * some commands also work; tests name it themselves.
 */
const KEPT_IN_CHECKOUT = Object.values(SETTINGS).filter(
  ({ env, default: value }: Setting) =>
    env !== null && env !== 'CATHEDRAL_LEDGER' && value?.startsWith('var/'),
);

export interface Finished {
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/**
 * The real binary in a process of its own, with its own stores and nothing from this environment except PATH, time zone and
 * folders. `command`: what runs it instead, which is then `child`.
 */
export class RunningCli {
  readonly child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(args: readonly string[], env: Record<string, string> = {}, command: readonly string[] = CLI) {
    const { PATH = '', TZ = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const folder = mkdtempSync(join(tmpdir(), 'cathedral-cli-'));
    const out = args[args.indexOf('--out') + 1];
    const published = args.includes('--out') ? `${out}` : join(folder, 'out');
    const isNewKey = !existsSync(keyFileOf(published));
    const stores = {
      ...Object.fromEntries(KEPT_IN_CHECKOUT.map((setting) => [setting.env, join(folder, setting.default!)])),
      CATHEDRAL_PUBLISHER_KEY: publisherKey(published),
    };
    const [program = '', ...words] = command;
    this.child = spawn(program, [...words, ...args], {
      cwd: PROJECT,
      env: { PATH, TZ, HOME, TMPDIR, ...stores, ...env },
      // A process group, so that the test can stop all of it.
      detached: true,
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    onTestFinished(() => {
      try {
        process.kill(-this.child.pid!, 'SIGKILL');
      } catch {
        // It has ended already.
      }
      rmSync(folder, { recursive: true, force: true });
      // It may be beside a folder of the test, where nothing else removes it.
      if (isNewKey) rmSync(keyFileOf(published), { force: true });
    });
  }

  /** Waits until its output matches. Throws if it ends first. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#stdout + this.#stderr);
      if (match) return match;
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`it ended with ${exitCode ?? signalCode} before ${pattern}: ${this.#stderr}`);
      }
      await this.#said();
    }
  }

  /** Resolves when it prints more or ends; leaves no listener behind. */
  async #said(): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const { stdout, stderr } = this.child;
    await Promise.race([
      once(stdout!, 'data', { signal }),
      once(stderr!, 'data', { signal }),
      once(this.child, 'close', { signal }),
    ]);
    controller.abort();
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

interface Here {
  /** Replaces the environment. */
  env?: Environment;
  now?: () => number;
  wait?: (ms: number) => Promise<void>;
  /** Whether it believes to be on a terminal. */
  isTTY?: boolean;
  /** What stops a command that runs until it is stopped. */
  stop?: AbortSignal;
  /** Gets all that is printed, when it is printed. */
  printed?: (text: string) => void;
}

type Answer = Pick<Finished, 'status' | 'stdout' | 'stderr'>;

/** A command in this process, by any clock: a process of its own takes half a second each time. */
export async function runHere(
  name: string,
  args: readonly string[],
  { env = {}, now = Date.now, wait = (ms) => sleep(ms), isTTY = true, stop, printed = () => {} }: Here = {},
): Promise<Answer> {
  let [stdout, stderr] = ['', ''];
  const write = (text: string) => {
    stdout += text;
    printed(text);
  };
  const note = (text: string) => {
    stderr += text;
    printed(text);
  };
  const progress = new Progress({ isTTY, write: note }, now);
  const command = await COMMANDS[name]!();
  // Its end stops what it began, as in a process of its own.
  const ended = new AbortController();
  try {
    const { values, flags } = await readArguments(name, command, args, env);
    const status = await command.run(values as never, {
      flags,
      now,
      wait,
      umask: 0o022,
      progress,
      print: (line) => write(`${line}\n`),
      write: async (text) => write(text),
      untilStopped: () => AbortSignal.any([ended.signal, ...(stop ? [stop] : [])]),
    });
    return { status, stdout, stderr };
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    progress.end('failed');
    return { status: exitOf(error), stdout, stderr: `${stderr}cathedral: ${error.message}\n` };
  } finally {
    ended.abort();
  }
}

/** What `cathedral` answers to these words, in this process. Its errors are not made safe for a terminal, and have no advice. */
export async function runWords(
  words: readonly string[],
  env: Environment = {},
  more: Omit<Here, 'env'> = {},
): Promise<Answer> {
  try {
    const asked = await understand(words);
    if ('text' in asked) return { status: 0, stdout: `${asked.text}\n`, stderr: '' };
    return await runHere(asked.name, asked.args, { env, ...more });
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    return { status: exitOf(error), stdout: '', stderr: `cathedral: ${error.message}\n` };
  }
}

/** A key file per published folder, all with the same key, because it appears in releases. */
export function publisherKey(out: string): string {
  const path = keyFileOf(out);
  const key = { name: 'test.example', seed: new Uint8Array(32).fill(3), made: '2025-01-01T00:00:00Z' };
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, formatNoteKeys([key]), { mode: 0o600 });
  return path;
}

const keyFileOf = (out: string) => `${out}.publisher-key`;
