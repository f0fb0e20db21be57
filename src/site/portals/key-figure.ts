import type * as z from 'zod/mini';
import type { Content, PublishedFile } from '../../../pipeline/artifacts/published-files.ts';
import type { KnownType } from '../../../pipeline/ledger/events/event.ts';
import { addDays, DAY_MS } from '../../../pipeline/words/day.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatChange, formatNumber, NO_VALUE, NOT_MEASURED } from '../../../pipeline/words/number.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';

/** Spans over which figures are compared, days. */
const SPANS = [1, 30] as const;
/** Whole days that the line of a figure covers. */
const TREND_DAYS = 90;

/** A figure with everything needed to quote it. */
export interface KeyFigure {
  label: string;
  value: string;
  unit: string;
  note: string;
  /** The day that it describes, in words; null for the time of the release. */
  day: string | null;
  /** Differences from those earlier days that have a value, `date` as `2026-10-21`. */
  changes: { span: (typeof SPANS)[number]; date: string; words: string }[];
  /** Its last values by day, oldest first, for a line; null on a day without one. Empty for a figure without a history. */
  trend: readonly (number | null)[];
  /** Which direction is good, where one is. */
  better: 'higher' | 'lower' | null;
  /** The public file that has it. */
  path: string;
  /** The event types that a figure without a value is waiting for. */
  needs: readonly KnownType[];
}

export type FigureReader = (release: SiteRelease) => KeyFigure;

const PLAIN = { changes: [], trend: [], better: null, day: null, needs: [] };

/** A figure of a JSON file that has no history. */
export function stated<File extends PublishedFile>(
  file: File,
  words: (
    content: Content<File>,
  ) => Pick<KeyFigure, 'label' | 'value' | 'note'> & Partial<Pick<KeyFigure, 'unit' | 'needs'>>,
): FigureReader {
  return (release) => ({ path: file.path, ...PLAIN, unit: '', ...words(release.read(file)) });
}

/** The value of a figure at the end of each whole day, by date. A day without a value has no entry. */
type DailyValues = ReadonlyMap<string, number>;

interface ByDay<Row extends z.ZodMiniType> extends PublishedFile {
  mediaType: `text/csv${string}`;
  schema: Row;
}

/** What is measured from the rows of each day of a file. */
export function daily<Row extends z.ZodMiniType<{ date: string }>>(
  file: ByDay<Row>,
  measure: (rows: z.output<Row>[]) => number | null,
): (release: SiteRelease) => DailyValues {
  return perRelease((release) => {
    const byDay = Map.groupBy(release.read(file), ({ date }) => date);
    const values = [...byDay].map(([date, rows]) => [date, measure(rows)] as const);
    return new Map(values.filter((entry): entry is readonly [string, number] => entry[1] !== null));
  });
}

interface WithHistory {
  label: string;
  unit: string;
  /** What the ledger lacks where there is no value. */
  needs: readonly KnownType[];
  daily: (release: SiteRelease) => DailyValues;
  /** Decimal places shown. The file has them all. */
  places: number;
  better?: KeyFigure['better'];
}

/** A figure of a JSON file that is also published by day. */
export function measured<File extends PublishedFile>({
  file,
  now,
  note,
  nothing = `${NOT_MEASURED} yet`,
  ...figure
}: WithHistory & {
  file: File;
  /** Null: the ledger has nothing to measure yet. */
  now: (content: Content<File>) => number | null;
  note: (content: Content<File>) => string;
  /** Why there is no value. */
  nothing?: string;
}): FigureReader {
  return (release) => {
    const content = release.read(file);
    const value = now(content);
    const said = { path: file.path, note: value === null ? nothing : note(content), day: null };
    const found = compared(figure, value, release, release.draft.timestamp);
    return { ...said, ...found, trend: value === null ? [] : [...found.trend, value] };
  };
}

/** A figure of the last completed day with events, compared with earlier days. */
export function ofLastDay({
  path,
  note,
  nothing,
  ...figure
}: WithHistory & {
  path: string;
  note: string;
  /** Why there is no value. */
  nothing: string;
}): FigureReader {
  return (release) => {
    const values = figure.daily(release);
    // A quiet ledger has no rows of the days since.
    const last = [...values.keys()].toSorted().at(-1);
    if (last === undefined)
      return { path, note: nothing, day: null, ...compared(figure, null, release, release.draft.timestamp) };
    const isQuiet = last < dayBefore(release.draft.timestamp);
    const said = { note: isQuiet ? `${note} with events` : note, day: formatDay(last) };
    return { path, ...said, ...compared(figure, values.get(last)!, release, startOfDay(addDays(last, 1))) };
  };
}

/** A value with its changes and the line up to it. */
function compared(
  { label, unit, needs, daily, places, better = null }: WithHistory,
  value: number | null,
  release: SiteRelease,
  asOf: string,
): Omit<KeyFigure, 'path' | 'note' | 'day'> {
  if (value === null) return { ...PLAIN, label, unit, needs, better, value: NO_VALUE };
  const values = daily(release);
  const changes = compareDays(value, values, asOf).flatMap(({ span, date, change }) =>
    change === null ? [] : [{ span, date, words: differenceWords(change, places) }],
  );
  const trend = trendBefore(values, asOf);
  return { label, unit, needs: [], better, value: formatNumber(value, places), changes, trend };
}

/**
 * The day whose end is nearest to `span` days before a time. One day before `2026-11-21T05:28:33Z` it is `2026-11-19`, which
 * ended 29.5 h earlier. Daily files have values at the ends of days only.
 */
export function comparisonDay(asOf: string, span: number): string {
  const boundary = Math.round((Date.parse(asOf) - span * DAY_MS) / DAY_MS);
  return dayBefore(new Date(boundary * DAY_MS).toISOString());
}

/** How a figure differs from its values at the ends of earlier days; null where such a day has none. */
export function compareDays(now: number, values: DailyValues, asOf: string) {
  return SPANS.map((span) => {
    const date = comparisonDay(asOf, span);
    const before = values.get(date);
    return { span, date, change: before === undefined ? null : now - before };
  });
}

/** The values at the ends of the last whole days before a time, from the first day that has one. */
export function trendBefore(values: DailyValues, asOf: string): (number | null)[] {
  const end = Date.parse(startOfDay(asOf));
  const trend = Array.from({ length: TREND_DAYS }, (_, index) => {
    const day = new Date(end - (TREND_DAYS - index) * DAY_MS).toISOString().slice(0, 10);
    return values.get(day) ?? null;
  });
  const first = trend.findIndex((value) => value !== null);
  return first < 0 ? [] : trend.slice(first);
}

/** The day before the day of a time: `2026-11-20T00:00:00Z` → `2026-11-19`. */
function dayBefore(time: string): string {
  return addDays(time.slice(0, 10), -1);
}

function startOfDay(time: string): string {
  return `${time.slice(0, 10)}T00:00:00Z`;
}

function differenceWords(change: number, places: number): string {
  const words = formatChange(change, places);
  return /[1-9]/.test(words) ? words : 'unchanged';
}

/** What the changes of figures are since. Empty without changes and lines, as on a ledger’s first day. */
export function comparisonWords(figures: readonly KeyFigure[]): string {
  // Figures of a day may be compared with other days than those of the release’s time, which are more.
  const ofNow = figures.filter(({ day }) => day === null).flatMap((figure) => figure.changes);
  const changes = ofNow.length > 0 ? ofNow : figures.flatMap((figure) => figure.changes);
  const [first, second] = SPANS.flatMap((span) => {
    const date = changes.find((one) => one.span === span)?.date;
    const words = span === 1 ? 'in a day' : `in ${span} days`;
    return date === undefined ? [] : [{ words, end: `since the end of ${formatDay(date)}` }];
  });
  const hasLine = figures.some(({ trend }) => trend.filter((value) => value !== null).length > 1);
  return [
    ...(first
      ? [`Changes ${first.words} are ${first.end}${second ? `, those ${second.words} ${second.end}` : ''}.`]
      : []),
    ...(hasLine ? [`A line shows up to ${TREND_DAYS} days.`] : []),
  ].join(' ');
}
