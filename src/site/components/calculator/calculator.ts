import { coordinationScore, miiThreshold, REWARD, reward } from '../../../../pipeline/model/formulas.ts';
import { formatMic, formatNumber } from '../../../../pipeline/words/number.ts';

/** A number that a reader enters. */
interface Field {
  label: string;
  unit: string;
  least: number;
  most: number;
  step: number;
  default: number;
}

/** The fields by their parameter in the page's address. */
export const FIELDS = {
  s: { label: 'Coordination score s', unit: 'points', least: 0, most: 1000, step: 0.01, default: 50 },
  apps: { label: 'Apps', unit: 'count', least: 0, most: 1000, step: 1, default: 9 },
  packages: { label: 'Packages', unit: 'count', least: 0, most: 1000, step: 1, default: 5 },
  workflows: { label: 'Workflows', unit: 'count', least: 0, most: 1000, step: 1, default: 14 },
  drift: { label: 'Drift', unit: '0 (none) to 10', least: 0, most: 10, step: 0.01, default: 1.5 },
  uptime: { label: 'Uptime', unit: 'days', least: 0, most: 100_000, step: 1, default: 60 },
  multiplier: { label: 'Multiplier M', unit: '1 to 2', least: 1, most: 2, step: 0.01, default: 1.5 },
  mints: { label: 'Mints', unit: 'count', least: 1, most: 1_000_000, step: 1, default: 100 },
  supply: { label: 'Total supply', unit: 'MIC', least: 0, most: 1e15, step: 0.000001, default: 1e7 },
  mii: { label: 'Integrity index', unit: 'share, 0 to 1', least: 0, most: 1, step: 0.0001, default: 0.95 },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** The fields that the score is computed from when it is not entered. */
const WORK: readonly FieldName[] = ['apps', 'packages', 'workflows', 'drift', 'uptime'];

const NUMBER = /^\d{1,16}(\.\d{1,12})?$/;

/** The entered number; null if it is not one or outside the field's limits. */
export function parseField(name: FieldName, text: string): number | null {
  const { least, most } = FIELDS[name];
  const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

export type Numbers = Record<FieldName, number>;

/** The entered numbers. They are in the page's address, so a calculation can be linked to. */
export interface CalculatorState {
  /** Whether the score is entered or computed from the work. */
  from: 'score' | 'work';
  numbers: Numbers;
}

export const DEFAULT_NUMBERS = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, FIELDS[name].default]),
) as Numbers;

/**
 * Parses an address's parameters: `?s=57.2&multiplier=2`, `?apps=9&uptime=64`. A given score takes precedence. Values
 * outside their limits are replaced by the default.
 */
export function parseCalculator(parameters: URLSearchParams, defaults = DEFAULT_NUMBERS): CalculatorState {
  const numbers = { ...defaults };
  for (const name of FIELD_NAMES) {
    const value = parseField(name, parameters.get(name) ?? '');
    if (value !== null) numbers[name] = value;
  }
  const hasWork = WORK.some((name) => parameters.has(name));
  return { from: hasWork && !parameters.has('s') ? 'work' : 'score', numbers };
}

/** The parameters that differ from the defaults, with a question mark; empty if there are none. */
export function formatCalculator({ from, numbers }: CalculatorState, defaults = DEFAULT_NUMBERS): string {
  const parameters = new URLSearchParams();
  for (const name of FIELD_NAMES) {
    if (from === 'work' ? name === 's' : WORK.includes(name)) continue;
    const isKept = numbers[name] !== defaults[name] || (from === 'work' && name === 'apps');
    if (isKept) parameters.set(name, String(numbers[name]));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

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
  /** The working of each result, with the numbers filled in. */
  steps: { score: string[]; reward: string[]; roi: string[]; threshold: string[] };
}

const PLACES = 1e6;
const THREE = { max: 3 };

/** The results of the service's formulas for the entered numbers, with each step. */
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
  // At an uptime of one day the logarithm is 0, so this is the score without the uptime factor.
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
      ? 'With no supply, the threshold is 1.'
      : `(95 − 2 × log10(${formatNumber(supply)} ÷ 1,000,000)) ÷ 100 = ${formatNumber(threshold, { max: 5 })}`;
  const sign = isMinting ? '≥' : '<';
  return [
    line,
    `${formatNumber(mii, { max: 4 })} ${sign} ${formatNumber(threshold, { max: 5 })}: minting is ${isMinting ? 'on' : 'paused'}`,
  ];
}

/** The results as text, by their `data-result`. */
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
