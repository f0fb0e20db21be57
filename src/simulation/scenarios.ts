import { faultAt } from './fault.ts';
import type { Scenario } from './scenario.ts';
import { CATHEDRAL_MULTIPLIER_PROPOSAL } from './scenarios/cathedral-multiplier-proposal.ts';
import { CONFLICTING_INCENTIVES } from './scenarios/conflicting-incentives.ts';
import { ECONOMIC_FAILURE_CASCADE } from './scenarios/economic-failure-cascade.ts';
import { EMERGENCY_PROTOCOL_ACTIVATION } from './scenarios/emergency-protocol-activation.ts';
import { MODEL_DRIFT } from './scenarios/model-drift.ts';
import { MORAL_DILEMMA } from './scenarios/moral-dilemma.ts';
import { SENTINEL_DISAGREEMENT } from './scenarios/sentinel-disagreement.ts';

/** All scenarios in the order in which they are listed. */
export const SCENARIOS: readonly Scenario[] = [
  CATHEDRAL_MULTIPLIER_PROPOSAL,
  EMERGENCY_PROTOCOL_ACTIVATION,
  SENTINEL_DISAGREEMENT,
  ECONOMIC_FAILURE_CASCADE,
  MODEL_DRIFT,
  CONFLICTING_INCENTIVES,
  MORAL_DILEMMA,
];

/** Throws a SimulationFault unknown_scenario. */
export function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found) return found;
  const names = SCENARIOS.map((scenario) => scenario.name).join(', ');
  throw faultAt('unknown_scenario', 'scenario', `one of ${names}`, name);
}
