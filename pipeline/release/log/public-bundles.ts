import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, ifThere, replaceFile, sync } from '../../disk/durable.ts';
import { errorOf, orNull } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { readJson } from '../../ledger/events/json.ts';
import { formatPublicBundle, publicBundlePath } from '../../ledger/log/public-bundle.ts';
import {
  formatPolicy,
  isPublic,
  POLICY_PATH,
  PUBLIC_VERSION,
  parsePolicy,
} from '../../ledger/log/public-events.ts';
import { type Bundle, bundlePath, newTiles, TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import type { LogFile } from '../../ledger/log/tree-builder.ts';
import { logFile, partialWidths, readLogFile, verifiedEntries } from './log-folder.ts';

const invalid = errorOf('log_invalid');

const FOLDER = 'public';

/** The line of a verified event if it is public, else null. */
export function publicEntry(line: Uint8Array): Uint8Array | null {
  return isPublic(readJson(Buffer.from(line.buffer, line.byteOffset, line.length).toString()) as LedgerEvent)
    ? line
    : null;
}

export function publicFile(bundle: Bundle, entries: readonly (Uint8Array | null)[]): LogFile {
  return { path: publicBundlePath(bundle), bytes: formatPublicBundle(entries) };
}

/**
 * The version of the decisions by which a folder has public bundles; null: it has none. They are complete, because the decisions are written
 * after them.
 */
export async function publicVersion(out: string): Promise<number | null> {
  const place = logFile(out, POLICY_PATH);
  const text = await asDiskErrors(place, () => ifThere(readFile(place, 'utf8'), null));
  return text === null ? null : orNull(() => parsePolicy(text, place).version);
}

/** Whether OUT has public bundles by the decisions of this program. */
export async function hasPublicBundles(out: string): Promise<boolean> {
  return (await publicVersion(out)) === PUBLIC_VERSION;
}

/**
 * The public bundles of a log that has none, or that was published by other decisions: one for each of its entry bundles, partial ones
 * included. Reads all entries. Throws log_invalid.
 */
export async function* earlierPublicFiles(out: string, reader: TileReader): AsyncGenerator<LogFile[]> {
  for (const tile of newTiles(0, reader.head.size)) {
    if (tile.level > 0) return;
    const { index } = tile;
    const entries = (await verifiedEntries(out, tile, reader)).map(publicEntry);
    const partial = await partialWidths(out, bundlePath({ index, width: TILE_WIDTH }));
    for (const width of [...partial.filter((width) => width < tile.width), tile.width])
      yield [publicFile({ index, width }, entries.slice(0, width))];
  }
}

/** Says by which decisions the bundles were made, and removes those that were made by others. */
export async function placePolicy(out: string, text = formatPolicy()): Promise<void> {
  const place = logFile(out, POLICY_PATH);
  if ((await readFile(place, 'utf8').catch(() => null)) !== text) await replaceFile(place, text);
  const own = `v${parsePolicy(text, place).version}`;
  const folder = logFile(out, FOLDER);
  await asDiskErrors(folder, async () => {
    const others = (await readdir(folder)).filter((name) => /^v\d+$/.test(name) && name !== own);
    for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
    if (others.length > 0) await sync(folder);
  });
}

/** The public bundle of these entries must be in OUT. Throws log_invalid. */
export function assertPublicBundle(out: string, bundle: Bundle, entries: readonly Uint8Array[]): void {
  const { path, bytes: expected } = publicFile(bundle, entries.map(publicEntry));
  const place = logFile(out, path);
  const found = readLogFile(place);
  if (!found.equals(expected))
    throw invalid(place, `the ${expected.length} bytes of these entries`, `${found.length} other bytes`);
}
