import type { Position } from '../facts.ts';

export interface Tally {
  favour: number;
  /** Of those in favour. */
  conditional: number;
  against: number;
  abstaining: number;
}

export type Verdict = 'adopted' | 'declined' | 'open';

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const ALL: Readonly<Record<number, string>> = { 1: 'one', 2: 'both' };

export function tallyOf(positions: Iterable<Position>): Tally {
  const all = [...positions];
  const count = (position: Position) => all.filter((one) => one === position).length;
  const conditional = count('support_with_conditions');
  return {
    favour: count('support') + conditional,
    conditional,
    against: count('oppose'),
    abstaining: count('abstain'),
  };
}

/** Consensus: two thirds of those who took a side, and three at least. */
export function verdictOf({ favour, against }: Tally): Verdict {
  const needed = Math.max(3, ((favour + against) * 2) / 3);
  if (favour >= needed) return 'adopted';
  return against >= needed ? 'declined' : 'open';
}

/** `Six in favour, two of them with conditions; one against, one abstaining.` */
export function formatTally({ favour, conditional, against, abstaining }: Tally): string {
  const inFavour = `${word(favour)} in favour`;
  const conditions =
    conditional === 0
      ? ''
      : `, ${conditional === favour ? (ALL[favour] ?? 'all') : word(conditional)} of them with conditions`;
  const others = [
    ...(against > 0 ? [`${word(against)} against`] : []),
    ...(abstaining > 0 ? [`${word(abstaining)} abstaining`] : []),
  ].join(', ');
  const text = inFavour + conditions + (others && `; ${others}`);
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function word(count: number): string {
  return NUMBERS[count]!;
}
