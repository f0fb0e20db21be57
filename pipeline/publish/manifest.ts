import { z } from 'zod';
import { AREAS } from '../artifacts/artifact.ts';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Blob = z.strictObject({ bytes: z.int().min(0), sha256: Sha256 });

export const ManifestFile = z.strictObject({
  /** URL path below the root, percent-encoding undone: `economy/supply`, `government/index.html`. */
  path: z.string().min(1),
  /** data: an artifact; schema, page, asset: what stands beside it. */
  kind: z.enum(['data', 'schema', 'page', 'asset']),
  area: z.enum(AREAS).nullable(),
  restricted: z.boolean(),
  media_type: z.string(),
  ...Blob.shape,
  /** Data rows, where the file is a table. */
  rows: z.int().min(0).nullable(),
  /** Precompressed variants beside the file, at `<path>.br` and `<path>.gz`. */
  encodings: z.strictObject({ br: Blob.optional(), gzip: Blob.optional() }),
  /** The data's own time at which these bytes first appeared. */
  modified: z.string(),
  /** True: these bytes never change at this path. */
  immutable: z.boolean(),
});
export type ManifestFile = z.infer<typeof ManifestFile>;

/** A run of rows of a history, newest first inside, immutable; the file is named by rows, counted from genesis. */
export const Segment = z.strictObject({
  /** Path below the release folder: `segments/economy/mic-history.csv/0-20240.part`. */
  file: z.string(),
  first_row: z.int().min(0),
  end_row: z.int().min(0),
  ...Blob.shape,
  /** Timestamps of its oldest and newest row. */
  from: z.string(),
  to: z.string(),
});
export type Segment = z.infer<typeof Segment>;

export const Manifest = z.strictObject({
  format: z.literal('cathedral-release/1'),
  /** `<snapshot id>-<8 hex digits of the content>`, also the folder's name. */
  release: z.string(),
  /** The time of the last event folded in. */
  timestamp: z.string(),
  ledger: z.strictObject({ origin: z.string(), snapshot: z.string(), size: z.int().min(0), root: Sha256 }),
  software: z.string(),
  /** SHA-256 over data/documents, settings that show in files, and the version: a change means a new release. */
  inputs: Sha256,
  files: z.array(ManifestFile),
  /** By artifact path, newest first. Gated histories have only these. */
  segments: z.record(z.string(), z.array(Segment)),
});
export type Manifest = z.infer<typeof Manifest>;
