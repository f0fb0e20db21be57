import { z } from 'zod';
import { integer } from '../../pipeline/config/setting.ts';
import { type NoteKey, verifierKeyOf } from '../../pipeline/ledger/note-keys.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  type KeyChange,
  replacePublisher,
  requireKeys,
  retirePublisher,
  rotatePublisher,
} from '../../pipeline/release/signing/change-publisher.ts';
import { fileRecords, readSigningRecord } from '../../pipeline/release/signing/file-records.ts';
import { type Context, defineCommand, formatJson, json } from './command.ts';

const SETTINGS = ['publisherKey', 'out'] as const;

export const publisherShow = defineCommand({
  summary: "Prints the publisher's verifier keys, and what they signed last.",
  details: 'Give these keys to readers out of band: `verify` and `mirror` take them as --verifier-key.',
  examples: ['cathedral publisher show', 'cathedral publisher show --out /srv/cathedral --json'],
  isReader: true,
  settings: SETTINGS,
  flags: { json },
  async run({ publisherKey, out, json }, { print }) {
    const keys = await requireKeys(publisherKey);
    const { services } = await readSigningRecord(publisherKey);
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
    return report(await rotatePublisher(changeOf(config, context)), config, context);
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
    return report(await retirePublisher(changeOf(config, context), { out, days }), config, context);
  },
});

export const publisherReplace = defineCommand({
  summary: 'Replaces a lost or stolen publisher key with one that nothing vouches for.',
  details:
    'Every reader has to be told out of band. To change a key that you still have, use `publisher rotate`.',
  examples: ['cathedral publisher replace --gives-up 1a2b3c4d --out /srv/cathedral'],
  settings: [...SETTINGS, 'publisherName', 'wait'],
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
    const { out, givesUp, publisherName: name } = config;
    const keys = await replacePublisher(changeOf(config, context), { out, givesUp, name });
    return report(keys, config, context);
  },
});

function changeOf(
  { publisherKey: keyFile, wait }: { publisherKey: string; wait: number },
  { now }: Pick<Context, 'now'>,
): KeyChange {
  return { keyFile, records: fileRecords(keyFile, { waitMs: wait * 1000 }), now: now() };
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
