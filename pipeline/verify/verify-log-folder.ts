import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { bundlePath, fullTileOf, newTiles, tilePath } from '../ledger/log/tile.ts';
import type { Verifier } from '../ledger/note.ts';
import { openNote } from '../ledger/open-note.ts';
import { listTree, type Tree } from '../release/disk/list-tree.ts';
import type { Facts } from '../release/format/manifest.ts';
import { ENTRIES_FOLDER, LOG_FOLDER, logFile } from '../release/log/log-folder.ts';
import { openLog } from '../release/log/open-log.ts';
import { assertTile } from '../release/log/reread-tiles.ts';
import type { Problem } from '../release/staging/verify-release.ts';

/**
 * Reads every file of the log: that each tile follows from the checkpoint, each entry has its hash in a tile, nothing else
 * is there, and the checkpoint is of the tree that the release was made of, or of a later one that goes on from it: the log is
 * published before its release. Without keys its signature is not looked at.
 */
export async function verifyLog(
  out: string,
  ledger: Facts['ledger'],
  verifiers: readonly Verifier[],
): Promise<Problem[]> {
  const problems = new Map<string, Problem>();
  const note = (problem: Problem) => void problems.set(problem.place, problem);
  await noting(note, out, async () => {
    const { checkpoint, note: signed, reader } = await openLog(out);
    if (!checkpoint || !reader) return note({ place: 'log/checkpoint', expected: 'a log', found: 'none' });
    const isAhead = ledger.size > 0 && checkpoint.size > ledger.size;
    const tree = isAhead ? { size: ledger.size, root: await reader.subtree(0, ledger.size) } : checkpoint;
    const published = { ...checkpoint, ...tree };
    for (const member of ['origin', 'size', 'root'] as const) {
      const [expected, found] = [`${ledger[member]}`, `${published[member]}`];
      if (expected !== found) note({ place: `log/checkpoint ${member}`, expected, found });
    }
    if (verifiers.length > 0) openNote(signed, verifiers, logFile(out, 'checkpoint'));
    for (const tile of newTiles(0, checkpoint.size))
      await noting(note, out, () => assertTile(out, tile, reader));
    await verifyNames(out, checkpoint.size, note);
  });
  return [...problems.values()];
}

/** A partial file of before stays until its tile is whole, and is then what the tile begins with. */
async function verifyNames(out: string, size: number, note: (problem: Problem) => void): Promise<void> {
  for (const [folder, prefix] of [[LOG_FOLDER, ''] as const, [ENTRIES_FOLDER, 'tile/entries/'] as const]) {
    const { files, others } = await treeBelow(join(out, folder));
    for (const name of [...files, ...others]) {
      const path = `${prefix}${name}`;
      if (path === 'checkpoint') continue;
      const whole = others.includes(name) ? null : wholeOf(path, size);
      const isPart = whole !== null && (await beginsWith(logFile(out, whole), join(out, folder, name)));
      const place = `${folder}/${name}`;
      if (!isPart) note({ place, expected: 'nothing', found: 'something that is not of the log' });
    }
  }
}

/** The file that a file of the log is a part of, or all of; null for a name that is none of this tree. */
function wholeOf(path: string, size: number): string | null {
  const whole = fullTileOf(path, size);
  return whole && (whole.kind === 'tile' ? tilePath(whole.tile) : bundlePath(whole.bundle));
}

/** True where the whole is not there: that is noted already. */
async function beginsWith(place: string, beginning: string): Promise<boolean> {
  if (place === beginning) return true;
  const [whole, part] = await Promise.all([readFile(place).catch(ifMissing(null)), readFile(beginning)]);
  return whole === null || whole.subarray(0, part.length).equals(part);
}

async function treeBelow(folder: string): Promise<Tree> {
  return listTree(folder).catch(ifMissing({ files: [], folders: [], others: [] }));
}

function ifMissing<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return instead;
    throw error;
  };
}

/** Notes what is wrong with the log, and throws whatever else goes wrong. */
async function noting(
  note: (problem: Problem) => void,
  out: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    note({ place: shown(out, error.place), expected: error.expected, found: error.found });
  }
}

/** Below OUT, where it is an absolute path; the path below the log's address otherwise. */
function shown(out: string, place: string): string {
  return place.startsWith(`${out}/`) ? place.slice(out.length + 1) : `log/${place}`;
}
