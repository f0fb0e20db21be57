import { z } from 'zod';
import { nameOfSource } from '../../pipeline/config/ledger-address.ts';
import { integer } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { VERSION } from '../../pipeline/config/software.ts';
import { type NoteKey, verifierKeyOf } from '../../pipeline/ledger/notes/note-keys.ts';
import type { Database } from '../../pipeline/postgres/database.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  type KeyChange,
  replacePublisher,
  requireKeys,
  retirePublisher,
  rotatePublisher,
} from '../../pipeline/release/signing/change-publisher.ts';
import { FOLDERS, fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { postgresRecords } from '../../pipeline/release/signing/postgres-records.ts';
import { followLedger } from '../sidecar/live/follow-ledger.ts';
import { BUILD_SETTINGS } from './build.ts';
import { type Context, defineCommand, formatJson, json } from './command.ts';
import { ownDocuments } from './organisation.ts';
import { runOnSchedule } from './scheduled-runs.ts';
import { withDatabase } from './shared-stores.ts';
import { assertShared, withRecords } from './turn.ts';

const SETTINGS = ['publisherKey', 'out', 'store'] as const;

export const publisherRun = defineCommand({
  summary: 'Publishes every six hours and catches up on missed slots, like `start`, and serves nothing.',
  details:
    'For machines that share a database and a bucket, of which any number may run this command. They take turns: one publishes, the others find nothing new and are ready to take over.',
  examples: [
    'cathedral publisher run --ledger /srv/ledger --out /srv/publisher --base-url https://data.example.org',
  ],
  isService: true,
  settings: [...BUILD_SETTINGS, 'sealDelay'],
  check: assertShared,
  async run(config, context) {
    const { progress, untilStopped } = context;
    const signal = untilStopped();
    progress.note(`Cathedral Data Service ${VERSION}, publisher, ledger ${nameOfSource(config.ledger)}`);
    await ownDocuments(config, await followLedger(config.ledger, config, context, signal));
    await runOnSchedule(config, context, signal);
    return 0;
  },
});

export const publisherShow = defineCommand({
  summary: "Prints the publisher's verifier keys, and what they signed last.",
  details: 'Give these keys to readers out of band: `verify` and `mirror` take them as --verifier-key.',
  examples: ['cathedral publisher show', 'cathedral publisher show --out /srv/cathedral --json'],
  isReader: true,
  settings: SETTINGS,
  flags: { json },
  async run({ publisherKey, out, store, json }, { print }) {
    const readRecord = (database: Database | null) =>
      (database ? postgresRecords(database, null, FOLDERS) : fileRecords(publisherKey, { waitMs: 0 })).read();
    const keys = await requireKeys(publisherKey);
    const { services } = await withDatabase(store, 'publisher show', readRecord);
    const facts = await describe(keys, out);
    const signed = Object.entries(services).map(([service, { release, version }]) => ({
      service,
      release,
      version,
    }));
    if (json) print(formatJson({ keys: facts, last_signed: signed }));
    else {
      printKeys(facts, print);
      for (const { service, release, version } of signed)
        print(`signed last for ${service}: ${release}, version ${version}`);
    }
    return 0;
  },
});

export const publisherRotate = defineCommand({
  summary: "Makes the publisher's next key. From the next release on, it signs beside the current one.",
  details:
    'Readers learn about the new key from the releases that both keys sign. After the overlap, `publisher retire` removes the older key.',
  examples: ['cathedral publisher rotate', 'cathedral publisher rotate --out /srv/cathedral --json'],
  settings: [...SETTINGS, 'wait'],
  flags: { json },
  async run(config, context) {
    const keys = await changing(config, context, 'publisher rotate', rotatePublisher);
    return report(keys, config, context);
  },
});

export const publisherRetire = defineCommand({
  summary: 'Ends a rotation: the older publisher key stops signing.',
  details: 'It refuses while readers may not have learnt about the new key.',
  examples: ['cathedral publisher retire --out /srv/cathedral'],
  settings: [...SETTINGS, 'wait'],
  flags: {
    overlapDays: {
      flag: 'overlap-days',
      default: '30',
      unit: 'days, 0 to 3650',
      description:
        'How old the new key must be. Readers who check less often than this may not have seen it yet.',
      schema: integer(0, 3650),
    },
    json,
  },
  async run(config, context) {
    const { out, overlapDays: days } = config;
    const keys = await changing(config, context, 'publisher retire', (change) =>
      retirePublisher(change, { out, days }),
    );
    return report(keys, config, context);
  },
});

export const publisherReplace = defineCommand({
  summary: 'Replaces a lost or stolen publisher key with one that nothing vouches for.',
  details:
    'Every reader has to be told out of band. To change a key that you still have, use `publisher rotate`.',
  examples: ['cathedral publisher replace --gives-up 1a2b3c4d --out /srv/cathedral'],
  settings: [...SETTINGS, 'wait'],
  flags: {
    givesUp: {
      flag: 'gives-up',
      default: null,
      unit: '8 hex digits: the id in a verifier key, as /publisher.vkey has it',
      description: 'The key to replace; it guards against doing this by mistake.',
      required: true,
      schema: z.string().regex(/^[0-9a-f]{8}$/),
    },
    json,
  },
  async run(config, context) {
    const { out, givesUp } = config;
    const keys = await changing(config, context, 'publisher replace', (change) =>
      replacePublisher(change, { out, givesUp }),
    );
    return report(keys, config, context);
  },
});

function changing(
  config: Pick<Config, 'publisherKey' | 'store' | 'wait'>,
  { now }: Pick<Context, 'now'>,
  command: string,
  change: (change: KeyChange) => Promise<NoteKey[]>,
): Promise<NoteKey[]> {
  const keyFile = config.publisherKey;
  return withRecords(config, command, (records) => change({ keyFile, records, now: now() }));
}

async function report(
  keys: readonly NoteKey[],
  { out, json }: { out: string; json: boolean },
  { print }: Pick<Context, 'print'>,
): Promise<0> {
  const facts = await describe(keys, out);
  if (json) print(formatJson({ keys: facts }));
  else printKeys(facts, print);
  return 0;
}

/** `in_release`: the current release of `out` names the key, so that its readers know it; null without a release. */
async function describe(keys: readonly NoteKey[], out: string) {
  const release = await readCurrent(out).catch(() => null);
  return keys.map((key, index) => ({
    verifier_key: verifierKeyOf(key),
    made: key.made,
    until_retired: index > 0,
    in_release: release && (release.manifest.signed?.keys ?? []).includes(verifierKeyOf(key)),
  }));
}

function printKeys(facts: Awaited<ReturnType<typeof describe>>, print: Context['print']): void {
  for (const { verifier_key: key, made, until_retired: isOlder, in_release: isKnown } of facts) {
    const notes = [`made ${made}`];
    if (isOlder) notes.push('signs until it is retired');
    if (isKnown === false) notes.push('not yet in the current release');
    print(`${key} (${notes.join(', ')})`);
  }
}
