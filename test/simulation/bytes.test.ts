import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { show } from '../../src/simulation/view.ts';
import { play } from './arbitrary-run.ts';
import { versionOf } from './version-of.ts';

test('a scenario has another version where its runs have changed: shared links replay exactly, or say that they may not', () => {
  const digests = SCENARIOS.map(({ name }) => [name, versionOf(name)]);
  expect(VERSIONS).toEqual(Object.fromEntries(digests));
});

test('updates have the same bytes in every process', () => {
  const hash = createHash('sha256');
  const moves = [3, 1, 4, 1, 5].map((pick) => ({ wait: 4, pick, share: 0.5 }));
  for (const { name } of SCENARIOS)
    play({ scenario: name, seed: 151, moves, rest: 60 }, (run) => hash.update(JSON.stringify(show(run))));
  expect(hash.digest('hex').slice(0, 16)).toMatchInlineSnapshot(`"7652b223e172df9d"`);
});
