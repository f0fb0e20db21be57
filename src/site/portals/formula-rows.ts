import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';

/** A computed figure, with every file of its area that has it. */
export interface FormulaRow {
  /** `total_supply`: the name in the first file, without its parents. */
  name: string;
  description: string;
  formula: string;
  unit: string;
  range: string;
  paths: string[];
}

/** The formulas of an area's files, in the order of the files. Formulas that only refer to another one are left out. */
export function formulaRows(area: Area): FormulaRow[] {
  const found = ARTIFACTS.filter((artifact) => artifact.area === area).flatMap((artifact) =>
    fieldsOf(artifact)
      .filter(({ formula }) => formula !== '' && !formula.startsWith('see '))
      .map((field) => ({ ...field, path: artifact.path, name: field.name.replace(/^.*[.]/, '') })),
  );
  // Different figures can share a formula, so fields count as one figure only if their names match too.
  const figures = Map.groupBy(found, ({ name, formula }) => `${name} ${formula}`);
  return [...figures.values()].map((same) => {
    const { name, description, formula, unit, range } = same[0]!;
    return { name, description, formula, unit, range, paths: [...new Set(same.map(({ path }) => path))] };
  });
}
