import { hash } from 'node:crypto';
import type { Beside } from '../../../pipeline/bucket/followed-folder.ts';
import { cosignedKey } from '../../../pipeline/bucket/layout.ts';
import type { ObjectCache } from '../../../pipeline/bucket/object-cache.ts';
import { type Pointer, pointedCheckpoint } from '../../../pipeline/bucket/pointer.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { parseCosignedPath } from '../../../pipeline/ledger/log/cosigned-path.ts';
import { fullTileOf, parseTilePath } from '../../../pipeline/ledger/log/tile.ts';
import { MAX_NOTE_BYTES, readSignatures } from '../../../pipeline/ledger/notes/note.ts';
import {
  INDEX,
  LIST_PATH,
  OLD_HISTORIES,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { Problem } from '../../api/problem.ts';
import { type LogFiles, type LogPath, logFilesFrom } from './log-files.ts';
import type { SnapshotSource } from './snapshot-files.ts';

export interface BucketFiles {
  /** Of the current release; null before the first. Waits for a switch that is due, so that it is never behind a release. */
  beside: () => Beside | null | Promise<Beside | null>;
  cache: ObjectCache;
  /** Told of each file that cannot be fetched. */
  report: (error: unknown) => void;
}

const RETRY_AFTER_S = 10;
/** Larger files are streamed. */
const MAX_SMALL_BYTES = 256 * 1024;

/** Only the file that is asked for is unavailable. */
async function fetched<T>(report: BucketFiles['report'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    report(error);
    throw unavailable();
  }
}

function unavailable(): Problem {
  const headers = { 'Retry-After': `${RETRY_AFTER_S}` };
  return new Problem('unavailable', 'This file cannot be fetched at present.', headers);
}

/** The log in a bucket: what its checkpoint covers, fetched when it is first requested. It is not compressed there, because another compressor would give it other bytes under the same key. */
export function bucketLogFiles({ beside, cache, report }: BucketFiles): LogFiles {
  return logFilesFrom(async (file) => {
    const found = await beside();
    if (!found) throw unavailable();
    const bytes = await fetched(report, () => readLogFile(found, file, cache));
    return bytes && { bytes, modified: found.pointer.switch_at };
  });
}

async function readLogFile(
  { pointer, log }: Beside,
  { kind, path }: LogPath,
  cache: ObjectCache,
): Promise<Buffer | null> {
  const size = parseCosignedPath(path);
  if (size !== null && size !== pointer.log.size) return readCosigned(size, pointer, cache);
  if (kind === 'checkpoint')
    return size === null || isCosigned(pointer) ? Buffer.from(pointer.log.checkpoint) : null;
  if (kind === 'policy') return log.policy();
  // Before anything is fetched: a path that the checkpoint does not cover costs no request to the store.
  if (!fullTileOf(path, log.head.size)) return null;
  const found = parseTilePath(path)!;
  const bytes = await (found.kind === 'tile'
    ? log.tile(found.tile)
    : found.kind === 'bundle'
      ? log.bundle(found.bundle)
      : log.publicBundle(found.bundle, found.version));
  return bytes && Buffer.from(bytes);
}

/** The note of an earlier checkpoint. Null where there is none. */
async function readCosigned(size: number, pointer: Pointer, cache: ObjectCache): Promise<Buffer | null> {
  if (size > pointer.log.size) return null;
  const bytes = await cache.read(cosignedKey(size), MAX_NOTE_BYTES);
  return bytes && Buffer.from(bytes);
}

/** Whether others than the ledger signed the newest checkpoint. */
function isCosigned(pointer: Pointer): boolean {
  const { origin } = pointedCheckpoint(pointer);
  const { signatures } = readSignatures(pointer.log.checkpoint, 'the checkpoint');
  return signatures.some(({ name }) => name !== origin);
}

/** The files below `snapshots/` in a bucket, fetched when they are first requested. */
export function bucketSnapshots({ beside, cache, report }: BucketFiles): SnapshotSource {
  return {
    async version(folder) {
      const found = await beside();
      if (!found) throw unavailable();
      const { pointer, snapshots, texts } = found;
      if (folder === SNAPSHOTS)
        return snapshots && [...texts.values()].map((text) => hash('sha256', text)).join(' ');
      if (folder === OLD_HISTORIES) return pointer.snapshots?.sha256 ?? null;
      return snapshots?.[`${folder}/${INDEX}`]?.sha256 ?? null;
    },
    async read(path) {
      const { texts, snapshots } = (await beside())!;
      const blob = snapshots?.[path];
      return texts.get(path) ?? (blob ? fetched(report, () => cache.readBlob(blob)) : null);
    },
    source: (_, blob) =>
      blob.bytes > MAX_SMALL_BYTES
        ? { file: blob.sha256, open: () => fetched(report, () => cache.open(blob)) }
        : () => fetched(report, () => cache.readBlob(blob)),
    async histories() {
      const { texts, snapshots } = (await beside())!;
      const [newest] = parseSnapshotIndex(String(texts.get(LIST_PATH)), LIST_PATH);
      const modified = newest?.as_of ?? '1970-01-01';
      const all = Object.entries(snapshots!).filter(([path]) => path.startsWith(`${OLD_HISTORIES}/`));
      return all.map(([path, blob]) => ({ path, ...blob, modified }));
    },
  };
}
