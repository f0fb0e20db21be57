import { POSITIONS_FROM } from '../../simulation/opinions.ts';
import { make } from '../layout/make-element.ts';

/** A mark on a bar: at a share of its width, or from one share to another. */
export interface Mark {
  kind: string;
  at: number;
  to?: number;
  words?: string;
}

/** A scale with marks. What it shows stands beside it in words. */
export function bar(kind: string, marks: readonly Mark[]): HTMLElement {
  return make(
    'div',
    { class: `bar ${kind}`, 'aria-hidden': 'true' },
    ...marks.map(({ kind, at, to, words }) => {
      const mark = make('i', { class: kind, title: words });
      mark.style.left = `${100 * at}%`;
      if (to !== undefined) mark.style.width = `${100 * (to - at)}%`;
      return mark;
    }),
  );
}

const { abstain, support_with_conditions, support } = POSITIONS_FROM;

/** The positions as parts of a scale, from against to for. `share`: of the width that a zone is drawn with. */
export const ZONES = [
  { from: 0, to: abstain, label: 'Against', share: 0.3 },
  { from: abstain, to: support_with_conditions, label: 'Undecided', share: 0.22 },
  { from: support_with_conditions, to: support, label: 'Conditions', share: 0.24 },
  { from: support, to: 1, label: 'For', share: 0.24 },
] as const;

/**
 * Where an opinion is drawn, from 0 to 1. The zones near the thresholds are drawn wider than they are, because that is where
 * votes are won.
 */
export function zonePlace(opinion: number): number {
  let start = 0;
  for (const { from, to, share } of ZONES) {
    if (opinion <= to) return start + (share * (opinion - from)) / (to - from);
    start += share;
  }
  return 1;
}
