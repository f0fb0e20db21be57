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
