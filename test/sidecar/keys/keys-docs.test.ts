import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../../src/api/problem.ts';
import { OVERLAP_DAYS, TIERS } from '../../../src/api/tiers.ts';
import { loadCommands } from '../../../src/commands/table.ts';
import { CHALLENGE_ERRORS, type KeyProblemCode } from '../../../src/sidecar/keys/authenticate.ts';

const guide = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'docs/keys.md'), 'utf8');
const rows = guide.split('\n').filter((line) => line.startsWith('| '));

const COMMANDS = Object.keys(await loadCommands()).filter((name) => name.startsWith('keys '));

describe('the guide to keys', () => {
  test.each(Object.entries(TIERS))(
    'says what the tier %s covers and how long it lasts',
    (tier, { areas, days }) => {
      const row = rows.find((line) => line.startsWith(`| \`${tier}\` |`));
      expect(row).toContain(`| ${areas.join(', ')} |`);
      expect(row).toMatch(new RegExp(`\\| ${days} days \\|$`));
    },
  );

  test.each(COMMANDS)('has the command %s', (command) => {
    expect(guide).toContain(`| \`cathedral ${command}\` |`);
  });

  test.each(Object.keys(CHALLENGE_ERRORS) as KeyProblemCode[])('tells a client what %s means', (code) => {
    const beginning = `| ${PROBLEMS[code].status} | \`${code}\` |`;
    expect(rows.find((line) => line.startsWith(beginning))).toMatch(/\. \|$/);
  });

  test('has the days of the overlap', () => {
    expect(guide).toContain(`works for ${OVERLAP_DAYS} days`.replace('works', 'working'));
  });
});
