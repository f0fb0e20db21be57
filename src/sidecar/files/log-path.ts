import { parseTilePath } from '../../../pipeline/ledger/log/tile.ts';
import type { LOG_HEADERS } from '../../../pipeline/release/format/headers.ts';

/** A file of the log, its path below the log's address as `tilePath` spells it. */
export interface LogPath {
  kind: keyof typeof LOG_HEADERS;
  path: string;
}

/** Everything below it needs a key, whether there is such a bundle or not. */
export const ENTRIES_PATH = 'log/tile/entries/';

export const LOG_PREFIX = 'log/';

/**
 * What of the log a request's path is the address of; null for nothing. The path of the file is the request's only where it
 * is spelt exactly as the log's own are, so nothing else can be reached by it.
 */
export function parseLogPath(path: string): LogPath | null {
  if (!path.startsWith(LOG_PREFIX)) return null;
  const below = path.slice(LOG_PREFIX.length);
  if (below === 'checkpoint') return { kind: 'checkpoint', path: below };
  const found = parseTilePath(below);
  return found && { kind: found.kind, path: below };
}
