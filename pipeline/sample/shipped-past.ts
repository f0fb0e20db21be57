import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync, type Zippable, zipSync } from 'fflate';
import { PROJECT } from '../config/project.ts';
import { makeFolder } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';

/** The demo ledger up to here comes with the software, because to compress and sign its snapshots takes longer than all the rest. */
export const PAST_ENDS = '2026-06-10';

/** Its snapshots; `node scripts/demo-past.ts` writes it, from the same seed that continues it. */
export const PAST_FILE = join(PROJECT, 'data/demo-past.zip');

const SNAPSHOTS = 'snapshots';
const PARALLEL = 16;
/** A ZIP archive states times by the clock on the wall. */
const NO_TIME = new Date(1980, 0, 1);

/** The archive of a ledger's snapshots; equal snapshots give equal bytes. */
export async function packPast(ledger: string): Promise<Uint8Array> {
  const files: Zippable = {};
  for (const name of (await readdir(join(ledger, SNAPSHOTS))).sort()) {
    const level = name.endsWith('.zst') ? 0 : 9;
    files[name] = [await readFile(join(ledger, SNAPSHOTS, name)), { level, mtime: NO_TIME }];
  }
  return zipSync(files);
}

/** Writes the past into a new ledger's folder, and gives the number of its snapshots. */
export async function unpackPast(ledger: string): Promise<number> {
  const files = Object.entries(unzipSync(await readFile(PAST_FILE)));
  await makeFolder(join(ledger, SNAPSHOTS));
  await inParallel(files, PARALLEL, ([name, bytes]) => writeFile(join(ledger, SNAPSHOTS, name), bytes));
  return files.length / 2;
}
