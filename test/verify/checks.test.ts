import { expect, test } from 'vitest';
import { CHECKS, NEEDS } from '../../pipeline/verify/checks.ts';

test('each check has a name of its own, and needs only what an earlier check establishes', () => {
  const names = CHECKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const needed = new Set<string>(CHECKS.flatMap(({ needs }) => [...needs]));
  expect(needed).toEqual(new Set(Object.keys(NEEDS)));
  const log = names.indexOf('log');
  for (const [at, { needs }] of CHECKS.entries())
    if ((needs as readonly string[]).includes('log')) expect(at).toBeGreaterThan(log);
});
