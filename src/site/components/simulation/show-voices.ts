import { formatNumber } from '../../../../pipeline/words/number.ts';
import type { Shown, ShownSentinel } from '../../../simulation/view.ts';
import { POSITION_WORDS } from '../explore/deliberations.ts';
import { make } from './make-element.ts';

/** Each sentinel with its position and its reasons, in the order of the picture. Rows keep their elements. */
export function showVoices(list: HTMLElement, { sentinels }: Shown): void {
  while (list.children.length < sentinels.length) list.append(make('li', {}));
  while (list.children.length > sentinels.length) list.lastElementChild!.remove();
  for (const [place, sentinel] of sentinels.entries())
    showVoice(list.children[place] as HTMLElement, sentinel);
}

function showVoice(
  row: HTMLElement,
  { id, cathedral, position, status, opinion, reasoning }: ShownSentinel,
): void {
  const { words, form } = POSITION_WORDS[position];
  const key = `${id} ${status} ${reasoning}`;
  if (row.dataset.key === key) return;
  row.dataset.key = key;
  const stance = status === 'operational' ? words : status === 'offline' ? 'Offline' : 'Recused';
  const sign = make('span', { 'aria-hidden': 'true' }, status === 'operational' ? form : '–');
  row.replaceChildren(
    make(
      'p',
      { class: 'voice' },
      make('strong', {}, id),
      make('span', { class: 'muted' }, ` ${cathedral} `),
      make('span', { class: `stance ${position}` }, sign, ` ${stance}, ${formatNumber(opinion, 2)}`),
    ),
    make('p', {}, reasoning),
  );
}
