import { z } from 'zod';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import { formatSignedFile, parseSignedFile, type SignedFile } from '../signing/signed-file.ts';
import { Latest, MOST_FILES, PublicManifest, ReleaseId, SnapshotId } from './public-manifest.ts';
import { ReleasePath } from './release-path.ts';

/** Below the service's root, and below OUT. */
export const SNAPSHOTS = 'snapshots';
export const INDEX = 'index.json';
/** The list of all, and the publisher's signature over it and the version of the release that it goes with. */
export const LIST_PATH = `${SNAPSHOTS}/${INDEX}`;
export const LIST_SIGNATURE_PATH = `${LIST_PATH}.sig`;
/** Histories that were written anew, as they were, by their SHA-256. */
export const OLD_HISTORIES = `${SNAPSHOTS}/histories`;
/** Styles and fonts of the pages. */
export const ASSETS = `${SNAPSHOTS}/assets`;

/** What a reader takes of an index at most, in bytes. */
export const LONGEST_INDEX = 16 << 20;

const FORM = 'cathedral-snapshots/v1';

const Blob = z.strictObject({ sha256: Latest.shape.manifest.shape.sha256, bytes: z.int().min(0) });

const Stored = z.strictObject({
  /** As it was in the release, below the service's root: `economy/supply`. */
  path: ReleasePath,
  ...Blob.shape,
  media_type: z.string().min(1).max(200),
  /** Where its bytes are now, below the service's root: `snapshots/2025-12-01T06Z/economy/supply`. */
  url: ReleasePath,
});

/**
 * A history is not stored again: rows are only ever added at its front, so what it was is its beginning of then, given
 * here in full, and the end of what it is now. `sha256` and `bytes` are of the two together.
 */
const Ended = Stored.omit({ url: true }).extend({
  /** In UTF-8. */
  head: z.string().max(65_536),
  /** So many bytes from the end of the file at `of`, without content coding: `Range: bytes=-<last>`. */
  range: z.strictObject({ of: ReleasePath, last: z.int().min(0) }),
});

export const SnapshotFile = z.union([Stored, Ended]);
export type SnapshotFile = z.infer<typeof SnapshotFile>;

/** `/snapshots/<id>/index.json`: one snapshot; it never changes. */
export const Snapshot = z.strictObject({
  schema_version: z.literal('1.0.0'),
  id: SnapshotId,
  /** Of which release the files are: the first one that was published of this snapshot. */
  release: ReleaseId,
  /** Name and version of what made it: another version may give other bytes. */
  software: z.string().min(1).max(200),
  as_of: PublicManifest.shape.as_of,
  log: PublicManifest.shape.log.omit({ checkpoint: true }),
  /** In the order of their paths. */
  files: z.array(SnapshotFile).max(MOST_FILES),
});
export type Snapshot = z.infer<typeof Snapshot>;

const Entry = z.strictObject({
  id: SnapshotId,
  release: ReleaseId,
  as_of: PublicManifest.shape.as_of,
  log_size: z.int().min(0),
  root_hash: Latest.shape.log.shape.root_hash,
  /** Of `/snapshots/<id>/index.json`. */
  index: z.strictObject({ path: ReleasePath, ...Blob.shape, bytes: Blob.shape.bytes.max(LONGEST_INDEX) }),
  /**
   * By a range's `of`: the file that the range is of now, where a later version of the software wrote the history anew and
   * its end is another one; null where the old file is lost.
   */
  histories: z.record(ReleasePath, ReleasePath.nullable()).optional(),
});
export type SnapshotEntry = z.infer<typeof Entry>;

/** `/snapshots/index.json`: every snapshot that is kept, newest first. */
export const SnapshotIndex = z.array(Entry).max(MOST_FILES);
export type SnapshotIndex = z.infer<typeof SnapshotIndex>;

export function formatSnapshot(snapshot: Snapshot): string {
  return `${JSON.stringify(Snapshot.parse(snapshot), null, 1)}\n`;
}

/** Throws release_invalid. */
export function parseSnapshot(text: string, place: string): Snapshot {
  return parseJsonFile(text, Snapshot, place, 'release_invalid');
}

export function formatSnapshotIndex(index: SnapshotIndex): string {
  return `${JSON.stringify(SnapshotIndex.parse(index), null, 1)}\n`;
}

/** Throws release_invalid, for an order that is not newest first too. */
export function parseSnapshotIndex(text: string, place: string = LIST_PATH): SnapshotIndex {
  const index = parseJsonFile(text, SnapshotIndex, place, 'release_invalid');
  const late = index.find(({ id }, at) => at > 0 && index[at - 1]!.id <= id);
  if (!late) return index;
  const expected = 'each snapshot once, newest first';
  throw new CathedralError('release_invalid', { place, expected, found: late.id });
}

/** The text of the note that is `/snapshots/index.json.sig`. */
export function formatSignedList(signed: SignedFile): string {
  return formatSignedFile(FORM, signed);
}

/** Of the text of a note whose signature was verified. Throws release_invalid. */
export function parseSignedList(text: string, place: string = LIST_SIGNATURE_PATH): SignedFile {
  return parseSignedFile(FORM, text, place);
}
