import { coordinationScore, miiThreshold, REWARD, reward } from '../../../../pipeline/model/formulas.ts';
import { formatMic, formatNumber } from '../../../../pipeline/words/number.ts';
import type { CalculatorState, Numbers } from './calculator-state.ts';

export interface Calculation {
  /** Points. */
  score: number;
  /** MIC of one mint, to 6 places as a mint has them. */
  reward: number;
  /** Reward ÷ L. */
  roi: number;
  /** MIC of all the mints. */
  total: number;
  /** Share. */
  threshold: number;
  isMinting: boolean;
  /** How each came about, with the numbers put in. */
  steps: { score: string[]; reward: string[]; roi: string[]; threshold: string[] };
}

const PLACES = 1e6;
const THREE = { max: 3 };

/** What the service's formulas give for the numbers entered, and each step of it. */
export function calculate({ from, numbers }: CalculatorState): Calculation {
  const score = from === 'score' ? numbers.s : coordinationScore({ ...numbers, uptime_days: numbers.uptime });
  const mint = Math.round(reward(score, numbers.multiplier) * PLACES) / PLACES;
  const threshold = miiThreshold(numbers.supply);
  const roi = mint / REWARD.L;
  const total = mint * numbers.mints;
  const isMinting = numbers.mii >= threshold;
  const steps = {
    score: from === 'score' ? [] : scoreSteps(numbers, score),
    reward: rewardSteps(score, numbers, mint),
    roi: [
      `ROI = ${show(mint)} MIC ÷ ${show(REWARD.L)} MIC = ${show(roi)}`,
      `${formatNumber(numbers.mints)} × ${show(mint)} MIC = ${formatMic(total)}`,
    ],
    threshold: thresholdSteps(numbers, threshold, isMinting),
  };
  return { score, reward: mint, roi, total, threshold, isMinting, steps };
}

function show(value: number): string {
  return formatNumber(value, THREE);
}

function scoreSteps({ apps, packages, workflows, drift, uptime }: Numbers, score: number): string[] {
  const days = Math.max(1, uptime);
  // With an uptime of one day the logarithm is 0, so this is the score without it.
  const work = coordinationScore({ apps, packages, workflows, drift, uptime_days: 1 });
  return [
    `0.4 × ${show(apps)} + 0.3 × ${show(packages)} + 0.2 × ${show(workflows)} + 0.1 × (10 − ${show(drift)}) = ${show(work)}`,
    `1 + ln ${show(days)} = ${show(1 + Math.log(days))}`,
    `s = ${show(work)} × ${show(1 + Math.log(days))} = ${show(score)} points`,
  ];
}

function rewardSteps(score: number, { multiplier }: Numbers, mint: number): string[] {
  const { L, k, x0 } = REWARD;
  const base = reward(score, 1);
  return [
    `e^(−${k} × (${show(score)} − ${x0})) = ${show(Math.exp(-k * (score - x0)))}`,
    `${show(L)} ÷ (1 + ${show(Math.exp(-k * (score - x0)))}) = ${show(base)} MIC`,
    `R = ${show(base)} × ${show(multiplier)} = ${show(mint)} MIC`,
  ];
}

function thresholdSteps({ supply, mii }: Numbers, threshold: number, isMinting: boolean): string[] {
  const line =
    supply === 0
      ? 'Of a supply of nothing, the threshold is 1.'
      : `(95 − 2 × log10(${formatNumber(supply)} ÷ 1,000,000)) ÷ 100 = ${formatNumber(threshold, { max: 5 })}`;
  const sign = isMinting ? '≥' : '<';
  return [
    line,
    `${formatNumber(mii, { max: 4 })} ${sign} ${formatNumber(threshold, { max: 5 })}: minting is ${isMinting ? 'on' : 'paused'}`,
  ];
}
