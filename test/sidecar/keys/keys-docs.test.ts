import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../pipeline/errors.ts';
import { PROBLEMS } from '../../../src/api/problem.ts';
import { OVERLAP_DAYS, TIERS } from '../../../src/api/tiers.ts';
import { loadCommands } from '../../../src/commands/table.ts';
import { CHALLENGE_ERRORS, type KeyProblemCode } from '../../../src/sidecar/keys/refusal.ts';

const guide = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'docs/keys.md'), 'utf8');
const rows = guide.split('\n').filter((line) => line.startsWith('| '));

/** `issue` → `tier`, …: the flags that only this command has. */
const COMMANDS = Object.entries(await loadCommands())
  .filter(([name]) => name.startsWith('keys '))
  .map(([name, { options }]) => {
    const own = Object.values(options).filter(({ env, flag }) => env === undefined && flag !== 'json');
    return [name.replace('keys ', ''), own.map(({ flag }) => flag!)] as const;
  });

describe('the guide to keys', () => {
  test.each(Object.entries(TIERS))(
    'says what the tier %s covers and how long it lasts',
    (tier, { areas, days }) => {
      const row = rows.find((line) => line.startsWith(`| \`${tier}\` |`));
      expect(row).toContain(`| ${areas.join(', ')} |`);
      expect(row).toMatch(new RegExp(`\\| ${days} days \\|$`));
    },
  );

  test.each(COMMANDS)('has the flags of keys %s, and its commands no others', (command, own) => {
    expect(guide).toContain(`| \`cathedral keys ${command}\` |`);
    const documented = rows.flatMap((row) => {
      const [, flags = '', of = ''] = row.split(' | ').length >= 3 ? ['', ...row.slice(2).split(' | ')] : [];
      return of.split(', ').includes(command)
        ? [...flags.matchAll(/`--([a-z-]+)`/g)].map(([, flag]) => flag!)
        : [];
    });
    expect(documented.sort()).toEqual([...own].sort());
  });

  test.each(Object.keys(CHALLENGE_ERRORS) as KeyProblemCode[])('tells a client what %s means', (code) => {
    const beginning = `| ${PROBLEMS[code].status} | \`${code}\` |`;
    expect(rows.find((line) => line.startsWith(beginning))).toMatch(/\. \|$/);
  });

  test.each(['keys_unreadable', 'key_refused', 'mail_failed'] as const)(
    'tells an operator what to do about %s',
    (code) => {
      const { exit, meaning } = ERROR_CODES[code];
      expect(rows.find((line) => line.startsWith(`| \`${code}\` | ${exit} | ${meaning} | `))).toBeDefined();
    },
  );

  test('has the days of the overlap', () => {
    expect(guide).toContain(`works for ${OVERLAP_DAYS} days`.replace('works', 'working'));
  });
});
