import type { Shown } from '../../../simulation/view.ts';

const fixed = (places: number) => (value: number) => value.toFixed(places);
const mic = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

interface Measure {
  label: string;
  read: (shown: Shown) => string;
}

/** What is worth comparing between two runs, and stands beside the picture of one. */
export const MEASURES: readonly Measure[] = [
  { label: 'Proposal', read: ({ current_state: { deliberation } }) => words(deliberation.status) },
  { label: 'Ending', read: ({ current_state: { debrief } }) => debrief?.title ?? 'not yet' },
  { label: 'Mean opinion', read: ({ current_state: { opinions } }) => fixed(2)(opinions.mean) },
  { label: 'Polarisation', read: ({ current_state: { opinions } }) => fixed(3)(opinions.polarisation) },
  { label: 'Integrity index (MII)', read: ({ current_state: { economy } }) => fixed(4)(economy.mii) },
  { label: 'Threshold', read: ({ current_state: { economy } }) => fixed(4)(economy.threshold) },
  { label: 'Minting', read: ({ current_state: { economy } }) => (economy.minting_active ? 'on' : 'off') },
  {
    label: 'Total supply, MIC',
    read: ({ current_state: { economy } }) => mic.format(economy.total_supply),
  },
  {
    label: 'Sentinels online',
    read: ({ sentinels }) => String(sentinels.filter(({ status }) => status !== 'offline').length),
  },
];

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}
