import { formatNumber } from '../../../pipeline/words/number.ts';
import type { Explained } from '../../simulation/debrief.ts';
import { make } from '../layout/make-element.ts';

/** Each formula that had an effect in a run, with its values there. */
export function formulaTables(explained: readonly Explained[]): HTMLElement[] {
  return explained.map(({ formula, equation, values }) =>
    make(
      'section',
      {},
      make('h4', {}, formula),
      make('p', { class: 'equation' }, make('code', {}, equation)),
      make(
        'table',
        { 'aria-label': `Values of this run: ${formula}` },
        make(
          'tbody',
          {},
          ...values.map(({ name, value }) =>
            make(
              'tr',
              {},
              make('th', { scope: 'row' }, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`),
              make('td', { class: 'number' }, formatValue(value)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Amounts of MIC in whole ones. */
function formatValue(value: number | string): string {
  if (typeof value !== 'number') return value;
  return formatNumber(value, { max: Math.abs(value) < 1000 ? 3 : 0 });
}
