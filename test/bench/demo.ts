import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { releaseFiles } from '../../pipeline/release/format/release-files.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { compare, type Report } from './figure.ts';
import type { Used } from './process-tree.ts';
import { changedIn, changesOf, measuredBuild, printsPdfs, withhold } from './releases.ts';
import { below, withScratch } from './scratch.ts';

/** The last slot has the first events of a new day; the ones before it are of the day before. */
const END = '2026-06-11T06:00:00Z';
export const SEED = 7;
const RUNS = 4;
const MOST_MB = 600;
/** On two fast cores, s of CPU: another machine misses them by its speed, so the runs have a bound beside the first release, too. */
const [MOST_FIRST_S, MOST_NEXT_S, MOST_NEW_DAY_S] = [22, 5, 7];

/** Each run's cost, and what it published. */
interface DemoRuns {
  /** A first release of the data files alone, in a folder of its own. */
  alone: Used;
  first: Used;
  next: Used;
  newDay: Used;
  /** Of each run, the first one included. */
  manifests: Manifest[];
  /** What the new day's run changes. */
  changed: ReturnType<typeof changesOf>;
  most: { together: number; largest: number };
}

let measured: Promise<DemoRuns> | null = null;

/** Releases of the demo with site, charts and PDFs, measured once. What a checkout compiles once is compiled before. */
export function demoRuns(): Promise<DemoRuns> {
  measured ??= withScratch(runsIn);
  return measured;
}

async function runsIn(folder: string): Promise<DemoRuns> {
  const flags = printsPdfs() ? [] : ['--without-pdf'];
  const [ledger, later, out, data] = below(folder, 'ledger', 'later', 'out', 'data');
  await writeSample({ out: ledger, to: END, seed: SEED });
  const withheld = await withhold(ledger, later, RUNS);
  const build = () => measuredBuild(folder, ledger, out, flags);
  await compileSite(join(folder, 'compiled'));
  const alone = await measuredBuild(join(folder, 'alone'), ledger, data, ['--without-site']);
  const runs = [await build()];
  const manifests: Manifest[] = [(await readCurrent(out))!.manifest];
  for (const names of withheld) {
    for (const name of names) await rename(join(later, name), join(ledger, 'snapshots', name));
    runs.push(await build());
    manifests.push((await readCurrent(out))!.manifest);
  }
  const most = (which: 'together' | 'largest') => Math.max(...runs.map((one) => one[which]));
  return {
    alone,
    first: runs[0]!,
    next: runs[1]!,
    newDay: runs.at(-1)!,
    manifests,
    changed: changesOf(manifests.at(-2)!, manifests.at(-1)!),
    most: { together: most('together'), largest: most('largest') },
  };
}

/**
 * What a release of the demo costs: the first one, the next ones, and the first one of a new day. The reference is a first release of the data
 * files alone.
 */
export async function demo(report: Report): Promise<void> {
  const { alone, first, next, newDay, changed, manifests, most } = await demoRuns();
  const ofNext = changedIn(manifests[0]!, manifests[1]!);
  const ofData = ofNext.filter(({ kind, media_type }) => kind === 'data' && !OTHER_FORMATS.test(media_type));
  const { files } = manifests[1]!;
  report(
    compare('first release of the demo ÷ its data files alone', first.cpu, alone.cpu, 's of CPU'),
    compare(`first release of the demo ÷ ${MOST_FIRST_S} s`, first.cpu, MOST_FIRST_S, 's of CPU', 1),
    compare('next run ÷ first release', next.cpu, first.cpu, 's of CPU', 0.6),
    compare(`next run ÷ ${MOST_NEXT_S} s`, next.cpu, MOST_NEXT_S, 's of CPU', 1),
    compare('first run of a new day ÷ first release', newDay.cpu, first.cpu, 's of CPU', 0.8),
    compare(`first run of a new day ÷ ${MOST_NEW_DAY_S} s`, newDay.cpu, MOST_NEW_DAY_S, 's of CPU', 1),
    compare('files that a next run changes ÷ files', ofNext.length, files.length, 'files', 0.34),
    compare(
      'of these other than data files ÷ all of these',
      ofNext.length - ofData.length,
      ofNext.length,
      'files',
    ),
    compare('files that a new day changes ÷ files', changed.changed, changed.files, 'files', 0.4),
    compare(
      'bytes that a mirror fetches for it ÷ bytes of the release',
      changed.fetchedBytes,
      changed.bytes,
      'MB',
      0.5,
    ),
    compare(
      'files with their compressed variants ÷ 1,500',
      releaseFiles({ files, segments: {}, unlisted: [] }).size,
      1500,
      'files',
      1,
    ),
    compare('peak memory of a run, all processes ÷ 600 MB', most.together, MOST_MB, 'MB', 1),
    compare('peak memory of a run, the largest process ÷ all', most.largest, most.together, 'MB'),
  );
}

/** A release of one day takes a few seconds more than compiling. */
async function compileSite(folder: string): Promise<void> {
  const [ledger, out] = below(folder, 'ledger', 'out');
  await writeSample({ out: ledger, to: '2025-07-05T00:00:00Z', seed: SEED });
  await measuredBuild(folder, ledger, out, ['--without-pdf']);
}

/** The same rows as in a file that is counted already. */
const OTHER_FORMATS = /ndjson|parquet|spreadsheet|sqlite|pdf/;
