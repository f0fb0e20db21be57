import { DAY_MS, HOUR_MS } from '../model/window.ts';

/** 2025-07-03T00:00:00Z, when C-0 began. */
const FIRST_CYCLE_MS = Date.UTC(2025, 6, 3);
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Number of the cycle, which is the UTC day: 151 on 2025-12-01. */
export function cycleNumber(ms: number): number {
  return Math.floor((ms - FIRST_CYCLE_MS) / DAY_MS);
}

/** `2025-12-01` */
export function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** `Q4 2025` */
export function formatQuarter(ms: number): string {
  const date = new Date(ms);
  return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`;
}

/** The quarter after the one in which `ms` lies. */
export function formatNextQuarter(ms: number): string {
  const date = new Date(ms);
  const quarter = Math.floor(date.getUTCMonth() / 3) + 1;
  return formatQuarter(Date.UTC(date.getUTCFullYear(), quarter * 3, 1));
}

/** Writes the labels of events in one day; millions of them share a date. */
export class DayLabels {
  readonly #date: string;
  readonly cycle: string;

  constructor(ms: number) {
    this.#date = formatDate(ms);
    this.cycle = `C-${cycleNumber(ms)}`;
  }

  /** `2025-12-01T06:00:00Z`; `ms` lies in this day. */
  timestamp(ms: number): string {
    const seconds = Math.floor(ms / 1000) % (DAY_MS / 1000);
    const hours = Math.floor((seconds * 1000) / HOUR_MS);
    const minutes = Math.floor(seconds / 60) % 60;
    return `${this.#date}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds % 60]}Z`;
  }
}
