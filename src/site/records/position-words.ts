import type { Position } from './deliberations.ts';

/** `form` helps readers who cannot tell the colours apart. Screen readers skip it, because `words` say the same. */
export const POSITION_WORDS: Readonly<Record<Position['position'], { words: string; form: string }>> = {
  support: { words: 'In favour', form: '●' },
  support_with_conditions: { words: 'In favour, with conditions', form: '◐' },
  oppose: { words: 'Against', form: '✕' },
  abstain: { words: 'Abstained', form: '○' },
};
