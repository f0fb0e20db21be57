import type { z } from 'zod';
import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { cathedralMultipliers } from '../../../../pipeline/artifacts/economy/cathedral-multipliers.ts';
import { miiByDay } from '../../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../../../pipeline/artifacts/economy/supply-by-day.ts';
import { cyclePath } from '../../../../pipeline/forms/catalogue/cycle-path.ts';
import { cycleNumber, FIRST_CYCLE } from '../../../../pipeline/ledger/slot.ts';
import { addDays, daysFrom } from '../../../../pipeline/words/day.ts';
import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatCount, formatIndex, formatMic } from '../../../../pipeline/words/number.ts';
import { perRelease, type SiteRelease } from '../release.ts';
import { type DecisionEntry, decisionsByDay } from './decisions.ts';
import { forEachLine, rowsOfDays } from './history-rows.ts';
import { type DayEvents, eventsOfDays } from './row-events.ts';

type MiiDay = z.output<typeof miiByDay.schema>;
type MintingDay = z.output<typeof mintingByDay.schema>;
type SupplyDay = z.output<typeof supplyByDay.schema>;
type Setting = z.output<typeof cathedralMultipliers.schema>;
type EventCount = z.output<typeof eventsByDay.schema>;

/** The public data about one cycle, which is one UTC day. */
export interface Cycle {
  /** `C-151` */
  label: string;
  /** The path of its page. */
  href: string;
  /** `2025-12-01` */
  date: string;
  /** Whether the day had ended when the files were written. Until then the daily files do not include it. */
  isOver: boolean;
  /** Null without a reading or if the day has not ended; likewise below. */
  mii: MiiDay | null;
  supply: SupplyDay | null;
  /** By cathedral. */
  minting: readonly MintingDay[];
  mints: number;
  /** MIC */
  minted: number;
  multipliers: readonly Setting[];
  events: readonly EventCount[];
  /** Null also for a release without other formats. */
  range: DayEvents | null;
  decisions: readonly DecisionEntry[];
}

/**
 * Every day from the first event on has a page, except those of a longer idle stretch: a ledger can be idle for millennia. Whether a day
 * has one is settled by the event after it, so pages never disappear.
 */
const MOST_IDLE_DAYS = 92;

/** Days with a page in succession. */
interface Stretch {
  from: string;
  to: string;
}

/** The days with a page, the oldest first. */
export const cycleDays = perRelease((release): Stretch[] => {
  const [first] = FIRST_CYCLE.split('T') as [string];
  const stretches: Stretch[] = [];
  for (const date of daysWithEvents(release)) {
    if (date < first) continue;
    const last = stretches.at(-1);
    if (last && daysFrom(last.to, date) - 2 <= MOST_IDLE_DAYS) last.to = date;
    else stretches.push({ from: date, to: date });
  }
  return stretches;
});

/** Oldest first. The supply has a row for each day with an event that is over. */
export const daysWithEvents = perRelease((release): string[] => {
  const days = [today(release)];
  forEachLine(release, supplyByDay.path, (line) => days.push(line.slice(0, 10)));
  return days.reverse();
});

function today({ draft }: SiteRelease): string {
  return draft.timestamp.slice(0, 10);
}

function stretchOf(release: SiteRelease, date: string): Stretch | undefined {
  const last = cycleDays(release).findLast(({ from }) => from <= date);
  return last && date <= last.to ? last : undefined;
}

/** The path of the page of a day's cycle; null if it has none. */
export function cyclePage(release: SiteRelease, date: string): string | null {
  return stretchOf(release, date) ? hrefOf(date) : null;
}

function hrefOf(date: string): string {
  return `/${cyclePath(date)}`;
}

/** `2025-12-01` → `C-151`. */
export function cycleLabel(date: string): string {
  return `C-${cycleNumber(Date.parse(date))}`;
}

/** The cycle of a day that has a page. */
export function cycleAt(release: SiteRelease, date: string): Cycle {
  return cyclesBetween(release, { from: date, to: date })[0]!;
}

/** The days with a page before and after such a day. */
export function daysBeside(
  release: SiteRelease,
  date: string,
): { earlier: string | null; later: string | null } {
  const all = cycleDays(release);
  const own = stretchOf(release, date)!;
  const at = all.indexOf(own);
  return {
    earlier: own.from < date ? addDays(date, -1) : (all[at - 1]?.to ?? null),
    later: date < own.to ? addDays(date, 1) : (all[at + 1]?.from ?? null),
  };
}

/** The number of cycles in each year, the oldest first. */
export const cycleYears = perRelease((release): [year: string, count: number][] => {
  const years = new Map<string, number>();
  for (const { from, to } of cycleDays(release)) {
    for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year += 1) {
      const days = within({ from, to }, { from: `${year}-01-01`, to: `${year}-12-31` })!;
      years.set(String(year), (years.get(String(year)) ?? 0) + daysFrom(days.from, days.to));
    }
  }
  return [...years];
});

/** The cycles of a year, newest first. */
export function cyclesOfYear(release: SiteRelease, year: string): Cycle[] {
  return cyclesBetween(release, { from: `${year}-01-01`, to: `${year}-12-31` });
}

/** The newest cycles, newest first. */
export function newestCycles(release: SiteRelease, most: number): Cycle[] {
  let left = most;
  return cycleDays(release)
    .toReversed()
    .flatMap(({ from, to }) => {
      const days = Math.min(left, daysFrom(from, to));
      left -= days;
      return days === 0 ? [] : cyclesBetween(release, { from: addDays(to, 1 - days), to });
    });
}

/** All cycles with a page between two days, newest first. Reads each daily file once. */
function cyclesBetween(release: SiteRelease, span: Stretch): Cycle[] {
  const { from, to } = span;
  const byDate = <T extends { date: string }>(rows: readonly T[]) => Map.groupBy(rows, ({ date }) => date);
  const files = {
    events: byDate(rowsOfDays(release, eventsByDay, from, to)),
    mii: byDate(rowsOfDays(release, miiByDay, from, to)),
    minting: byDate(rowsOfDays(release, mintingByDay, from, to)),
    range: eventsOfDays(release, supplyByDay, from, to),
    supply: byDate(rowsOfDays(release, supplyByDay, from, to)),
    multipliers: Map.groupBy(rowsOfDays(release, cathedralMultipliers, from, to), ({ timestamp }) =>
      timestamp.slice(0, 10),
    ),
  };
  return cycleDays(release)
    .flatMap((stretch) => within(stretch, span) ?? [])
    .flatMap((days) =>
      Array.from({ length: daysFrom(days.from, days.to) }, (_, index) => addDays(days.from, index)),
    )
    .reverse()
    .map((date) => {
      const minting = files.minting.get(date) ?? [];
      return {
        label: cycleLabel(date),
        href: hrefOf(date),
        date,
        isOver: date < today(release),
        mii: files.mii.get(date)?.[0] ?? null,
        supply: files.supply.get(date)?.[0] ?? null,
        minting,
        mints: minting.reduce((sum, { mints }) => sum + mints, 0),
        minted: minting.reduce((sum, { minted }) => sum + minted, 0),
        multipliers: files.multipliers.get(date) ?? [],
        events: files.events.get(date) ?? [],
        range: files.range.get(date) ?? null,
        decisions: decisionsByDay(release).get(date) ?? [],
      };
    });
}

/** The days that two stretches have in common. */
function within(one: Stretch, other: Stretch): Stretch | null {
  const [, from] = [one.from, other.from].sort() as [string, string];
  const [to] = [one.to, other.to].sort() as [string, string];
  return from <= to ? { from, to } : null;
}

/** How many days had a reading, and at the end of how many minting was off. */
export const mintingDays = perRelease((release): { read: number; off: number } => {
  const counts = { read: 0, off: 0 };
  forEachLine(release, miiByDay.path, (line) => {
    counts.read += 1;
    if (line.endsWith(',false')) counts.off += 1;
  });
  return counts;
});
/** What happened in a cycle, from the files by day. */
export function cycleSentences(cycle: Cycle): string[] {
  const { label, date, isOver } = cycle;
  if (!isOver) {
    return [`${label} is ${formatDay(date)}, UTC, the current day. Its totals are published once it ends.`];
  }
  return [
    `${label} was ${formatDay(date)}, UTC.`,
    ...index(cycle),
    cycle.mints === 0
      ? 'Nothing was minted.'
      : `${formatMic(cycle.minted)} were minted in ${formatCount(cycle.mints, 'mint')}.`,
  ];
}

function index({ mii }: Cycle): string[] {
  if (!mii) return ['The integrity index had no reading.'];
  const { readings, mii_min, mii_max, mii: last, threshold, minting_active } = mii;
  const range =
    readings === 1
      ? `The integrity index was ${formatIndex(last)}`
      : `The integrity index was between ${formatIndex(mii_min)} and ${formatIndex(mii_max)} in ${formatCount(readings, 'reading')}, the last ${formatIndex(last)}`;
  const side = minting_active ? 'at or above' : 'below';
  return [
    threshold === null
      ? `${range}. Without a supply there was no threshold, so minting was off at the end of the day.`
      : `${range}: ${side} the threshold of ${formatIndex(threshold)}, so minting was ${minting_active ? 'on' : 'off'} at the end of the day.`,
  ];
}
