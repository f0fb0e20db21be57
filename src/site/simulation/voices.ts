import type { Shown, ShownSentinel } from '../../simulation/view.ts';
import { make } from '../layout/make-element.ts';
import { STANCE_WORDS, stanceOf } from './board.ts';

/** Lists each sentinel with its position and reasons, in the order of the board. Rows keep their elements. */
export function showVoices(list: HTMLElement, { sentinels }: Shown): void {
  while (list.children.length < sentinels.length) list.append(make('li'));
  while (list.children.length > sentinels.length) list.lastElementChild!.remove();
  for (const [place, sentinel] of sentinels.entries())
    showVoice(list.children[place] as HTMLElement, sentinel);
}

function showVoice(row: HTMLElement, sentinel: ShownSentinel): void {
  const { id, cathedral, reasoning } = sentinel;
  const key = `${id} ${stanceOf(sentinel)} ${reasoning}`;
  if (row.dataset.key === key) return;
  row.dataset.key = key;
  row.dataset.position = stanceOf(sentinel);
  row.replaceChildren(
    make(
      'p',
      { class: 'voice' },
      make('i', { class: 'dot', 'aria-hidden': 'true' }),
      make('strong', {}, id),
      make('span', { class: 'stance' }, ` ${STANCE_WORDS[stanceOf(sentinel)]}`),
      make('span', { class: 'muted' }, ` · ${cathedral}`),
    ),
    make('p', {}, reasoning),
  );
}
