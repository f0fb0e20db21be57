import { takeVote } from '../../simulation/deliberation.ts';
import { isDecided } from '../../simulation/scenario.ts';
import type { ShownSentinel } from '../../simulation/view.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { stanceOf } from './board.ts';
import { STATUS_SENTENCES } from './outcome-words.ts';
import { shareInWords } from './share-in-words.ts';

const ORDER = ['support', 'support_with_conditions', 'oppose', 'abstain', 'offline', 'recused'] as const;

const IF_NOW = {
  carried: 'If they voted today, it would be carried.',
  rejected: 'If they voted today, it would be rejected.',
  divided: 'If they voted today, the vote would be divided.',
  no_quorum: 'If they voted today, too few would take a position.',
} as const;

/** Shows how many take a position and how many of those agree, beside what a vote needs. */
export function showTally(place: HTMLElement, world: World, sentinels: readonly ShownSentinel[]): void {
  const { support, oppose, result } = takeVote(world);
  const { quorum, consensus } = world.levers;
  const seats = [...sentinels].sort((a, b) => ORDER.indexOf(stanceOf(a)) - ORDER.indexOf(stanceOf(b)));
  const taken = support + oppose;
  const needed = Math.ceil(quorum * sentinels.length - 1e-9);
  const verdict = isDecided(world) ? STATUS_SENTENCES[world.deliberation.status] : IF_NOW[result];
  place.replaceChildren(
    make('p', { class: 'verdict' }, verdict),
    make(
      'p',
      {},
      `${needed} of ${sentinels.length} must take a position. Now `,
      make('strong', {}, String(taken)),
      '.',
    ),
    make(
      'div',
      { class: 'meter seats', 'aria-hidden': 'true' },
      ...seats.map((one) => make('span', { 'data-position': stanceOf(one), title: one.id })),
      needle(needed / sentinels.length),
    ),
    make(
      'p',
      {},
      `${capital(shareInWords(consensus))} of those must agree. Now `,
      make('strong', {}, `${support} for, ${oppose} against`),
      '.',
    ),
    make(
      'div',
      { class: 'meter agreement', 'aria-hidden': 'true' },
      part('support', support, taken),
      part('oppose', oppose, taken),
      needle(consensus),
      needle(1 - consensus),
    ),
  );
}

function part(position: string, count: number, all: number): HTMLElement {
  return sized(make('span', { 'data-position': position }), all === 0 ? 0 : count / all);
}

/** A mark at a share of the bar. Set by script, because the content policy allows no inline styles in markup. */
function needle(share: number): HTMLElement {
  const mark = make('i', { class: 'needle' });
  mark.style.left = `${100 * share}%`;
  return mark;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function sized(bar: HTMLElement, share: number): HTMLElement {
  bar.style.width = `${100 * share}%`;
  return bar;
}
