import { z } from 'zod';
import { numbers } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import type { KeyChange } from '../../pipeline/release/signing/change-publisher.ts';
import { RUN_SETTINGS } from '../service/run-settings.ts';
import { type Context, defineCommand, json, type Result } from './command.ts';
import { assertShared } from './run.ts';

const SETTINGS = ['publisherKey', 'out', 'store'] as const;

const run = defineCommand({
  summary: 'Publishes every six hours and catches up on missed slots, like `start`, and serves nothing.',
  details:
    'Any number of machines that share a database and a bucket may run this command. They take turns: one publishes, the others find nothing new and are ready to take over.',
  examples: [
    'cathedral publisher run --ledger /srv/ledger --out /srv/publisher --base-url https://data.example.org',
  ],
  isService: true,
  settings: [...RUN_SETTINGS, 'sealDelay'],
  check: assertShared,
  async run(config, context) {
    const { runPublisher } = await import('../service/publisher.ts');
    await runPublisher(config, context, context.untilStopped());
    return 0;
  },
});

const show = defineCommand({
  summary: "Prints the publisher's verifier keys, and what they signed last.",
  details: 'Give these keys to readers out of band: `verify` and `mirror` take them as --verifier-key.',
  examples: ['cathedral publisher show', 'cathedral publisher show --out /srv/cathedral --json'],
  isReader: true,
  settings: SETTINGS,
  flags: { json },
  async run({ publisherKey, out, store }) {
    const { lastSigned, publisherFacts, formatPublisherKeys } = await import('../service/publisher.ts');
    const keys = await publisherFacts(publisherKey, out);
    const signed = await lastSigned({ publisherKey, store });
    return {
      facts: { keys, last_signed: signed },
      lines: [
        ...formatPublisherKeys(keys),
        ...signed.map(
          ({ service, release, version }) => `signed last for ${service}: ${release}, version ${version}`,
        ),
      ],
    };
  },
});

const rotate = defineCommand({
  summary:
    "Makes the publisher's next key, which signs together with the current one from the next release on.",
  details:
    'Readers learn about the new key from the releases that both keys sign. After the overlap, `publisher retire` removes the older key.',
  examples: ['cathedral publisher rotate', 'cathedral publisher rotate --out /srv/cathedral --json'],
  settings: [...SETTINGS, 'wait'],
  flags: { json },
  async run(config, context) {
    const { rotatePublisher } = await import('../../pipeline/release/signing/change-publisher.ts');
    return changeKeys(config, context, 'publisher rotate', rotatePublisher);
  },
});

const retire = defineCommand({
  summary: 'Ends a rotation: the older publisher key stops signing.',
  details: 'It refuses until readers have had time to learn the new key.',
  examples: ['cathedral publisher retire --out /srv/cathedral'],
  settings: [...SETTINGS, 'wait'],
  flags: {
    overlapDays: {
      default: '30',
      ...numbers('days', 0, 3650),
      description:
        'How old the new key must be. Readers who check less often than this may not have seen it yet.',
    },
    json,
  },
  async run(config, context) {
    const { retirePublisher } = await import('../../pipeline/release/signing/change-publisher.ts');
    const { out, overlapDays: days } = config;
    return changeKeys(config, context, 'publisher retire', (change) =>
      retirePublisher(change, { out, days }),
    );
  },
});

const replace = defineCommand({
  summary: 'Replaces a lost or stolen publisher key with one that nothing vouches for.',
  details:
    'Every reader has to be told out of band. To change a key that you still have, use `publisher rotate`.',
  examples: ['cathedral publisher replace --gives-up 1a2b3c4d --out /srv/cathedral'],
  settings: [...SETTINGS, 'wait'],
  flags: {
    givesUp: {
      unit: '8 hex digits: the id in a verifier key, as /publisher.vkey has it',
      description: 'The key to replace. You have to name it so that nobody does this by mistake.',
      required: true,
      schema: z.string().regex(/^[0-9a-f]{8}$/),
    },
    json,
  },
  async run(config, context) {
    const { lastRelease } = await import('../../pipeline/build/snapshots/restore.ts');
    const { replacePublisher } = await import('../../pipeline/release/signing/change-publisher.ts');
    const { out, givesUp } = config;
    return changeKeys(config, context, 'publisher replace', (change) =>
      replacePublisher(change, { previous: () => lastRelease(out), givesUp }),
    );
  },
});

async function changeKeys(
  config: Pick<Config, 'publisherKey' | 'out' | 'store' | 'wait'>,
  { now }: Context,
  command: string,
  change: (change: KeyChange) => Promise<unknown>,
): Promise<Result> {
  const { publisherFacts, formatPublisherKeys } = await import('../service/publisher.ts');
  const { withRecords } = await import('../service/turn.ts');
  const { publisherKey: keyFile, out } = config;
  await withRecords(config, command, (records) => change({ keyFile, records, now: now() }));
  const keys = await publisherFacts(keyFile, out);
  return { facts: { keys }, lines: formatPublisherKeys(keys) };
}

export const COMMANDS = {
  'publisher run': run,
  'publisher show': show,
  'publisher rotate': rotate,
  'publisher retire': retire,
  'publisher replace': replace,
};
