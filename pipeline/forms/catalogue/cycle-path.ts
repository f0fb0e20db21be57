import { cycleNumber } from '../../ledger/slot.ts';

/** Path of the page of a day's cycle, `cycles/c-151/`; of days before the first cycle the list. */
export function cyclePath(date: string): string {
  const number = cycleNumber(Date.parse(date));
  return number < 0 ? 'cycles/' : `cycles/c-${number}/`;
}
