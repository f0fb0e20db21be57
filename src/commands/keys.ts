import { z } from 'zod';
import { legible, visible } from '../../pipeline/words/hidden.ts';
import { KEY_AREAS, OVERLAP_DAYS, TIER_NAMES, TIERS, type Tier } from '../api/tiers.ts';
import * as schemas from '../sidecar/keys/key-arguments.ts';
import type { KEY_COMMANDS } from '../sidecar/keys/key-commands.ts';
import { containsKey } from '../sidecar/keys/key-text-and-hash.ts';
import { type Context, defineCommand, type Flag, json, type Result } from './command.ts';

const SETTINGS = ['store', 'smtpUrl', 'mailFrom', 'baseUrl', 'port'] as const;

type GivenFlags = ReadonlyMap<string, string>;

/** Somebody may paste a key in place of anything. */
const NO_KEY = { secret: containsKey } as const satisfies Partial<Flag>;

const tier = {
  unit: `one of ${TIER_NAMES.join(', ')}`,
  schema: z.enum(TIER_NAMES),
  ...NO_KEY,
} as const;
const email = { unit: 'one e-mail address, in ASCII', schema: schemas.email, ...NO_KEY } as const;
const id = {
  flag: 'key-id',
  unit: 'the id of a key, as `keys list` shows it',
  schema: schemas.keyId,
  ...NO_KEY,
} as const;
const days = {
  flag: 'key-days',
  unit: 'days, at most the default',
  description: `How long the key is valid. Without it, ${TIERS.government.days} days for the tier government, ${TIERS.economist.days} for the others.`,
  schema: schemas.days,
} as const;
const deliver = {
  unit: 'mail or print',
  description:
    'How the holder gets the key. Without it, print for the tier government and mail for the others.',
  schema: schemas.delivery,
} as const;
const line = (max: number, check = legible) =>
  ({ unit: `one line, at most ${max} characters`, schema: schemas.line(max, check), ...NO_KEY }) as const;

const issue = defineCommand({
  summary: 'Issues an API key: mails it to its holder, or prints it once.',
  details:
    'For the tier academic, verify the address first, with `keys request-verification` and `keys verify-email`.',
  examples: [
    'cathedral keys issue --tier economist --email ada@institute.example --name "Economy Desk" --affiliation "Institute of Measures" --purpose "A paper on minting" --volume "500 requests a day" --basis "staff page, 2026-03-01"',
    'cathedral keys issue --tier government --email desk@ministry.example --name "Audit Desk" --affiliation "Ministry of Audit" --purpose "Yearly audit" --basis "call back, 2026-03-01" --deliver print --json',
  ],
  settings: SETTINGS,
  flags: {
    tier: { ...tier, description: 'The tier of the key.', required: true },
    email: { ...email, description: 'The address of the holder.', required: true },
    name: { ...line(100, visible), description: 'The name, as the applicant stated it.', required: true },
    affiliation: {
      ...line(200, visible),
      description: 'The affiliation, as the applicant stated it.',
      required: true,
    },
    purpose: { ...line(500), description: 'The purpose, as the applicant stated it.', required: true },
    volume: {
      ...line(200),
      description: 'The expected number of requests.',
      required: 'unless --tier is government',
      requiredWhen: (flags: GivenFlags) => flags.get('tier') !== 'government',
    },
    basis: {
      ...line(200),
      description: 'How the claim to the tier was confirmed.',
      required: 'unless --tier is academic',
      requiredWhen: (flags: GivenFlags) => TIERS[flags.get('tier') as Tier]?.proof === 'basis',
    },
    areas: {
      unit: 'areas of the tier, separated by commas',
      description: 'The areas that the key opens. Without it, all areas of the tier.',
      schema: schemas.areas,
      ...NO_KEY,
    },
    days,
    deliver,
    json,
  },
  run: (values, context) => serve('issue', values, context),
});

const list = defineCommand({
  summary: 'Lists API keys, newest first.',
  examples: ['cathedral keys list', 'cathedral keys list --tier academic --json'],
  isReader: true,
  settings: SETTINGS,
  flags: {
    tier: { ...tier, description: 'Lists keys of this tier only.' },
    area: {
      unit: `one of ${KEY_AREAS.join(', ')}`,
      description: 'Lists keys of this area only.',
      schema: z.enum(KEY_AREAS),
    },
    email: { ...email, description: 'Lists keys of this holder only.' },
    json,
  },
  run: (values, context) => serve('list', values, context),
});

const rotate = defineCommand({
  summary: `Issues the successor of an API key. The earlier key keeps working for ${OVERLAP_DAYS} days.`,
  examples: ['cathedral keys rotate --key-id k_0123456789ab'],
  settings: SETTINGS,
  flags: { id: { ...id, description: 'The key to rotate.', required: true }, days, deliver, json },
  run: (values, context) => serve('rotate', values, context),
});

const revoke = defineCommand({
  summary: 'Ends an API key immediately and for good.',
  examples: [
    'cathedral keys revoke --key-id k_0123456789ab --reason "The holder left."',
    'cathedral keys revoke --leaked cds_economy_… --reason "Found in a public repository." --json',
  ],
  settings: SETTINGS,
  flags: {
    id: {
      ...id,
      description: 'The key to revoke.',
      required: 'unless --leaked is given',
      requiredWhen: (flags: GivenFlags) => !flags.has('leaked'),
    },
    leaked: {
      unit: 'the whole text of a key',
      description: 'The key to revoke, where it was found in public.',
      secret: true,
      schema: schemas.wholeKey,
    },
    reason: { ...line(200), description: 'Why it is revoked, for the record.', required: true },
    json,
  },
  contradictions: [['id', 'leaked']],
  run: (values, context) => serve('revoke', values, context),
});

const requestVerification = defineCommand({
  summary: 'Mails a code to an address, which an applicant for the tier academic has to send back.',
  details: 'Then pass the code to `keys verify-email`.',
  examples: ['cathedral keys request-verification --email eve@university.example'],
  settings: SETTINGS,
  flags: { email: { ...email, description: 'The address to verify.', required: true }, json },
  run: (values, context) => serve('requestVerification', values, context),
});

const verifyEmail = defineCommand({
  summary: "Verifies an applicant's e-mail address with the code that they sent back.",
  examples: ['cathedral keys verify-email --email eve@university.example --code 7K2M-9QXT-4HBD'],
  settings: SETTINGS,
  flags: {
    email: { ...email, description: 'The address.', required: true },
    code: {
      unit: 'a code like 7K2M-9QXT-4HBD',
      description: 'The code that the applicant sent back.',
      secret: true,
      required: true,
      schema: schemas.code,
    },
    json,
  },
  run: (values, context) => serve('verifyEmail', values, context),
});

const expiring = defineCommand({
  summary: 'Lists API keys that expire soon; with --notify, mails their holders.',
  details: 'Run it daily with --notify: each holder gets one mail per key.',
  examples: ['cathedral keys expiring --within 30', 'cathedral keys expiring --within 30 --notify --json'],
  settings: SETTINGS,
  flags: {
    within: {
      unit: 'days, 1 to 9999',
      description: 'Lists the keys that expire within this time.',
      required: true,
      schema: schemas.days,
    },
    notify: { description: 'Mails each holder, once per key.', switch: true },
    json,
  },
  run: (values, context) => serve('expiring', values, context),
});

async function serve<Name extends keyof typeof KEY_COMMANDS>(
  name: Name,
  values: Parameters<(typeof KEY_COMMANDS)[Name]>[0],
  { now }: Context,
): Promise<Result> {
  const { KEY_COMMANDS } = await import('../sidecar/keys/key-commands.ts');
  return KEY_COMMANDS[name](values as never, now);
}

export const COMMANDS = {
  'keys issue': issue,
  'keys list': list,
  'keys rotate': rotate,
  'keys revoke': revoke,
  'keys request-verification': requestVerification,
  'keys verify-email': verifyEmail,
  'keys expiring': expiring,
};
