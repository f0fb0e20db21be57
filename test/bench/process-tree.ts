import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** What a program used, its threads and child processes included. */
export interface Used {
  /** User and system time in seconds. */
  cpu: number;
  /** Peak resident memory of the largest process, MB. */
  largest: number;
  /** Peak memory of all processes together, MB: what they share, such as the browser's program, counts once. */
  together: number;
}

const SAMPLE_MS = 100;

/**
 * Runs a program to its end. Its processor time is that of a control group, where one can be made (as root, on Linux), because a browser
 * leaves processes that nobody waits for; else that of the processes that were waited for. Its memory is sampled in /proc, so elsewhere than on
 * Linux it is 0. Throws for another exit status than 0.
 */
export async function runMeasured(command: string, args: readonly string[]): Promise<Used> {
  using group = openGroup();
  // `times` prints what the shell and its children used, and theirs, to hundredths of a second.
  const script = 'echo $$ > "$0"; "$@" >&2 || exit; times';
  const procs = group?.procs ?? '/dev/null';
  const child = spawn('sh', ['-c', script, procs, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [peaks, output] = [
    { largest: 0, together: 0 },
    { out: '', err: '' },
  ];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err = `${output.err}${text}`.slice(-2000);
  });
  const sampling = setInterval(() => {
    const sizes = residentBelow(child.pid!);
    peaks.largest = Math.max(peaks.largest, ...sizes.map(({ peak }) => peak));
    peaks.together = Math.max(
      peaks.together,
      sizes.reduce((sum, { now }) => sum + now, 0),
    );
  }, SAMPLE_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${output.err}`);
  return { cpu: group?.seconds() ?? parseTimes(output.out), ...peaks };
}

const GROUPS = '/sys/fs/cgroup';

/** A control group for one run, of whichever version the machine has; null where none can be made. */
function openGroup(): ({ procs: string; seconds(): number } & Disposable) | null {
  const isSecond = existsSync(join(GROUPS, 'cgroup.controllers'));
  const folder = join(GROUPS, isSecond ? '' : 'cpuacct', `cathedral-bench-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch {
    return null;
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    procs: join(folder, 'cgroup.procs'),
    seconds: () =>
      isSecond
        ? Number(/usage_usec (\d+)/.exec(read('cpu.stat'))?.[1]) / 1e6
        : Number(read('cpuacct.usage')) / 1e9,
    [Symbol.dispose]() {
      try {
        rmdirSync(folder);
      } catch {
        // A process of the run is still ending; the empty group costs nothing.
      }
    },
  };
}

/** `0m0.010s 0m0.020s`, for the shell and for its children, in seconds. */
function parseTimes(text: string): number {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
}

/** The memory of a process and its descendants in MB: its share now, and its resident size at its peak. */
function residentBelow(root: number): { now: number; peak: number }[] {
  const found = new Map<number, { parent: number; peak: number }>();
  for (const name of readProc()) {
    const status = readOf(name, 'status');
    if (status)
      found.set(Number(name), { parent: member(status, 'PPid'), peak: member(status, 'VmHWM') / 1024 });
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (found.has(pid) && isBelow(found.get(pid)!.parent));
  return [...found]
    .filter(([pid]) => isBelow(pid))
    .map(([pid, { peak }]) => ({ now: member(readOf(String(pid), 'smaps_rollup'), 'Pss') / 1024, peak }));
}

/** A number of a file in /proc; 0 where it has none. */
function member(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function readProc(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty for a process that has ended. */
function readOf(name: string, file: 'status' | 'smaps_rollup'): string {
  try {
    return readFileSync(`/proc/${name}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
