import type { Content, PublishedFile } from '../../../../pipeline/artifacts/published-files.ts';
import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatChange, formatNumber, NOT_MEASURED } from '../../../../pipeline/words/number.ts';
import type { SiteRelease } from '../release.ts';
import type { DailyValues } from './daily-values.ts';

const DAY_MS = 86_400_000;

/** Spans over which figures are compared, days. */
const SPANS = [1, 30] as const;

interface Change {
  /** Days, as it is called. */
  span: (typeof SPANS)[number];
  /** The whole day at whose end the value was compared, `2026-10-21`. */
  date: string;
  /** Now less then; null where there is no value of that day. */
  change: number | null;
}

/**
 * The whole day whose end is nearest to `span` days before a time: of `2026-11-21T05:28:33Z` one day before it is
 * `2026-11-19`, whose end is 29.5 h before. What is published by day stands at ends of days.
 */
export function comparisonDay(asOf: string, span: number): string {
  const boundary = Math.round((Date.parse(asOf) - span * DAY_MS) / DAY_MS);
  return dayBefore(new Date(boundary * DAY_MS).toISOString());
}

/** The day that was over at the beginning of the day of a time: `2026-11-20T00:00:00Z` → `2026-11-19`. */
function dayBefore(time: string): string {
  return new Date(Date.parse(time) - DAY_MS).toISOString().slice(0, 10);
}

/** How a figure differs from what it was; `daily` has its value at the end of each whole day. */
export function compareDays(now: number, daily: ReadonlyMap<string, number>, asOf: string): Change[] {
  return SPANS.map((span) => {
    const date = comparisonDay(asOf, span);
    const before = daily.get(date);
    return { span, date, change: before === undefined ? null : now - before };
  });
}

/** A figure with what is needed to quote it. */
export interface KeyFigure {
  label: string;
  value: string;
  unit: string;
  note: string;
  /** The whole day that it is of, in words; null: as of the release. */
  day: string | null;
  /** How it differs from before; empty for what has no history. */
  changes: { span: Change['span']; date: string; words: string }[];
  /** The public file that it stands in. */
  path: string;
}

export type FigureReader = (release: SiteRelease) => KeyFigure;

type Words = Pick<KeyFigure, 'label' | 'value' | 'unit' | 'note'>;

/** A figure of a JSON file that has no history. */
export function stated<File extends PublishedFile>(
  file: File,
  words: (content: Content<File>) => Words,
): FigureReader {
  return (release) => ({ path: file.path, changes: [], day: null, ...words(release.read(file)) });
}

interface Measured<File extends PublishedFile> {
  label: string;
  unit: string;
  file: File;
  /** Null: the ledger has nothing to measure yet. */
  now: (content: Content<File>) => number | null;
  note: (content: Content<File>) => string;
  daily: (release: SiteRelease) => DailyValues;
  /** Decimal places shown. The file has them all. */
  places: number;
}

/** A figure of a JSON file that is also published by day. */
export function measured<File extends PublishedFile>(figure: Measured<File>): FigureReader {
  const { label, unit, file, now, note, daily, places } = figure;
  return (release) => {
    const { timestamp } = release.draft;
    const content = release.read(file);
    const value = now(content);
    return {
      label,
      unit,
      path: file.path,
      note: value === null ? NOT_MEASURED : note(content),
      day: null,
      value: valueWords(value, places),
      changes: value === null ? [] : inWords(compareDays(value, daily(release), timestamp), places),
    };
  };
}

interface ByDay {
  label: string;
  unit: string;
  file: PublishedFile;
  note: string;
  daily: (release: SiteRelease) => DailyValues;
  places: number;
}

/** A figure of the last completed day, compared with earlier days. */
export function ofLastDay({ label, unit, file, note, daily, places }: ByDay): FigureReader {
  return (release) => {
    const values = daily(release);
    const end = startOfDay(release.draft.timestamp);
    const last = dayBefore(end);
    const value = values.get(last) ?? null;
    return {
      label,
      unit,
      path: file.path,
      note,
      day: formatDay(last),
      value: valueWords(value, places),
      changes: value === null ? [] : inWords(compareDays(value, values, end), places),
    };
  };
}

function startOfDay(time: string): string {
  return `${time.slice(0, 10)}T00:00:00Z`;
}

function valueWords(value: number | null, places: number): string {
  if (value === null) return '–';
  return formatNumber(value, places);
}

function inWords(changes: Change[], places: number): KeyFigure['changes'] {
  return changes.map(({ span, date, change }) => ({ span, date, words: differenceWords(change, places) }));
}

function differenceWords(change: number | null, places: number): string {
  if (change === null) return 'no value then';
  const words = formatChange(change, places);
  return /[1-9]/.test(words) ? words : 'unchanged';
}
