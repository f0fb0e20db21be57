import type { HistoryArtifact } from '../../pipeline/artifacts/artifact.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { isNewDay } from '../../pipeline/model/period.ts';

/** The rows of each history over a ledger, newest first as in the file; by the artifact's path. */
export function historyRows(
  artifacts: readonly HistoryArtifact[],
  leaves: readonly Leaf[],
): Record<string, string[]> {
  const rows: Record<string, string[]> = Object.fromEntries(artifacts.map(({ path }) => [path, []]));
  let state = emptyState();
  for (const leaf of leaves) {
    const isDayOver = isNewDay(state, leaf.event.timestamp);
    for (const { path, dayRows } of artifacts) if (isDayOver) rows[path]!.push(...(dayRows?.(state) ?? []));
    state = apply(state, leaf);
    for (const artifact of artifacts) rows[artifact.path]!.push(...artifact.rows(leaf));
  }
  for (const list of Object.values(rows)) list.reverse();
  return rows;
}
