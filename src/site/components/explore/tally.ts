import { capitalise } from '../../../../pipeline/words/phrase.ts';
import type { Position } from './deliberations.ts';
import { inWords } from './in-words.ts';

export interface Tally {
  /** With conditions or without. */
  favour: number;
  conditions: number;
  against: number;
  abstained: number;
  /** Of those who spoke for or against, the share in favour; null where nobody did. */
  share: number | null;
}

/** Who stood where. */
export function tally(positions: readonly Pick<Position, 'position'>[]): Tally {
  const count = (name: Position['position']) => positions.filter(({ position }) => position === name).length;
  const conditions = count('support_with_conditions');
  const favour = count('support') + conditions;
  const against = count('oppose');
  const share = favour + against === 0 ? null : favour / (favour + against);
  return { favour, conditions, against, abstained: count('abstain'), share };
}

/** `Four in favour (two with conditions), one against`; what nobody did is left out. */
export function tallyWords({ favour, conditions, against, abstained }: Tally): string {
  const all = favour === 1 ? 'with conditions' : 'all with conditions';
  const withConditions = conditions === favour ? all : `${inWords(conditions)} with conditions`;
  const parts = [
    `${inWords(favour)} in favour${conditions > 0 ? ` (${withConditions})` : ''}`,
    ...(against > 0 ? [`${inWords(against)} against`] : []),
    ...(abstained > 0 ? [`${inWords(abstained)} abstaining`] : []),
  ];
  return capitalise(parts.join(', '));
}
