import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseCosignedPath } from '../../../pipeline/ledger/log/cosigned-path.ts';
import { MAX_BUNDLE_BYTES } from '../../../pipeline/ledger/log/entry-bundle.ts';
import { POLICY_PATH } from '../../../pipeline/ledger/log/public-events.ts';
import { parseTilePath } from '../../../pipeline/ledger/log/tile.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/headers.ts';
import { compressedPath } from '../../../pipeline/release/log/compressed-bundle.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { Problem } from '../../api/problem.ts';
import { type Content, type Encoding, type Resource, resourceInMemory } from './representation.ts';

/** A file of the log, its path below `/log/` as `tilePath` spells it. */
export interface LogPath {
  kind: keyof typeof LOG_HEADERS;
  path: string;
}

export const LOG_PREFIX = 'log/';

/** Null for anything but the exact spelling of a log path, so that no other file can be reached through one. */
export function parseLogPath(path: string): LogPath | null {
  if (!path.startsWith(LOG_PREFIX)) return null;
  const below = path.slice(LOG_PREFIX.length);
  if (below === 'checkpoint' || parseCosignedPath(below) !== null) return { kind: 'checkpoint', path: below };
  if (below === POLICY_PATH) return { kind: 'policy', path: below };
  const found = parseTilePath(below);
  return found && { kind: found.kind, path: below };
}

export interface LogFiles {
  /** Throws a Problem not_found. */
  find: (path: LogPath) => Promise<Resource>;
}

/** The log in OUT. Each request reads from the disk: tiles have at most 8 kB, and caches keep them for ever. */
export function createLogFiles(out: string): LogFiles {
  return { find: (path) => readLogFile(out, path) };
}

async function readLogFile(out: string, { kind, path }: LogPath): Promise<Resource> {
  const place = logFile(out, path);
  const { bytes, modified } = await read(place);
  const contents = new Map<Encoding | null, Content>([
    [null, contentOf(bytes)],
    ...(kind === 'public' ? await compressed(place) : []),
    ...(kind === 'bundle' ? await compressedEntries(place, bytes) : []),
  ]);
  return resourceInMemory({ headers: LOG_HEADERS[kind], modified }, contents);
}

/** A run places it beside the bundle, and just after it. */
async function compressed(place: string): Promise<['gzip', Content][]> {
  const found = await read(compressedPath(place)).catch(() => null);
  return found ? [['gzip', contentOf(found.bytes)]] : [];
}

/** Partial bundles have no compressed variant. */
async function compressedEntries(place: string, bytes: Buffer): Promise<['gzip', Content][]> {
  const found = await compressed(place);
  return found.length > 0 ? found : compress(bytes);
}

const zip = promisify(gzip);

/** Clients should get bundles compressed (c2sp.org/tlog-tiles). */
export async function compress(bytes: Buffer): Promise<['gzip', Content][]> {
  const compressed = await zip(bytes);
  return compressed.length < bytes.length ? [['gzip', contentOf(compressed)]] : [];
}

export function contentOf(bytes: Buffer): Content {
  return { sha256: hash('sha256', bytes), bytes: bytes.length, source: bytes };
}

async function read(place: string): Promise<{ bytes: Buffer; modified: number }> {
  const file = await open(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new Problem('not_found', 'The log has no such file, or the tile is full by now.');
  });
  try {
    const { size, mtimeMs } = await file.stat();
    if (size > MAX_BUNDLE_BYTES)
      throw new Error(`${place}: ${size} bytes are too many for a file of the log`);
    return { bytes: await file.readFile(), modified: mtimeMs };
  } finally {
    await file.close();
  }
}
