import { cosignedPath } from '../ledger/log/cosigned-path.ts';
import { ENTRIES_FOLDER, LOG_FOLDER } from '../release/log/log-folder.ts';

/**
 * The keys of the objects in the bucket, below the prefix of its address. Everything but the pointer and `service.json` is written
 * once and never changes, so a reader may keep it for ever.
 */

/** Which service the bucket belongs to. Written once, by the first publisher. */
export const SERVICE_KEY = 'service.json';
/** The only object that is ever replaced. It says where everything else of the current release is. */
export const POINTER_KEY = 'pointer.json';

/** Every file of a release folder, and every file below `snapshots/`, by its SHA-256. */
export const BLOBS = 'blobs/';
/** The manifest of each release folder, with `state.json` and `server/` in it, by SHA-256. */
export const MANIFESTS = 'manifests/';
/** Tiles and entry bundles by their paths, as OUT has them. Their bytes follow from the ledger's tree, and the bundles of public events from theirs. */
export const LOG = `${LOG_FOLDER}/tile/`;
export const LOG_ENTRIES = `${ENTRIES_FOLDER}/`;

export function blobKey(sha256: string): string {
  return `${BLOBS}${sha256}`;
}

export function manifestKey(sha256: string): string {
  return `${MANIFESTS}${sha256}.json`;
}

/** The note of a checkpoint that is no longer current, with its cosignatures. */
export function cosignedKey(size: number): string {
  return `${LOG_FOLDER}/${cosignedPath(size)}`;
}

const ENTRIES = 'tile/entries/';

/** Key of a log file by its path below the log's address: `tile/0/000.p/17`, `tile/entries/x001/234`. */
export function logKey(path: string): string {
  return path.startsWith(ENTRIES) ? `${LOG_ENTRIES}${path.slice(ENTRIES.length)}` : `${LOG_FOLDER}/${path}`;
}

/** The reverse of `logKey`; null for a key of something else. */
export function logPathOf(key: string): string | null {
  if (key.startsWith(LOG_ENTRIES)) return `${ENTRIES}${key.slice(LOG_ENTRIES.length)}`;
  return key.startsWith(LOG) ? key.slice(LOG_FOLDER.length + 1) : null;
}
