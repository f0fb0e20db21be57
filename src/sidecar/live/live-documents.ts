import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { DocumentArtifact, View } from '../../../pipeline/artifacts/artifact.ts';
import { LIVE_ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { CathedralError, ERROR_CODES } from '../../../pipeline/errors.ts';
import { headersFor } from '../../../pipeline/release/format/response-headers.ts';
import { contentOf, type Encoding, Resource } from '../files/representation.ts';

/** A real-time file as of one event. */
export interface LiveDocument {
  text: string;
  resource: Resource;
}

interface Rendered {
  /** The version of the view that was rendered, or failed to. */
  version: number;
  /** The newest document that could be rendered. */
  document: LiveDocument | null;
  /** The reported error if that is not the version's; else null. */
  error: unknown;
}

/** The real-time files of a view. Each is rendered on request, once per view. */
export class LiveDocuments {
  readonly #artifacts: ReadonlyMap<string, DocumentArtifact>;
  readonly #rendered = new Map<string, Rendered>();
  readonly #report: (error: unknown) => void;
  #view: View | null = null;
  #version = 0;
  #events = 0;

  /** `report` gets the error of a document that cannot be rendered; the previous one stays. */
  constructor(report: (error: unknown) => void, artifacts: readonly DocumentArtifact[] = LIVE_ARTIFACTS) {
    this.#artifacts = new Map(artifacts.map((artifact) => [artifact.path, artifact]));
    this.#report = report;
  }

  /** A state object that was shown before and has changed since counts as a new view. */
  show(view: View): void {
    this.#view = view;
    this.#version += 1;
    this.#events = view.state.events;
  }

  /** Number of events in the newest document. A state that is being advanced may already have more than were shown. */
  get events(): number {
    return this.#events;
  }

  /** Null for any other path, and before the first view. */
  document(path: string): LiveDocument | null {
    const artifact = this.#artifacts.get(path);
    const view = this.#view;
    if (!artifact || !view) return null;
    const before = this.#rendered.get(path);
    if (before?.version === this.#version) return before.document;
    const rendered = { version: this.#version, ...this.#render(artifact, view, before) };
    this.#rendered.set(path, rendered);
    return rendered.document;
  }

  /** Why a document is older than the others; null if none is. */
  get fault(): string | null {
    for (const { error } of this.#rendered.values()) if (error !== null) return publicFault(error);
    return null;
  }

  #render(artifact: DocumentArtifact, view: View, before: Rendered | undefined): Omit<Rendered, 'version'> {
    try {
      const text = artifact.render(view);
      this.#events = Math.max(this.#events, view.state.events);
      // The same text keeps its resource, and with it what was compressed.
      const document = before?.document?.text === text ? before.document : null;
      return { document: document ?? liveDocument(artifact, text, view.state.asOf), error: null };
    } catch (error) {
      if (String(before?.error) !== String(error)) this.#report(error);
      return { document: before?.document ?? null, error };
    }
  }
}

/** The kind of a fault, for anyone who asks how the service is. What the ledger says about it stays in the server log. */
export function publicFault(error: unknown): string {
  if (!(error instanceof CathedralError)) return 'an unexpected fault';
  return `${error.code}: ${ERROR_CODES[error.code]}`;
}

/** Smaller documents fit into one packet without compression. */
const MIN_COMPRESSED_BYTES = 1400;

/**
 * Brotli at level 4 compresses the largest document, 120 kB, to a fifth within a millisecond. Level 9, used for the files of
 * a release, takes fifteen times as long and saves a tenth, and a live document is outdated within seconds.
 */
const COMPRESS: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => gzipSync(bytes, { level: 6 }),
};

/** `timestamp`: of the newest event in it. */
function liveDocument(
  { path, restricted, mediaType }: DocumentArtifact,
  text: string,
  timestamp: string,
): LiveDocument {
  const facts = { path, kind: 'data', restricted, media_type: mediaType, immutable: false } as const;
  const resource = new Resource({
    headers: headersFor(facts, { live: true }),
    modified: timestamp,
    encodings: text.length >= MIN_COMPRESSED_BYTES ? ['br', 'gzip'] : [],
    content: (encoding) => contentOf(encoding ? COMPRESS[encoding](Buffer.from(text)) : Buffer.from(text)),
  });
  return { text, resource };
}
