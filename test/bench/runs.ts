import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { programPath } from '../../pipeline/config/config.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { compare, type Report } from './figure.ts';
import { runMeasured, type Used } from './process-tree.ts';
import { below, withScratch } from './scratch.ts';

const FIRST_YEAR = 2025;
const MOST_FIRST_MB = 1024;
const MOST_LONG_MB = 1024;
/** In seconds. */
const TEN_MINUTES = 600;

/** A ledger's first release, and a run that adds one snapshot to it. */
interface Runs {
  first: Used;
  run: Used;
  /** Bytes in MB. */
  changed: number;
  files: number;
  fetchedBytes: number;
  bytes: number;
}

/** What a run costs that finds one new snapshot, with site, charts and PDFs, after one year and after fifty. It closes a day, which costs most. */
export async function runs(report: Report): Promise<void> {
  const pdfs = printsPdfs() ? [] : ['--without-pdf'];
  const what =
    pdfs.length === 0 ? 'a run with one new snapshot' : 'a run with one new snapshot, without PDFs,';
  const short = await withScratch((folder) => runAfter(1, folder, pdfs));
  report(
    compare('files that it changes ÷ files', short.changed, short.files, 'files', 0.4),
    compare(
      'bytes that a mirror fetches for it ÷ bytes of the release',
      short.fetchedBytes,
      short.bytes,
      'MB',
      0.5,
    ),
  );
  const long = await withScratch((folder) => runAfter(50, folder, pdfs));
  report(
    compare(`${what} at fifty years ÷ ten minutes`, long.run.cpu, TEN_MINUTES, 's of CPU', 1),
    compare(`${what} at fifty years ÷ at one`, long.run.cpu, short.run.cpu, 's of CPU'),
    compare('its peak memory ÷ 1 GB', long.run.largest, MOST_LONG_MB, 'MB', 1),
    compare('its peak memory, all processes ÷ the largest', long.run.together, long.run.largest, 'MB'),
    compare('files that it changes at fifty years ÷ at one', long.changed, short.changed, 'files', 1.2),
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
}

export function printsPdfs(): boolean {
  try {
    return findChromium({ configured: null, path: programPath() }) !== '';
  } catch {
    console.log('  no Chromium: the runs print no PDFs');
    return false;
  }
}

async function runAfter(years: number, folder: string, flags: readonly string[]): Promise<Runs> {
  const [ledger, out, later] = below(folder, 'ledger', 'out', 'later');
  // The last snapshot has the first events of a new day.
  const to = `${FIRST_YEAR + years}-07-03T06:00:00Z`;
  await writeSample({ out: ledger, from: `${FIRST_YEAR}-07-03`, to, seed: 1 });
  const [names] = await withhold(ledger, later, 1);
  const build = () => measuredBuild(folder, ledger, out, flags);
  const first = await build();
  const before = (await readCurrent(out))!.manifest;
  for (const name of names!) await rename(join(later, name), join(ledger, 'snapshots', name));
  const run = await build();
  return { first, run, ...changesOf(before, (await readCurrent(out))!.manifest) };
}

/** A run as operators start it. `folder`: for the publisher's key. */
export function measuredBuild(
  folder: string,
  ledger: string,
  out: string,
  flags: readonly string[],
): Promise<Used> {
  return runMeasured('bin/cathedral', [
    'build',
    ...['--ledger', ledger, '--out', out, '--publisher-key', join(folder, 'publisher.key')],
    ...['--base-url', 'https://data.example.org', '--allow-placeholders', ...flags],
  ]);
}

/** Takes the last snapshots out of a ledger. Returns the names of their files, the oldest first. */
export async function withhold(ledger: string, folder: string, last: number): Promise<string[][]> {
  await mkdir(folder);
  const ids = (await openDirectory(ledger).snapshots(null)).slice(-last).map(({ id }) => id);
  const names = await readdir(join(ledger, 'snapshots'));
  const withheld = ids.map((id) => names.filter((name) => name.startsWith(id)));
  for (const name of withheld.flat()) await rename(join(ledger, 'snapshots', name), join(folder, name));
  return withheld;
}

/** Histories to whose front rows are added. */
const GROWING = /^(text\/csv|application\/x-ndjson)\b/;

/** Files that are new or have other bytes, and what a mirror fetches of them: of a table that has grown, its beginning. */
function changesOf(before: Manifest, { files }: Manifest) {
  const old = new Map(before.files.map((file) => [file.path, file]));
  const changed = files.filter(({ path, sha256 }) => old.get(path)?.sha256 !== sha256);
  const fetched = changed.map((file) => {
    const kept = GROWING.test(file.media_type) ? (old.get(file.path)?.bytes ?? 0) : 0;
    return { bytes: kept < file.bytes ? file.bytes - kept : file.bytes };
  });
  const bytesOf = (some: readonly { bytes: number }[]) =>
    some.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  return {
    changed: changed.length,
    files: files.length,
    fetchedBytes: bytesOf(fetched),
    bytes: bytesOf(files),
  };
}
