import { emptyDay, emptyYear } from './empty-state.ts';
import type { HourSums, Month, State } from './state.ts';
import { dayOf, HOUR_MS, timeOf } from './window.ts';

/** The sums of the current hour, created on first use. */
export function hourOf(state: State): HourSums {
  const hour = Math.floor(timeOf(state.asOf) / HOUR_MS);
  const last = state.hours.at(-1);
  if (last?.hour === hour) return last;
  const sums = { hour, attestations: 0, gi_score: 0, score: 0, normalised: {} };
  state.hours.push(sums);
  return sums;
}

/** The sums of the current month, created on first use. */
export function monthOf(state: State): Month {
  const month = state.asOf.slice(0, 7);
  const last = state.year.months.at(-1);
  if (last?.month === month) return last;
  const sums: Month = {
    month,
    minted: 0n,
    burned: 0n,
    total_supply: state.supply.total,
    mints: 0,
    attestations: 0,
    mii_sum: 0,
    mii_readings: 0,
    mii_min: null,
  };
  state.year.months.push(sums);
  return sums;
}

/** A year as written in timestamps and paths: `2026`, `0999`. */
export function yearText(year: number): string {
  return String(year).padStart(4, '0');
}

export function yearOf(timestamp: string): number {
  return Number(timestamp.slice(0, 4));
}

/** Resets the year's sums if `timestamp` is in a later year than the state. Year 0 exists. */
export function startYear(state: State, timestamp: string): void {
  const year = yearOf(timestamp);
  if (state.events === 0 || year !== state.year.year)
    state.year = emptyYear(year, timestamp, state.supply.total);
}

/** True if `timestamp` is on a later day than the state, whose day is therefore over. */
export function isNewDay(state: State, timestamp: string): boolean {
  return state.events > 0 && dayOf(timestamp) !== state.day.date;
}

/** Resets the day's sums if `timestamp` is on a later day than the state. */
export function startDay(state: State, timestamp: string): void {
  const date = dayOf(timestamp);
  if (date !== state.day.date) state.day = emptyDay(date);
}
