import { callsApart, disturbApart } from './apart.ts';
import { LOSSES, type Loss } from './disk.ts';
import type { Call, Done, Way } from './effects.ts';
import { SCENARIOS } from './scenarios.ts';
import { EnoughError, type Finding, Sweep } from './sweep.ts';

/** How much is swept. */
type Extent = 'all' | 'some' | 'until one is found';

export interface SweepOptions {
  extent: Extent;
  tell: (line: Finding | Swept) => void;
}

/** What was done with a scenario. */
export interface Swept {
  scenario: string;
  /** Of the undisturbed run. */
  calls: number;
  swept: Readonly<Record<string, number>>;
  findings: number;
  seconds: number;
}

const LOSS_NAMES = Object.keys(LOSSES) as Loss[];
const ERRORS = ['EIO', 'EROFS', 'ENOSPC'] as const;
/** Calls that a full disk takes. */
const FREEING = new Set(['unlink', 'rmdir', 'chmod', 'fsync', 'close']);
/** A process takes a second to start: of `some` so many are killed in each scenario. */
const KILLS = 1;
/** Of a long run, power is lost after every so many of the calls as well. */
const LONG_STEP = 97;
/** Those that show names which are not flushed, bytes, and an order that nobody keeps. */
const SOME_LOSSES: readonly Loss[] = ['all', 'bytes', 'older'];

/** Half of what was removed is there again, and what was renamed before has its old name. */
const HALVES: readonly Loss[] = ['even', 'odd'];

/** Sweeps the scenarios of these names, or all, one after another. */
export async function sweepAll(names: readonly string[], { extent, tell }: SweepOptions): Promise<void> {
  const lines = new Set<string>();
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const begun = performance.now();
    const sweep = await Sweep.of(name, scenario, tell);
    await sweepTo(extent, sweep, lines);
    const seconds = Math.round((performance.now() - begun) / 1000);
    const { counts, found } = sweep;
    tell({ scenario: name, calls: sweep.calls.length, swept: counts, findings: found, seconds });
    await sweep.end();
  }
}

async function sweepTo(extent: Extent, sweep: Sweep, lines: Set<string>): Promise<void> {
  if (extent === 'all') return sweepEach(sweep);
  if (extent === 'some') return sweepSome(sweep, lines);
  sweep.stopsAtOne = true;
  await sweepSome(sweep, lines).catch((error) => {
    if (!(error instanceof EnoughError)) throw error;
  });
}

/**
 * Every call fails, and in every way the first from each place; power is lost at every moment in every way; the real command is
 * killed, or fails, at each place that makes calls.
 */
async function sweepEach(sweep: Sweep): Promise<void> {
  await sweep.lasts(LOSS_NAMES);
  const { isLong = false } = sweep.scenario;
  const places = new Set(firsts(sweep.calls, placeOf));
  for (const [at, call] of sweep.calls.entries())
    for (const way of places.has(at) ? ERRORS : (['EIO'] as const))
      if ((places.has(at) || !isLong) && isPossible(way, call)) await sweep.fail(at, way);
  for (let until = 0; until <= sweep.journal.length; until += isLong ? LONG_STEP : 1)
    for (const loss of LOSS_NAMES) await sweep.cut(until, loss);
  if (isLong) await cutWhereSeen(sweep, LOSS_NAMES);
  if (!sweep.scenario.command) return;
  const calls = await callsApart(sweep);
  for (const at of firsts(calls, placeOf))
    for (const way of ['SIGKILL', 'EIO'] as const) await disturbApart(sweep, calls, at, way);
}

/**
 * Each line of the program that makes a call fails once, in the one way or the other; power is lost wherever readers see
 * something else; a few real commands are killed. `lines`: those that were swept before, to which this one’s are added.
 */
async function sweepSome(sweep: Sweep, lines: Set<string>): Promise<void> {
  await sweep.lasts(SOME_LOSSES);
  for (const at of firsts(sweep.calls, lineOf)) {
    const line = lineOf(sweep.calls[at]!);
    if (lines.has(line)) continue;
    // Where all fails from then on, another call would show what this one's failure should have.
    const way = sweep.calls[at]!.kind === 'fsync' ? 'EIO' : ERRORS[lines.size % ERRORS.length]!;
    lines.add(line);
    await sweep.fail(at, isPossible(way, sweep.calls[at]!) ? way : 'EIO');
  }
  await cutWhereSeen(sweep, SOME_LOSSES);
  if (!sweep.scenario.command) return;
  const calls = await callsApart(sweep);
  const places = firsts(calls, lineOf);
  for (let kill = 1; kill <= KILLS; kill += 1)
    await disturbApart(sweep, calls, places[Math.floor((kill * places.length) / (KILLS + 1))]!, 'SIGKILL');
}

/** Power is lost wherever readers see something else, and wherever some of what is removed has gone. */
async function cutWhereSeen(sweep: Sweep, losses: readonly Loss[]): Promise<void> {
  for (const [at, done] of sweep.journal.entries()) {
    if (isSeen(done)) for (const loss of losses) await sweep.cut(at + 1, loss);
    if (isThirdToGo(sweep.journal, at)) for (const loss of HALVES) await sweep.cut(at + 1, loss);
  }
}

const placeOf = ({ kind, site }: Call) => `${kind} ${site}`;
const lineOf = ({ kind, site }: Call) => `${kind} ${site.split(' < ')[0]}`;

function isPossible(way: Way, { kind }: Call): boolean {
  return way !== 'ENOSPC' || !FREEING.has(kind);
}

/** Of calls that are the same in `what` the place of the first. */
function firsts(calls: readonly Call[], what: (call: Call) => string): number[] {
  const first = new Map<string, number>();
  for (const [at, call] of calls.entries()) if (!first.has(what(call))) first.set(what(call), at);
  return [...first.values()];
}

/** Whether readers see something else after it: what was made beside its place is given its name. */
function isSeen({ op, ...done }: Done): boolean {
  return op === 'rename' && 'to' in done && !done.to.includes('staging');
}

/** Whether it is the third removal in a row. */
function isThirdToGo(journal: readonly Done[], at: number): boolean {
  const gone = journal.slice(Math.max(0, at - 3), at + 1).map(({ op }) => op === 'remove');
  return gone.join() === 'false,true,true,true';
}
