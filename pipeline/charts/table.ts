import type { Chart } from './chart.ts';
import { compliance } from './kinds/compliance.ts';
import { consensus } from './kinds/consensus.ts';
import { coordination } from './kinds/coordination.ts';
import { coordinationHistory } from './kinds/coordination-history.ts';
import { deliberations } from './kinds/deliberations.ts';
import { drift } from './kinds/drift.ts';
import { events } from './kinds/events.ts';
import { mii } from './kinds/mii.ts';
import { minting } from './kinds/minting.ts';
import { multipliers } from './kinds/multipliers.ts';
import { policyProjections } from './kinds/policy-projections.ts';
import { rewardCurve } from './kinds/reward-curve.ts';
import { roiByCathedral, roiBySentinel } from './kinds/roi.ts';
import { supply } from './kinds/supply.ts';
import { uptime } from './kinds/uptime.ts';
import { virtues, virtuesHistory } from './kinds/virtues.ts';

/**
 * Every chart with a page, pictures, embeds and files of its own; those of an area in the order of its page. Charts that
 * belong to another page (the report, a sentinel) are not here.
 */
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

/** Undefined if there is no such chart. */
export function findChart(id: string): Chart | undefined {
  return CHARTS.find((chart) => chart.id === id);
}
