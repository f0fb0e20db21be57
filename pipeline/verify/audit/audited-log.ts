import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../../ledger/log/entry-bundle.ts';
import { HASH_BYTES } from '../../ledger/log/hash.ts';
import { nodeHash } from '../../ledger/log/merkle.ts';
import { type Bundle, bundlePath, TILE_WIDTH, type Tile, tilePath } from '../../ledger/log/tile.ts';
import { type ReadTile, TileReader } from '../../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, type Verifier } from '../../ledger/notes/note.ts';
import { LOG_FOLDER, logFile } from '../../release/log/log-folder.ts';
import { assertExtends } from '../log.ts';
import { type Origin, readSmall } from '../origin.ts';
import { forkError } from '../signed-release.ts';
import { openCheckpoint } from './verify-proof.ts';

/** Where a log is read from. Nothing that it returns is trusted. */
export interface LogSource {
  /** For messages. */
  name: string;
  /** A signed note. */
  checkpoint: () => Promise<Uint8Array>;
  tile: (tile: Tile) => Promise<Uint8Array>;
  /** `width` entries. */
  entries: (bundle: Bundle) => Promise<Uint8Array[]>;
}

/** Reads a file of the log, of at most `mostBytes`, by its path below the log's address; null: there is none. */
type ReadLogFile = (path: string, mostBytes: number) => Promise<Uint8Array | null>;

/** The log in a folder that releases are published in. */
export function folderSource(out: string): LogSource {
  return sourceOf(join(out, LOG_FOLDER), async (path) => {
    const place = logFile(out, path);
    try {
      // A trip through the thread pool takes longer than to read a small file.
      return readFileSync(place);
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      throw refused(place, 'a readable file', code ?? message, cause);
    }
  });
}

/** The log of a service or a mirror. Entries need a government key, so `withKey` reads them. */
export function originSource(origin: Origin, withKey: Origin): LogSource {
  return sourceOf(origin.placeOf(LOG_FOLDER), async (path, mostBytes) => {
    const isBundle = path.startsWith('tile/entries/');
    const options = { compressible: isBundle };
    const reader = isBundle ? withKey : origin;
    const found = await readSmall(reader, `${LOG_FOLDER}/${path}`, { most: mostBytes }, options).catch(
      explain,
    );
    return found?.bytes ?? null;
  });
}

function explain(error: unknown): never {
  if (!(error instanceof CathedralError) || error.code === 'mirror_stopped') throw error;
  const { place, expected, found } = error;
  const isRefused = /^status 40[13]$/.test(found);
  // A host that does not answer has not contradicted itself.
  if (error.code === 'mirror_unreachable' && !isRefused) throw error;
  throw refused(place, expected, isRefused ? `${found}: entries need a government key` : found, error);
}

function sourceOf(name: string, read: ReadLogFile): LogSource {
  const require = async (path: string, mostBytes: number) => {
    const bytes = await read(path, mostBytes);
    if (bytes) return bytes;
    throw refused(`${name}/${path}`, 'a file of the log', 'none');
  };
  return {
    name,
    checkpoint: () => require('checkpoint', MAX_NOTE_BYTES),
    async tile(tile) {
      const bytes = await read(tilePath(tile), TILE_WIDTH * HASH_BYTES);
      // A partial tile may have been removed once the full tile exists, which begins with it.
      if (bytes || tile.width === TILE_WIDTH) return bytes ?? require(tilePath(tile), 0);
      const whole = await require(tilePath({ ...tile, width: TILE_WIDTH }), TILE_WIDTH * HASH_BYTES);
      return whole.subarray(0, tile.width * HASH_BYTES);
    },
    async entries(bundle) {
      const path = bundlePath(bundle);
      const bytes = await read(path, MAX_BUNDLE_BYTES);
      if (bytes) return parseBundle(bytes, bundle.width, `${name}/${path}`);
      const whole = bundlePath({ ...bundle, width: TILE_WIDTH });
      const all = parseBundle(await require(whole, MAX_BUNDLE_BYTES), TILE_WIDTH, `${name}/${whole}`);
      return all.slice(0, bundle.width);
    },
  };
}

function refused(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('proof_refused', { place, expected, found, cause });
}

/** A log whose checkpoint a known key signed. */
export interface AuditedLog {
  checkpoint: Checkpoint;
  /** The checkpoint as it was signed. */
  note: string;
  verifier: Verifier;
  reader: TileReader;
}

/** Throws ledger_signature or ledger_corrupt for the checkpoint, and log_invalid for tiles of another tree. */
export async function openAuditedLog(
  source: LogSource,
  verifiers: readonly Verifier[],
  readTile: ReadTile = source.tile,
): Promise<AuditedLog> {
  const note = Buffer.from(await source.checkpoint()).toString();
  const { checkpoint, verifier } = await openCheckpoint(note, verifiers, `${source.name}/checkpoint`);
  return { checkpoint, note, verifier, reader: await TileReader.open(checkpoint, readTile, nodeHash) };
}

/** A checkpoint that the reader kept: a signed note, and its name for messages. */
export interface KeptCheckpoint {
  note: string;
  place: string;
}

/**
 * The log must extend an earlier checkpoint that one of its keys signed: nothing in it was removed or changed since. Returns that
 * checkpoint. Throws mirror_rollback, mirror_forked, ledger_signature and ledger_corrupt.
 */
export async function assertExtendsKept(
  { checkpoint, reader }: AuditedLog,
  { note, place }: KeptCheckpoint,
  verifiers: readonly Verifier[],
): Promise<Checkpoint> {
  const { checkpoint: kept } = await openCheckpoint(note, verifiers, place);
  if (kept.origin !== checkpoint.origin) throw forkError(place, `the log ${kept.origin}`, checkpoint.origin);
  await assertExtends(reader, kept, place);
  return kept;
}
