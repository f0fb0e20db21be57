import { formatMic, formatNumber } from '../../../../pipeline/words/number.ts';
import type { Calculation } from './calculate.ts';

/** The results by the `data-result` that shows them. */
export function resultWords({ score, reward, roi, total, threshold, isMinting }: Calculation) {
  return {
    score: formatNumber(score, { min: 2, max: 2 }),
    reward: formatNumber(reward, { min: 2, max: 2 }),
    roi: formatNumber(roi, { min: 3, max: 3 }),
    total: formatMic(total),
    threshold: formatNumber(threshold, { min: 4, max: 4 }),
    minting: isMinting ? 'on' : 'paused',
  };
}
