import { POSITIONS_FROM } from '../../simulation/opinions.ts';

const { abstain, support_with_conditions, support } = POSITIONS_FROM;

/** The positions as parts of a scale, from against to for. `share`: of the width that a zone is drawn with. */
export const ZONES = [
  { name: 'oppose', from: 0, to: abstain, label: 'Against', short: 'Against', share: 0.3 },
  {
    name: 'abstain',
    from: abstain,
    to: support_with_conditions,
    label: 'Undecided',
    short: 'Undecided',
    share: 0.22,
  },
  {
    name: 'support_with_conditions',
    from: support_with_conditions,
    to: support,
    label: 'With conditions',
    short: 'Conditions',
    share: 0.24,
  },
  { name: 'support', from: support, to: 1, label: 'For', short: 'For', share: 0.24 },
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
