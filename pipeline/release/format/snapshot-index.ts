import * as z from 'zod/mini';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import { formatSignedFile, parseSignedFile, type SignedFile } from '../signing/signed-file.ts';
import { Latest, MOST_FILES, PublicManifest, ReleaseId, SnapshotId } from './public-manifest.ts';
import { ReleasePath } from './release-path.ts';

/** Folder below the service's root, and below OUT. */
export const SNAPSHOTS = 'snapshots';
export const INDEX = 'index.json';
/** The snapshot list, and the publisher's signature over it and the version of its release. */
export const LIST_PATH = `${SNAPSHOTS}/${INDEX}`;
export const LIST_SIGNATURE_PATH = `${LIST_PATH}.sig`;
/** The page of the list, the list and, last, its signature: they change with each release, and no other file below `snapshots/` does. */
export const LIST_FILES = [`${SNAPSHOTS}/index.html`, LIST_PATH, LIST_SIGNATURE_PATH];
/** Earlier versions of rewritten histories, named by SHA-256. */
export const OLD_HISTORIES = `${SNAPSHOTS}/histories`;

/** Limits for readers of an index, in bytes. */
export const LONGEST_INDEX = 16 << 20;

const FORM = 'cathedral-snapshots/v1';

const Blob = z.strictObject({ sha256: Latest.shape.manifest.shape.sha256, bytes: z.int().check(z.gte(0)) });

const Stored = z.strictObject({
  /** Path in the release, below the service's root: `economy/supply`. */
  path: ReleasePath,
  ...Blob.shape,
  media_type: z.string().check(z.minLength(1), z.maxLength(200)),
  /** Path of the stored bytes, below the service's root: `snapshots/2025-12-01T06Z/economy/supply`. */
  url: ReleasePath,
});

/**
 * A history is not stored again: rows are only ever added at its front, so the old version is its own header, given here in full,
 * plus the last bytes of today's file. `sha256` and `bytes` cover both parts together.
 */
const Ended = z.extend(z.omit(Stored, { url: true }), {
  /** In UTF-8. */
  head: z.string().check(z.maxLength(65_536)),
  /** The last `last` bytes of the file at `of`, without content coding: `Range: bytes=-<last>`. */
  range: z.strictObject({ of: ReleasePath, last: z.int().check(z.gte(0)) }),
});

export const SnapshotFile = z.union([Stored, Ended]);
export type SnapshotFile = z.infer<typeof SnapshotFile>;

/** `/snapshots/<id>/index.json`: one snapshot. It never changes. */
export const Snapshot = z.strictObject({
  schema_version: z.literal('1.0.0'),
  id: SnapshotId,
  /** The release that the files come from: the first one made from this ledger snapshot. */
  release: ReleaseId,
  /** Name and version of the software that made it. Another version may produce different bytes. */
  software: z.string().check(z.minLength(1), z.maxLength(200)),
  as_of: PublicManifest.shape.as_of,
  log: z.omit(PublicManifest.shape.log, { checkpoint: true }),
  /** In the order of their paths. */
  files: z.array(SnapshotFile).check(z.maxLength(MOST_FILES)),
});
export type Snapshot = z.infer<typeof Snapshot>;

const Entry = z.strictObject({
  id: SnapshotId,
  release: ReleaseId,
  as_of: PublicManifest.shape.as_of,
  log_size: z.int().check(z.gte(0)),
  root_hash: Latest.shape.log.shape.root_hash,
  /** Of `/snapshots/<id>/index.json`. */
  index: z.strictObject({
    path: ReleasePath,
    ...Blob.shape,
    bytes: Blob.shape.bytes.check(z.lte(LONGEST_INDEX)),
  }),
  /**
   * By a range's `of`: the file that now holds the range, if a later version of the software rewrote the history; null if the old
   * file is lost.
   */
  histories: z.optional(z.record(ReleasePath, z.nullable(ReleasePath))),
});
export type SnapshotEntry = z.infer<typeof Entry>;
/** What the page of the list says of a snapshot. */
export type ListedSnapshot = Pick<SnapshotEntry, 'id' | 'as_of' | 'log_size'>;

/** `/snapshots/index.json`: every available snapshot, newest first. */
export const SnapshotIndex = z.array(Entry).check(z.maxLength(MOST_FILES));
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

/** Throws release_invalid, also if the order is not newest first. */
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
