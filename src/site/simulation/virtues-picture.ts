import type { Shown } from '../../simulation/view.ts';
import { VIRTUES } from '../../simulation/virtues.ts';
import { make } from '../layout/make-element.ts';

/** What each virtue of the assembly is measured by. */
const MEASURED_BY = {
  integrity: 'the integrity index',
  temperance: 'time left to decide',
  justice: 'how evenly rewards are spread',
  prudence: 'known risks that were dealt with',
  courage: 'dissent was not passed over',
} as const;

/** The five virtues of the assembly as bars, each with a mark where it began. */
export function showVirtues(place: HTMLElement, now: Shown, start: Shown): void {
  place.replaceChildren(
    ...VIRTUES.map((virtue) => {
      const [value, began] = [now.current_state.virtues[virtue], start.current_state.virtues[virtue]];
      const fill = make('span', { class: 'fill' });
      fill.style.width = `${100 * value}%`;
      const mark = make('i', { class: 'needle' });
      mark.style.left = `${100 * began}%`;
      return make(
        'li',
        {},
        make('span', {}, make('strong', {}, virtue), ` ${MEASURED_BY[virtue]}`),
        make('span', { class: 'meter', 'aria-hidden': 'true' }, fill, mark),
        make(
          'span',
          { class: 'number' },
          wordsOf(value),
          value === began ? '' : value > began ? ', more than at the start' : ', less than at the start',
        ),
      );
    }),
  );
}

function wordsOf(value: number): string {
  if (value >= 0.9) return 'very high';
  if (value >= 0.7) return 'high';
  if (value >= 0.4) return 'middling';
  return value > 0.05 ? 'low' : 'none';
}
