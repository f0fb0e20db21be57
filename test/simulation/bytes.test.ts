import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ENGINE } from '../../src/simulation/run.ts';
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

test('the engine is named after its runs, so that a run of another one is not resumed as if it were the same', () => {
  const digests = SCENARIOS.map(({ name }) => `${name} ${digestOf(name)}`).sort();
  expect(ENGINE).toBe(createHash('sha256').update(digests.join()).digest('hex').slice(0, 8));
});

test('runs have the bytes that they had when this was written: links that were shared replay exactly', () => {
  const digests = SCENARIOS.map(({ name }) => [name, digestOf(name)]);
  expect(Object.fromEntries(digests)).toMatchInlineSnapshot(`
    {
      "cathedral_multiplier_proposal": "c2c57743247f01b3",
      "conflicting_incentives": "a83af42afee62bf5",
      "economic_failure_cascade": "6d96a4bd88d02b44",
      "emergency_protocol_activation": "c1be26df76ca8df4",
      "model_drift": "b03a1dea2fe35bec",
      "moral_dilemma": "ce2e8f33de0f688b",
      "sentinel_disagreement": "435b3f05aafd9d77",
    }
  `);
});
