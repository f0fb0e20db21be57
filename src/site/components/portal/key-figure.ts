import type { z } from 'zod';
import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatChange, formatNumber, NOT_MEASURED } from '../../../../pipeline/words/number.ts';
import type { SiteRelease } from '../release.ts';
import { type Change, compareDays, dayBefore } from './compare-days.ts';
import type { DailyValues } from './daily-values.ts';

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

/** A figure of a JSON file that has no history; `members` are those of the file that it needs. */
export function stated<S extends z.ZodType>(
  path: string,
  members: S,
  words: (value: z.output<S>) => Words,
): FigureReader {
  return (release) => ({
    path,
    changes: [],
    day: null,
    ...words(release.read(path, members)),
  });
}

interface Measured<S extends z.ZodType> {
  label: string;
  unit: string;
  path: string;
  members: S;
  /** Null: the ledger holds nothing to measure yet. */
  now: (value: z.output<S>) => number | null;
  note: (value: z.output<S>) => string;
  daily: (release: SiteRelease) => DailyValues;
  /** Decimal places that are shown; the file has them all. */
  places: number;
}

/** A figure of a JSON file that is also published by day. */
export function measured<S extends z.ZodType>(figure: Measured<S>): FigureReader {
  const { label, unit, path, members, now, note, daily, places } = figure;
  return (release) => {
    const { timestamp } = release.draft;
    const file = release.read(path, members);
    const value = now(file);
    return {
      label,
      unit,
      path,
      note: value === null ? NOT_MEASURED : note(file),
      day: null,
      value: valueWords(value, places),
      changes: value === null ? [] : inWords(compareDays(value, daily(release), timestamp), places),
    };
  };
}

interface ByDay {
  label: string;
  unit: string;
  path: string;
  note: string;
  daily: (release: SiteRelease) => DailyValues;
  places: number;
}

/** A figure of whole days: that of the last one, held against the days before it. */
export function ofLastDay({ label, unit, path, note, daily, places }: ByDay): FigureReader {
  return (release) => {
    const values = daily(release);
    const end = startOfDay(release.draft.timestamp);
    const last = dayBefore(end);
    const value = values.get(last) ?? null;
    return {
      label,
      unit,
      path,
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
