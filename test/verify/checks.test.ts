import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS, NEEDS } from '../../pipeline/verify/checks.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/mirrors.md'), 'utf8');

test.each(CHECKS)('docs/mirrors.md says what the check $name proves', ({ name, proves }) => {
  const row = DOCUMENT.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  expect(row).toContain(`| ${proves} |`);
});

test('each check has a name of its own, and needs only what an earlier check establishes', () => {
  const names = CHECKS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const needed = new Set<string>(CHECKS.flatMap(({ needs }) => [...needs]));
  expect(needed).toEqual(new Set(Object.keys(NEEDS)));
  const log = names.indexOf('log');
  for (const [at, { needs }] of CHECKS.entries())
    if ((needs as readonly string[]).includes('log')) expect(at).toBeGreaterThan(log);
});
