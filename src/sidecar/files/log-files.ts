import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseCosignedPath } from '../../../pipeline/ledger/log/cosigned-path.ts';
import { MAX_BUNDLE_BYTES } from '../../../pipeline/ledger/log/entry-bundle.ts';
import { POLICY_PATH } from '../../../pipeline/ledger/log/public-events.ts';
import { parseTilePath } from '../../../pipeline/ledger/log/tile.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/response-headers.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { Problem } from '../../api/problem.ts';
import { type Resource, resourceInMemory } from './representation.ts';

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

const zip = promisify(gzip);

/**
 * The log in OUT. Each request reads from the disk: tiles have at most 8 kB, and caches keep them for ever. Clients should get bundles
 * compressed (c2sp.org/tlog-tiles). `ready` is waited for before each. The time of a file is that of this machine's copy, and says nothing.
 */
export function createLogFiles(out: string, ready: () => void | Promise<void> = () => {}): LogFiles {
  return {
    async find({ kind, path }) {
      await ready();
      const bytes = await read(logFile(out, path));
      if (!bytes) throw new Problem('not_found', 'The log has no such file, or the tile is full by now.');
      const isBundle = kind === 'public' || kind === 'bundle';
      const compressed = isBundle ? await zip(bytes) : bytes;
      const encoded = compressed.length < bytes.length ? { gzip: compressed } : {};
      return resourceInMemory({ headers: LOG_HEADERS[kind], modified: null }, bytes, encoded);
    },
  };
}

/** Null where there is no such file. */
async function read(place: string): Promise<Buffer | null> {
  await using file = await open(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (!file) return null;
  const { size } = await file.stat();
  if (size > MAX_BUNDLE_BYTES) throw new Error(`${place}: ${size} bytes are too many for a file of the log`);
  return await file.readFile();
}
