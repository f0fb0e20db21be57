import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../pipeline/disk/durable.ts';
import { removeLeftOvers, removeWhole } from '../../pipeline/release/disk/remove-left-overs.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { SNAPSHOTS } from '../../pipeline/release/format/snapshot-index.ts';
import { openHistory } from '../../pipeline/release/history/history.ts';
import { openStaging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { dataFile, MINTS, timeOf, tinyFacts } from '../release/publish-tiny.ts';
import type { Scenario } from './scenario.ts';

const GOING = '2025-07-03T18Z';
const FILES_OF_SNAPSHOT = ['index.json', 'latest.json', 'manifest.json', 'supply.json'];

const outOf = (folder: string) => join(folder, 'out');

/** A release of a history, of a file that stays and of one that changes, each long enough to be compressed. */
async function publishSmall(out: string, events: number): Promise<void> {
  const previous = await readCurrent(out);
  const facts = tinyFacts(events);
  // As a run begins.
  await makeFolder(out);
  await removeLeftOvers(out);
  await using staging = await openStaging(out, previous, { reuse: true, inputs: facts.inputs });
  const history = await openHistory(staging, MINTS);
  for (let row = previous?.manifest.ledger.size ?? 0; row < events; row += 1)
    history.add([`${row}\n`], timeOf(row));
  await history.finish('row\n', '');
  await staging.write(dataFile('economy/roi', JSON.stringify(Array(1000).fill('the same'))));
  await staging.write(dataFile('economy/supply', JSON.stringify(Array(1000).fill(events))));
  await staging.publish({ facts, state: JSON.stringify({ events }) });
}

/** From staging to the swap, in milliseconds: without a ledger, a log and a signature, which the scenarios of the publisher have. */
export const RELEASE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a small release': {
    async prepare(folder) {
      for (const events of [10, 11]) await publishSmall(outOf(folder), events);
    },
    run: (folder) => publishSmall(outOf(folder), 12),
    async problems(folder, isDone) {
      const current = await readCurrent(outOf(folder));
      if (!current) return ['nothing is served'];
      const { size } = current.manifest.ledger;
      const found = (await verifyRelease(current.dir)).map((finding) => JSON.stringify(finding));
      const isKnown = size === 12 || (size === 11 && !isDone);
      return isKnown ? found : [...found, `a release of ${size} events is served`];
    },
  },
  'a snapshot that goes': {
    async prepare(folder) {
      for (const id of ['kept', GOING]) {
        const place = join(outOf(folder), SNAPSHOTS, id);
        await mkdir(place, { recursive: true });
        for (const file of FILES_OF_SNAPSHOT) await writeFile(join(place, file), id);
      }
    },
    run: (folder) => removeWhole(outOf(folder), [`${SNAPSHOTS}/${GOING}`]),
    async resume(folder) {
      await removeLeftOvers(outOf(folder));
      if (existsSync(join(outOf(folder), SNAPSHOTS, GOING)))
        await RELEASE_SCENARIOS['a snapshot that goes']!.run(folder);
    },
    async problems(folder, isDone) {
      const snapshots = join(outOf(folder), SNAPSHOTS);
      const found = await readdir(snapshots);
      const problems = isDone && found.includes(GOING) ? ['it has not gone'] : [];
      if (!found.includes('kept')) problems.push('another has gone');
      for (const id of found) {
        const files = await readdir(join(snapshots, id));
        if (files.length !== FILES_OF_SNAPSHOT.length) problems.push(`of ${id} there is only ${files}`);
      }
      return problems;
    },
  },
};
