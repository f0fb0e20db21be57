import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { CathedralError } from '../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { noteText, readSignatures } from '../ledger/notes/note.ts';
import { LONGEST, MANIFEST_PATH, PublicManifest } from '../release/format/public-manifest.ts';
import { Status } from '../release/format/status.ts';
import { POINTER_KEY } from './layout.ts';

/** Longest pointer that a reader accepts, in bytes: a signed note of at most 1 MB, and a status. */
export const LONGEST_POINTER = 4 << 20;

/** Longest manifest of a release folder, in bytes: it lists encodings and segments besides the files of the public one. */
export const LONGEST_RELEASE_MANIFEST = 4 * LONGEST[MANIFEST_PATH];

export const BlobOf = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex'),
  bytes: z.int().min(0),
});

/** What belongs together: a reader that takes all of it from one pointer never mixes two releases. */
export const Pointed = z.strictObject({
  /** Address of the service, without a trailing slash. */
  service: z.url({ protocol: /^https?$/ }),
  /** Of the signed manifest. It only grows. */
  version: PublicManifest.shape.version,
  /** Number of the lease under which the release became current. It tells who did it; only `version` orders pointers. */
  epoch: z.int().min(1),
  release: PublicManifest.shape.release,
  /** The release folder's own manifest, at `manifests/<sha256>.json`. */
  manifest: BlobOf.extend({ bytes: BlobOf.shape.bytes.max(LONGEST_RELEASE_MANIFEST) }),
  /** The published log: `size` events, and the note that OUT has as `log/checkpoint`. All its tiles and entry bundles are there. */
  log: z.strictObject({
    size: z.int().min(0),
    checkpoint: PublicManifest.shape.log.shape.checkpoint,
  }),
  /** The blob of `snapshot-files.ts`; null if the service publishes no snapshots. */
  snapshots: BlobOf.nullable(),
});
export type Pointed = z.infer<typeof Pointed>;

/** `pointer.json`: a copy of the row that decides which release is current. */
export const Pointer = z.strictObject({
  format: z.literal('cathedral-pointer/1'),
  ...Pointed.shape,
  /** When all replicas switch, on the database's clock. */
  switch_at: z.iso.datetime(),
  /** `/status.json` of the service: of the last run of any publisher. Null before the first. */
  status: Status.nullable(),
});
export type Pointer = z.infer<typeof Pointer>;

export function formatPointer(pointer: Omit<Pointer, 'format'>): string {
  return `${JSON.stringify(Pointer.parse({ format: 'cathedral-pointer/1', ...pointer }), null, 1)}\n`;
}

/** Throws release_invalid, also if the note in `log` is over another size. Its signature is not verified here. */
export function parsePointer(text: string, place: string = POINTER_KEY): Pointer {
  const pointer = parseJsonFile(text, Pointer, place, 'release_invalid');
  const { size } = pointedCheckpoint(pointer, place);
  if (size === pointer.log.size) return pointer;
  const fault = { place: `${place}: log.size`, expected: `${size}, as in the checkpoint` };
  throw new CathedralError('release_invalid', { ...fault, found: `${pointer.log.size}` });
}

/** The checkpoint of the log that belongs to a pointer. Throws release_invalid. */
export function pointedCheckpoint({ log }: Pick<Pointed, 'log'>, place: string = POINTER_KEY): Checkpoint {
  try {
    return parseCheckpoint(noteText(log.checkpoint, place), `${place}: log.checkpoint`);
  } catch (cause) {
    if (!(cause instanceof CathedralError)) throw cause;
    throw new CathedralError('release_invalid', { ...cause, cause });
  }
}

/** Whether others than the ledger signed the checkpoint. */
export function isCosigned(pointed: Pick<Pointed, 'log'>): boolean {
  const { origin } = pointedCheckpoint(pointed);
  return readSignatures(pointed.log.checkpoint, POINTER_KEY).signatures.some(({ name }) => name !== origin);
}
