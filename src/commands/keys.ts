import type { z } from 'zod';
import { text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { KEY_AREAS, OVERLAP_DAYS, TIER_NAMES, TIERS, type Tier } from '../api/tiers.ts';
import {
  EXPIRING_ARGUMENTS,
  flagOf,
  ISSUE_ARGUMENTS,
  LIST_ARGUMENTS,
  REVOKE_ARGUMENTS,
  VERIFY_ARGUMENTS,
} from '../sidecar/keys/key-arguments.ts';
import type { KeyCommands } from '../sidecar/keys/key-commands.ts';
import { type Context, defineCommand, type Flag, json, type Result } from './command.ts';

const SETTINGS = ['store', 'smtpUrl', 'mailFrom', 'baseUrl', 'port'] as const;

type GivenFlags = ReadonlyMap<string, string>;

/** A flag whose text the key services parse; here only errors are found, so that all are reported at once. */
function flag<const F extends Omit<Flag, 'schema'>>(schema: z.ZodType, words: F) {
  return { ...words, schema: text.refine((given) => schema.safeParse(given).success) };
}

/** A command with the flags of one of the key services, whose name it has. */
function keyCommand<const F extends Readonly<Record<string, Flag>>>(
  service: keyof KeyCommands,
  {
    schema,
    flags,
    ...words
  }: Pick<Parameters<typeof defineCommand>[0], 'summary' | 'details' | 'examples' | 'isReader'> & {
    flags: F;
    /** Of arguments that depend on each other. */
    schema?: z.ZodType;
  },
) {
  return defineCommand({
    ...words,
    settings: SETTINGS,
    flags: { ...(flags as Readonly<Record<string, Flag>>), json },
    check: (values) => (schema ? contradictions(schema, values) : []),
    run: (values, context) => serve(service, values, context),
  });
}

const issued = ISSUE_ARGUMENTS.shape;

const tier = { unit: `one of ${TIER_NAMES.join(', ')}` } as const;
const email = { unit: 'one e-mail address, in ASCII' } as const;
const id = { flag: 'key-id', unit: 'the id of a key, as `keys list` shows it' } as const;
const days = flag(issued.days, {
  flag: 'key-days',
  unit: 'days, at most the default',
  description: `How long the key is valid. Without it, ${TIERS.government.days} days for the tier government, ${TIERS.economist.days} for the others.`,
});
const deliver = flag(issued.deliver, {
  unit: 'mail or print',
  description:
    'How the holder gets the key. Without it, print for the tier government and mail for the others.',
});

const issue = keyCommand('issue', {
  summary: 'Issues an API key: mails it to its holder, or prints it once.',
  details:
    'For the tier academic, verify the address first, with `keys request-verification` and `keys verify-email`.',
  examples: [
    'cathedral keys issue --tier economist --email ada@institute.example --name "Economy Desk" --affiliation "Institute of Measures" --purpose "A paper on minting" --volume "500 requests a day" --basis "staff page, 2026-03-01"',
    'cathedral keys issue --tier government --email desk@ministry.example --name "Audit Desk" --affiliation "Ministry of Audit" --purpose "Yearly audit" --basis "call back, 2026-03-01" --deliver print --json',
  ],
  flags: {
    tier: flag(issued.tier, { ...tier, description: 'The tier of the key.', required: true }),
    email: flag(issued.email, { ...email, description: 'The address of the holder.', required: true }),
    name: flag(issued.name, {
      unit: 'one line, at most 100 characters',
      description: 'The name, as the applicant stated it.',
      required: true,
    }),
    affiliation: flag(issued.affiliation, {
      unit: 'one line, at most 200 characters',
      description: 'The affiliation, as the applicant stated it.',
      required: true,
    }),
    purpose: flag(issued.purpose, {
      unit: 'one line, at most 500 characters',
      description: 'The purpose, as the applicant stated it.',
      required: true,
    }),
    volume: flag(issued.volume, {
      unit: 'one line, at most 200 characters',
      description: 'The expected number of requests.',
      required: 'unless --tier is government',
      requiredWhen: (flags: GivenFlags) => flags.get('tier') !== 'government',
    }),
    basis: flag(issued.basis, {
      unit: 'one line, at most 200 characters',
      description: 'How the claim to the tier was confirmed.',
      required: 'unless --tier is academic',
      requiredWhen: (flags: GivenFlags) => TIERS[flags.get('tier') as Tier]?.proof === 'basis',
    }),
    areas: flag(issued.areas, {
      unit: 'areas of the tier, separated by commas',
      description: 'The areas that the key opens. Without it, all areas of the tier.',
    }),
    days,
    deliver,
  },
  schema: ISSUE_ARGUMENTS,
});

const list = keyCommand('list', {
  summary: 'Lists API keys, newest first.',
  examples: ['cathedral keys list', 'cathedral keys list --tier academic --json'],
  isReader: true,
  flags: {
    tier: flag(LIST_ARGUMENTS.shape.tier, { ...tier, description: 'Lists keys of this tier only.' }),
    area: flag(LIST_ARGUMENTS.shape.area, {
      unit: `one of ${KEY_AREAS.join(', ')}`,
      description: 'Lists keys of this area only.',
    }),
    email: flag(LIST_ARGUMENTS.shape.email, { ...email, description: 'Lists keys of this holder only.' }),
  },
});

const rotate = keyCommand('rotate', {
  summary: `Issues the successor of an API key. The earlier key keeps working for ${OVERLAP_DAYS} days.`,
  examples: ['cathedral keys rotate --key-id k_0123456789ab'],
  flags: {
    id: flag(REVOKE_ARGUMENTS.shape.id, { ...id, description: 'The key to rotate.', required: true }),
    days,
    deliver,
  },
});

const revoke = keyCommand('revoke', {
  summary: 'Ends an API key immediately and for good.',
  examples: [
    'cathedral keys revoke --key-id k_0123456789ab --reason "The holder left."',
    'cathedral keys revoke --leaked cds_economy_… --reason "Found in a public repository." --json',
  ],
  flags: {
    id: flag(REVOKE_ARGUMENTS.shape.id, {
      ...id,
      description: 'The key to revoke.',
      required: 'unless --leaked is given',
      requiredWhen: (flags: GivenFlags) => !flags.has('leaked'),
    }),
    leaked: flag(REVOKE_ARGUMENTS.shape.leaked, {
      unit: 'the whole text of a key',
      description: 'The key to revoke, where it was found in public.',
      secret: true,
    }),
    reason: flag(REVOKE_ARGUMENTS.shape.reason, {
      unit: 'one line, at most 200 characters',
      description: 'Why it is revoked, for the record.',
      required: true,
    }),
  },
  schema: REVOKE_ARGUMENTS,
});

const requestVerification = keyCommand('requestVerification', {
  summary: 'Mails a code to an address, which an applicant for the tier academic has to send back.',
  details: 'Then pass the code to `keys verify-email`.',
  examples: ['cathedral keys request-verification --email eve@university.example'],
  flags: {
    email: flag(issued.email, { ...email, description: 'The address to verify.', required: true }),
  },
});

const verifyEmail = keyCommand('verifyEmail', {
  summary: "Verifies an applicant's e-mail address with the code that they sent back.",
  examples: ['cathedral keys verify-email --email eve@university.example --code 7K2M-9QXT-4HBD'],
  flags: {
    email: flag(VERIFY_ARGUMENTS.shape.email, { ...email, description: 'The address.', required: true }),
    code: flag(VERIFY_ARGUMENTS.shape.code, {
      unit: 'a code like 7K2M-9QXT-4HBD',
      description: 'The code that the applicant sent back.',
      secret: true,
      required: true,
    }),
  },
});

const expiring = keyCommand('expiring', {
  summary: 'Lists API keys that expire soon; with --notify, mails their holders.',
  details: 'Run it daily with --notify: each holder gets one mail per key.',
  examples: ['cathedral keys expiring --within 30', 'cathedral keys expiring --within 30 --notify --json'],
  flags: {
    within: flag(EXPIRING_ARGUMENTS.shape.within, {
      unit: 'days, 1 to 9999',
      description: 'Lists the keys that expire within this time.',
      required: true,
    }),
    notify: { description: 'Mails each holder, once per key.', switch: true },
  },
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

async function serve(
  service: keyof KeyCommands,
  values: Pick<Config, (typeof SETTINGS)[number]>,
  { now }: Context,
): Promise<Result> {
  const { runKeyCommand } = await import('../sidecar/keys/key-commands.ts');
  return runKeyCommand(service, given(values), { ...values, now });
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
