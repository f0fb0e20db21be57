import { join } from 'node:path';
import { CathedralError, errorOf } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type Blob, formatManifest, type Manifest, sha256 } from '../release/format/manifest.ts';
import type { Published } from '../release/format/release.ts';
import { releaseFiles } from '../release/format/release-files.ts';
import { openLog, type PublishedLog } from '../release/log/open-log.ts';
import { counted } from '../words/number.ts';
import { BLOBS, blobKey, cosignedKey, LOG, LOG_ENTRIES, MANIFESTS, manifestKey } from './layout.ts';
import { newLogObjects } from './log-objects.ts';
import { isCosigned, type Pointed, pointedCheckpoint } from './pointer.ts';
import { formatSnapshotFiles } from './snapshot-files.ts';
import { allSnapshotObjects, snapshotObjects } from './snapshot-objects.ts';
import { objectsOf, readStoredRelease, type StoredRelease } from './stored-release.ts';
import { type Content, Upload, type UploadOptions } from './upload.ts';

const refused = errorOf('release_refused');

export interface PushOptions extends UploadOptions {
  out: string;
  objects: ObjectStore;
  /** Address of the service. */
  service: string;
  /**
   * What the row says is current: all of it is in the bucket. Null: the first push, or one that trusts nothing, lists the bucket and sends
   * what is missing or has another length.
   */
  previous: Pointed | null;
  /** The note of the current checkpoint, if it has this size: it may have more signatures than `previous`. */
  noteOf?: (size: number) => Promise<string | null>;
  log: (line: string) => void;
}

/** Stores a release and what belongs to it. Idempotent: after a kill at any call, the next push sends what is missing. */
export interface Push {
  /** Stores a snapshot of OUT, before it is recorded as one that never changes. Throws like `release`. */
  snapshot(id: string): Promise<void>;
  /**
   * Stores a release, and the log and the snapshots of OUT, and returns what the row and the pointer are to say. Readers see nothing of it
   * before. Throws release_invalid for a file that is missing or damaged, log_invalid, log_forked, release_refused for an unsigned release,
   * and store_failed.
   */
  release(release: Pick<Published, 'dir' | 'manifest'>): Promise<Omit<Pointed, 'epoch'>>;
  /** What was sent so far. */
  sent: Readonly<{ objects: number; bytes: number }>;
}

export async function openPush(options: PushOptions): Promise<Push> {
  const { out, objects, previous, log } = options;
  const upload = new Upload(objects, options);
  const earlier = previous && (await readStoredRelease(previous, options));
  if (previous && !earlier)
    log(`${objects.name} lacks what ${previous.release} consists of: looking for everything`);
  if (earlier) upload.know(objectsOf(previous!, earlier));
  else await upload.list([BLOBS, MANIFESTS, LOG, LOG_ENTRIES]);
  return {
    sent: upload.sent,
    snapshot: async (id) => upload.all((await snapshotObjects(out, id)).objects),
    release: (release) => pushRelease(release, upload, earlier, options),
  };
}

async function pushRelease(
  { dir, manifest }: Pick<Published, 'dir' | 'manifest'>,
  upload: Upload,
  earlier: StoredRelease | null,
  options: PushOptions,
): Promise<Omit<Pointed, 'epoch'>> {
  const { out, service, previous } = options;
  if (!manifest.signed) throw refused(dir, 'a signed release', 'an unsigned one');
  const published = await openWholeLog(out, manifest);
  const snapshots = await allSnapshotObjects(out, earlier?.files ?? {});
  let objects = new Map<string, Content>(snapshots?.objects);
  for (const [file, { blob }] of releaseFiles(manifest)) {
    const { sha256, bytes } = blob;
    objects.set(blobKey(sha256), { file: join(dir, file), blob: { sha256, bytes } });
  }
  const from = earlier ? pointedCheckpoint(previous!) : null;
  for await (const tiles of newLogObjects(out, published.reader!, from)) {
    await upload.all(new Map([...objects, ...tiles]));
    objects = new Map();
  }
  await keepCosigned(previous, published, options);
  // What refers to others comes after them.
  const list = snapshots && contentOf(formatSnapshotFiles(snapshots.files));
  const own = contentOf(formatManifest(manifest));
  if (list) objects.set(blobKey(list.blob.sha256), list);
  objects.set(manifestKey(own.blob.sha256), own);
  await upload.all(objects);
  return {
    service,
    version: manifest.signed.version,
    release: manifest.release,
    manifest: own.blob,
    log: { size: published.checkpoint!.size, checkpoint: published.note },
    snapshots: list?.blob ?? null,
  };
}

/**
 * The pointer has the note of the newest checkpoint only, so the one before is kept with its cosignatures. Nobody adds any to it later: witnesses
 * cosign the newest.
 */
async function keepCosigned(
  previous: Pointed | null,
  { checkpoint }: PublishedLog,
  { objects, noteOf }: PushOptions,
): Promise<void> {
  if (!previous || previous.log.size === checkpoint!.size) return;
  const note = (await noteOf?.(previous.log.size)) ?? previous.log.checkpoint;
  const { log } = previous;
  if (!isCosigned({ log: { ...log, checkpoint: note } })) return;
  const bytes = Buffer.from(note);
  // After a kill it is there already.
  await objects.put(cosignedKey(log.size), { bytes, sha256: sha256(bytes) }, 'absent');
}

/** The log of OUT, which may be ahead of the release and never behind it. Throws log_invalid. */
async function openWholeLog(out: string, { ledger }: Manifest): Promise<PublishedLog> {
  const published = await openLog(out);
  const size = published.checkpoint?.size ?? 0;
  if (published.reader && size >= ledger.size) return published;
  const place = join(out, 'log/checkpoint');
  throw new CathedralError('log_invalid', {
    place,
    expected: `the log of the release: at least ${counted(ledger.size, 'event')}`,
    found: `${size}`,
  });
}

function contentOf(text: string): { bytes: Uint8Array; blob: Blob } {
  const bytes = Buffer.from(text);
  return { bytes, blob: { sha256: sha256(bytes), bytes: bytes.length } };
}
