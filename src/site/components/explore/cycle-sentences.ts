import { formatDay } from '../../../../pipeline/words/moment.ts';
import { formatCount, formatIndex, formatMic } from '../../../../pipeline/words/number.ts';
import type { Cycle } from './cycles.ts';

/** What happened in a cycle, from the files by day. */
export function cycleSentences(cycle: Cycle): string[] {
  const { label, date, isOver } = cycle;
  if (!isOver) {
    return [`${label} is the day ${formatDay(date)}, UTC, and not over: its sums are published when it is.`];
  }
  return [
    `${label} was the day ${formatDay(date)}, UTC.`,
    ...index(cycle),
    cycle.mints === 0
      ? 'Nothing was minted.'
      : `${formatMic(cycle.minted)} were minted in ${formatCount(cycle.mints, 'mint')}.`,
  ];
}

function index({ mii }: Cycle): string[] {
  if (!mii) return ['There was no reading of the integrity index.'];
  const { readings, mii_min, mii_max, mii: last, threshold, minting_active } = mii;
  const range =
    readings === 1
      ? `The integrity index was ${formatIndex(last)}`
      : `The integrity index lay between ${formatIndex(mii_min)} and ${formatIndex(mii_max)} in ${formatCount(readings, 'reading')}, the last ${formatIndex(last)}`;
  const side = minting_active ? 'at or above' : 'below';
  return [
    threshold === null
      ? `${range}. Without a supply there was no threshold, and minting was off at the end of the day.`
      : `${range}: ${side} the threshold of ${formatIndex(threshold)}, so minting was ${minting_active ? 'on' : 'off'} at the end of the day.`,
  ];
}
