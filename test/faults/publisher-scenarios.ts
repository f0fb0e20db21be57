import { lastRelease } from '../../pipeline/build/snapshots/restore.ts';
import { readNoteKeys, verifierKeyOf } from '../../pipeline/ledger/notes/note-keys.ts';
import {
  replacePublisher,
  retirePublisher,
  rotatePublisher,
} from '../../pipeline/release/signing/change-publisher.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { publishedProblems } from './published-problems.ts';
import type { Scenario } from './scenario.ts';
import { buildCommand, keysOf, NOW, outOf, publish, publisherOf, WITH_SITE } from './small-publisher.ts';

const DAY_MS = 86_400_000;
/** Events in the ledger of so many snapshots. */
const SIZES = [0, 30, 250, 290, 300];
const change = (folder: string) => ({
  keyFile: keysOf(folder),
  records: fileRecords(keysOf(folder), { waitMs: 0 }),
  now: NOW,
});

async function publishUpTo(folder: string, last: number): Promise<void> {
  for (let snapshots = 1; snapshots <= last; snapshots += 1) await publish(folder, snapshots);
}

/** A command that changes the keys, and is given again where it has not done so. */
function keyChange(
  before: (folder: string) => Promise<unknown>,
  command: (folder: string) => Promise<unknown>,
): Scenario {
  const textOf = async (folder: string) => (await readNoteKeys(keysOf(folder)))?.map(verifierKeyOf).join();
  let first: string | undefined;
  return {
    async prepare(folder) {
      await publishUpTo(folder, 1);
      await before(folder);
      first = await textOf(folder);
    },
    run: command,
    async resume(folder) {
      if ((await textOf(folder)) === first) await command(folder);
    },
    async problems(folder, isDone) {
      const problems = await publishedProblems(folder, [30], isDone);
      const keys = await textOf(folder);
      return keys === undefined ? [...problems, 'there are no keys'] : problems;
    },
  };
}

const rotate = (folder: string) => rotatePublisher(change(folder));

export const PUBLISHER_SCENARIOS: Readonly<Record<string, Scenario>> = {
  /** Nothing is there, not even the key. */
  'first run': {
    prepare: async () => {},
    run: (folder) => publish(folder, 2),
    command: (folder) => buildCommand(folder, 2),
    problems: (folder, isDone) => publishedProblems(folder, isDone ? [250] : [0, 250], isDone),
  },
  /** After a rotation: the log grows, partial tiles and a snapshot go. */
  'next run': {
    async prepare(folder) {
      await publishUpTo(folder, 3);
      await rotate(folder);
    },
    run: (folder) => publish(folder, 4),
    command: (folder) => buildCommand(folder, 4),
    problems: (folder, isDone) => publishedProblems(folder, SIZES.slice(isDone ? 4 : 3), isDone),
  },
  /** The release that is served is signed again. */
  'a run without news': {
    prepare: (folder) => publishUpTo(folder, 2),
    run: (folder) => publish(folder, 2, { publisher: publisherOf(folder, NOW + DAY_MS) }),
    problems: (folder, isDone) => publishedProblems(folder, [250], isDone),
  },
  'everything made again': {
    prepare: (folder) => publishUpTo(folder, 2),
    run: (folder) => publish(folder, 2, { rebuild: true }),
    problems: (folder, isDone) => publishedProblems(folder, [250], isDone),
  },
  /** The folder begins as the release before; some pages, charts and bundles are made, and nothing is compiled. */
  'next run with site and charts': {
    isLong: true,
    async prepare(folder) {
      for (const snapshots of [1, 2, 3]) await publish(folder, snapshots, WITH_SITE);
    },
    run: (folder) => publish(folder, 4, WITH_SITE),
    command: (folder) => buildCommand(folder, 4, '--without-pdf'),
    problems: (folder, isDone) => publishedProblems(folder, SIZES.slice(isDone ? 4 : 3), isDone),
  },
  rotate: keyChange(async () => {}, rotate),
  retire: keyChange(
    async (folder) => {
      await rotate(folder);
      await publish(folder, 1);
    },
    (folder) => retirePublisher(change(folder), { out: outOf(folder), days: 0 }),
  ),
  replace: keyChange(
    async () => {},
    async (folder) => {
      const [key] = (await readNoteKeys(keysOf(folder)))!;
      const givesUp = verifierKeyOf(key!).split('+')[1]!;
      return replacePublisher(change(folder), { previous: () => lastRelease(outOf(folder)), givesUp });
    },
  ),
};
