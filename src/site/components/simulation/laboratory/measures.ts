import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';

export interface BatchMeasure {
  title: string;
  unit: string;
  decimals: number;
  /** Null if the run has no such value. */
  read: (row: RunRow) => number | null;
  /** Why a run may have none. */
  without?: string;
}

/** The measures whose distribution over a batch is drawn. */
export const BATCH_MEASURES: readonly BatchMeasure[] = [
  {
    title: 'Mean opinion at the end',
    unit: '0 rejects, 1 adopts',
    decimals: 2,
    read: (row) => row.meanOpinion,
  },
  { title: 'Polarisation at the end', unit: '0 to 1', decimals: 3, read: (row) => row.polarisation },
  { title: 'Integrity index at the end', unit: 'MII, 0 to 1', decimals: 3, read: ({ mii }) => mii },
  {
    title: 'Total supply at the end',
    unit: 'thousand MIC',
    decimals: 1,
    read: (row) => row.totalSupply / 1000,
  },
  {
    title: 'Circulating, against the run without the change',
    unit: 'thousand MIC more, or less, than with the rules of the start',
    decimals: 1,
    read: (row) => row.circulatingChange / 1000,
  },
  {
    title: 'When the deliberation ended',
    unit: 'day',
    decimals: 0,
    read: ({ decidedAt }) => decidedAt,
    without: 'without an end of the deliberation',
  },
  { title: 'Days without minting', unit: 'days', decimals: 0, read: (row) => row.daysWithoutMinting },
  { title: 'End of the run', unit: 'day', decimals: 0, read: ({ endedAt }) => endedAt },
];

export interface Quantiles {
  least: number;
  lower: number;
  median: number;
  upper: number;
  most: number;
}

/** By linear interpolation between the two nearest values, like numpy and R (type 7). Null for no values. */
export function quantilesOf(values: readonly number[]): Quantiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
    return low + (place - below) * (high - low);
  };
  return { least: at(0), lower: at(0.25), median: at(0.5), upper: at(0.75), most: at(1) };
}

export function valuesOf(measure: BatchMeasure, rows: readonly RunRow[]): number[] {
  return rows.map(measure.read).filter((value) => value !== null);
}
