import { CathedralError } from '../errors.ts';
import { addDays, daysFrom } from '../words/day.ts';
import type { ChartState } from './chart-state.ts';

/** The days that a chart over time has, and those that it opens with. */
export interface DayRange {
  /** `2025-07-05` */
  first: string;
  last: string;
  /** How many of the last days it opens with; 0 means all. */
  opensWith: number;
}

/** The first and the last day of a view. */
export interface Days {
  from: string;
  to: string;
}

/** What a state shows, within the days of the data. */
export function shownDays(range: DayRange, { from, to }: Pick<ChartState, 'from' | 'to'>): Days {
  const start = from ?? (to === null && range.opensWith > 0 ? opening(range) : range.first);
  return {
    from: start < range.first ? range.first : start,
    to: to === null || to > range.last ? range.last : to,
  };
}

/** The state that shows these days; ends that the chart has by itself are not named, so that they move with the data. */
export function stateOfDays(range: DayRange, { from, to }: Days): Pick<ChartState, 'from' | 'to'> {
  const end = to === range.last ? null : to;
  const start = end === null && range.opensWith > 0 ? opening(range) : range.first;
  return { from: from === start ? null : from, to: end };
}

function opening({ first, last, opensWith }: DayRange): string {
  const day = addDays(last, 1 - opensWith);
  return day < first ? first : day;
}

/** Throws usage if the state begins or ends on a day that the chart does not have. */
export function requireDays(
  id: string,
  { first, last }: Pick<DayRange, 'first' | 'last'>,
  state: Pick<ChartState, 'from' | 'to'>,
): void {
  for (const name of ['from', 'to'] as const) {
    const found = state[name];
    if (found !== null && (found < first || found > last))
      throw new CathedralError('usage', {
        place: `chart ${id}, ${name}`,
        expected: daysBetweenWords(first, last),
        found,
      });
  }
}

function daysBetweenWords(first: string, last: string): string {
  return first === last ? `the only day with data, ${first}` : `a day with data, ${first} to ${last}`;
}

/** The last days that a reader can choose at once; only those that are fewer than there are. */
const PRESETS = [
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
  { label: '1 year', days: 365 },
] as const;

export function presetsOf(range: DayRange): { label: string; days: Days }[] {
  const { first, last } = range;
  const all = daysFrom(first, last);
  return [
    ...PRESETS.filter(({ days }) => days < all).map(({ label, days }) => ({
      label,
      days: { from: addDays(last, 1 - days), to: last },
    })),
    { label: 'All', days: { from: first, to: last } },
  ];
}
