import { formatMic, formatNumber } from '../../../../pipeline/words/number.ts';
import type { Calculation } from './calculate.ts';

/** The results by the `data-result` that shows them. */
export function resultWords({ score, reward, roi, total, threshold, isMinting }: Calculation) {
  return {
    score: formatNumber(score, 2),
    reward: formatNumber(reward, 2),
    roi: formatNumber(roi, 3),
    total: formatMic(total),
    threshold: formatNumber(threshold, 4),
    minting: isMinting ? 'on' : 'paused',
  };
}
