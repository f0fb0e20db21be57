import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AREAS } from '../../artifacts/artifact.ts';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { schemaFault } from '../../artifacts/format/schema-fault.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { mediaTypeOf } from './media-types.ts';
import { ReleasePath } from './release-path.ts';

const refusal = errorOf('release_invalid');

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Blob = z.strictObject({ bytes: z.int().min(0), sha256: Sha256 });
export type Blob = z.infer<typeof Blob>;

export const ManifestFile = z.strictObject({
  /** URL path below the root, percent-decoded: `economy/supply`, `government/index.html`. */
  path: ReleasePath,
  /** data: an artifact; schema, page, asset: what accompanies it; proof: the signed manifest of all the others. */
  kind: z.enum(['data', 'schema', 'page', 'asset', 'proof']),
  area: z.enum(AREAS).nullable(),
  restricted: z.boolean(),
  media_type: z.string(),
  ...Blob.shape,
  /** Number of data rows if the file is a table. */
  rows: z.int().min(0).nullable(),
  /**
   * Time of the last event that the content reflects: a document's own timestamp, the time of a table's newest row, that of a
   * chart. Absent where there is none, and for files that are derived from these.
   */
  as_of: z.string().optional(),
  /** Precompressed variants at `<path>.br` and `<path>.gz`. */
  encodings: z.strictObject({ br: Blob.optional(), gzip: Blob.optional() }),
  /** Data time at which these bytes first appeared. */
  modified: z.string(),
  /** True: these bytes never change at this path. */
  immutable: z.boolean(),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

/**
 * A ManifestFile while its release is staged. `modified` depends on earlier releases, so a page that showed it would differ in a
 * rebuild; the site therefore does not see it.
 */
export const DraftFile = ManifestFile.omit({ modified: true });
export type DraftFile = z.infer<typeof DraftFile>;

/**
 * An immutable run of a history's rows, newest first. Its file is named by row numbers, counted from genesis.
 */
export const Segment = z.strictObject({
  /** Path below the release folder: `segments/economy/mic-history.csv/0-20240.part`. */
  file: ReleasePath,
  first_row: z.int().min(0),
  end_row: z.int().min(0),
  ...Blob.shape,
  /** For readers who verify it again and again. */
  crc32: z.int().min(0).max(0xffffffff),
  /** `<file>.deflate` and `<file>.cycles`, which earlier versions wrote. No run links them. */
  deflate: z
    .strictObject({ ...Blob.shape, crc32: z.int() })
    .nullable()
    .optional(),
  cycles: Blob.nullable().optional(),
  /** `<file>.events`: the events that each row follows from. Absent where they are not kept. */
  events: Blob.optional(),
  /** Timestamps of its oldest and newest row. */
  from: z.string(),
  to: z.string(),
});
export type Segment = z.infer<typeof Segment>;

/** What a release is made from. */
const Facts = z.strictObject({
  /** Time of the last event. */
  timestamp: z.string(),
  ledger: z.strictObject({
    origin: z.string(),
    snapshot: z.string().regex(/^[\w-]{1,100}$/),
    size: z.int().min(0),
    root: Sha256,
  }),
  software: z.string(),
  /**
   * SHA-256 over data/documents, the settings that affect files, and the version. A change makes a new release.
   */
  inputs: Sha256,
});
export type Facts = z.infer<typeof Facts>;

/** `manifest.json` of a staging folder during the site build: the facts and the data files so far. */
export const DraftManifest = z.strictObject({
  format: z.literal('cathedral-draft/1'),
  ...Facts.shape,
  files: z.array(DraftFile),
});
export type DraftManifest = z.infer<typeof DraftManifest>;

const Signed = z.strictObject({
  version: z.int().min(1),
  keys: z.array(z.string()).min(1),
  expires: z.iso.datetime(),
});

export const Manifest = z.strictObject({
  format: z.literal('cathedral-release/1'),
  /** `<snapshot id>-<8 hex digits of the content>`. */
  release: z.string(),
  /** Version and expiry in the signed manifest, and the verifier keys that signed it. Absent if the release is unsigned. */
  signed: Signed.optional(),
  ...Facts.shape,
  files: z.array(ManifestFile),
  /** By artifact path, newest first. Restricted histories consist of these only. */
  segments: z.record(z.string(), z.array(Segment)),
  /**
   * Files of the release that have no URL, as paths below the release folder: `state.json`, `public/_headers`.
   */
  unlisted: z.array(z.strictObject({ file: ReleasePath, ...Blob.shape })),
  /**
   * SHA-256 over the release's content: all of this except `modified`, the encodings, `release`, `signed`, the proofs and the two
   * digests.
   */
  content: Sha256,
  /** SHA-256 of this file's text with 64 zeros in place of this digest. */
  digest: Sha256,
});
export type Manifest = z.infer<typeof Manifest>;

const ManifestBody = Manifest.omit({ format: true, release: true, content: true, digest: true });
/** A manifest without its derived members. */
export type ManifestBody = z.infer<typeof ManifestBody>;

const NO_DIGEST = '0'.repeat(64);

/** A manifest of which everything but its own digest, and what proves it, is final. */
export type Identified = Omit<Manifest, 'format' | 'digest'>;

/** Files of manifests that were parsed or identified before: a release has most of them from the one before. */
const known = new WeakSet<ManifestFile>();

/**
 * Sorts files and segments by path and members by schema, and adds the content digest and the release id. `knownContent`: the digest, if it was
 * computed before the proofs were added, which it does not cover. Throws publish_failed if the body does not match the schema.
 */
export function identifyRelease(given: ManifestBody, knownContent?: string): Identified {
  const { files: givenFiles, ...rest } = given;
  const fresh = givenFiles.filter((file) => !known.has(file));
  const parsed = ManifestBody.safeParse({ ...rest, files: fresh });
  if (!parsed.success)
    throw new CathedralError(
      'publish_failed',
      schemaFault('manifest.json', parsed.error, { ...rest, files: fresh }),
    );
  for (const file of parsed.data.files) known.add(file);
  const files = [...givenFiles.filter((file) => known.has(file)), ...parsed.data.files];
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const segments = Object.fromEntries(
    Object.entries(parsed.data.segments).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const body = { ...parsed.data, files, segments };
  const content = knownContent ?? contentDigest(body);
  return { release: `${body.ledger.snapshot}-${content.slice(0, 8)}`, ...body, content };
}

/** A complete manifest and its text, which has the digest as its last member. */
export function sealWithText(
  given: ManifestBody,
  knownContent?: string,
): { manifest: Manifest; text: string } {
  const identified = identifyRelease(given, knownContent);
  const sealed = { format: 'cathedral-release/1' as const, ...identified, digest: NO_DIGEST };
  const unsealed = formatManifest(sealed);
  const digest = sha256(unsealed);
  return { manifest: { ...sealed, digest }, text: withDigest(unsealed, digest) };
}

/** The text of `manifest.json`. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

const AFTER_DIGEST = '"\n}\n';

function withDigest(text: string, digest: string): string {
  return `${text.slice(0, -(digest.length + AFTER_DIGEST.length))}${digest}${AFTER_DIGEST}`;
}

/**
 * Strict: the text must be byte for byte what formatManifest writes, with matching digests and id, so any changed byte is
 * refused. Throws release_invalid.
 */
export function parseManifest(text: string, place: string): Manifest {
  const manifest = parseJsonFile(text, Manifest, place, 'release_invalid');
  for (const file of manifest.files) known.add(file);
  const { format: _, release: __, content: ___, digest: ____, ...body } = manifest;
  const expected = sealWithText(body);
  for (const member of ['content', 'release', 'digest'] as const) {
    const wanted = expected.manifest[member];
    if (manifest[member] !== wanted) throw refusal(`${place} ${member}`, wanted, manifest[member]);
  }
  if (expected.text !== text) throw refusal(place, 'the spelling of formatManifest', 'another');
  return manifest;
}

/** Name of the release's folder in `OUT/releases`. A refreshed release gets a new folder, because the two are served in turn. */
export function releaseFolder({
  release,
  signed,
}: {
  release: string;
  signed?: { version: number } | undefined;
}): string {
  return signed ? `${release}-${signed.version}` : release;
}

/** Path of a file below the release folder: `public/economy/supply`. */
export function storedAt(file: Pick<ManifestFile, 'path' | 'restricted'>): string {
  return `${file.restricted ? 'restricted' : 'public'}/${file.path}`;
}

/**
 * Digest of what is published, regardless of when a file first appeared, how it is compressed and who signed it. So a rebuild
 * from genesis gets the same id as the incremental runs did.
 */
function contentDigest({
  timestamp,
  ledger,
  software,
  inputs,
  files,
  segments,
  unlisted,
}: ManifestBody): string {
  const contents = files.filter(({ kind }) => kind !== 'proof');
  const plain = contents.map(({ modified: _, encodings: __, ...file }) => file);
  const pieces = Object.entries(segments).map(([path, list]) => [
    path,
    list.map(({ file, sha256, cycles, events }) => [
      file,
      sha256,
      ...(cycles ? [cycles.sha256] : []),
      ...(events ? [events.sha256] : []),
    ]),
  ]);
  return sha256(JSON.stringify([timestamp, ledger, software, inputs, plain, pieces, unlisted]));
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A complete file for the staging folder. */
export interface NewFile extends Omit<DraftFile, 'media_type' | 'bytes' | 'sha256' | 'encodings'> {
  mediaType: string;
  content: string | Uint8Array;
  /** Data time at which these bytes first appeared, if it is known and is not this release's. */
  modified?: string;
}

/** A public file that accompanies the data and belongs to no area. */
export function accompanyingFile(path: string, content: string, mediaType = mediaTypeOf(path)): NewFile {
  return {
    path,
    kind: 'schema',
    area: null,
    restricted: false,
    mediaType,
    rows: null,
    immutable: false,
    content,
  };
}
