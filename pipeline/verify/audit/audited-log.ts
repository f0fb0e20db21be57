import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import type { Checkpoint } from '../../ledger/checkpoint.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../../ledger/log/entry-bundle.ts';
import { HASH_BYTES } from '../../ledger/log/hash.ts';
import { type Bundle, bundlePath, TILE_WIDTH, type Tile, tilePath } from '../../ledger/log/tile.ts';
import { type ReadTile, TileReader } from '../../ledger/log/tile-reader.ts';
import { nodeHash } from '../../ledger/merkle.ts';
import { MAX_NOTE_BYTES, type Verifier } from '../../ledger/note.ts';
import { LOG_FOLDER, logFile } from '../../release/log/log-folder.ts';
import { assertExtends } from '../log.ts';
import { type Origin, readSmall } from '../origin.ts';
import { forkError } from '../signed-release.ts';
import { openCheckpoint } from './verify-proof.ts';

/** Where a log is read from. Nothing that it gives is trusted. */
export interface LogSource {
  /** For messages. */
  name: string;
  /** A signed note. */
  checkpoint: () => Promise<Uint8Array>;
  tile: (tile: Tile) => Promise<Uint8Array>;
  /** `width` entries. */
  entries: (bundle: Bundle) => Promise<Uint8Array[]>;
}

/** A file of the log by its path below the log's address, of at most so many bytes; null where there is none. */
type ReadLogFile = (path: string, mostBytes: number) => Promise<Uint8Array | null>;

/** The log of a published OUT. */
export function folderSource(out: string): LogSource {
  return sourceOf(join(out, LOG_FOLDER), async (path) => {
    const place = logFile(out, path);
    return readFile(place).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      throw refused(place, 'a file that can be read', cause.code ?? cause.message, cause);
    });
  });
}

/** The log of a service or a mirror; entries are for government keys, so `withKey` reads those. */
export function originSource(origin: Origin, withKey: Origin): LogSource {
  return sourceOf(origin.placeOf(LOG_FOLDER), async (path, mostBytes) => {
    const reader = path.startsWith('tile/entries/') ? withKey : origin;
    const found = await readSmall(reader, `${LOG_FOLDER}/${path}`, { most: mostBytes }).catch(explain);
    return found?.bytes ?? null;
  });
}

function explain(error: unknown): never {
  if (!(error instanceof CathedralError) || error.code === 'mirror_stopped') throw error;
  const { place, expected, found } = error;
  const hint = /^status 40[13]$/.test(found) ? ': entries need a government key' : '';
  throw refused(place, expected, `${found}${hint}`, error);
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
      // A partial tile may be gone once the whole one is there, which begins with it.
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
  /** The checkpoint as it was given. */
  note: string;
  verifier: Verifier;
  reader: TileReader;
}

/** Throws ledger_signature or ledger_corrupt for the checkpoint, log_invalid for tiles that are not of it. */
export async function openAuditedLog(
  source: LogSource,
  verifiers: readonly Verifier[],
  readTile: ReadTile = source.tile,
): Promise<AuditedLog> {
  const note = Buffer.from(await source.checkpoint()).toString();
  const { checkpoint, verifier } = await openCheckpoint(note, verifiers, `${source.name}/checkpoint`);
  return { checkpoint, note, verifier, reader: await TileReader.open(checkpoint, readTile, nodeHash) };
}

/** A checkpoint that somebody kept. */
export interface HeldCheckpoint {
  /** As it was signed. */
  note: string;
  /** For messages. */
  place: string;
}

/**
 * A log goes on from an earlier checkpoint of it, by its own keys: nothing of that was removed or changed since. Gives that
 * checkpoint. Throws mirror_rollback, mirror_forked, and ledger_signature or ledger_corrupt for one that is not of these keys.
 */
export async function assertGoesOn(
  { checkpoint, reader }: AuditedLog,
  { note, place }: HeldCheckpoint,
  verifiers: readonly Verifier[],
): Promise<Checkpoint> {
  const { checkpoint: held } = await openCheckpoint(note, verifiers, place);
  if (held.origin !== checkpoint.origin) throw forkError(place, `the log ${held.origin}`, checkpoint.origin);
  await assertExtends(reader, held, place);
  return held;
}
