import type { Config, SettingName } from '../../pipeline/config/settings.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import { expiringKeys } from '../sidecar/keys/expiring-keys.ts';
import {
  formatExpiring,
  formatExpiringJson,
  formatHandedOver,
  formatHandedOverJson,
  formatKeysJson,
  formatKeyTable,
} from '../sidecar/keys/format-keys.ts';
import { issueKey } from '../sidecar/keys/issue-key.ts';
import type { Office } from '../sidecar/keys/key-services.ts';
import { listKeys } from '../sidecar/keys/key-status.ts';
import { revokeKey } from '../sidecar/keys/revoke-key.ts';
import { rotateKey } from '../sidecar/keys/rotate-key.ts';
import { requestVerification, verifyEmail } from '../sidecar/keys/verify-email.ts';
import { type Command, defineCommand } from './command.ts';
import { OFFICE_SETTINGS, withOffice } from './open-key-services.ts';

interface KeyCommand {
  summary: string;
  /** What is asked of it, besides what every one of these commands takes. */
  asks: readonly SettingName[];
  /** It may be the first command of all; others need a key store that is there. */
  makesStore?: true;
  /** The text of its result, or what it found wrong besides. `args`: by the names of the flags, those that were given. */
  run(args: Record<string, unknown>, office: Office, json: boolean): Promise<Printed>;
}

type Printed = string | { text: string; failed: boolean };

/** In the order in which a key lives. */
const KEY_COMMANDS: Readonly<Record<string, KeyCommand>> = {
  issue: {
    summary: 'Issues a key to an applicant: mails it, or prints it this once.',
    makesStore: true,
    asks: [
      'keyTier',
      'keyAreas',
      'keyEmail',
      'keyName',
      'keyAffiliation',
      'keyPurpose',
      'keyVolume',
      'keyBasis',
      'keyDays',
      'keyDeliver',
      'json',
    ],
    run: async (args, office, json) => {
      const issued = await issueKey(args, office);
      return json ? formatHandedOverJson(issued, office.now()) : formatHandedOver(issued);
    },
  },
  list: {
    summary: 'Lists keys, newest first: of a tier, an area or an address where one is given.',
    asks: ['keyTier', 'keyArea', 'keyEmail', 'json'],
    run: async (args, office, json) => {
      const format = json ? formatKeysJson : formatKeyTable;
      return format(await listKeys(args, office), office.now());
    },
  },
  rotate: {
    summary: 'Issues the next key in place of a good one, which goes on working for 14 days.',
    asks: ['keyId', 'keyDays', 'keyDeliver', 'json'],
    run: async (args, office, json) => {
      const rotated = await rotateKey(args, office);
      return json ? formatHandedOverJson(rotated, office.now()) : formatHandedOver(rotated);
    },
  },
  revoke: {
    summary: 'Ends a key at once and for good.',
    asks: ['keyId', 'keyLeaked', 'keyReason'],
    run: async (args, office) => `${(await revokeKey(args, office)).id} is revoked.\n`,
  },
  'request-verification': {
    summary: 'Sends a code to an address, for the academic tier.',
    makesStore: true,
    asks: ['keyEmail'],
    run: async (args, office) => {
      const { email, expiresAt } = await requestVerification(args, office);
      return `A code was sent to ${email}; it is good until ${new Date(expiresAt).toISOString()}.\n`;
    },
  },
  'verify-email': {
    summary: 'Takes the code that an applicant sent back.',
    asks: ['keyEmail', 'keyCode'],
    run: async (args, office) => `${(await verifyEmail(args, office)).email} is verified.\n`,
  },
  expiring: {
    summary: 'Lists keys that end soon, and tells their holders.',
    asks: ['keyWithin', 'keyNotify', 'json'],
    run: async (args, office, json) => {
      const expiring = await expiringKeys(args, office);
      const format = json ? formatExpiringJson : formatExpiring;
      return { text: format(expiring, office.now()), failed: expiring.failures.length > 0 };
    },
  },
};

/** `keys issue` … by name, as commands. */
export const KEYS: Readonly<Record<string, Command>> = Object.fromEntries(
  Object.entries(KEY_COMMANDS).map(([name, command]) => [`keys ${name}`, asCommand(command)]),
);

function asCommand({ summary, asks, makesStore, run }: KeyCommand): Command {
  return defineCommand({
    summary,
    settings: [...asks, ...OFFICE_SETTINGS, 'port'],
    async run(config, context) {
      const args = givenFlags(asks, config);
      const printed = await withOffice(config, { now: context.now, mustExist: !makesStore }, (office) =>
        run(args, office, config.json === true),
      );
      const { text, failed } = typeof printed === 'string' ? { text: printed, failed: false } : printed;
      context.print(text.trimEnd());
      return failed ? 1 : 0;
    },
  });
}

/** The settings that have a value, by the names of their flags; how to print is none of the keys' business. */
function givenFlags(asks: readonly SettingName[], config: Partial<Config>): Record<string, unknown> {
  const given = asks.filter((name) => name !== 'json' && config[name] !== null);
  return Object.fromEntries(given.map((name) => [SETTINGS[name].flag, config[name]]));
}
