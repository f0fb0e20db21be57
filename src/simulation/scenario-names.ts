/** The names of all scenarios, in the order in which they are listed. Help names them without loading the scenarios. */
export const SCENARIO_NAMES = [
  'cathedral_multiplier_proposal',
  'emergency_protocol_activation',
  'sentinel_disagreement',
  'economic_failure_cascade',
  'model_drift',
  'conflicting_incentives',
  'moral_dilemma',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];
