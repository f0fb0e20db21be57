import type { Position } from './deliberations.ts';

/** The form is for those who do not tell the colours apart, and is not read out: the words say the same. */
export const POSITION_WORDS: Readonly<Record<Position['position'], { words: string; form: string }>> = {
  support: { words: 'In favour', form: '●' },
  support_with_conditions: { words: 'In favour, with conditions', form: '◐' },
  oppose: { words: 'Against', form: '✕' },
  abstain: { words: 'Abstained', form: '○' },
};

export const CONSENSUS_WORDS = {
  reached: 'Consensus reached',
  not_reached: 'No consensus',
  pending: 'Open',
} as const;
