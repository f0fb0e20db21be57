import type { Content, PublishedFile } from '../../../pipeline/artifacts/published-files.ts';
import type { KnownType } from '../../../pipeline/ledger/events/event.ts';
import { addDays, DAY_MS } from '../../../pipeline/words/day.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatChange, formatNumber, NO_VALUE, NOT_MEASURED } from '../../../pipeline/words/number.ts';
import type { SiteRelease } from '../layout/release.ts';
import type { DailyValues } from './daily-values.ts';

/** Spans over which figures are compared, days. */
const SPANS = [1, 30] as const;

interface Change {
  /** Nominal span in days. */
  span: (typeof SPANS)[number];
  /** The day whose end the value is compared with, `2026-10-21`. */
  date: string;
  /** Current value minus the earlier one; null without a value for that day. */
  change: number | null;
}

/**
 * The day whose end is nearest to `span` days before a time. One day before `2026-11-21T05:28:33Z` it is `2026-11-19`, which
 * ended 29.5 h earlier. Daily files have values at the ends of days only.
 */
export function comparisonDay(asOf: string, span: number): string {
  const boundary = Math.round((Date.parse(asOf) - span * DAY_MS) / DAY_MS);
  return dayBefore(new Date(boundary * DAY_MS).toISOString());
}

/** The day before the day of a time: `2026-11-20T00:00:00Z` → `2026-11-19`. */
function dayBefore(time: string): string {
  return addDays(time.slice(0, 10), -1);
}

/** How a figure differs from its earlier values; `daily` has its value at the end of each whole day. */
export function compareDays(now: number, daily: ReadonlyMap<string, number>, asOf: string): Change[] {
  return SPANS.map((span) => {
    const date = comparisonDay(asOf, span);
    const before = daily.get(date);
    return { span, date, change: before === undefined ? null : now - before };
  });
}

/** A figure with everything needed to quote it. */
export interface KeyFigure {
  label: string;
  value: string;
  unit: string;
  note: string;
  /** The day that it describes, in words; null for the time of the release. */
  day: string | null;
  /** Differences from those earlier days that have a value. */
  changes: { span: Change['span']; date: string; words: string }[];
  /** Its last values by day, oldest first, for a line; null on a day without one. Empty for a figure without a history. */
  trend: readonly (number | null)[];
  /** Which direction is good, where one is. */
  better: Direction | null;
  /** The public file that has it. */
  path: string;
  /** The event types that a figure without a value is waiting for. */
  needs: readonly KnownType[];
}

type Direction = 'higher' | 'lower';

export type FigureReader = (release: SiteRelease) => KeyFigure;

type Words = Pick<KeyFigure, 'label' | 'value' | 'unit' | 'note'> & Partial<Pick<KeyFigure, 'needs'>>;

/** A figure of a JSON file that has no history. */
export function stated<File extends PublishedFile>(
  file: File,
  words: (content: Content<File>, release: SiteRelease) => Words,
): FigureReader {
  return (release) => ({
    path: file.path,
    changes: [],
    trend: [],
    better: null,
    day: null,
    needs: [],
    ...words(release.read(file), release),
  });
}

interface Measured<File extends PublishedFile> {
  label: string;
  unit: string;
  file: File;
  /** Null: the ledger has nothing to measure yet, and waits for events of the types `needs`. */
  now: (content: Content<File>) => number | null;
  needs: readonly KnownType[];
  /** Why there is no value; by default that nothing was measured. */
  nothing?: string;
  note: (content: Content<File>) => string;
  daily: (release: SiteRelease) => DailyValues;
  /** Decimal places shown. The file has them all. */
  places: number;
  better?: Direction;
}

/** A figure of a JSON file that is also published by day. */
export function measured<File extends PublishedFile>(figure: Measured<File>): FigureReader {
  const {
    label,
    unit,
    file,
    now,
    needs,
    nothing = `${NOT_MEASURED} yet`,
    note,
    daily,
    places,
    better,
  } = figure;
  return (release) => {
    const { timestamp } = release.draft;
    const content = release.read(file);
    const value = now(content);
    return {
      label,
      unit,
      path: file.path,
      note: value === null ? nothing : note(content),
      needs: value === null ? needs : [],
      day: null,
      value: valueWords(value, places),
      changes: value === null ? [] : inWords(compareDays(value, daily(release), timestamp), places),
      trend: value === null ? [] : [...trendBefore(daily(release), timestamp), value],
      better: better ?? null,
    };
  };
}

interface ByDay {
  label: string;
  unit: string;
  file: PublishedFile;
  note: string;
  /** Why there is no value. */
  nothing: string;
  needs: readonly KnownType[];
  daily: (release: SiteRelease) => DailyValues;
  places: number;
  better?: Direction;
}

/** A figure of the last completed day, compared with earlier days. */
export function ofLastDay(figure: ByDay): FigureReader {
  const { label, unit, file, note, nothing, needs, daily, places, better } = figure;
  return (release) => {
    const values = daily(release);
    const end = startOfDay(release.draft.timestamp);
    const last = dayBefore(end);
    const value = values.get(last) ?? null;
    return {
      label,
      unit,
      path: file.path,
      note: value === null ? nothing : note,
      needs: value === null ? needs : [],
      day: value === null ? null : formatDay(last),
      value: valueWords(value, places),
      changes: value === null ? [] : inWords(compareDays(value, values, end), places),
      trend: value === null ? [] : trendBefore(values, end),
      better: better ?? null,
    };
  };
}

/** Whole days that the line of a figure covers. */
const TREND_DAYS = 90;

/** The values at the ends of the last whole days before a time, from the first day that has one. */
export function trendBefore(daily: DailyValues, asOf: string): (number | null)[] {
  const end = Date.parse(startOfDay(asOf));
  const days = Array.from({ length: TREND_DAYS }, (_, index) =>
    new Date(end - (TREND_DAYS - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const values = days.map((day) => daily.get(day) ?? null);
  const first = values.findIndex((value) => value !== null);
  return first < 0 ? [] : values.slice(first);
}

function startOfDay(time: string): string {
  return `${time.slice(0, 10)}T00:00:00Z`;
}

function valueWords(value: number | null, places: number): string {
  return value === null ? NO_VALUE : formatNumber(value, places);
}

function inWords(changes: Change[], places: number): KeyFigure['changes'] {
  return changes.flatMap(({ span, date, change }) =>
    change === null ? [] : [{ span, date, words: differenceWords(change, places) }],
  );
}

function differenceWords(change: number, places: number): string {
  const words = formatChange(change, places);
  return /[1-9]/.test(words) ? words : 'unchanged';
}

const SPAN_WORDS = { 1: 'in a day', 30: 'in 30 days' } as const;

/** What the changes of figures are since. Empty without changes and lines, as on a ledger’s first day. */
export function comparisonWords(figures: readonly KeyFigure[]): string {
  const changes = figures.filter(({ day }) => day === null).flatMap((figure) => figure.changes);
  const since = SPANS.flatMap((span) => {
    const change = changes.find((one) => one.span === span);
    return change ? [{ span: SPAN_WORDS[span], end: `since the end of ${formatDay(change.date)}` }] : [];
  });
  const [first, second] = since;
  const hasLine = figures.some(({ trend }) => trend.filter((value) => value !== null).length > 1);
  return [
    ...(first
      ? [`Changes ${first.span} are ${first.end}${second ? `, those ${second.span} ${second.end}` : ''}.`]
      : []),
    ...(hasLine ? [`A line shows up to ${TREND_DAYS} days.`] : []),
  ].join(' ');
}
