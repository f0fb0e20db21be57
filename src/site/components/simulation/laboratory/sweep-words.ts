import { formatPercent } from '../../../../../pipeline/words/number.ts';
import type { SweptShares } from './sweep-shares.ts';

/** Below this a change of the share of an ending is called hardly any. */
const HARDLY = 0.05;

/** `Hardly matters: …` or `“Refused” rises from 8 % to 64 %.`: what the ending that changes most does over the range. */
export function sweepSentence({ points, strongest }: SweptShares): string {
  const percent = (share: number) => formatPercent(share, 0);
  if (strongest.change === 0) return 'Does not matter here: every ending is as frequent at each value.';
  if (strongest.change < HARDLY)
    return `Hardly matters: no ending changes by more than ${Math.max(1, Math.round(strongest.change * 100))} in 100 runs.`;
  const shares = points.map(({ shares: all }) => all[strongest.place]!.share);
  const { title } = points[0]!.shares[strongest.place]!;
  const [first, last] = [shares[0]!, shares.at(-1)!];
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  const isWhole = Math.abs(last - first) > strongest.change - 0.02;
  if (isWhole && last > first)
    return `“${title}” rises from ${percent(first)} to ${percent(last)} of the runs.`;
  if (isWhole) return `“${title}” falls from ${percent(first)} to ${percent(last)} of the runs.`;
  return `“${title}” varies between ${percent(least)} and ${percent(most)} of the runs.`;
}
