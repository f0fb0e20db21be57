import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { advance } from '../../src/simulation/advance.ts';
import { drawsOf } from '../../src/simulation/draws.ts';
import { startRun, stepRun } from '../../src/simulation/run.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import { crowdOf } from '../../src/simulation/temperaments.ts';
import { median } from './child.ts';
import { compare, type Figure } from './figure.ts';
import { type Server, serve } from './server.ts';
import { Audience, type Heard } from './simulation-audience.ts';

const SCENARIO = 'cathedral_multiplier_proposal';
const SIZES = [10, 30, 100, 300, 1000] as const;
const RUNS = 5;
const SESSIONS = 2000;
/** Shorter than a run. */
const SECONDS = 20;

/** Ticks of the engine, and 2 000 simulations in one process beside a server that only sends as much. */
export async function simulation(sessions = SESSIONS, seconds = SECONDS): Promise<Figure[]> {
  // As people start them: without a seed, so that the service picks one of a few.
  const ours = await watch('ours', [], sessions, seconds);
  // Each with a seed of its own: nothing is shared.
  const seeded = await watch('ours', [], sessions, seconds, (place) => ({ seed: 1000 + place }));
  const bare = await watch('bare', [String(Math.round(ours.bytes))], sessions, seconds);
  return [
    ...engine(),
    compare(
      `${sessions} simulations, late by, p99, beside bare ws of as many bytes`,
      p99(ours.late),
      p99(bare.late),
      'ms',
    ),
    compare('… CPU of the server', ours.cpu * 100, bare.cpu * 100, '% of a core', 2),
    compare('… memory of each', ours.memory / 1024, bare.memory / 1024, 'KiB'),
    compare('… CPU where each has a seed of its own', seeded.cpu * 100, bare.cpu * 100, '% of a core', 2),
    compare('… memory of each then', seeded.memory / 1024, bare.memory / 1024, 'KiB'),
  ];
}

function engine(): Figure[] {
  const times = SIZES.map((size) => ({ size, us: microsecondsPerTick(size) }));
  const whole = wholeRuns();
  const ticks = compare(
    'engine: µs of a tick in a whole run, beside one without decisions',
    whole,
    times[0]!.us,
    'µs',
  );
  const growth = times.slice(1).map(({ size, us }, place) => {
    const before = times[place]!;
    const pairs = (size / before.size) ** 2;
    const what = `engine: a tick of ${size} sentinels, beside one of ${before.size} × ${pairs.toFixed(1)} (pairs)`;
    // Above 1 it would grow faster than the pairs; a tenth for what else runs on the machine.
    return compare(what, us, before.us * pairs, 'µs', 1.1);
  });
  return [ticks, ...growth];
}

/** In the world before any decision, so that each tick does the same. */
function microsecondsPerTick(size: number): number {
  const scenario = { ...scenarioNamed(SCENARIO), decisions: [], events: [], horizon: 1e9, rounds: 1e9 };
  const count = Math.max(20, Math.round(200_000 / (size * size)));
  const runs = Array.from({ length: RUNS }, (_, seed) => {
    let world = startWorld(scenario, seed, crowdOf(size, drawsOf(seed, 0)));
    for (let tick = 0; tick < 20; tick += 1) world = advance(world, scenario, seed);
    const start = performance.now();
    for (let tick = 0; tick < count; tick += 1) world = advance(world, scenario, seed);
    return ((performance.now() - start) / count) * 1000;
  });
  return median(runs);
}

function wholeRuns(): number {
  const runs = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    let ticks = 0;
    for (let seed = 0; seed < 100; seed += 1) ticks += stepRun(startRun(SCENARIO, seed), 1000).world.tick;
    return ((performance.now() - start) / ticks) * 1000;
  });
  return median(runs);
}

interface Watched extends Heard {
  /** Cores. */
  cpu: number;
  /** Bytes of each session. */
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
  const before = await settledMemory(server);
  const audience = await Audience.gather(server.url, sessions, (place) => ({
    action: 'start_simulation',
    scenario: SCENARIO,
    ...more(place),
  }));
  await sleep(2000);
  const start = await cpuSeconds(server);
  const heard = await audience.listen(seconds);
  const cpu = ((await cpuSeconds(server)) - start) / seconds;
  const memory = ((await settledMemory(server)) - before) / sessions;
  audience.leave();
  await server.stop();
  return { ...heard, cpu, memory };
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
