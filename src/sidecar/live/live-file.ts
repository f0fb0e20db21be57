import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { DocumentArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import { type ManifestFile, sha256 } from '../../../pipeline/release/format/manifest.ts';
import type { Encoding } from '../files/accept-encoding.ts';
import { type Representation, representationHeaders } from '../files/representation.ts';

/** Smaller ones fit a packet as they are. */
const MIN_COMPRESSED_BYTES = 1400;
export const LIVE_ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/**
 * Brotli at 4 makes the largest file, of 120 kB, five times smaller within a millisecond; 9, as for files of a release,
 * takes fifteen times as long for a tenth less, and what is made here is old in a few seconds.
 */
const COMPRESS: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => gzipSync(bytes, { level: 6 }),
};

/** A real-time file as of one event: its text, and what is made of it as it is asked for. */
export class LiveFile {
  readonly text: string;
  readonly #artifact: DocumentArtifact;
  /** Of the newest event in it. */
  readonly #timestamp: string;
  readonly #representations = new Map<Encoding | null, Representation>();

  constructor(artifact: DocumentArtifact, text: string, timestamp: string) {
    this.#artifact = artifact;
    this.text = text;
    this.#timestamp = timestamp;
  }

  /** In that encoding, or as it is where compressing would not pay. */
  representation(encoding: Encoding | null): Representation {
    const pays = this.text.length >= MIN_COMPRESSED_BYTES;
    const chosen = pays ? encoding : null;
    let known = this.#representations.get(chosen);
    if (!known) {
      const bytes = Buffer.from(this.text);
      known = this.#describe(chosen ? COMPRESS[chosen](bytes) : bytes, chosen, pays);
      this.#representations.set(chosen, known);
    }
    return known;
  }

  #describe(bytes: Buffer, encoding: Encoding | null, varies: boolean): Representation {
    const digest = sha256(bytes);
    const modified = Math.floor(Date.parse(this.#timestamp) / 1000) * 1000;
    const validators = { etag: `"${digest}"`, modified, bytes: bytes.length };
    const general = headersFor(this.#listed(bytes.length, digest), { live: true });
    const headers = representationHeaders(general, validators, { encoding, varies });
    const read: Representation['read'] = (range) =>
      range ? bytes.subarray(range.first, range.last + 1) : bytes;
    return { headers, ...validators, read };
  }

  /** As a release would list it. */
  #listed(bytes: number, digest: string): ManifestFile {
    const { path, area, restricted, mediaType } = this.#artifact;
    return {
      path,
      kind: 'data',
      area,
      restricted,
      media_type: mediaType,
      bytes,
      sha256: digest,
      rows: null,
      encodings: {},
      modified: this.#timestamp,
      immutable: false,
    };
  }
}
