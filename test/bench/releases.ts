import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { programPath } from '../../pipeline/config/config.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { runMeasured, type Used } from './process-tree.ts';

export function printsPdfs(): boolean {
  try {
    return findChromium({ configured: null, path: programPath() }) !== '';
  } catch {
    console.log('  no Chromium: the runs print no PDFs');
    return false;
  }
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

/** Files that are new or have other bytes. */
export function changedIn(before: Manifest, { files }: Manifest): Manifest['files'] {
  const old = new Map(before.files.map(({ path, sha256 }) => [path, sha256]));
  return files.filter(({ path, sha256 }) => old.get(path) !== sha256);
}

/** How many files changed, and how many MB a mirror fetches of them: of a table that has grown, its beginning. */
export function changesOf(before: Manifest, after: Manifest) {
  const old = new Map(before.files.map((file) => [file.path, file]));
  const { files } = after;
  const changed = changedIn(before, after);
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
