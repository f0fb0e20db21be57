import * as z from 'zod/mini';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import { isSlotId, SLOT_MS, slotId, slotTime } from '../../ledger/events/slot.ts';
import { MAX_NOTE_BYTES, MOST_KEYS } from '../../ledger/notes/note.ts';
import { timestampOf } from '../../model/window.ts';
import { formatSignedFile, parseSignedFile, type SignedFile } from '../signing/signed-file.ts';
import { ReleasePath } from './release-path.ts';

/** Paths of the files that prove a release, below the service's root. No list of files contains them. */
export const MANIFEST_PATH = 'manifest.json';
export const SIGNATURE_PATH = 'manifest.json.sig';
export const LATEST_PATH = 'latest.json';
export const PROOF_PATHS: readonly string[] = [MANIFEST_PATH, SIGNATURE_PATH, LATEST_PATH];

/** Limits for readers, in bytes: a hostile host may send without end. */
export const LONGEST = {
  /** About 250 bytes per file: room for a hundred thousand files. */
  [MANIFEST_PATH]: 32 << 20,
  [SIGNATURE_PATH]: MAX_NOTE_BYTES,
  [LATEST_PATH]: 16 << 10,
} as const;
export const MOST_FILES = 100_000;

/** How long a release is valid. Eight releases are due in that time. */
const LIFETIME_MS = 48 * 3_600_000;
/** An unchanged release is refreshed when no more than this is left, so two slots in a row may fail or be late. */
const RENEWAL_MS = LIFETIME_MS - 2 * SLOT_MS;

/**
 * Expiry of a release that is signed now, ms since 1970: counted from the slot, so that every run in it gives the same value, or
 * from the last event if that is later.
 */
export function expiryOf(asOf: string, now: number): string {
  const from = Math.max(Date.parse(asOf), slotTime(slotId(now)));
  return timestampOf(from + LIFETIME_MS);
}

/**
 * Whether an unchanged release should be refreshed now: it expires soon, or later than one that is signed now, because the clock was
 * ahead. Until then it could be withheld from readers as the newest.
 */
export function needsRefresh(expires: string, asOf: string, now: number): boolean {
  return Date.parse(expires) - slotTime(slotId(now)) <= RENEWAL_MS || expires > expiryOf(asOf, now);
}

/** Folders beside the release. No file of a release is in them. */
const APART = /^(log|snapshots)(\/|$)/i;
/** 32 bytes in base64: the last digit before the padding carries 4 bits only. */
const ROOT_HASH = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

const Sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex'));
const Bytes = z.int().check(z.gte(0));
const Time = z.iso.datetime();
const RootHash = z.string().check(z.regex(ROOT_HASH, '32 bytes in base64'));
const KeyName = z
  .string()
  .check(z.maxLength(200), z.regex(/^[^\s+\p{Cc}]+$/u, 'a key name without spaces and plus signs'));
const VerifierKey = z
  .string()
  .check(z.maxLength(400), z.regex(/^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/, 'a verifier key'));

/** Id of a release: `2025-12-01T06Z-1a2b3c4d`. */
export const ReleaseId = z.string().check(z.maxLength(120), z.regex(/^[\w-]+$/, 'the id of a release'));
/** Id of a ledger snapshot: `2025-12-01T06Z`. */
export const SnapshotId = z
  .string()
  .check(z.refine(isSlotId, 'a slot like 2025-12-01T06Z (00, 06, 12 or 18 h UTC)'));

export const PublicFile = z.strictObject({
  /** Path below the service's root, without a leading slash: `economy/supply`. */
  path: ReleasePath.check(
    z.refine(
      (path) => !PROOF_PATHS.includes(path) && !APART.test(path),
      'a path outside log/ and snapshots/, and not one of the files that prove the others',
    ),
  ),
  sha256: Sha256,
  bytes: Bytes,
  media_type: z.string().check(z.minLength(1), z.maxLength(200)),
  /** Data rows, where the file is a table. */
  rows: z.optional(z.int().check(z.gte(0))),
  /** Data time at which these bytes first appeared. */
  last_modified: Time,
});
export type PublicFile = z.infer<typeof PublicFile>;

const Log = z.strictObject({
  /** First line of the checkpoint, the name of the ledger and of its key. */
  origin: KeyName,
  /** Events. */
  size: z.int().check(z.gte(0)),
  root_hash: RootHash,
});

export const PublicManifest = z.strictObject({
  schema_version: z.literal('1.0.0'),
  /** The name of the publisher's keys. */
  publisher: KeyName,
  /** Verifier keys that sign this release, the one that stays first. A reader who trusts one of them learns the others here. */
  keys: z.array(VerifierKey).check(z.minLength(1), z.maxLength(MOST_KEYS)),
  /** Increases with each release. */
  version: z.int().check(z.gte(1)),
  release: ReleaseId,
  snapshot: SnapshotId,
  /** Time of the last event. */
  as_of: Time,
  /** After this time, readers refuse the release as expired. */
  expires: Time,
  /** The part of the ledger that the release is made from. `checkpoint` is the ledger's own signed note. */
  log: z.extend(Log, { checkpoint: z.string().check(z.minLength(1), z.maxLength(MAX_NOTE_BYTES)) }),
  /** Every public file except the three proof files, sorted by path. */
  files: z.array(PublicFile).check(
    z.maxLength(MOST_FILES),
    z.refine(
      (files) => files.every(({ path }, index) => index === 0 || files[index - 1]!.path < path),
      'files in the order of their paths, each once',
    ),
  ),
});
export type PublicManifest = z.infer<typeof PublicManifest>;

export const Latest = z.strictObject({
  version: PublicManifest.shape.version,
  release: ReleaseId,
  snapshot: SnapshotId,
  as_of: Time,
  expires: Time,
  manifest: z.strictObject({
    path: z.literal(MANIFEST_PATH),
    sha256: Sha256,
    bytes: Bytes.check(z.lte(LONGEST[MANIFEST_PATH])),
  }),
  log: z.omit(Log, { origin: true }),
});
export type Latest = z.infer<typeof Latest>;

const FORM = 'cathedral-manifest/v1';

/** `files`: as the schema parses them. */
export function formatPublicManifest({ files, ...manifest }: PublicManifest): string {
  const about = PublicManifest.parse({ ...manifest, files: [] });
  return `${JSON.stringify({ ...about, files }, null, 1)}\n`;
}

/** Throws release_invalid. The caller verifies that the text has the signed hash. */
export function parsePublicManifest(text: string, place: string = MANIFEST_PATH): PublicManifest {
  return parseJsonFile(text, PublicManifest, place, 'release_invalid');
}

export function formatLatest(latest: Latest): string {
  return `${JSON.stringify(Latest.parse(latest), null, 1)}\n`;
}

/** Throws release_invalid. */
export function parseLatest(text: string, place: string = LATEST_PATH): Latest {
  return parseJsonFile(text, Latest, place, 'release_invalid');
}

/** The text of the note in `manifest.json.sig`. */
export function formatSignedText(signed: SignedFile): string {
  return formatSignedFile(FORM, signed);
}

/** Parses the text of a note whose signature was verified. Throws release_invalid. */
export function parseSignedText(text: string, place: string = SIGNATURE_PATH): SignedFile {
  return parseSignedFile(FORM, text, place);
}

/** Decodes UTF-8. Throws release_invalid. */
export function textOf(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CathedralError('release_invalid', { place, expected: 'UTF-8', found: 'other bytes', cause });
  }
}
