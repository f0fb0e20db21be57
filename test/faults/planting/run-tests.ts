import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { WorkingCopy } from './working-copy.ts';

/** What is left of a run after its time limit gets this long to clean up. */
const GRACE_MS = 10_000;

export interface FileResult {
  file: string;
  seconds: number;
  /** The number of tests that passed. */
  passed: number;
  /** The first test that failed, or the file's own fault. */
  failed: string | null;
}

export interface TestRun {
  outcome: 'passed' | 'failed' | 'time limit';
  files: FileResult[];
  /** Where no file failed although the run did. */
  output: string;
}

interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

const running = new Set<ChildProcess>();

/** Whether a file runs only where every case of a kind is tried. */
export function isSweep(file: string): boolean {
  return file.endsWith('.sweep.test.ts');
}

/** Runs test files in a copy, each as `npm test` does it. */
export async function runTests(
  copy: WorkingCopy,
  files: readonly string[],
  options: { limitMs: number; bail: boolean; workers: number },
): Promise<TestRun> {
  const report = join(copy.temporary, 'report.json');
  await rm(report, { force: true });
  const child = spawn(
    join(copy.folder, 'node_modules/.bin/vitest'),
    [
      'run',
      ...files,
      '--reporter=json',
      `--outputFile=${report}`,
      `--maxWorkers=${options.workers}`,
      ...(options.bail ? ['--bail=1'] : []),
    ],
    {
      cwd: copy.folder,
      // A group of its own, which ends together.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${join(copy.folder, 'node_modules/.bin')}:${process.env.PATH}`,
        TZ: 'America/Los_Angeles',
        TESTS_IN: copy.temporary,
        SWEEP: files.some(isSweep) ? 'all' : '',
      },
    },
  );
  running.add(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  let late = false;
  const timers = [
    setTimeout(() => {
      late = true;
      signal(child, 'SIGINT');
    }, options.limitMs),
    setTimeout(() => signal(child, 'SIGKILL'), options.limitMs + GRACE_MS),
  ];
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  timers.forEach(clearTimeout);
  // What the tests started and left.
  signal(child, 'SIGKILL');
  running.delete(child);
  const results = await fileResults(copy, report);
  const outcome = late ? 'time limit' : status === 0 ? 'passed' : 'failed';
  return { outcome, files: results, output };
}

/** Ends all runs at once. */
export function endRuns(): void {
  for (const child of running) signal(child, 'SIGKILL');
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-pid!, name);
  } catch {
    // All of the group have ended.
  }
}

async function fileResults(copy: WorkingCopy, report: string): Promise<FileResult[]> {
  const text = await readFile(report, 'utf8').catch(() => null);
  if (text === null) return [];
  return (JSON.parse(text) as Report).testResults.map((result) => {
    const failed = result.assertionResults.find(({ status }) => status === 'failed');
    return {
      file: relative(copy.folder, result.name),
      seconds: (result.endTime - result.startTime) / 1000,
      passed: result.assertionResults.filter(({ status }) => status === 'passed').length,
      failed: failed?.fullName ?? (result.status === 'failed' ? result.message.split('\n')[0]! : null),
    };
  });
}
