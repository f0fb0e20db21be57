/**
 * The version of each scenario: a digest of its runs. A run that was recorded with another version may take another course. The test
 * of the same runs computes them, and says the new ones where a run has changed.
 */
export const VERSIONS: Readonly<Record<string, string>> = {
  cathedral_multiplier_proposal: 'fdbf15fd',
  emergency_protocol_activation: 'f120942e',
  sentinel_disagreement: 'a7ecd10a',
  economic_failure_cascade: '07517c32',
  model_drift: '25e51ec6',
  conflicting_incentives: 'fd881c8c',
  moral_dilemma: '65d6abfa',
};
