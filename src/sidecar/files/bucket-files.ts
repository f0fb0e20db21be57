import { hash } from 'node:crypto';
import type { Beside } from '../../../pipeline/bucket/followed-folder.ts';
import { cosignedKey } from '../../../pipeline/bucket/layout.ts';
import type { ObjectCache } from '../../../pipeline/bucket/object-cache.ts';
import { type Pointer, pointedCheckpoint } from '../../../pipeline/bucket/pointer.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { parseCosignedPath } from '../../../pipeline/ledger/log/cosigned-path.ts';
import { fullTileOf, parseTilePath } from '../../../pipeline/ledger/log/tile.ts';
import { MAX_NOTE_BYTES, readSignatures } from '../../../pipeline/ledger/notes/note.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/headers.ts';
import type { Blob } from '../../../pipeline/release/format/manifest.ts';
import {
  INDEX,
  LIST_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { Problem } from '../../api/problem.ts';
import { compress, contentOf, type LogFiles, type LogPath } from './log-files.ts';
import { type Content, type Encoding, type Resource, resourceInMemory } from './representation.ts';
import { inMemory, type Listing, type SnapshotSource, streamed } from './snapshot-files.ts';

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

/** The log in a bucket: what its checkpoint covers, fetched when it is first requested. */
export function bucketLogFiles({ beside, cache, report }: BucketFiles): LogFiles {
  return {
    find: async (file) => {
      const found = await beside();
      if (!found) throw unavailable();
      const bytes = await fetched(report, () => readLogFile(found, file, cache));
      if (!bytes) throw new Problem('not_found', 'The log has no such file, or the tile is full by now.');
      const isBundle = file.kind === 'public' || file.kind === 'bundle';
      const contents = new Map<Encoding | null, Content>([
        [null, contentOf(bytes)],
        // In the bucket it is not compressed, because another compressor would give it other bytes under the same key.
        ...(isBundle ? await compress(bytes) : []),
      ]);
      const modified = found.pointer.switch_at;
      return resourceInMemory({ headers: LOG_HEADERS[file.kind], modified }, contents);
    },
  };
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
  const sourceOf = (blob: Blob): Content['source'] => {
    const open = () => fetched(report, () => cache.open(blob));
    if (blob.bytes > MAX_SMALL_BYTES) return { file: blob.sha256, open };
    return () => fetched(report, () => cache.readBlob(blob));
  };
  return {
    async version(folder) {
      const found = await beside();
      if (!found) throw unavailable();
      if (folder === SNAPSHOTS) return found.snapshots && versionOf([...found.texts.values()]);
      if (folder === OLD_HISTORIES) return found.pointer.snapshots?.sha256 ?? null;
      return found.snapshots?.[`${folder}/${INDEX}`]?.sha256 ?? null;
    },
    async load(folder) {
      const { texts, snapshots: files } = (await beside())!;
      const list = texts.get(LIST_PATH)!;
      const newest = parseSnapshotIndex(list.toString(), LIST_PATH)[0]?.as_of ?? null;
      if (folder === SNAPSHOTS) return loadTexts(texts, newest);
      if (folder === OLD_HISTORIES) return loadHistories(files!, newest, sourceOf);
      return fetched(report, () => loadSnapshot(files!, folder, cache, sourceOf));
    },
  };
}

type Files = NonNullable<Beside['snapshots']>;

function versionOf(texts: readonly Buffer[]): string {
  return texts.map((text) => hash('sha256', text)).join(' ');
}

function loadTexts(texts: Beside['texts'], modified: string | null): Listing {
  const about = { modified, immutable: false };
  return new Map([...texts].map(([path, bytes]) => [path, inMemory(path, bytes, about)]));
}

function loadHistories(
  files: Files,
  modified: string | null,
  sourceOf: (blob: Blob) => Content['source'],
): Listing {
  const listing = new Map<string, Resource>();
  for (const [path, blob] of Object.entries(files)) {
    if (!path.startsWith(`${OLD_HISTORIES}/`)) continue;
    const mediaType = 'application/octet-stream';
    listing.set(
      path,
      streamed(sourceOf(blob), { path, mediaType, ...blob, modified: modified ?? '1970-01-01' }),
    );
  }
  return listing;
}

async function loadSnapshot(
  files: Files,
  folder: string,
  cache: ObjectCache,
  sourceOf: (blob: Blob) => Content['source'],
): Promise<Listing> {
  const path = `${folder}/${INDEX}`;
  const text = await cache.readBlob(files[path]!);
  const { as_of: modified, files: listed } = parseSnapshot(text.toString(), path);
  const listing = new Map([[path, inMemory(path, text, { modified, immutable: true })]]);
  for (const file of listed) {
    if (!('url' in file)) continue;
    const { url, media_type: mediaType, bytes, sha256 } = file;
    listing.set(url, streamed(sourceOf(file), { path: url, mediaType, bytes, sha256, modified }));
  }
  return listing;
}
