import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../pipeline/errors.ts';
import { PROBLEMS } from '../../../src/api/problem.ts';
import { OVERLAP_DAYS, TIERS } from '../../../src/api/tiers.ts';
import {
  EXPIRING_ARGUMENTS,
  ISSUE_ARGUMENTS,
  LIST_ARGUMENTS,
  REQUEST_VERIFICATION_ARGUMENTS,
  REVOKE_ARGUMENTS,
  ROTATE_ARGUMENTS,
  VERIFY_ARGUMENTS,
} from '../../../src/sidecar/keys/key-arguments.ts';
import { CHALLENGE_ERRORS, type KeyProblemCode } from '../../../src/sidecar/keys/refusal.ts';

const guide = readFileSync(join(resolve(import.meta.dirname, '../../..'), 'docs/keys.md'), 'utf8');
const rows = guide.split('\n').filter((line) => line.startsWith('| '));

const COMMANDS = {
  issue: ISSUE_ARGUMENTS,
  list: LIST_ARGUMENTS,
  rotate: ROTATE_ARGUMENTS,
  revoke: REVOKE_ARGUMENTS,
  'request-verification': REQUEST_VERIFICATION_ARGUMENTS,
  'verify-email': VERIFY_ARGUMENTS,
  expiring: EXPIRING_ARGUMENTS,
};

describe('the guide to keys', () => {
  test.each(Object.entries(TIERS))(
    'says what the tier %s covers and how long it lasts',
    (tier, { areas, days }) => {
      const row = rows.find((line) => line.startsWith(`| \`${tier}\` |`));
      expect(row).toContain(`| ${areas.join(', ')} |`);
      expect(row).toMatch(new RegExp(`\\| ${days} days \\|$`));
    },
  );

  test.each(Object.entries(COMMANDS))(
    'has the flags of keys %s, and its commands no others',
    (command, schema) => {
      expect(guide).toContain(`| \`cathedral keys ${command}\` |`);
      const documented = rows.flatMap((row) => {
        const [, flags = '', of = ''] =
          row.split(' | ').length >= 3 ? ['', ...row.slice(2).split(' | ')] : [];
        return of.split(', ').includes(command)
          ? [...flags.matchAll(/`--([a-z]+)`/g)].map(([, flag]) => flag!)
          : [];
      });
      expect(documented.sort()).toEqual(Object.keys(schema.shape).sort());
    },
  );

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
