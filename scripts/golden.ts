/** `npm run golden`: rewrites the lists and the examples of test/contract/release, and the digests of the simulation. Review the changes that git then shows. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Listing, linesOf } from '../test/contract/release/listing.ts';
import {
  EXAMPLE_LEDGER,
  EXAMPLES,
  isExample,
  LISTS,
  makeReleases,
} from '../test/contract/release/make-releases.ts';
import { DIGESTS, digestLines, SEEDS } from '../test/contract/simulation/digests.ts';
import { play } from '../test/contract/simulation/player.ts';
import { NAMES } from '../test/contract/simulation/scenarios.ts';

const lists = new Map<string, string[]>();
const folder = await mkdtemp(join(tmpdir(), 'cathedral-golden-'));
try {
  for (const [name, { listing }] of await makeReleases(folder)) {
    lists.set(name, await linesOf(listing));
    if (name === EXAMPLE_LEDGER) await writeExamples(listing);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const [first = [], ...others] = lists.values();
const same = new Set(first.filter((line) => others.every((lines) => lines.includes(line))));
await writeList('same', [...same]);
for (const [name, lines] of lists)
  await writeList(
    name,
    lines.filter((line) => !same.has(line)),
  );

async function writeList(name: string, lines: readonly string[]): Promise<void> {
  await writeFile(join(LISTS, `${name}.txt`), `${lines.join('\n')}\n`);
}

async function writeExamples(listing: Listing): Promise<void> {
  await rm(EXAMPLES, { recursive: true, force: true });
  for (const [path, { bytes }] of listing) {
    if (!isExample(path)) continue;
    const file = join(EXAMPLES, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}

const digests = NAMES.flatMap((scenario) =>
  digestLines(
    scenario,
    SEEDS.map((seed) => play(scenario, seed)),
  ),
);
await writeFile(DIGESTS, `${digests.join('\n')}\n`);
