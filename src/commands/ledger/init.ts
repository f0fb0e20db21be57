import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { text } from '../../../pipeline/config/setting.ts';
import { keyName } from '../../../pipeline/config/settings/publishing.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { Amount, type Cathedral, Multiplier, Timestamp } from '../../../pipeline/ledger/events/event.ts';
import { SLOT_MS, slotId, slotTimestamp } from '../../../pipeline/ledger/events/slot.ts';
import { CATHEDRALS } from '../../../pipeline/ledger/events/vocabulary.ts';
import { initLedger } from '../../../pipeline/ledger/writing/init-ledger.ts';
import { ownLedger, quoteWord } from '../../../pipeline/sources/own-ledger.ts';
import { defineCommand, formatJson, json, OWN_KEYS } from '../command.ts';
import { assertWhole, ORGANISATION_FLAGS, provideOrganisation } from '../organisation.ts';

const UNNAMED =
  'Before you publish it, say who publishes: --organisation-name and --organisation-contact of `cathedral start` write organisation.json.';

/** `FOR-GOVERNMENTS=1.5,DIPLOMACY=1.2` */
const multipliers = text.transform((list, context) => {
  const given: Partial<Record<Cathedral, number>> = {};
  for (const item of list.split(',')) {
    const [name = '', factor = ''] = item.trim().split('=');
    const isKnown = (CATHEDRALS as readonly string[]).includes(name) && !Object.hasOwn(given, name);
    const value = Multiplier.safeParse(factor.trim() === '' ? Number.NaN : Number(factor));
    if (!isKnown || !value.success) {
      context.addIssue(`${item} is not a cathedral and a number from 1 to 2`);
      return z.NEVER;
    }
    given[name as Cathedral] = value.data;
  }
  return given;
});

export const ledgerInit = defineCommand({
  summary: 'Creates a ledger in a new folder: its keys and its first event.',
  details:
    'It makes the signing key, which only its owner can read, the verifier key for readers, and the ledger with the genesis event, which `ledger seal` signs with the first ledger snapshot. If it is interrupted, run it again. Cycles count the days since 2025-07-03 in every ledger, so a ledger that begins on 2026-10-01 begins in cycle C-455; C-0 is that day and all that came before.',
  examples: [
    'cathedral ledger init /srv/ledger --origin ledger.example.org --organisation-name "Council of Northby" --organisation-contact data@example.org',
    'cathedral ledger init /srv/ledger --origin ledger.example.org --from 2026-01-01T00:00:00Z --allocation 1000000 --multipliers FOR-GOVERNMENTS=1.5,DIPLOMACY=1.2 --charter charter.txt',
  ],
  settings: ['ledger', 'documents'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    origin: {
      flag: 'origin',
      default: null,
      unit: 'a name such as ledger.example.org, without spaces and plus signs',
      description:
        'Names the ledger for ever: in its checkpoints and in its keys. Take a domain that is yours, with a path if you keep several ledgers.',
      required: true,
      schema: keyName,
    },
    from: {
      flag: 'from',
      default: null,
      unit: 'a UTC date-time: 2026-01-01T00:00:00Z',
      description:
        'The time of the first event. No event can be earlier, so choose one before all that you will append. Without it, the beginning of the last finished slot, so that the ledger can be sealed and published at once.',
      schema: Timestamp,
    },
    allocation: {
      flag: 'allocation',
      default: '0',
      unit: 'an amount of MIC with at most six decimal places',
      description: 'MIC that exist before the first mint.',
      schema: Amount,
    },
    multipliers: {
      flag: 'multipliers',
      default: null,
      unit: 'NAME=NUMBER,… with a cathedral and a number from 1 to 2',
      description:
        'The first multipliers. A cathedral that is not named has 1, which does not scale its rewards.',
      schema: multipliers,
    },
    charter: {
      flag: 'charter',
      default: null,
      unit: 'a text file, at most 20000 characters',
      description:
        'The rules that the ledger is founded on. They become part of the first event; no number follows from them.',
      path: true,
      schema: text,
    },
    agent: {
      flag: 'agent',
      default: 'LEDGER',
      unit: 'a name',
      description: 'The agent of the first event.',
      schema: text,
    },
    ...ORGANISATION_FLAGS,
    json,
  },
  check: (values) => assertWhole(values),
  async run(config, { now, print, umask }) {
    const files = ownLedger(config);
    const charter = config.charter === null ? null : await readCharter(config.charter);
    const { event, verifierKey } = await initLedger({
      ...files,
      origin: config.origin,
      agent: config.agent,
      from: config.from ?? slotTimestamp(slotId(now() - SLOT_MS)),
      now: now(),
      mode: 0o777 & ~umask,
      genesis: {
        allocation: config.allocation,
        multipliers: { ...Object.fromEntries(CATHEDRALS.map((name) => [name, 1])), ...config.multipliers },
        ...(charter !== null && { charter }),
      },
    });
    const { ledger, keyFile, verifierFile } = files;
    const organisation = await provideOrganisation(config, ledger);
    if (config.json) {
      const keys = { verifier_key: verifierKey, signing_key_file: keyFile, verifier_key_file: verifierFile };
      print(
        formatJson({
          ledger,
          origin: config.origin,
          ...keys,
          organisation_file: organisation,
          genesis: event,
        }),
      );
    } else {
      print(
        `The ledger ${config.origin} is in ${ledger}. It begins at ${event.timestamp}, in cycle ${event.cycle}.`,
      );
      print(`Its signing key is in ${keyFile}. Keep it secret, and keep a copy: nothing can replace it.`);
      print(`Its verifier key, for readers, is in ${verifierFile}: ${verifierKey}`);
      print(
        organisation === null
          ? UNNAMED
          : `Who publishes it is in ${organisation}, with the licence CC BY 4.0. Change it as docs/documents.md describes.`,
      );
      const key = config.ledgerKey === null ? '' : ` --ledger-key ${quoteWord(verifierFile)}`;
      const signingKey =
        config.ledgerSigningKey === null ? '' : ` --ledger-signing-key ${quoteWord(keyFile)}`;
      print(`Next: cathedral ledger append EVENTS --ledger ${quoteWord(ledger)}${key}`);
      print(`Then: cathedral ledger seal ${quoteWord(ledger)}${key}${signingKey}`);
    }
    return 0;
  },
});

async function readCharter(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code ?? cause.message;
    throw new CathedralError('config_invalid', {
      place: path,
      expected: 'a readable text file',
      found,
      cause,
    });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).trimEnd();
  } catch (cause) {
    throw new CathedralError('config_invalid', {
      place: path,
      expected: 'UTF-8',
      found: 'other bytes',
      cause,
    });
  }
}
