/**
 * The version of each scenario: a digest of its runs. A run that was recorded with another version may take another course. The test
 * of the same runs computes them, and says the new ones where a run has changed.
 */
export const VERSIONS: Readonly<Record<string, string>> = {
  cathedral_multiplier_proposal: '8296f688',
  emergency_protocol_activation: 'c17fe3c9',
  sentinel_disagreement: '3a468ce8',
  economic_failure_cascade: '93b92f41',
  model_drift: '20a59c02',
  conflicting_incentives: '2dd02ba0',
  moral_dilemma: 'e64823e0',
};
