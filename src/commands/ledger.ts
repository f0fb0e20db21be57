import { z } from 'zod';
import { ledgerFolder } from '../../pipeline/config/ledger-address.ts';
import { numbers, text } from '../../pipeline/config/setting.ts';
import { keyName } from '../../pipeline/config/settings/publishing.ts';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { MAX_PAUSE_MS } from '../../pipeline/ledger/events/draft.ts';
import { Amount, type Cathedral, Multiplier, Timestamp } from '../../pipeline/ledger/events/event.ts';
import { dayOfCycle, nextSlotId, SLOT_MS, slotId, slotTimestamp } from '../../pipeline/ledger/events/slot.ts';
import { CATHEDRALS } from '../../pipeline/ledger/events/vocabulary.ts';
import type { NoteKey } from '../../pipeline/ledger/notes/note-keys.ts';
import { DAY_MS } from '../../pipeline/words/day.ts';
import { counted } from '../../pipeline/words/number.ts';
import { firstOf, lastOf, Moment } from '../api/query/period.ts';
import { defineCommand, json, present, type Result } from './command.ts';
import { assertWhole, ORGANISATION_FLAGS } from './organisation.ts';

/** The settings of the commands that keep a ledger, with what they take without them. */
const OWN_KEYS = {
  ledgerKey: 'Without it, the file of the ledger’s name with `.vkey` after it.',
  ledgerSigningKey: 'Without it, the file of the ledger’s name with `.key` after it.',
} as const;

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

const init = defineCommand({
  summary: 'Creates a ledger in a new folder: its keys and its first event.',
  details:
    'It makes the signing key, which only its owner can read, the verifier key for readers, and the ledger with the genesis event, which `ledger seal` signs with the first ledger snapshot. If it is interrupted, run it again. Cycles count the days since 2025-07-03 in every ledger, so a ledger that begins on 2026-10-01 begins in cycle C-455; C-0 is that day and all days before it.',
  examples: [
    'cathedral ledger init /srv/ledger --origin ledger.example.org --organisation-name "Council of Northby" --organisation-contact data@example.org',
    'cathedral ledger init /srv/ledger --origin ledger.example.org --from 2026-01-01T00:00:00Z --allocation 1000000 --multipliers FOR-GOVERNMENTS=1.5,DIPLOMACY=1.2 --charter charter.txt',
  ],
  settings: ['ledger', 'documents'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    origin: {
      unit: 'a name such as ledger.example.org, without spaces and plus signs',
      description:
        'The name of the ledger for ever, in its checkpoints and in its keys. Use a domain that you own, with a path if you keep several ledgers.',
      required: true,
      schema: keyName,
    },
    from: {
      unit: 'a UTC date-time: 2026-01-01T00:00:00Z',
      description:
        'The time of the first event. No event can be earlier, so choose one before all that you will append. Without it, the beginning of the last finished slot, so that the ledger can be sealed and published at once.',
      schema: Timestamp,
    },
    allocation: {
      default: '0',
      unit: 'an amount of MIC, at most 15 digits and then 6 decimal places',
      description: 'MIC that exist before the first mint.',
      schema: Amount,
    },
    multipliers: {
      unit: 'NAME=NUMBER,… with a cathedral and a number from 1 to 2',
      description:
        'The first multipliers. A cathedral that is not named has 1, which does not scale its rewards.',
      schema: multipliers,
    },
    charter: {
      unit: 'a text file, at most 20000 characters',
      description:
        'The rules that the ledger is founded on. They become part of the first event and are published; no number follows from them.',
      path: true,
    },
    agent: { default: 'LEDGER', unit: 'a name', description: 'The agent of the first event.' },
    ...ORGANISATION_FLAGS,
    json,
  },
  check: (values) => assertWhole(values),
  async run(config, { now, umask }) {
    const { initLedger, readCharter } = await import('../../pipeline/ledger/writing/init-ledger.ts');
    const { ownLedger, quoteWord } = await import('../../pipeline/sources/own-ledger.ts');
    const { provideOrganisation } = await import('../service/organisation.ts');
    const files = ownLedger(config);
    const charter = config.charter === null ? null : await readCharter(config.charter);
    const { origin, agent, allocation } = config;
    const { event, verifierKey } = await initLedger({
      ...files,
      origin,
      agent,
      from: config.from ?? slotTimestamp(slotId(now() - SLOT_MS)),
      now: now(),
      mode: 0o777 & ~umask,
      genesis: {
        allocation,
        multipliers: { ...Object.fromEntries(CATHEDRALS.map((name) => [name, 1])), ...config.multipliers },
        ...(charter !== null && { charter }),
      },
    });
    const { ledger, keyFile, verifierFile } = files;
    const organisation = await provideOrganisation(config, ledger);
    const key = config.ledgerKey === null ? '' : ` --ledger-key ${quoteWord(verifierFile)}`;
    const signingKey = config.ledgerSigningKey === null ? '' : ` --ledger-signing-key ${quoteWord(keyFile)}`;
    return {
      facts: {
        ledger,
        origin,
        verifier_key: verifierKey,
        signing_key_file: keyFile,
        verifier_key_file: verifierFile,
        organisation_file: organisation,
        genesis: event,
      },
      lines: [
        `The ledger ${origin} is in ${ledger}. It begins at ${event.timestamp}, in cycle ${event.cycle}.`,
        `Its signing key is in ${keyFile}. Keep it secret, and keep a copy: nothing can replace it.`,
        `Its verifier key, for readers, is in ${verifierFile}: ${verifierKey}`,
        organisation === null
          ? 'Before you publish it, say who publishes: --organisation-name and --organisation-contact of `cathedral start` write organisation.json.'
          : `Who publishes it is in ${organisation}, with the licence CC BY 4.0. Change it as docs/ledger.md describes.`,
        `Next: cathedral ledger append EVENTS --ledger ${quoteWord(ledger)}${key}`,
        `Then: cathedral ledger seal ${quoteWord(ledger)}${key}${signingKey}`,
      ],
    };
  },
});

const append = defineCommand({
  summary: 'Appends events from JSON, NDJSON or CSV files to a ledger in a folder: all of them or none.',
  details:
    'Each event needs a type, an agent and data. The command fills in seq, salt, cycle and, where it is missing, the current time. Every error is printed with its file, line and member, and then nothing is appended. A warning is probably a mistake: a misspelt type, a cycle of another day, an id that a spreadsheet changes. --dry-run and --strict also fold the whole ledger, which takes as long as reading it for a rebuild, and warn about contradictions: a mint that does not follow the formula, a sentinel that is not registered. Other writers of the ledger wait until the command has read its input. To follow a table or a file that grows, give it to `start` as the ledger.',
  examples: [
    'cathedral ledger append events.ndjson --ledger /srv/ledger',
    'cathedral ledger append votes.csv --mapping votes.json --ledger /srv/ledger --dry-run',
    'export-events | cathedral ledger append --format ndjson --ledger /srv/ledger --strict',
  ],
  settings: ['ledger', 'ledgerKey', 'wait', 'mapping'],
  positionals: ['files'],
  flags: {
    files: {
      flag: 'file',
      unit: 'files, or - for standard input',
      description: 'The files to append, in this order. Without one, standard input.',
      many: true,
    },
    format: {
      unit: 'one of json, ndjson, csv',
      description:
        'How the files are written: json is an array of events or {"events": […]}, ndjson has one event per line, csv has the names of columns in its first line. Without it, the ending of a file’s name decides, or its first character.',
      schema: z.enum(['json', 'ndjson', 'csv']),
    },
    dryRun: {
      description: 'Checks everything, contradictions included, and appends nothing.',
      switch: true,
    },
    strict: { description: 'Treats every warning as an error, contradictions included.', switch: true },
    sort: {
      description: 'Sorts the events of all files by time. Without it, events out of order are errors.',
      switch: true,
    },
    json,
  },
  async run(config, { now, progress }) {
    const { Contradictions } = await import('../../pipeline/model/contradictions.ts');
    const { writableLedger } = await import('../../pipeline/sources/own-ledger.ts');
    const { appendFiles } = await import('../../pipeline/sources/append/append-files.ts');
    const ledger = await writableLedger(config);
    const contradictions = () => Contradictions.after(ledger);
    const given = { ...config, waitMs: config.wait * 1000 };
    const { errors, ...result } = await appendFiles(ledger, given, { now, progress, contradictions });
    return { ...result, status: errors === 0 ? 0 : 1 };
  },
});

const MAX_PAUSE_DAYS = MAX_PAUSE_MS / DAY_MS;

const seal = defineCommand({
  summary: 'Writes and signs the ledger snapshot of each finished slot.',
  details: `Slots end at 00, 06, 12 and 18 h UTC. Each finished slot with events gets a ledger snapshot, and so does the newest finished slot if it has none: that tells readers that the ledger is quiet and still sealed. Slots without events before it get none. \`start\` and \`build\` seal by themselves if they are given --ledger-signing-key. It is idempotent: with nothing to seal, it writes nothing.`,
  examples: [
    'cathedral ledger seal /srv/ledger',
    'cathedral ledger seal /srv/ledger --ledger-signing-key /etc/cathedral/ledger.key --json',
  ],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    afterPause: {
      description: `Seals the newest finished slot without events even if nothing was appended or sealed for more than ${MAX_PAUSE_DAYS} days. Check the clock first: no event can be earlier than the end of a sealed slot, so a clock that is a year ahead would close the ledger for a year.`,
      switch: true,
    },
    json,
  },
  async run(config, context) {
    const { ownLedger, sealLedger, sealWarnings } = await import('../../pipeline/sources/own-ledger.ts');
    const { now, progress } = context;
    const files = ownLedger(config);
    const { ledger } = files;
    const quiet = config.afterPause ? 'always' : 'alive';
    const sealed = await sealLedger(files, { quiet, waitMs: config.wait * 1000, now });
    const { snapshots, position, head, paused } = sealed;
    const { snapshot, size } = position;
    const lines = snapshots.map(({ id, events }) => `sealed ${id}: ${counted(events, 'event')}`);
    if (lines.length === 0)
      lines.push(`Nothing to seal. The current slot ends at ${slotTimestamp(nextSlotId(slotId(now())))}.`);
    present(
      { facts: { ledger, sealed: snapshots, snapshot, size, head, paused: paused?.id ?? null }, lines },
      config,
      context,
    );
    for (const warning of sealWarnings(sealed, ledger, now())) progress.note(warning);
    return 0;
  },
});

const rotate = defineCommand({
  summary:
    "Makes the ledger's next key, which signs together with the current one from the next ledger snapshot on.",
  details:
    'It adds the new verifier key to the file of verifier keys. Give that line to everyone who reads the ledger; after the overlap, `ledger retire` ends the older key.',
  examples: ['cathedral ledger rotate /srv/ledger', 'cathedral ledger rotate /srv/ledger --json'],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: { json },
  async run(config, { now }) {
    const { rotateLedgerKey } = await import('../../pipeline/ledger/writing/ledger-keys.ts');
    const { ownLedger } = await import('../../pipeline/sources/own-ledger.ts');
    return keyFacts(await rotateLedgerKey({ ...ownLedger(config), now: now(), waitMs: config.wait * 1000 }));
  },
});

const retire = defineCommand({
  summary: "Ends a rotation: the ledger's older key stops signing.",
  details:
    'It refuses until readers have had time to get the new key. The older verifier key stays in the file of verifier keys, because earlier checkpoints have no other signature.',
  examples: ['cathedral ledger retire /srv/ledger', 'cathedral ledger retire /srv/ledger --overlap-days 7'],
  settings: ['ledger', 'wait'],
  optional: OWN_KEYS,
  positionals: ['ledger'],
  flags: {
    overlapDays: {
      default: '30',
      ...numbers('days', 0, 3650),
      description:
        'How old the new key must be. Readers who have not added it to their file by then cannot verify later ledger snapshots.',
    },
    json,
  },
  async run(config, { now }) {
    const { retireLedgerKey } = await import('../../pipeline/ledger/writing/ledger-keys.ts');
    const { ownLedger } = await import('../../pipeline/sources/own-ledger.ts');
    const change = { ...ownLedger(config), now: now(), waitMs: config.wait * 1000 };
    return keyFacts(await retireLedgerKey(change, { days: config.overlapDays }));
  },
});

async function keyFacts(keys: readonly NoteKey[]): Promise<Result> {
  const { verifierKeyOf } = await import('../../pipeline/ledger/notes/note-keys.ts');
  const facts = keys.map((key, index) => ({
    verifier_key: verifierKeyOf(key),
    made: key.made,
    until_retired: index > 0,
  }));
  return {
    facts: { keys: facts },
    lines: facts.map(
      ({ verifier_key: key, made, until_retired: isOlder }) =>
        `${key} (made ${made}${isOlder ? ', signs until it is retired' : ''})`,
    ),
  };
}

const check = defineCommand({
  summary: 'Checks a ledger in a folder: files, order, root hashes, signatures, and what the events say.',
  details:
    'It changes nothing. It looks at all files and signatures, and reads the events up to their first error. An error makes readers refuse the ledger. A warning is probably a mistake: a misspelt type, a cycle of another day, a contradiction that will be published as an alert, a finished slot that nobody has sealed. It exits with 1 if there are errors, with --strict also if there are warnings. To compare a published folder with its ledger, use `check`.',
  examples: ['cathedral ledger check /srv/ledger', 'cathedral ledger check /srv/ledger --strict --json'],
  isReader: true,
  settings: ['ledger', ...SOURCE_SETTINGS],
  optional: { ledgerSigningKey: `It is not read; its permissions are checked. ${OWN_KEYS.ledgerSigningKey}` },
  positionals: ['ledger'],
  flags: { strict: { description: 'Treats every warning as an error.', switch: true }, json },
  async run(config, { now, progress }) {
    const { checkAndFold } = await import('../../pipeline/model/check-and-fold.ts');
    const { localLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const { strict, ledgerSigningKey } = config;
    const ledger = await localLedger(config.ledger, { ...config, mustExist: true });
    const checked = await checkAndFold(ledger, { now, progress, strict, ledgerSigningKey });
    return { ...checked, status: checked.valid ? 0 : 1 };
  },
});

const MOMENT = 'a date, a date-time such as 2025-12-01T06:00:00Z, or a cycle such as C-151';

const moment = text.transform((given) => dayOfCycle(given) ?? given).pipe(Moment);

const names = text.transform((list) => new Set(list.split(',').map((name) => name.trim())));

/** `17`, `17-25`, `17-` */
const range = z
  .string()
  .regex(/^\d{1,15}(-\d{0,15})?$/)
  .transform((given) => {
    const [from = '', to = from] = given.split('-');
    return { from: Number(from), to: to === '' ? Number.POSITIVE_INFINITY : Number(to) };
  })
  .refine(({ from, to }) => from <= to);

const show = defineCommand({
  summary: 'Prints the events of a ledger in a folder, chosen by number, time, type and agent.',
  details:
    'It prints one line per event: its number, its time, its cycle, the ledger snapshot that contains it or `head` if none does yet, its type, its agent, and its data. It verifies each line, but neither root hashes nor signatures; `ledger check` verifies those.',
  examples: [
    'cathedral ledger show /srv/ledger --reverse --limit 20',
    'cathedral ledger show /srv/ledger --type mic_mint,mic_burn --from C-151 --to 2025-12-31',
    'cathedral ledger show /srv/ledger --seq 4711 --raw',
  ],
  isReader: true,
  settings: ['ledger', 'importFolder'],
  positionals: ['ledger'],
  flags: {
    seq: {
      unit: 'a number, or a range such as 100-199 or 100-',
      description: 'The numbers of the events. Without it, all.',
      schema: range,
    },
    from: {
      unit: MOMENT,
      description: 'The start of the period; a day and a cycle begin at 00:00 UTC.',
      schema: moment.transform(firstOf),
    },
    to: {
      unit: MOMENT,
      description: 'The end of the period, included; a day and a cycle end at 24:00 UTC.',
      schema: moment.transform(lastOf),
    },
    types: {
      flag: 'type',
      unit: 'types of events, separated by commas',
      description: 'The types of the events. Without it, all, also unknown ones.',
      schema: names,
    },
    agent: { unit: 'a name', description: 'The agent of the events. Without it, all.' },
    limit: {
      ...numbers('a whole number', 1, 1_000_000_000),
      description: 'Prints at most this many events.',
    },
    reverse: { description: 'Prints the newest event first.', switch: true },
    raw: { description: 'Prints the lines of the ledger as they are: NDJSON.', switch: true },
    json: {
      ...json,
      description: 'Prints one JSON array, with the hash and the ledger snapshot of each event.',
    },
  },
  contradictions: [['raw', 'json']],
  async run(config, { write, progress }) {
    const { findEvents, formatFound, formatFoundJson } = await import(
      '../../pipeline/ledger/reading/find-events.ts'
    );
    const { limit, reverse, raw, json } = config;
    let count = 0;
    for await (const one of findEvents(ledgerFolder(config.ledger, config), config, reverse)) {
      if (json) await write(`${count === 0 ? '[' : ','}\n${formatFoundJson(one)}`);
      else await write(raw ? `${one.line}\n` : `${formatFound(one)}\n`);
      count += 1;
      if (count === limit) break;
    }
    if (json) await write(count === 0 ? '[]\n' : '\n]\n');
    if (count === 0) progress.note('No event matches.');
    return 0;
  },
});

export const COMMANDS = {
  'ledger init': init,
  'ledger append': append,
  'ledger seal': seal,
  'ledger rotate': rotate,
  'ledger retire': retire,
  'ledger check': check,
  'ledger show': show,
};
