import { readFile } from 'node:fs/promises';
import { asDiskErrors, ifThere } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { edgeTiles } from '../../ledger/log/tile.ts';
import { TileReader } from '../../ledger/log/tile-reader.ts';
import { EMPTY_TREE, type TreeEdge } from '../../ledger/log/tree-builder.ts';
import { type Checkpoint, parseCheckpoint } from '../../ledger/notes/checkpoint.ts';
import { diskTiles, logFile, verifiedEntries } from './log-folder.ts';

/** The published log. */
export interface PublishedLog {
  /** Null before the first one. */
  checkpoint: Checkpoint | null;
  /** The signed note of the checkpoint; empty before the first one. */
  note: string;
  /** The right edge of the tree, to which entries are added; verified against the checkpoint. */
  edge: TreeEdge;
  /** Reads the tiles below the checkpoint; null before the first one. */
  reader: TileReader | null;
}

/** Opens the published log of OUT and verifies its partial tiles; reads nothing else. Throws log_invalid. */
export async function openLog(out: string): Promise<PublishedLog> {
  const place = logFile(out, 'checkpoint');
  const note = await asDiskErrors(place, () => ifThere(readFile(place, 'utf8'), null));
  if (note === null) return { checkpoint: null, note: '', edge: EMPTY_TREE, reader: null };
  const checkpoint = parsePublished(note, place);
  const reader = await TileReader.open(checkpoint, diskTiles(out), (path) => logFile(out, path));
  const partial = edgeTiles(checkpoint.size).find(({ level }) => level === 0);
  const entries = partial ? await verifiedEntries(out, partial, reader) : [];
  return {
    checkpoint,
    note,
    edge: { size: checkpoint.size, hashes: (level) => reader.edge(level), entries },
    reader,
  };
}

/**
 * Parses the checkpoint without verifying its signature: the key may have been rotated since, and what matters here is what the
 * public saw.
 */
function parsePublished(note: string, place: string): Checkpoint {
  try {
    return parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1), place);
  } catch (cause) {
    const { expected, found } = cause as CathedralError;
    throw new CathedralError('log_invalid', { place, expected, found, cause });
  }
}
