import { VIRTUES } from '../../../pipeline/ledger/events/vocabulary.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { type Deliberation, type Ended, inWords, type Position, type Tally, tally } from './deliberations.ts';

type Case = Pick<Deliberation, 'id' | 'positions' | 'consensus'>;

/**
 * How a deliberation ended, in sentences derived from the published positions alone: who took which position, who gave no
 * reasons, and how the share in favour compares with the deliberations closed before it. The ledger records a result without the rule
 * behind it, so the sentences state observations only.
 */
export function whyItEnded(one: Case, before: Ended): string[] {
  const counts = tally(one.positions);
  return [
    verdict(one, counts),
    ...(one.positions.length === 0 ? [] : [stood(one, counts)]),
    ...(one.consensus === 'pending' ? [] : limits(before)),
    ...silent(one.positions),
  ];
}

const ENDED = {
  reached: 'It ended with consensus',
  not_reached: 'It ended without consensus',
  pending: 'It is still open, and positions can change',
};

function verdict({ consensus, positions }: Case, { share }: Tally): string {
  if (positions.length === 0) return `${ENDED[consensus]}; no sentinel took a position.`;
  if (share === null) return `${ENDED[consensus]}; nobody was for or against.`;
  const all = share === 1 ? 'all' : share === 0 ? 'none' : percent(share);
  return `${ENDED[consensus]}: of those for or against, ${all} were in favour.`;
}

function stood({ positions }: Case, { favour, conditions, against, abstained }: Tally): string {
  const names = (wanted: Position['position']) =>
    formatList(positions.filter(({ position }) => position === wanted).map(({ id }) => id));
  const all = favour === 1 ? ', with conditions' : ', all of them with conditions';
  const withConditions =
    conditions === favour
      ? all
      : `, ${inWords(conditions)} of them with conditions (${names('support_with_conditions')})`;
  const parts = [
    `${inWords(favour)} ${favour === 1 ? 'was' : 'were'} in favour${conditions > 0 ? withConditions : ''}`,
    against > 0 ? `${inWords(against)} against (${names('oppose')})` : 'nobody against',
    ...(abstained > 0 ? [`${inWords(abstained)} abstained (${names('abstain')})`] : []),
  ];
  const participants = positions.length === 1 ? 'participant' : 'participants';
  return `Of ${inWords(positions.length)} ${participants}, ${parts.join('; ')}.`;
}

/** Those who opposed or abstained without giving reasons. */
function silent(positions: readonly Position[]): string[] {
  const without = positions.filter(
    ({ position, reasoning }) => (position === 'oppose' || position === 'abstain') && reasoning.trim() === '',
  );
  return without.length === 0 ? [] : [`${formatList(without.map(({ id }) => id))} gave no reasons.`];
}

/** The lowest share that reached consensus before and the highest that did not. */
function limits({ outcomes, isAll }: Ended): string[] {
  const sharesOf = (wanted: Case['consensus']) =>
    outcomes.flatMap(({ consensus, share }) => (consensus === wanted && share !== null ? [share] : []));
  const [reached, failed] = [sharesOf('reached'), sharesOf('not_reached')];
  const [least, most] = [Math.min(...reached), Math.max(...failed)];
  // Different shares must not look the same after rounding.
  const places = least === most || percent(least) !== percent(most) ? 0 : 2;
  const facts = [
    ...(reached.length > 0
      ? [
          `${inWords(reached.length)} reached consensus, none with less than ${percent(least, places)} in favour`,
        ]
      : []),
    ...(failed.length > 0
      ? [`${inWords(failed.length)} did not, none with more than ${percent(most, places)}`]
      : []),
  ];
  if (facts.length === 0) return [];
  const apart = least > most || facts.length === 1;
  const which = isAll ? 'the deliberations closed' : `the last ${outcomes.length} deliberations closed`;
  return [
    `Among ${which} before it, ${facts.join('; ')}.${apart ? '' : ' The share alone does not tell them apart.'}`,
  ];
}

function percent(share: number, places = 0): string {
  return `${formatNumber(share * 100, { max: places })}\u00a0%`;
}

/** The virtues that the reasons appeal to, most frequent first; empty if there are none. */
export function virtueSentence(positions: readonly Position[]): string {
  const named = VIRTUES.map((virtue) => ({
    virtue,
    times: positions.filter(({ virtue_tags }) => virtue_tags.includes(virtue)).length,
  }))
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
