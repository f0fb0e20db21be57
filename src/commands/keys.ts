import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { type Flag, text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { KEY_AREAS, OVERLAP_DAYS, TIER_NAMES, TIERS, type Tier } from '../api/tiers.ts';
import { expiringKeys } from '../sidecar/keys/expiring-keys.ts';
import {
  formatDeliveredKey,
  formatDeliveredKeyJson,
  formatExpiring,
  formatExpiringJson,
  formatKeysJson,
  formatKeyTable,
} from '../sidecar/keys/format-keys.ts';
import { issueKey } from '../sidecar/keys/issue-key.ts';
import {
  EXPIRING_ARGUMENTS,
  flagOf,
  ISSUE_ARGUMENTS,
  LIST_ARGUMENTS,
  REVOKE_ARGUMENTS,
  VERIFY_ARGUMENTS,
} from '../sidecar/keys/key-arguments.ts';
import type { KeyServices } from '../sidecar/keys/key-services.ts';
import { listKeys } from '../sidecar/keys/key-status.ts';
import { createMailer, type Mailer } from '../sidecar/keys/mailer.ts';
import { revokeKey } from '../sidecar/keys/revoke-key.ts';
import { rotateKey } from '../sidecar/keys/rotate-key.ts';
import { requestVerification, verifyEmail } from '../sidecar/keys/verify-email.ts';
import { type Context, defineCommand, formatJson, json, SWITCH } from './command.ts';
import { withKeys } from './shared-stores.ts';

const SETTINGS = ['store', 'keys', 'smtpUrl', 'mailFrom', 'baseUrl', 'port'] as const;

type GivenFlags = ReadonlyMap<string, string>;

/** A flag whose text the key services parse; here only errors are found, so that all are reported at once. */
function flag<const O extends Omit<Flag, 'default' | 'schema'>>(
  schema: z.ZodType,
  option: O,
): O & { default: null; schema: z.ZodType<string, string> } {
  return { ...option, default: null, schema: text.refine((given) => schema.safeParse(given).success) };
}

const issued = ISSUE_ARGUMENTS.shape;

const tier = {
  flag: 'tier',
  unit: `one of ${TIER_NAMES.join(', ')}`,
} as const;
const email = { flag: 'email', unit: 'one e-mail address, in ASCII' } as const;
const days = flag(issued.days, {
  flag: 'key-days',
  unit: 'days, at most the default',
  description: `How long the key is valid. Without it, ${TIERS.government.days} days for the tier government, ${TIERS.economist.days} for the others.`,
});
const deliver = flag(issued.deliver, {
  flag: 'deliver',
  unit: 'mail or print',
  description:
    'How the holder gets the key. Without it, print for the tier government and mail for the others.',
});
const id = { flag: 'key-id', unit: 'the id of a key, as `keys list` shows it' } as const;

export const keysIssue = defineCommand({
  summary: 'Issues an API key: mails it to its holder, or prints it once.',
  details:
    'For the tier academic, verify the address first, with `keys request-verification` and `keys verify-email`.',
  examples: [
    'cathedral keys issue --tier economist --email ada@institute.example --name "Economy Desk" --affiliation "Institute of Measures" --purpose "A paper on minting" --volume "500 requests a day" --basis "staff page, 2026-03-01"',
    'cathedral keys issue --tier government --email desk@ministry.example --name "Audit Desk" --affiliation "Ministry of Audit" --purpose "Yearly audit" --basis "call back, 2026-03-01" --deliver print --json',
  ],
  settings: SETTINGS,
  flags: {
    tier: flag(issued.tier, { ...tier, description: 'The tier of the key.', required: true }),
    email: flag(issued.email, { ...email, description: 'The address of the holder.', required: true }),
    name: flag(issued.name, {
      flag: 'name',
      unit: 'one line, at most 100 characters',
      description: 'The name, as the applicant stated it.',
      required: true,
    }),
    affiliation: flag(issued.affiliation, {
      flag: 'affiliation',
      unit: 'one line, at most 200 characters',
      description: 'The affiliation, as the applicant stated it.',
      required: true,
    }),
    purpose: flag(issued.purpose, {
      flag: 'purpose',
      unit: 'one line, at most 500 characters',
      description: 'The purpose, as the applicant stated it.',
      required: true,
    }),
    volume: flag(issued.volume, {
      flag: 'volume',
      unit: 'one line, at most 200 characters',
      description: 'The expected number of requests.',
      required: 'unless --tier is government',
      requiredWhen: (flags: GivenFlags) => flags.get('tier') !== 'government',
    }),
    basis: flag(issued.basis, {
      flag: 'basis',
      unit: 'one line, at most 200 characters',
      description: 'How the claim to the tier was confirmed.',
      required: 'unless --tier is academic',
      requiredWhen: (flags: GivenFlags) => TIERS[flags.get('tier') as Tier]?.proof === 'basis',
    }),
    areas: flag(issued.areas, {
      flag: 'areas',
      unit: 'areas of the tier, separated by commas',
      description: 'The areas that the key opens. Without it, all areas of the tier.',
    }),
    days,
    deliver,
    json,
  },
  check: (values) => contradictions(ISSUE_ARGUMENTS, values),
  run: (values, context) =>
    withServices(values, context, { mayCreate: true }, async (services) => {
      const key = await issueKey(given(values), services);
      return values.json ? formatDeliveredKeyJson(key, services.now()) : formatDeliveredKey(key);
    }),
});

export const keysList = defineCommand({
  summary: 'Lists API keys, newest first.',
  examples: ['cathedral keys list', 'cathedral keys list --tier academic --json'],
  isReader: true,
  settings: SETTINGS,
  flags: {
    tier: flag(LIST_ARGUMENTS.shape.tier, { ...tier, description: 'Lists keys of this tier only.' }),
    area: flag(LIST_ARGUMENTS.shape.area, {
      flag: 'area',
      unit: `one of ${KEY_AREAS.join(', ')}`,
      description: 'Lists keys of this area only.',
    }),
    email: flag(LIST_ARGUMENTS.shape.email, { ...email, description: 'Lists keys of this holder only.' }),
    json,
  },
  run: (values, context) =>
    withServices(values, context, {}, async (services) => {
      const format = values.json ? formatKeysJson : formatKeyTable;
      return format(await listKeys(given(values), services), services.now());
    }),
});

export const keysRotate = defineCommand({
  summary: `Issues the successor of an API key, which itself keeps working for ${OVERLAP_DAYS} days.`,
  examples: ['cathedral keys rotate --key-id k_0123456789ab'],
  settings: SETTINGS,
  flags: {
    id: flag(REVOKE_ARGUMENTS.shape.id, { ...id, description: 'The key to rotate.', required: true }),
    days,
    deliver,
    json,
  },
  run: (values, context) =>
    withServices(values, context, {}, async (services) => {
      const key = await rotateKey(given(values), services);
      return values.json ? formatDeliveredKeyJson(key, services.now()) : formatDeliveredKey(key);
    }),
});

export const keysRevoke = defineCommand({
  summary: 'Ends an API key immediately and for good.',
  examples: [
    'cathedral keys revoke --key-id k_0123456789ab --reason "The holder left."',
    'cathedral keys revoke --leaked cds_economy_… --reason "Found in a public repository." --json',
  ],
  settings: SETTINGS,
  flags: {
    id: flag(REVOKE_ARGUMENTS.shape.id, {
      ...id,
      description: 'The key to revoke.',
      required: 'unless --leaked is given',
      requiredWhen: (flags: GivenFlags) => !flags.has('leaked'),
    }),
    leaked: flag(REVOKE_ARGUMENTS.shape.leaked, {
      flag: 'leaked',
      unit: 'the whole text of a key',
      description: 'The key to revoke, where it was found in public.',
      secret: true,
    }),
    reason: flag(REVOKE_ARGUMENTS.shape.reason, {
      flag: 'reason',
      unit: 'one line, at most 200 characters',
      description: 'Why it is revoked, for the record.',
      required: true,
    }),
    json,
  },
  check: (values) => contradictions(REVOKE_ARGUMENTS, values),
  run: (values, context) =>
    withServices(values, context, {}, async (services) => {
      const key = await revokeKey(given(values), services);
      const [described] = JSON.parse(formatKeysJson([key], services.now()));
      return values.json ? formatJson(described) : `${key.id} is revoked.`;
    }),
});

export const keysRequestVerification = defineCommand({
  summary: 'Mails a code to an address, which an applicant for the tier academic has to send back.',
  details: 'Then pass the code to `keys verify-email`.',
  examples: ['cathedral keys request-verification --email eve@university.example'],
  settings: SETTINGS,
  flags: {
    email: flag(issued.email, { ...email, description: 'The address to verify.', required: true }),
    json,
  },
  run: (values, context) =>
    withServices(values, context, { mayCreate: true }, async (services) => {
      const { email, expiresAt } = await requestVerification(given(values), services);
      const expires_at = new Date(expiresAt).toISOString();
      return values.json
        ? formatJson({ email, expires_at })
        : `A code was sent to ${email}; it expires at ${expires_at}.`;
    }),
});

export const keysVerifyEmail = defineCommand({
  summary: "Verifies an applicant's e-mail address with the code that they sent back.",
  examples: ['cathedral keys verify-email --email eve@university.example --code 7K2M-9QXT-4HBD'],
  settings: SETTINGS,
  flags: {
    email: flag(VERIFY_ARGUMENTS.shape.email, { ...email, description: 'The address.', required: true }),
    code: flag(VERIFY_ARGUMENTS.shape.code, {
      flag: 'code',
      unit: 'a code like 7K2M-9QXT-4HBD',
      description: 'The code that the applicant sent back.',
      secret: true,
      required: true,
    }),
    json,
  },
  run: (values, context) =>
    withServices(values, context, {}, async (services) => {
      const { email, verifiedAt } = await verifyEmail(given(values), services);
      return values.json
        ? formatJson({ email, verified_at: new Date(verifiedAt).toISOString() })
        : `${email} is verified.`;
    }),
});

export const keysExpiring = defineCommand({
  summary: 'Lists API keys that expire soon; with --notify, mails their holders.',
  details: 'Run it daily with --notify: each holder gets one mail per key.',
  examples: ['cathedral keys expiring --within 30', 'cathedral keys expiring --within 30 --notify --json'],
  settings: SETTINGS,
  flags: {
    within: flag(EXPIRING_ARGUMENTS.shape.within, {
      flag: 'within',
      unit: 'days, 1 to 9999',
      description: 'Lists the keys that expire within this time.',
      required: true,
    }),
    notify: { flag: 'notify', description: 'Mails each holder, once per key.', ...SWITCH },
    json,
  },
  run: (values, context) =>
    withServices(values, context, {}, async (services) => {
      const expiring = await expiringKeys(given(values), services);
      const format = values.json ? formatExpiringJson : formatExpiring;
      return { text: format(expiring, services.now()), failed: expiring.failures.length > 0 };
    }),
});

/** What the key services take: the flags that were given, by the names of the arguments. */
function given(values: object): Record<string, unknown> {
  const others: ReadonlySet<string> = new Set([...SETTINGS, 'json']);
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== null && !others.has(name)),
  );
}

/** Errors that lie in the combination of flags, such as areas that the tier does not have. */
function contradictions(schema: z.ZodType, values: object): CathedralError[] {
  const args = given(values);
  const { error } = schema.safeParse(args);
  return (error?.issues ?? []).map(({ path, message }) => {
    const [name = ''] = path.map(String);
    const place = flagOf(name);
    const found = args[name] === undefined ? 'no value' : JSON.stringify(args[name]);
    return new CathedralError('usage', { place, expected: message.replace(/^expected /, ''), found });
  });
}

type Result = string | { text: string; failed: boolean };

/** Opens the store of keys, prints the result of `work`, and closes the store in any case. */
async function withServices(
  { smtpUrl, mailFrom, baseUrl, ...config }: Pick<Config, (typeof SETTINGS)[number]>,
  { now, print }: Pick<Context, 'now' | 'print'>,
  { mayCreate = false },
  work: (services: KeyServices) => Promise<Result>,
): Promise<0 | 1> {
  const mailer = smtpUrl === null ? null : openMailer(smtpUrl, mailFrom);
  const opening = { now, command: 'keys', mustExist: !mayCreate };
  return withKeys(config, opening, async (store, now) => {
    const result = await work({ store, mailer, now, randomBytes, baseUrl });
    const { text, failed } = typeof result === 'string' ? { text: result, failed: false } : result;
    print(text.trimEnd());
    return failed ? 1 : 0;
  });
}

function openMailer(url: string, from: string | null): Mailer {
  if (from !== null) return createMailer({ url, from });
  const expected = 'the sender of mails, which SMTP_URL needs';
  throw new CathedralError('config_invalid', { place: 'CATHEDRAL_MAIL_FROM', expected, found: 'no value' });
}
