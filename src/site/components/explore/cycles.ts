import type { z } from 'zod';
import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { cathedralMultipliers } from '../../../../pipeline/artifacts/economy/cathedral-multipliers.ts';
import { mii } from '../../../../pipeline/artifacts/economy/mii.ts';
import { miiByDay } from '../../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../../../pipeline/artifacts/economy/supply-by-day.ts';
import { addDays, daysFrom } from '../../../../pipeline/charts/drawing/days.ts';
import { cyclePath, MOST_CYCLE_PAGES } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatCount, formatIndex, formatMic } from '../../../../pipeline/words/number.ts';
import { perRelease, type SiteRelease } from '../release.ts';
import { type Decision, decisions } from './decisions.ts';

type MiiDay = z.output<typeof miiByDay.schema>;
type MintingDay = z.output<typeof mintingByDay.schema>;
type SupplyDay = z.output<typeof supplyByDay.schema>;
type Setting = z.output<typeof cathedralMultipliers.schema>;
type EventCount = z.output<typeof eventsByDay.schema>;

/** The public data about one cycle, which is one UTC day. */
export interface Cycle {
  /** `C-151` */
  label: string;
  number: number;
  /** The path of its page; null for cycles too old to have one. */
  href: string | null;
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
  decisions: readonly Decision[];
}

/** The cycles from the first day with an event to the current one, newest first. */
export const cycles = perRelease((release): Cycle[] => {
  const { timestamp, cycle } = release.read(mii);
  const current = Number(/^C-(\d+)$/.exec(cycle)?.[1] ?? Number.NaN);
  // A label can have more digits than a safe integer.
  if (!Number.isSafeInteger(current)) return [];
  const today = timestamp.slice(0, 10);
  const files = filesByDay(release);
  const eventful = [...files.events.keys()].reverse();
  const since = daysFrom(eventful.at(-1) ?? today, today);
  const newest = Array.from({ length: Math.min(MOST_CYCLE_PAGES, since) }, (_, back) => back);
  // A ledger can be idle for millennia, so of the older days only those with events are listed.
  const older = eventful.map((date) => daysFrom(date, today) - 1).filter((back) => back >= MOST_CYCLE_PAGES);
  return [...newest, ...older]
    .filter((back) => back <= current)
    .map((back) => cycleOf(files, { number: current - back, date: addDays(today, -back), back }));
});

type FilesByDay = ReturnType<typeof filesByDay>;

function filesByDay(release: SiteRelease) {
  const byDate = <T extends { date: string }>(rows: readonly T[]) => Map.groupBy(rows, ({ date }) => date);
  return {
    events: byDate(release.read(eventsByDay)),
    mii: byDate(release.read(miiByDay)),
    minting: byDate(release.read(mintingByDay)),
    supply: byDate(release.read(supplyByDay)),
    decisions: byDate(decisions(release)),
    multipliers: Map.groupBy(release.read(cathedralMultipliers), ({ cycle }) => cycle),
  };
}

/** `back`: the number of cycles before the current one. */
function cycleOf(files: FilesByDay, day: { number: number; date: string; back: number }): Cycle {
  const { number, date, back } = day;
  const label = `C-${number}`;
  const minting = files.minting.get(date) ?? [];
  const path = cyclePath(number, back);
  return {
    label,
    number,
    href: path === null ? null : `/${path}`,
    date,
    isOver: back > 0,
    mii: files.mii.get(date)?.[0] ?? null,
    supply: files.supply.get(date)?.[0] ?? null,
    minting,
    mints: minting.reduce((sum, { mints }) => sum + mints, 0),
    minted: minting.reduce((sum, { minted }) => sum + minted, 0),
    multipliers: files.multipliers.get(label) ?? [],
    events: files.events.get(date) ?? [],
    decisions: files.decisions.get(date) ?? [],
  };
}

/** The cycles by date. */
export const cycleOfDay = perRelease(
  (release) => new Map(cycles(release).map((cycle) => [cycle.date, cycle] as const)),
);

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
