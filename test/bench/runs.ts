import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { demoRuns, SEED } from './demo.ts';
import { compare, type Report } from './figure.ts';
import { changesOf, measuredBuild, printsPdfs, withhold } from './releases.ts';
import { below, withScratch } from './scratch.ts';

const FIRST_YEAR = 2025;
const YEARS = 50;
const MOST_FIRST_MB = 1024;
const MOST_LONG_MB = 1024;
/** In seconds. */
const TEN_MINUTES = 600;

/**
 * What a run costs that finds one new snapshot, with site, charts and PDFs, after fifty years, beside the demo's after one. It closes a day, which
 * costs most.
 */
export async function runs(report: Report): Promise<void> {
  const pdfs = printsPdfs() ? [] : ['--without-pdf'];
  const what =
    pdfs.length === 0 ? 'a run with one new snapshot' : 'a run with one new snapshot, without PDFs,';
  const long = await withScratch((folder) => runsIn(folder, pdfs));
  report(
    compare(`${what} at fifty years ÷ ten minutes`, long.run.cpu, TEN_MINUTES, 's of CPU', 1),
    compare('its peak memory ÷ 1 GB', long.run.largest, MOST_LONG_MB, 'MB', 1),
    compare('its peak memory, all processes ÷ the largest', long.run.together, long.run.largest, 'MB'),
    compare('files that it changes at fifty years ÷ files', long.changed, long.files, 'files', 0.4),
    compare(
      'bytes that a mirror fetches for it at fifty years ÷ bytes',
      long.fetchedBytes,
      long.bytes,
      'MB',
      0.5,
    ),
    compare('peak memory of the first release ÷ 1 GB', long.first.largest, MOST_FIRST_MB, 'MB', 1),
    compare('its peak memory, all processes ÷ the largest', long.first.together, long.first.largest, 'MB'),
  );
  const { newDay, changed } = await demoRuns();
  const beside = "÷ at the demo's new day";
  report(
    compare(`${what} at fifty years ${beside}`, long.run.cpu, newDay.cpu, 's of CPU'),
    compare(`files that it changes at fifty years ${beside}`, long.changed, changed.changed, 'files', 1.2),
  );
}

async function runsIn(folder: string, flags: readonly string[]) {
  const [ledger, out, later] = below(folder, 'ledger', 'out', 'later');
  // The last snapshot has the first events of a new day.
  const to = `${FIRST_YEAR + YEARS}-07-03T06:00:00Z`;
  await writeSample({ out: ledger, from: `${FIRST_YEAR}-07-03`, to, seed: SEED });
  const [names] = await withhold(ledger, later, 1);
  const build = () => measuredBuild(folder, ledger, out, flags);
  const first = await build();
  const before = (await readCurrent(out))!.manifest;
  for (const name of names!) await rename(join(later, name), join(ledger, 'snapshots', name));
  const run = await build();
  return { first, run, ...changesOf(before, (await readCurrent(out))!.manifest) };
}
