import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRun, stepRun } from '../../src/simulation/run.ts';
import { inTurns, median, p99 } from './child.ts';
import { compare, type Report } from './figure.ts';
import { type Server, serve, settledMemory } from './server.ts';
import { Audience } from './simulation-audience.ts';

const SCENARIO = 'cathedral_multiplier_proposal';
/** Of each measurement in turn with the others, of which the least counts: what else runs on the machine only ever adds. */
const ROUNDS = 2;
const ENGINE_ROUNDS = 11;
const SESSIONS = 2000;
/** Shorter than a run. */
const SECONDS = 10;
const MAX_LATENESS_RATIO = 5;
const WARM_UP_SECONDS = 5;
const WARM_UP_PACE_MS = 250;

/** Ticks of the engine, and 2 000 simulations in one process, each of its own seed, beside a server that only sends as much. */
export async function simulation(report: Report, sessions = SESSIONS, seconds = SECONDS): Promise<void> {
  const ticks = Array.from({ length: ENGINE_ROUNDS }, wholeRuns);
  report(
    compare('engine: µs of a tick, beside the median of all rounds', Math.min(...ticks), median(ticks), 'µs'),
  );
  let bytes = 0;
  const { ours, bare } = await inTurns(ROUNDS, {
    ours: async () => {
      const watched = await watch('ours', [], sessions, seconds);
      bytes = watched.bytes;
      return watched;
    },
    bare: () => watch('bare', [String(Math.round(bytes))], sessions, seconds),
  });
  const least = (all: readonly Watched[], what: keyof Watched) => Math.min(...all.map((one) => one[what]));
  const beside = (what: keyof Watched) => [least(ours, what), least(bare, what)] as const;
  report(
    compare(
      `${sessions} simulations, late by, p99, beside bare ws of as many bytes`,
      ...beside('late'),
      'ms',
      MAX_LATENESS_RATIO,
    ),
    compare('… CPU of the server for a message', ...beside('cpu'), 'µs'),
    compare('… memory of each', ...beside('memory'), 'KiB'),
  );
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

async function watch(kind: string, args: string[], sessions: number, seconds: number): Promise<Watched> {
  const server = await serve('simulation', [kind, ...args]);
  const memory = await warmUp(server, sessions);
  const audience = await Audience.gather(server.url, sessions, (place) => ({
    action: 'start_simulation',
    scenario: SCENARIO,
    seed: place,
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
async function warmUp(server: Server, sessions: number): Promise<number> {
  const before = await settledMemory(server);
  const message = { action: 'start_simulation', scenario: SCENARIO, pace_ms: WARM_UP_PACE_MS };
  const audience = await Audience.gather(server.url, sessions, (place) => ({
    ...message,
    seed: place,
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
