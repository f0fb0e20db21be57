import type { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, daysFrom } from '../../words/day.ts';

type Day = Pick<Content<typeof miiByDay>[number], 'date' | 'mii_min' | 'threshold' | 'minting_active'>;

/** Days in a row that ended with minting off. */
export interface OffRun {
  from: string;
  to: string;
  days: number;
  /** How far below the threshold the lowest reading was. */
  depth: number;
}

/** The longest first; of equally long ones the deepest, then the newest. */
export function offRuns(days: readonly Day[]): OffRun[] {
  const runs: OffRun[] = [];
  for (const { date, mii_min, threshold, minting_active } of days) {
    if (minting_active !== false) continue;
    const depth = threshold! - mii_min;
    const last = runs.at(-1);
    if (last && addDays(last.to, 1) === date)
      Object.assign(last, { to: date, days: daysFrom(last.from, date), depth: Math.max(last.depth, depth) });
    else runs.push({ from: date, to: date, days: 1, depth });
  }
  return runs.sort((a, b) => b.days - a.days || b.depth - a.depth || (a.from < b.from ? 1 : -1));
}
