import { CONFLICTING_INCENTIVES } from './sentences/conflicting-incentives.ts';
import { ECONOMIC_FAILURE_CASCADE } from './sentences/economic-failure-cascade.ts';
import { EMERGENCY_PROTOCOL } from './sentences/emergency-protocol.ts';
import { MODEL_DRIFT } from './sentences/model-drift.ts';
import { MORAL_DILEMMA } from './sentences/moral-dilemma.ts';
import { MULTIPLIER_PROPOSAL } from './sentences/multiplier-proposal.ts';
import { SENTINEL_DISAGREEMENT } from './sentences/sentinel-disagreement.ts';
import type { Sentences } from './story.ts';

/** Every scenario that there is: its last possible tick, and what it says at each of its ends. */
export const SCENARIOS: Readonly<Record<string, { horizon: number; sentences: Sentences }>> = {
  cathedral_multiplier_proposal: { horizon: 40, sentences: MULTIPLIER_PROPOSAL },
  emergency_protocol_activation: { horizon: 44, sentences: EMERGENCY_PROTOCOL },
  sentinel_disagreement: { horizon: 36, sentences: SENTINEL_DISAGREEMENT },
  economic_failure_cascade: { horizon: 36, sentences: ECONOMIC_FAILURE_CASCADE },
  model_drift: { horizon: 46, sentences: MODEL_DRIFT },
  conflicting_incentives: { horizon: 44, sentences: CONFLICTING_INCENTIVES },
  moral_dilemma: { horizon: 46, sentences: MORAL_DILEMMA },
};

export const NAMES = Object.keys(SCENARIOS);
