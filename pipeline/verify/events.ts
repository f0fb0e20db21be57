import { inParallel } from '../disk/in-parallel.ts';
import { PublicEvents, publicBundlePath, type ReadLogFile } from '../ledger/log/public-bundle.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import { newTiles, type Tile } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { Origin } from './origin.ts';

interface EventsOptions {
  /** Of the tiles of level 0, those whose public events are read. */
  choose: (tiles: readonly Tile[], version: number) => readonly Tile[];
  parallel: number;
  /** Gets each file after its events, the one that says which events are public last. */
  keep?: ((path: string, bytes: Uint8Array) => Promise<void>) | undefined;
}

/**
 * Reads public events, each of which must have the hash of its leaf. Null: the log has none. That no public event is withheld is not
 * verified: only who has the entries can tell. Throws log_invalid, mirror_mismatch and mirror_unreachable.
 */
export async function verifyEvents(
  origin: Origin,
  reader: TileReader,
  { choose, parallel, keep }: EventsOptions,
): Promise<{ bundles: number; all: number; events: number } | null> {
  const files = new Map<string, Uint8Array>();
  const read: ReadLogFile = async (path, most) => {
    const bytes = await origin.readLogFile(path, most);
    if (keep && bytes) files.set(path, bytes);
    return bytes;
  };
  const log = await PublicEvents.open(reader, read);
  if (!log) return null;
  const { version } = log.policy;
  const leaves = [...newTiles(0, reader.head.size)].filter(({ level }) => level === 0);
  const chosen = choose(leaves, version);
  let events = 0;
  await inParallel(chosen, parallel, async (tile) => {
    const lines = await log.lines(tile.index);
    events += lines.filter((line) => line !== null).length;
    const path = publicBundlePath(tile, version);
    const bytes = files.get(path);
    // Missing if the origin has a longer log, and only the full bundle is left.
    if (keep && bytes) await keep(path, bytes);
    files.delete(path);
  });
  if (keep) await keep(POLICY_PATH, files.get(POLICY_PATH)!);
  return { bundles: chosen.length, all: leaves.length, events };
}
