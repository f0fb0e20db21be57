import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** From here on nothing is measured again. */
const ENOUGH_MS = 30_000;

/** What a measured child process reports of itself. */
export interface Measured {
  /** Wall time of the work in ms, without the start of the process. */
  ms: number;
  /** Processor time of the work in ms, that of its threads included. */
  cpu: number;
  /** Peak resident memory of the process in MB. */
  rss: number;
  /** Of an access log. */
  entriesPerSecond?: number;
}

/** Starts a program of this folder with Node as bin/cathedral does it, in a process of its own, so that memory is its own and nothing is warm. */
export function startChild(name: string, args: readonly string[]) {
  const file = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  const settings = { MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=8' };
  return spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs `children/<name>.ts` to its end. */
export async function measure(name: string, args: readonly string[]): Promise<Measured> {
  const child = startChild(name, args);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}`);
  return JSON.parse(output.trim().split('\n').at(-1)!) as Measured;
}

/** In the child: does the work and reports. */
export async function report(work: () => Promise<unknown>): Promise<void> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const more = (await work()) as Partial<Measured> | undefined;
  const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(before)];
  const cpu = (user + system) / 1000;
  console.log(JSON.stringify({ ms, cpu, rss: peakMb(), ...more }));
}

/** Peak resident memory of this process, MB. What `getrusage` says counts that of the process which started it, too. */
export function peakMb(): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))!;
  return Number(kilobytes) / 1024;
}

/**
 * What each gives, one after the other in every run, so that what else the machine does is the same for all. Ends before
 * `runs`, after an odd number of them for the median, once they took long enough: all benchmarks are to end in time on a slow machine, too.
 */
export async function inTurns<N extends string, T>(
  runs: number,
  work: Readonly<Record<N, (run: number) => Promise<T>>>,
): Promise<Record<N, T[]>> {
  const names = Object.keys(work) as N[];
  const found = Object.fromEntries(names.map((name): [string, T[]] => [name, []])) as Record<N, T[]>;
  const begun = performance.now();
  for (let run = 0; run < runs; run += 1) {
    if (run % 2 === 1 && performance.now() - begun > ENOUGH_MS) break;
    for (const name of names) found[name].push(await work[name](run));
  }
  return found;
}

export function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
}

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
