import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { show } from '../../src/simulation/view.ts';
import { play } from './arbitrary-run.ts';

/** Of all updates of a run in which something is done, with forecasts. */
function digestOf(scenario: string): string {
  const hash = createHash('sha256');
  const moves = [3, 1, 4, 1, 5].map((pick) => ({ wait: 4, pick, share: 0.5 }));
  play({ scenario, seed: 151, moves, rest: 60 }, (run) => hash.update(JSON.stringify(show(run))));
  return hash.digest('hex').slice(0, 16);
}

test('runs have the bytes that they had when this was written: links that were shared replay exactly', () => {
  const digests = SCENARIOS.map(({ name }) => [name, digestOf(name)]);
  expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
    {
      "cathedral_multiplier_proposal": "5124238686e40e6c",
      "conflicting_incentives": "5bdcc92e8b0f8e79",
      "economic_failure_cascade": "be7144cebc895455",
      "emergency_protocol_activation": "b0bd7f6cf40b4ec3",
      "model_drift": "462f3c5e70543ad6",
      "moral_dilemma": "2f61e89f22cf2bc9",
      "sentinel_disagreement": "13a4bce32afa2f5f",
    }
  `);
});
