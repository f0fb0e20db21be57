import type { View } from '../../pipeline/artifacts/artifact.ts';
import { DOCUMENTS, HISTORIES, YEARLY } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { historyRows } from '../artifacts/history-rows.ts';

const PATHS = new Set(CHARTS.flatMap(({ sources }) => sources));

/** The published files that the charts are made of, as a release over the ledger has them. */
export function chartFiles(leaves: readonly Leaf[]): Record<string, string> {
  // None of them is made of the documents that people write.
  const view = { state: leaves.reduce(apply, emptyState()), baseUrl: 'https://data.example.org' } as View;
  const histories = HISTORIES.filter(({ path }) => PATHS.has(path));
  const rows = historyRows(histories, leaves);
  const files = [
    ...DOCUMENTS.filter(({ path }) => PATHS.has(path)).map(({ path, render }) => [path, render(view)]),
    ...YEARLY.filter(({ path }) => PATHS.has(path)).map(({ path, render }) => [path, render(view, false)]),
    ...histories.map(({ path, head, tail, separator }) => [
      path,
      head(view) + rows[path]!.join(separator) + tail,
    ]),
  ];
  return Object.fromEntries(files);
}
