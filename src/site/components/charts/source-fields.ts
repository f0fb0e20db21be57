import { type Field, fieldsOf } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import type { Chart, ChartTable } from '../../../../pipeline/charts/chart.ts';

export interface SourceField extends Field {
  path: string;
}

/** Words that a field has for being part of a table, and that say nothing of how it is computed. */
const PLAIN = new Set(['date', 'timestamp', 'from', 'to', 'what']);

/** The fields of a chart's files that stand in its table or have a formula: what its numbers mean and how they are made. */
export function sourceFields({ sources }: Chart, { columns }: ChartTable): SourceField[] {
  const shown = new Set(columns.map(({ name }) => name).filter((name) => !PLAIN.has(name)));
  const known = new Set<string>();
  return sources.flatMap((path) => {
    const artifact = ARTIFACTS.find((one) => one.path === path)!;
    return fieldsOf(artifact).flatMap((field) => {
      const own = field.name.slice(field.name.search(/[^.\]]+$/));
      if (!shown.has(own) || known.has(own)) return [];
      known.add(own);
      return [{ path, ...field }];
    });
  });
}
