import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { advance } from '../../src/simulation/advance.ts';
import { drawsOf } from '../../src/simulation/draws.ts';
import { startRun, stepRun } from '../../src/simulation/run.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { scaledAssembly, startWorld } from '../../src/simulation/start-world.ts';
import { compare, type Figure, type Report } from './figure.ts';
import { type Server, serve } from './server.ts';
import { Audience } from './simulation-audience.ts';

const SCENARIO = 'cathedral_multiplier_proposal';
const SIZES = [10, 30, 100, 300, 1000] as const;
/** Of each measurement in turn with the others, of which the least counts: what else runs on the machine only ever adds. */
const ROUNDS = 3;
const ENGINE_ROUNDS = 40;
/** Pairs of sentinels that a round goes through, at least twice. */
const PAIRS = 50_000;
const SESSIONS = 2000;
/** Shorter than a run. */
const SECONDS = 10;
/** A server that falls behind is late by many times as much as one that only sends. */
const MAX_LATENESS_RATIO = 10;
const WARM_UP_SECONDS = 5;
const WARM_UP_PACE_MS = 250;
/** Whoever asks for a run after somebody else shares it: those who are measured are the first ones. */
const OTHERS = 1_000_000;

/** Ticks of the engine, and 2 000 simulations in one process beside a server that only sends as much. */
export async function simulation(report: Report, sessions = SESSIONS, seconds = SECONDS): Promise<void> {
  report(...engine());
  const rounds: Record<'shared' | 'seeded' | 'bare', Watched>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // As people start them: without a seed, so that the service picks one of a few.
    const shared = await watch('ours', [], sessions, seconds);
    // Each with a seed of its own: nothing is shared.
    const seeded = await watch('ours', [], sessions, seconds, (place) => ({ seed: 1000 + place }));
    const bare = await watch('bare', [String(Math.round(shared.bytes))], sessions, seconds);
    rounds.push({ shared, seeded, bare });
  }
  const least = (kind: 'shared' | 'seeded' | 'bare', what: 'late' | 'cpu' | 'memory') =>
    Math.min(...rounds.map((round) => round[kind][what]));
  const beside = (kind: 'shared' | 'seeded', what: 'late' | 'cpu' | 'memory') =>
    [least(kind, what), least('bare', what)] as const;
  report(
    compare(
      `${sessions} simulations, late by, p99, beside bare ws of as many bytes`,
      ...beside('shared', 'late'),
      'ms',
      MAX_LATENESS_RATIO,
    ),
    compare('… CPU of the server for a message', ...beside('shared', 'cpu'), 'µs'),
    compare('… memory of each', ...beside('shared', 'memory'), 'KiB'),
    compare(
      '… late by, p99, where each has a seed of its own',
      ...beside('seeded', 'late'),
      'ms',
      MAX_LATENESS_RATIO,
    ),
    compare('… CPU for a message then', ...beside('seeded', 'cpu'), 'µs'),
    compare('… memory of each then', ...beside('seeded', 'memory'), 'KiB'),
  );
}

function engine(): Figure[] {
  const crowds = SIZES.map((size) => ({ size, tick: ticker(size), us: Number.POSITIVE_INFINITY }));
  let whole = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ENGINE_ROUNDS; round += 1) {
    whole = Math.min(whole, wholeRuns());
    for (const crowd of crowds) crowd.us = Math.min(crowd.us, crowd.tick());
  }
  const ticks = compare(
    'engine: µs of a tick in a whole run, beside one without decisions',
    whole,
    crowds[0]!.us,
    'µs',
  );
  const growth = crowds.slice(1).map(({ size, us }, place) => {
    const before = crowds[place]!;
    const pairs = (size / before.size) ** 2;
    const what = `engine: a tick of ${size} sentinels, beside one of ${before.size} × ${pairs.toFixed(1)} (pairs)`;
    // Above 1 it would grow faster than the pairs; a tenth for what else runs on the machine.
    return compare(what, us, before.us * pairs, 'µs', 1.1);
  });
  return [ticks, ...growth];
}

/** µs of a tick of so many, in the world before any decision, so that each tick does the same. */
function ticker(size: number): () => number {
  const scenario = { ...scenarioNamed(SCENARIO), decisions: [], events: [], horizon: 1e9, rounds: 1e9 };
  const count = Math.max(2, Math.round(PAIRS / (size * size)));
  let world = startWorld(scenario, 1, { sentinels: scaledAssembly(size, drawsOf(1, 0)) });
  return () => {
    const start = performance.now();
    for (let tick = 0; tick < count; tick += 1) world = advance(world, scenario, 1);
    return ((performance.now() - start) / count) * 1000;
  };
}

/** µs of a tick. */
function wholeRuns(): number {
  const start = performance.now();
  let ticks = 0;
  for (let seed = 0; seed < 20; seed += 1) ticks += stepRun(startRun(SCENARIO, seed), 1000).world.tick;
  return ((performance.now() - start) / ticks) * 1000;
}

interface Watched {
  /** ms, p99 */
  late: number;
  /** Of a message. */
  bytes: number;
  /** µs for a message. */
  cpu: number;
  /** KiB of each session. */
  memory: number;
}

async function watch(
  kind: string,
  args: string[],
  sessions: number,
  seconds: number,
  more: (place: number) => object = () => ({}),
): Promise<Watched> {
  const server = await serve('simulation', [kind, ...args]);
  const memory = await warmUp(server, sessions, more);
  const audience = await Audience.gather(server.url, sessions, (place) => ({
    action: 'start_simulation',
    scenario: SCENARIO,
    ...more(place),
  }));
  await sleep(2000);
  const start = await cpuSeconds(server);
  const { late, bytes } = await audience.listen(seconds);
  const cpu = (((await cpuSeconds(server)) - start) / late.length) * 1e6;
  audience.leave();
  await server.stop();
  return { late: p99(late), bytes, cpu, memory };
}

/** A service runs for months: what its first seconds cost, while its code is compiled, is not what a message costs. KiB of each session. */
async function warmUp(server: Server, sessions: number, more: (place: number) => object): Promise<number> {
  const before = await settledMemory(server);
  const message = { action: 'start_simulation', scenario: SCENARIO, pace_ms: WARM_UP_PACE_MS };
  const audience = await Audience.gather(server.url, sessions, (place) => ({
    ...message,
    ...more(OTHERS + place),
  }));
  await audience.listen(WARM_UP_SECONDS);
  const memory = ((await settledMemory(server)) - before) / sessions / 1024;
  audience.leave();
  return memory;
}

/** User and system time of the process so far; ticks are of 10 ms on every Linux that there is. */
async function cpuSeconds({ pid }: Server): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident bytes, after two collections: the first one finds what the second one frees. */
async function settledMemory({ pid }: Server): Promise<number> {
  for (let collection = 0; collection < 2; collection += 1) {
    await sleep(500);
    process.kill(pid, 'SIGUSR2');
  }
  await sleep(500);
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;
}
