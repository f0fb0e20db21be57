import { formatNumber } from '../../../../pipeline/words/number.ts';
import { formatToken } from '../../../../pipeline/words/phrase.ts';
import type { Shown } from '../../../simulation/view.ts';

interface Measure {
  label: string;
  read: (shown: Shown) => string;
}

/** The measures that the page shows and compares between two runs. */
export const MEASURES: readonly Measure[] = [
  { label: 'Proposal', read: ({ current_state: { deliberation } }) => formatToken(deliberation.status) },
  { label: 'Ending', read: ({ current_state: { debrief } }) => debrief?.title ?? 'not yet' },
  { label: 'Mean opinion', read: ({ current_state: { opinions } }) => formatNumber(opinions.mean, 2) },
  {
    label: 'Polarisation',
    read: ({ current_state: { opinions } }) => formatNumber(opinions.polarisation, 3),
  },
  { label: 'Integrity index (MII)', read: ({ current_state: { economy } }) => formatNumber(economy.mii, 4) },
  { label: 'Threshold', read: ({ current_state: { economy } }) => formatNumber(economy.threshold, 4) },
  { label: 'Minting', read: ({ current_state: { economy } }) => (economy.minting_active ? 'on' : 'off') },
  {
    label: 'Total supply, MIC',
    read: ({ current_state: { economy } }) => formatNumber(economy.total_supply),
  },
  {
    label: 'Sentinels online',
    read: ({ sentinels }) => String(sentinels.filter(({ status }) => status !== 'offline').length),
  },
];
