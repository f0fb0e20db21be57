import { formatPercent } from '../../../../../pipeline/words/number.ts';
import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import { partsOf, type SetUp, type Sweep, sweepsOf } from '../../../../simulation/laboratory/set-up.ts';
import { type EndingShare, endingShares } from './endings.ts';

export interface SweptShares {
  sweep: Sweep;
  /** In order of the values; only those that have runs. */
  points: { value: number; runs: number; shares: EndingShare[] }[];
  /** The greatest change of an ending's share between two values, and that ending. */
  strongest: { place: number; change: number };
}

/** How often each ending was reached at each value of each swept parameter. The parameter that matters most comes first. */
export function sweptShares(setUp: SetUp, rows: readonly RunRow[]): SweptShares[] {
  const byPart = Map.groupBy(rows, ({ part }) => part);
  const parts = partsOf(setUp).map((part, place) => ({ ...part, rows: byPart.get(place) ?? [] }));
  return sweepsOf(setUp)
    .map((sweep) => {
      const points = parts
        .filter(({ swept, rows: own }) => swept?.parameter === sweep.parameter && own.length > 0)
        .map(({ swept, rows: own }) => ({
          value: swept!.value,
          runs: own.length,
          shares: endingShares(setUp.scenario, own),
        }));
      return { sweep, points, strongest: strongestOf(points) };
    })
    .filter(({ points }) => points.length > 0)
    .sort((a, b) => b.strongest.change - a.strongest.change);
}

function strongestOf(points: SweptShares['points']): SweptShares['strongest'] {
  const count = points[0]?.shares.length ?? 0;
  const changes = Array.from({ length: count }, (_, place) => {
    const shares = points.map(({ shares: all }) => all[place]!.share);
    return Math.max(...shares) - Math.min(...shares);
  });
  const change = Math.max(0, ...changes);
  return { place: Math.max(0, changes.indexOf(change)), change };
}

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
