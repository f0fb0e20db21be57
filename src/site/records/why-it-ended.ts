import { VIRTUES } from '../../../pipeline/ledger/events/vocabulary.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { type Deliberation, inWords, type Position, tally } from './deliberations.ts';

type Case = Pick<Deliberation, 'id' | 'positions' | 'consensus'>;

/** Deliberations that had been closed before; `isAll`: whether these are all of them. */
interface Before {
  cases: readonly Case[];
  isAll: boolean;
}

const ENDED = {
  reached: 'It ended with consensus',
  not_reached: 'It ended without consensus',
  pending: 'It is still open, and positions can change',
};

/**
 * How a deliberation ended, in sentences derived from the published positions alone: which share was in favour, how that compares with the
 * deliberations closed before it, and who gave no reasons. The ledger records a result without the rule behind it, so the sentences state
 * observations only.
 */
export function whyItEnded({ consensus, positions }: Case, before: Before): string[] {
  const { share } = tally(positions);
  const all = share === 1 ? 'all' : share === 0 ? 'none' : share && percent(share);
  const how =
    positions.length === 0
      ? '; no sentinel took a position'
      : share === null
        ? '; nobody was for or against'
        : `: of those for or against, ${all} were in favour`;
  const silent = positions.filter(
    ({ position, reasoning }) => /oppose|abstain/.test(position) && reasoning.trim() === '',
  );
  return [
    `${ENDED[consensus]}${how}.`,
    ...(consensus === 'pending' ? [] : limits(before)),
    ...(silent.length === 0 ? [] : [`${formatList(silent.map(({ id }) => id))} gave no reasons.`]),
  ];
}

/** The lowest share that reached consensus before and the highest that did not. */
function limits({ cases, isAll }: Before): string[] {
  const sharesOf = (wanted: Case['consensus']) =>
    cases
      .filter(({ consensus }) => consensus === wanted)
      .flatMap(({ positions }) => tally(positions).share ?? []);
  const [reached, failed] = [sharesOf('reached'), sharesOf('not_reached')];
  const [least, most] = [Math.min(...reached), Math.max(...failed)];
  // Different shares must not look the same after rounding.
  const places = least === most || percent(least) !== percent(most) ? 0 : 2;
  const facts = [
    reached.length > 0 &&
      `${inWords(reached.length)} reached consensus, none with less than ${percent(least, places)} in favour`,
    failed.length > 0 && `${inWords(failed.length)} did not, none with more than ${percent(most, places)}`,
  ].filter((fact) => fact !== false);
  if (facts.length === 0) return [];
  const which = isAll ? 'the deliberations closed' : `the last ${cases.length} deliberations closed`;
  const apart = least > most || facts.length === 1 ? '' : ' The share alone does not tell them apart.';
  return [`Among ${which} before it, ${facts.join('; ')}.${apart}`];
}

function percent(share: number, places = 0): string {
  return `${formatNumber(share * 100, { max: places })}\u00a0%`;
}

/** The virtues that the reasons appeal to, most frequent first; empty if there are none. */
export function virtueSentence(positions: readonly Position[]): string {
  const timesOf = (virtue: (typeof VIRTUES)[number]) =>
    positions.filter(({ virtue_tags }) => virtue_tags.includes(virtue)).length;
  const named = VIRTUES.map((virtue) => ({ virtue, times: timesOf(virtue) }))
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times);
  if (named.length === 0) return '';
  const parts = named.map(({ virtue, times }) => `${virtue} in ${inWords(times)}`);
  return `Of ${inWords(positions.length)} ${positions.length === 1 ? 'position' : 'positions'}, the reasons appeal to ${formatList(parts)}.`;
}

/** `A. B.` → `A.`: up to the first full stop, question or exclamation mark that a new sentence follows. */
export function firstSentence(text: string): string {
  const [first = ''] = /^.*?[.?!](?=\s+\p{Lu}|\s*$)/su.exec(text.trim()) ?? [text.trim()];
  return first;
}
