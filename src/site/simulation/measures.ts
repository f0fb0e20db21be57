import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatToken } from '../../../pipeline/words/phrase.ts';
import type { Shown } from '../../simulation/view.ts';
import { make } from '../layout/make-element.ts';

interface Measure {
  label: string;
  read: (shown: Shown) => string;
}

/** The measures that the page shows and compares between two runs. */
const MEASURES: readonly Measure[] = [
  { label: 'Proposal', read: ({ current_state: { deliberation } }) => formatToken(deliberation.status) },
  { label: 'Ending', read: ({ current_state: { debrief } }) => debrief?.title ?? 'not yet' },
  { label: 'Mean opinion', read: ({ current_state: { opinions } }) => formatNumber(opinions.mean, 2) },
  {
    label: 'Polarisation',
    read: ({ current_state: { opinions } }) => formatNumber(opinions.polarisation, 3),
  },
  { label: 'Integrity index (MII)', read: ({ current_state: { economy } }) => formatNumber(economy.mii, 4) },
  { label: 'Threshold', read: ({ current_state: { economy } }) => formatNumber(economy.threshold, 4) },
  { label: 'Minting', read: ({ current_state: { economy } }) => (economy.minting_active ? 'on' : 'off') },
  {
    label: 'Total supply, MIC',
    read: ({ current_state: { economy } }) => formatNumber(economy.total_supply),
  },
  {
    label: 'Sentinels online',
    read: ({ sentinels }) => String(sentinels.filter(({ status }) => status !== 'offline').length),
  },
];

interface Compared {
  label: string;
  shown: Shown;
}

/** Fills a table with a row per measure and a column per run. With two runs, differences are bold. */
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
