import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { hasHaproxy } from '../engines/haproxy.ts';
import { hasObjectStore } from '../engines/object-store.ts';
import { hasPostgres } from '../engines/postgres.ts';
import { cpuMs } from './cpu-time.ts';
import { seed, writeDurations } from './file-order.ts';

const SLOWEST = 10;
/** Below it, a run of single files says nothing about them. ms */
const LONG_MS = 60_000;
/** Between two lines about how far a run of everything is. ms */
const PROGRESS_MS = 60_000;

/**
 * After the results: the slowest files, what is missing on this machine and which tests were skipped, CPU time; and last one line that a
 * machine can read: `812 passed, 0 failed`.
 */
export class Summary implements Reporter {
  #files = 0;
  #ended = 0;
  #started = 0;
  #said = 0;

  onTestRunStart(files: readonly unknown[]): void {
    [this.#files, this.#started, this.#said] = [files.length, Date.now(), Date.now()];
    if (seed !== null) console.log(`The order of files is that of SEED=${seed}.`);
  }

  onTestModuleEnd(): void {
    this.#ended += 1;
    if (Date.now() < this.#said + PROGRESS_MS) return;
    this.#said = Date.now();
    console.log(`… ${this.#ended} of ${this.#files} files after ${asTime(Date.now() - this.#started)}`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded has no tests, and must not look like success.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    const wallMs = Date.now() - this.#started;
    if (process.env.DURATIONS === 'write')
      writeDurations(new Map(modules.map((module) => [nameOf(module), module.diagnostic().duration / 1000])));
    // After what the reporter before this one prints, and after what is done at the end of a run, which may fail, too.
    process.on('exit', (status) => {
      const all = Math.max(failed, status === 0 ? 0 : 1);
      say(
        'slowest files, with the CPU time of what they waited for',
        wallMs < LONG_MS ? [] : slowest(modules),
      );
      say('left behind', leftBehind(modules));
      say('missing on this machine', missing());
      say('skipped on this machine, for want of what they need', skipped(modules));
      console.log(`\n${asTime(wallMs)} in all, CPU time ${asTime(cpuMs())}`);
      console.log(`\n${count('passed')} passed, ${all} failed`);
    });
  }
}

function say(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

function slowest(modules: readonly TestModule[]): string[] {
  return [...modules]
    .sort((one, other) => other.diagnostic().duration - one.diagnostic().duration)
    .slice(0, SLOWEST)
    .map((module) => {
      const { cpuMs = 0 } = module.meta();
      return `${asTime(module.diagnostic().duration)}  ${asTime(cpuMs)}  ${nameOf(module)}`;
    });
}

/** What tests are skipped without, see scripts/setup.sh. */
function missing(): string[] {
  const engines = { PostgreSQL: hasPostgres, 'Ceph (object storage)': hasObjectStore, HAProxy: hasHaproxy };
  return Object.entries(engines)
    .filter(([, isThere]) => !isThere)
    .map(([name]) => name);
}

function skipped(modules: readonly TestModule[]): string[] {
  return modules
    .map((module) => [nameOf(module), [...module.children.allTests('skipped')].length] as const)
    .filter(([, number]) => number > 0)
    .map(([file, number]) => `${number} of ${file}`);
}

function leftBehind(modules: readonly TestModule[]): string[] {
  return modules.flatMap((module) => (module.meta().left ?? []).map((what) => `${nameOf(module)}: ${what}`));
}

function nameOf({ moduleId }: TestModule): string {
  return relative('.', moduleId);
}

/** 83456 → 1:23 */
function asTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`;
}
