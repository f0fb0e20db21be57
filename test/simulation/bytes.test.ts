import { expect, test } from 'vitest';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { VERSIONS } from '../../src/simulation/versions.ts';
import { versionOf } from './version-of.ts';

test('a scenario has another version where its runs have changed: shared links replay exactly, or say that they may not', () => {
  const digests = SCENARIOS.map(({ name }) => [name, versionOf(name)]);
  expect(VERSIONS).toEqual(Object.fromEntries(digests));
});
