import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { parseBundle } from '../../ledger/log/entry-bundle.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { type Bundle, bundlePath, tilePath } from '../../ledger/log/tile.ts';
import type { ReadTile, TileReader } from '../../ledger/log/tile-reader.ts';

/** Public. Any web server can serve it as it is. */
export const LOG_FOLDER = 'log';
/** For government keys only, and therefore outside the folder that a web server serves. */
export const ENTRIES_FOLDER = 'log-entries';

const ENTRIES = 'tile/entries/';

/** Whether a file of the log holds entries, which need a key. */
export const isEntries = (path: string) => path.startsWith(ENTRIES);

/** Location of a log file by its path below the log's address: `checkpoint`, `tile/0/000`, `tile/entries/000`. */
export function logFile(out: string, path: string): string {
  return isEntries(path)
    ? join(out, ENTRIES_FOLDER, path.slice(ENTRIES.length))
    : join(out, LOG_FOLDER, path);
}

export function diskTiles(out: string): ReadTile {
  return async (tile) => readLogFile(logFile(out, tilePath(tile)));
}

/** The entries of a bundle and their hashes. Throws log_invalid. */
export function readEntries(out: string, bundle: Bundle): { entries: Uint8Array[]; hashes: string[] } {
  const place = logFile(out, bundlePath(bundle));
  const entries = parseBundle(readLogFile(place), bundle.width, place);
  return { entries, hashes: entries.map(leafHash) };
}

/** The entries of a bundle, each with the hash that the verified tile has. Throws log_invalid. */
export async function verifiedEntries(
  out: string,
  bundle: Bundle,
  reader: TileReader,
): Promise<readonly Uint8Array[]> {
  const hashes = await reader.tile(0, bundle.index);
  const found = readEntries(out, bundle);
  assertHashes(found.hashes, hashes, logFile(out, bundlePath(bundle)));
  return found.entries;
}

/** The hashes of these entries must be the first ones of those that a checkpoint signs. Throws log_invalid. */
export function assertHashes(found: readonly string[], signed: readonly string[], place: string): void {
  const wrong = found.findIndex((hash, index) => hash !== signed[index]);
  if (wrong < 0) return;
  const expected = `hash ${signed[wrong] ?? 'of no entry'}`;
  throw new CathedralError('log_invalid', {
    place: `${place} entry ${wrong}`,
    expected,
    found: found[wrong]!,
  });
}

/** In one go, because these files are short. Throws log_invalid. */
export function readLogFile(place: string): Buffer {
  try {
    return readFileSync(place);
  } catch (cause) {
    throw unreadable(place, 'a file of the log', cause);
  }
}

/** The widths with which OUT has a tile or a bundle, besides the whole one, which has the path `full`. Throws log_invalid. */
export async function partialWidths(out: string, full: string): Promise<number[]> {
  const folder = `${logFile(out, full)}.p`;
  const names = await ifThere(readdir(folder), []).catch((cause) => {
    throw unreadable(folder, 'a folder of the log', cause);
  });
  return names.filter((name) => /^[1-9]\d{0,2}$/.test(name)).map(Number);
}

function unreadable(place: string, expected: string, cause: unknown): CathedralError {
  const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
  return new CathedralError('log_invalid', { place, expected, found, cause });
}
