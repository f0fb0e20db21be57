import type { ListedSnapshot } from '../../../../pipeline/release/format/snapshot-index.ts';
import { monthOf } from '../../../../pipeline/release/format/version-at.ts';

/** Months with every snapshot: what is kept by default, and the page stays short if more is kept. */
const WHOLE_MONTHS = 14;

interface ListedMonth {
  /** `2025-12` */
  month: string;
  /** Newest first, with how many events it has more than the one before; null for the first one. */
  entries: { entry: ListedSnapshot; added: number | null }[];
  /** How many are not shown. */
  left: number;
}

export interface ListedYear {
  year: string;
  months: ListedMonth[];
}

/** The snapshots by year and month, newest first; of months further back only the last one each. */
export function listedYears(index: readonly ListedSnapshot[]): ListedYear[] {
  const rows = index.map((entry, at) => {
    const before = index[at + 1];
    return { entry, added: before ? entry.log_size - before.log_size : null };
  });
  const months = [...Map.groupBy(rows, ({ entry }) => monthOf(entry.id))].map(
    ([month, all], at): ListedMonth => {
      const entries = at < WHOLE_MONTHS ? all : all.slice(0, 1);
      return { month, entries, left: all.length - entries.length };
    },
  );
  const years = Map.groupBy(months, ({ month }) => month.slice(0, 4));
  return [...years].map(([year, listed]) => ({ year, months: listed }));
}
