import type { Shown } from '../../../simulation/view.ts';
import { make } from './make-element.ts';
import { MEASURES } from './measures.ts';

export interface Compared {
  label: string;
  shown: Shown;
}

/** A row for each measure and a column for each run; where there are two, what differs is marked. */
export function showMeasures(table: HTMLElement, runs: readonly Compared[]): void {
  const head = make('tr', {}, make('th', { scope: 'col' }, 'Measure'));
  for (const { label } of runs) head.append(make('th', { scope: 'col', class: 'number' }, label));
  const rows = MEASURES.map(({ label, read }) => {
    const values = runs.map(({ shown }) => read(shown));
    const differs = new Set(values).size > 1;
    const cells = values.map((value, place) => {
      const text = differs && place === 0 ? make('strong', {}, value) : value;
      return make('td', { class: 'number' }, text);
    });
    return make('tr', {}, make('th', { scope: 'row' }, label), ...cells);
  });
  table.replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
}
