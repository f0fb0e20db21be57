import { appendFile, glob } from 'node:fs/promises';
import { ACCEPTED } from './accepted.ts';
import { endRuns, type FileResult, isSweep, runTests } from './run-tests.ts';
import { PROJECT, type RoomFault } from './tables.ts';
import { WorkingCopy } from './working-copy.ts';

/** As many as a small machine has cores. */
const COPIES = 2;

/** Test files that take less than this together are run together; each other one by itself, after them. */
const TOGETHER_SECONDS = 10;

/** Without a fault. */
const CLEAN_LIMIT_MS = 3_600_000;

/** A fault may make a test slow or hang; at this many times its usual time, and what hooks and a busy machine take, it is ended. */
const TIMES_SLOWER = 5;
const HOOKS_MS = 300_000;

export interface Outcome {
  room: string;
  name: string;
  outcome: 'found' | 'time limit' | 'not found' | 'accepted' | 'no test';
  /** What found it. */
  file: string | null;
  test: string | null;
  seconds: number;
}

export interface Plan {
  faults: readonly RoomFault[];
  /** The checkout, which may be an older one. */
  tree?: string;
  /** By beginning of the product's paths, the test files for faults there, as patterns; without it those that each fault names. */
  testsOf?: Readonly<Record<string, readonly string[]>>;
  /** After this long, no other file is run for a fault. */
  minutes?: number;
  say: (line: string) => void;
  /** A file that gets a line of JSON for each fault. */
  out?: string;
}

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Plants each fault in a copy of the checkout and runs its tests there. */
export async function plantFaults(plan: Plan): Promise<Outcome[]> {
  const tree = plan.tree ?? PROJECT;
  const tests = await testsByFault(plan, tree);
  const copies: WorkingCopy[] = [];
  const leave = async () => {
    endRuns();
    await Promise.all(copies.map((copy) => copy.remove()));
  };
  const interrupted = () => leave().finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    for (let made = 0; made < COPIES; made++) copies.push(await WorkingCopy.begin());
    await Promise.all(copies.map((copy) => copy.fill(tree)));
    const clean = await cleanRun(copies[0]!, [...new Set([...tests.values()].flat())], plan.say);
    const waiting = [...plan.faults];
    const outcomes: Outcome[] = [];
    await Promise.all(
      copies.map(async (copy) => {
        for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
          const outcome = await plantOne(copy, fault, tests.get(fault)!, clean, plan.minutes);
          outcomes.push(outcome);
          plan.say(lineOf(outcome));
          if (plan.out) await appendFile(plan.out, `${JSON.stringify(outcome)}\n`);
        }
      }),
    );
    return outcomes;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await leave();
  }
}

async function testsByFault(
  { faults, testsOf }: Plan,
  tree: string,
): Promise<Map<RoomFault, readonly string[]>> {
  if (!testsOf) return new Map(faults.map((fault) => [fault, fault.tests]));
  const beginnings = Object.keys(testsOf).sort((one, other) => other.length - one.length);
  const entries = faults.map(async (fault) => {
    const beginning = beginnings.find((start) => fault.file.startsWith(start));
    const files = await Array.fromAsync(glob([...(testsOf[beginning ?? ''] ?? [])], { cwd: tree }));
    return [fault, files.sort()] as const;
  });
  return new Map(await Promise.all(entries));
}

/** The files whose tests pass without a fault, and how long each takes. */
async function cleanRun(
  copy: WorkingCopy,
  files: readonly string[],
  say: (line: string) => void,
): Promise<Map<string, number>> {
  if (files.length === 0) return new Map();
  say(`${files.length} test files without a fault …`);
  const results: FileResult[] = [];
  // Beside a sweep, others would try every case as well.
  const { true: sweeps = [], false: others = [] } = Object.groupBy(files, (file) => `${isSweep(file)}`);
  for (const some of [others, sweeps].filter(({ length }) => length > 0)) {
    const run = await runTests(copy, some, { limitMs: CLEAN_LIMIT_MS, bail: false, workers: COPIES });
    if (run.files.length === 0) throw new Error(`vitest gave no result:\n${run.output}`);
    results.push(...run.files);
  }
  const missing = files.filter((file) => !results.some((result) => result.file === file));
  for (const file of missing) say(`MISSING: ${file} is not a test file`);
  for (const { file, failed, passed } of results)
    if (failed) say(`FAILS WITHOUT A FAULT: ${file}: ${failed}`);
    else if (passed === 0) say(`SKIPPED: ${file}: this machine lacks what it needs`);
  const useful = ({ failed, passed }: FileResult) => !failed && passed > 0;
  return new Map(results.filter(useful).map(({ file, seconds }) => [file, seconds]));
}

async function plantOne(
  copy: WorkingCopy,
  fault: RoomFault,
  tests: readonly string[],
  clean: ReadonlyMap<string, number>,
  minutes = Number.POSITIVE_INFINITY,
): Promise<Outcome> {
  const { room, name } = fault;
  const begun = performance.now();
  const seconds = () => Math.round((performance.now() - begun) / 100) / 10;
  const groups = inGroups(
    tests.filter((file) => clean.has(file)),
    clean,
  );
  if (groups.length === 0) return { room, name, outcome: 'no test', file: null, test: null, seconds: 0 };
  return copy.planted(fault, async (): Promise<Outcome> => {
    for (const files of groups) {
      if (seconds() > minutes * 60) break;
      const usual = files.reduce((sum, file) => sum + clean.get(file)!, 0);
      const limitMs = HOOKS_MS + TIMES_SLOWER * usual * 1000;
      const run = await runTests(copy, files, { limitMs, bail: true, workers: 1 });
      const failed = run.files.find((result) => result.failed);
      const where = { room, name, file: failed?.file ?? files.join(' ') };
      if (run.outcome === 'time limit' && !failed)
        return { ...where, outcome: 'time limit', test: null, seconds: seconds() };
      if (run.outcome !== 'passed')
        return {
          ...where,
          outcome: 'found',
          test: failed?.failed ?? lastLine(run.output),
          seconds: seconds(),
        };
    }
    const outcome = name in ACCEPTED ? 'accepted' : 'not found';
    return { room, name, outcome, file: null, test: null, seconds: seconds() };
  });
}

/** The quick files together, then each other one, the quickest first. */
function inGroups(files: readonly string[], seconds: ReadonlyMap<string, number>): string[][] {
  const sorted = [...files].sort((one, other) => seconds.get(one)! - seconds.get(other)!);
  let sum = 0;
  const quick = sorted.filter((file) => {
    sum += seconds.get(file)!;
    return sum < TOGETHER_SECONDS && !isSweep(file);
  });
  const slow = sorted.filter((file) => !quick.includes(file)).map((file) => [file]);
  return quick.length > 0 ? [quick, ...slow] : slow;
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

const WORDS: Readonly<Record<Outcome['outcome'], string>> = {
  found: 'found',
  'time limit': 'found (time limit)',
  'not found': 'NOT FOUND',
  accepted: 'accepted',
  'no test': 'NO TEST PASSES',
};

function lineOf({ room, name, outcome, file, test, seconds }: Outcome): string {
  const by = file === null ? '' : ` · ${file}${test === null ? '' : `: ${test}`}`;
  const why = outcome === 'accepted' ? ` · ${ACCEPTED[name]}` : '';
  return `${WORDS[outcome]} · ${seconds} s · ${room} · ${name}${by}${why}`;
}

/** By room: faults, found, accepted, not found. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const row = (label: string, of: readonly Outcome[]) => {
    const count = (...words: Outcome['outcome'][]) =>
      of.filter(({ outcome }) => words.includes(outcome)).length;
    const found = count('found', 'time limit');
    const share = of.length === 0 ? '' : `${Math.round((100 * found) / of.length)} %`;
    const cells = [of.length, found, count('accepted'), count('not found', 'no test'), share];
    return label.padEnd(20) + cells.map((cell) => `${cell}`.padStart(12)).join('');
  };
  const heading = ['faults', 'found', 'accepted', 'not found', 'share'];
  const rooms = [...new Set(outcomes.map(({ room }) => room))].sort();
  return [
    'room'.padEnd(20) + heading.map((word) => word.padStart(12)).join(''),
    ...rooms.map((room) =>
      row(
        room,
        outcomes.filter((outcome) => outcome.room === room),
      ),
    ),
    row('all', outcomes),
  ].join('\n');
}

export function areAllFound(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ outcome }) => outcome !== 'not found' && outcome !== 'no test');
}
