import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { KEY_AREAS, type KeyArea, TIER_NAMES, TIERS } from '../../api/tiers.ts';
import { containsKey, isKey, redactKeys } from './key-text.ts';
import { mailAddress } from './mail-address.ts';

/** Without line breaks or characters that change the reading direction: terminals and mails show this text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => text.search(UNPRINTABLE) < 0, 'expected one line of printable text')
    .refine((text) => !containsKey(text), 'expected text that contains no key');

const id = z.string().regex(/^k_[0-9A-Za-z]{12}$/, 'expected the id of a key, as `keys list` shows it');
const days = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'expected a number of days')
  .transform(Number);
const deliver = z.enum(['mail', 'print']).optional();

/** `economy,academics`: each area once, in any order. Returned in the order of KEY_AREAS. */
const areas = z
  .string()
  .max(100)
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every(isArea) && new Set(names).size === names.length, {
    message: `expected areas from ${KEY_AREAS.join(', ')}, each at most once, separated by commas`,
  })
  .transform((names) => KEY_AREAS.filter((area) => names.includes(area)));

/** `keys issue`: what the applicant may state according to SPEC "Authentication", and what the operator decides. */
export const ISSUE_ARGUMENTS = z
  .strictObject({
    tier: z.enum(TIER_NAMES),
    /** Default: all areas of the tier. */
    areas: areas.optional(),
    email: mailAddress,
    name: line(100),
    affiliation: line(200),
    purpose: line(500),
    volume: line(200).optional(),
    basis: line(200).optional(),
    days: days.optional(),
    deliver,
  })
  .superRefine(({ tier, areas: wanted, volume, basis, days: ends }, context) => {
    const rules = TIERS[tier];
    const refuse = (path: string, expected: string) =>
      context.addIssue({ code: 'custom', path: [path], message: `expected ${expected}` });
    if (wanted?.some((area) => !rules.areas.includes(area))) {
      refuse('areas', `areas of the tier ${tier}: ${rules.areas.join(', ')}`);
    }
    if (ends !== undefined && ends > rules.days) refuse('days', `at most ${rules.days} for the tier ${tier}`);
    if (rules.proof === 'basis' && basis === undefined) refuse('basis', rules.basis);
    if (tier !== 'government' && volume === undefined) refuse('volume', 'the expected request volume');
  });

export const ROTATE_ARGUMENTS = z.strictObject({ id, days: days.optional(), deliver });

/** Identifies a key by its id, or by its text if it was leaked. */
export const REVOKE_ARGUMENTS = z
  .strictObject({
    id: id.optional(),
    leaked: z.string().trim().refine(isKey, 'expected the complete text of a key').optional(),
    reason: line(200),
  })
  .superRefine((given, context) => {
    if ((given.id === undefined) !== (given.leaked === undefined)) return;
    context.addIssue({ code: 'custom', path: ['id'], message: 'expected either --key-id or --leaked' });
  });

export const LIST_ARGUMENTS = z.strictObject({
  tier: z.enum(TIER_NAMES).optional(),
  area: z.enum(KEY_AREAS).optional(),
  email: mailAddress.optional(),
});

export const EXPIRING_ARGUMENTS = z.strictObject({
  within: days,
  notify: z.boolean().default(false),
});

export const REQUEST_VERIFICATION_ARGUMENTS = z.strictObject({ email: mailAddress });

/** Accepts hyphens and lower case, which only help reading. */
const code = z
  .string()
  .max(40)
  .transform((text) => text.replace(/[\s-]/g, '').toUpperCase())
  .refine((text) => /^[0-9A-HJKMNP-TV-Z]{12}$/.test(text), 'expected a code like 7K2M-9QXT-4HBD');

export const VERIFY_ARGUMENTS = z.strictObject({ email: mailAddress, code });

/** Flags whose values must never appear in a message, even when they are invalid. */
const SECRET = new Set(['--code', '--leaked']);

const FLAGS: Readonly<Record<string, string>> = { id: '--key-id', days: '--key-days' };

/** The flag that gives an argument. */
export function flagOf(argument: string): string {
  return FLAGS[argument] ?? `--${argument}`;
}

/** Parses the flags of a command. Throws usage, which names the flag. */
export function readArguments<T>(schema: z.ZodType<T>, args: unknown): T {
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  const { place, expected, found } = schemaFault('flags', parsed.error, args);
  const flag = flagOf(place.replace('flags: ', ''));
  throw new CathedralError('usage', {
    place: flag,
    expected,
    found: SECRET.has(flag) ? 'something else' : harmless(found),
  });
}

/** Escapes a flag's value for a message: characters that JSON leaves unescaped can still control a terminal. */
function harmless(found: string): string {
  return redactKeys(found).replace(UNPRINTABLE, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`);
}

function isArea(name: string): name is KeyArea {
  return (KEY_AREAS as readonly string[]).includes(name);
}
