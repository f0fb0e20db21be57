import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const PROJECT = resolve(import.meta.dirname, '../..');
export const CLI = join(PROJECT, 'src/cli.ts');

export interface MemberOptions {
  name: string;
  /** Of `cathedral`. */
  args: readonly string[];
  /** The whole environment. */
  env: Record<string, string>;
  /** Takes what it prints. */
  logFile: string;
}

/** A machine of a cluster: a program of the service, which can be killed, paused and started again. */
export class Member {
  readonly name: string;
  readonly #options: MemberOptions;
  #child: ChildProcess;

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.#options = options;
    this.#child = this.#spawn();
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it again after it has ended. */
  restart(): void {
    if (this.isRunning) throw new Error(`${this.name} is running`);
    this.#child = this.#spawn();
  }

  /** As a machine that loses power: also the runs that the program started. */
  async kill(): Promise<void> {
    await this.#end(() => this.signal('SIGKILL'));
  }

  /** As its operator stops it. */
  async stop(): Promise<void> {
    await this.#end(() => this.#child.kill('SIGTERM'));
  }

  /** Sends a signal to the program and all processes that it started: SIGSTOP for a machine that hangs, SIGCONT when it goes on. */
  signal(signal: NodeJS.Signals): void {
    for (const id of this.isRunning ? descendantsOf(this.pid) : []) {
      try {
        process.kill(id, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }

  /** Its exit status, when it has ended; null where a signal ended it. */
  async ended(): Promise<number | null> {
    if (this.isRunning) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  log(): Promise<string> {
    return readFile(this.#options.logFile, 'utf8');
  }

  #spawn(): ChildProcess {
    const { args, env, logFile } = this.#options;
    const output = openSync(logFile, 'a');
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: PROJECT,
      env,
      stdio: ['ignore', output, output],
      // Ctrl-C on a terminal is for the cluster, which stops its members in order.
      detached: true,
    });
    closeSync(output);
    return child;
  }

  async #end(end: () => void): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, 'exit');
    end();
    await ended;
  }
}

/** A process and all below it. */
function descendantsOf(id: number): number[] {
  const all = [id];
  for (const parent of all) all.push(...childrenOf(parent));
  return all;
}

function childrenOf(id: number): number[] {
  try {
    const text = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
