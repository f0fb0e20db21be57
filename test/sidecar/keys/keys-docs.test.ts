import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OVERLAP_DAYS, TIERS } from '../../../src/api/tiers.ts';
import { loadCommands } from '../../../src/commands/table.ts';

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

  test('has the days of the overlap', () => {
    expect(guide).toContain(`works for ${OVERLAP_DAYS} days`.replace('works', 'working'));
  });
});
