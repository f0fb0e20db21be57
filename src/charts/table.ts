import type { Chart } from './chart.ts';
import { compliance } from './compliance.ts';
import { consensus } from './consensus.ts';
import { coordination } from './coordination.ts';
import { coordinationHistory } from './coordination-history.ts';
import { deliberations } from './deliberations.ts';
import { drift } from './drift.ts';
import { events } from './events.ts';
import { mii } from './mii.ts';
import { minting } from './minting.ts';
import { multipliers } from './multipliers.ts';
import { policyProjections } from './policy-projections.ts';
import { rewardCurve } from './reward-curve.ts';
import { roiByCathedral } from './roi-by-cathedral.ts';
import { roiBySentinel } from './roi-by-sentinel.ts';
import { supply } from './supply.ts';
import { uptime } from './uptime.ts';
import { virtues } from './virtues.ts';
import { virtuesHistory } from './virtues-history.ts';

/** Every chart: pages, pictures, embeds, files and tests are read off it. Those of an area in the order of its page. */
export const CHARTS: readonly Chart[] = [
  compliance,
  uptime,
  policyProjections,
  supply,
  minting,
  mii,
  coordination,
  rewardCurve,
  roiByCathedral,
  roiBySentinel,
  multipliers,
  coordinationHistory,
  events,
  deliberations,
  consensus,
  virtues,
  virtuesHistory,
  drift,
];

/** Undefined where there is no such chart. */
export function findChart(id: string): Chart | undefined {
  return CHARTS.find((chart) => chart.id === id);
}
