import type { Area } from '../../artifacts/artifact.ts';
import type { Period } from './period.ts';
import { daysOf } from './period.ts';
import {
  FLOWS,
  type FlowName,
  type Happened,
  LEVELS,
  type LevelName,
  type Outage,
  type YearOfDays,
} from './year-of-days.ts';

/** A figure at the end of both days. */
export interface LevelChange {
  name: LevelName;
  label: string;
  unit: string;
  places: number;
  areas: readonly Area[];
  path: string;
  /** Null: there was nothing to measure. */
  before: number | null;
  now: number | null;
  /** Null if one of the two is. */
  change: number | null;
}

/** What was counted from the end of the first day to the end of the second. */
export interface FlowSum {
  name: FlowName;
  label: string;
  unit: string;
  places: number;
  areas: readonly Area[];
  path: string;
  sum: number;
}

/** What changed between the end of one day and the end of another. */
export interface Changes extends Happened, Period {
  /** Days of the calendar after `since`, up to `until`. */
  days: number;
  levels: readonly LevelChange[];
  flows: readonly FlowSum[];
  /** Rows that public files got. Files without new rows are left out. */
  rows: readonly { path: string; rows: number }[];
}

/** MIC have six decimals; sums of numbers have more. */
const MICRO = 1e6;

/**
 * The years that a period needs, of those that have a file, oldest first. The year of `since` may begin later than `since`; its file
 * has the day before.
 */
export function yearsOf({ since, until }: Period, years: readonly string[]): string[] {
  const wanted = years.filter((year) => year >= since.slice(0, 4) && year <= until.slice(0, 4));
  const earlier = years.filter((year) => year < since.slice(0, 4)).at(-1);
  return wanted.length === 0 && earlier !== undefined ? [earlier] : wanted;
}

/** `years`: at least those that `yearsOf` names, oldest first. */
export function changesBetween(years: readonly YearOfDays[], { since, until }: Period): Changes {
  const isWithin = ({ date }: { date: string }) => date > since && date <= until;
  const all = <Name extends keyof Happened>(name: Name): Happened[Name][number][] =>
    years.flatMap((year): readonly Happened[Name][number][] => year[name]).filter(isWithin);
  return {
    since,
    until,
    days: daysOf({ since, until }),
    levels: (Object.keys(LEVELS) as LevelName[]).map((name) => levelChange(years, name, { since, until })),
    flows: (Object.keys(FLOWS) as FlowName[]).map((name) => ({
      name,
      ...FLOWS[name],
      sum: sumOf(years, ({ flows }) => flows[name], { since, until }),
    })),
    decisions: all('decisions') as Changes['decisions'],
    deliberations: all('deliberations') as Changes['deliberations'],
    multipliers: all('multipliers') as Changes['multipliers'],
    outages: outagesIn(years, { since, until }),
    audits: lastAudits(all('audits') as Changes['audits']),
    alerts: all('alerts') as Changes['alerts'],
    schemas: all('schemas') as Changes['schemas'],
    rows: rowsAdded(years, { since, until }),
  };
}

function levelChange(years: readonly YearOfDays[], name: LevelName, { since, until }: Period): LevelChange {
  const [before, now] = [since, until].map((day) => valueAt(years, name, day)) as [
    number | null,
    number | null,
  ];
  const change = before === null || now === null ? null : rounded(now - before);
  return { name, ...LEVELS[name], before, now, change };
}

/** A day without events has the values of the day before it. */
function valueAt(years: readonly YearOfDays[], name: LevelName, day: string): number | null {
  for (const { days, levels } of years.toReversed()) {
    const index = days.findLastIndex((date) => date <= day);
    if (index >= 0) return levels[name][index]!;
  }
  return null;
}

function sumOf(
  years: readonly YearOfDays[],
  valuesOf: (year: YearOfDays) => readonly number[] | undefined,
  { since, until }: Period,
): number {
  let sum = 0;
  for (const one of years) {
    const values = valuesOf(one);
    if (!values) continue;
    // The day of an earlier year is counted there.
    for (const [index, date] of one.days.entries())
      if (date > since && date <= until && date.startsWith(one.year)) sum += values[index]!;
  }
  return rounded(sum);
}

function rounded(value: number): number {
  return Math.round(value * MICRO) / MICRO;
}

function rowsAdded(years: readonly YearOfDays[], period: Period): Changes['rows'] {
  const paths = new Set(years.flatMap(({ rows }) => Object.keys(rows)));
  return [...paths]
    .map((path) => ({ path, rows: sumOf(years, ({ rows }) => rows[path], period) }))
    .filter(({ rows }) => rows > 0);
}

/** An outage that began before the period, or that a new year divides, is one outage. */
function outagesIn(years: readonly YearOfDays[], { since, until }: Period): Outage[] {
  const joined: Outage[] = [];
  for (const outage of years.flatMap(({ outages }) => outages)) {
    const before = joined.findLast(({ sentinel }) => sentinel === outage.sentinel);
    if (before && daysOf({ since: before.to, until: outage.date }) === 1) before.to = outage.to;
    else joined.push({ ...outage });
  }
  return joined
    .filter(({ date, to }) => to > since && date <= until)
    .map((one) => ({ ...one, to: one.to > until ? until : one.to }));
}

/** Each year has the last audit of a jurisdiction. */
function lastAudits(audits: Changes['audits']): Changes['audits'] {
  const byJurisdiction = new Map(audits.map((audit) => [audit.jurisdiction, audit]));
  return audits.filter((audit) => byJurisdiction.get(audit.jurisdiction) === audit);
}
