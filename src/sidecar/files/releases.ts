import { hash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compress, isWorthCompressing } from '../../../pipeline/release/disk/compress.ts';
import {
  type Blob,
  type Manifest,
  type ManifestFile,
  storedAt,
} from '../../../pipeline/release/format/manifest.ts';
import { currentId, readCurrent } from '../../../pipeline/release/format/release.ts';
import { headersFor } from '../../../pipeline/release/format/response-headers.ts';
import type { Answer } from '../request/answer.ts';
import { RecentlyMade } from './recently-made.ts';
import {
  answerWith,
  type Content,
  contentOf,
  type Encoding,
  encodingFor,
  type RequestHead,
  Resource,
} from './representation.ts';

/** A release as the server answers from it. */
export interface ServedRelease {
  id: string;
  dir: string;
  manifest: Manifest;
  /** By exact path: no other file has an address. */
  files: ReadonlyMap<string, ManifestFile>;
  /** By path, as they are requested. */
  resources: Map<string, Resource>;
  /** The bytes of its small files, by place. A file whose hash differs from the manifest's is never served. */
  small: RecentlyMade<Buffer>;
  /** What was compressed because a client asked for it, by encoding and path. */
  encoded: RecentlyMade<Encoded>;
  /** Histories as they were, by snapshot and path. */
  assembled: RecentlyMade<Resource>;
}

/** Memory for the small files of one release. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Histories of one release that were verified; one is a few hundred bytes here. */
const MOST_ASSEMBLED = 4096;

/** `dir` is the release's folder. */
function servedRelease(dir: string, manifest: Manifest): ServedRelease {
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const { release: id } = manifest;
  return {
    id,
    dir,
    manifest,
    files,
    resources: new Map(),
    small: new RecentlyMade(MAX_TOTAL_BYTES, ({ length }) => length),
    encoded: new RecentlyMade(),
    assembled: new RecentlyMade(MOST_ASSEMBLED, () => 1),
  };
}

/** Of several servers, which switch to a release together. */
export interface Switching {
  /** Version of the release in the folder. */
  readonly version: number;
  /** Until when requests may be answered from it, as performance.now(); from then on they wait for `settle`, which never rejects. */
  readonly certainUntil: number;
  settle: () => Promise<void>;
}

const ALONE: Switching = { version: 0, certainUntil: Infinity, settle: async () => {} };

export interface ReleasesOptions {
  /** How long the current release is taken for granted, ms; 0 checks on each request. */
  keepMs?: number;
  /** Default: this machine serves alone. */
  switching?: Switching;
  /** ms */
  now?: () => number;
}

/**
 * Follows OUT/current. A request asks once and keeps the release it got, so its answer is consistent; the next request may
 * get the next release. A new release that cannot be read is reported once, and the previous one stays.
 */
export class Releases {
  readonly #out: string;
  readonly #report: (error: unknown) => void;
  #served: { version: string; release: ServedRelease } | null = null;
  #loading: { version: string; release: Promise<ServedRelease | null> } | null = null;
  #reported = '';
  #checkedAt = -Infinity;
  #checkedFor = 0;
  readonly #keepMs: number;
  readonly #switching: Switching;
  readonly #now: () => number;

  constructor(
    out: string,
    report: (error: unknown) => void,
    { keepMs = 0, switching = ALONE, now = () => performance.now() }: ReleasesOptions = {},
  ) {
    this.#out = out;
    this.#report = report;
    this.#keepMs = keepMs;
    this.#switching = switching;
    this.#now = now;
  }

  /** The release that the last request got. */
  get served(): ServedRelease | null {
    return this.#served?.release ?? null;
  }

  /** Null before the first release, and where somebody removed it. Synchronous within `keepMs` of the last check, unless a switch is due. */
  current(): ServedRelease | null | Promise<ServedRelease | null> {
    const now = this.#now();
    const { certainUntil, version } = this.#switching;
    if (now >= certainUntil) return this.#switching.settle().then(() => this.#check());
    if (this.#served && now - this.#checkedAt < this.#keepMs && this.#checkedFor === version)
      return this.#served.release;
    this.#checkedAt = now;
    this.#checkedFor = version;
    return this.#check();
  }

  async #check(): Promise<ServedRelease | null> {
    try {
      const version = await versionOf(this.#out);
      if (version === null) {
        this.#served = null;
        return null;
      }
      if (this.#served?.version !== version) {
        const release = await this.#load(version);
        if (release) this.#served = { version, release };
      }
    } catch (error) {
      this.#reportOnce(error);
    }
    return this.#served?.release ?? null;
  }

  /** Concurrent requests share one load. */
  #load(version: string): Promise<ServedRelease | null> {
    if (this.#loading?.version !== version) {
      const release = load(this.#out).finally(() => {
        if (this.#loading?.release === release) this.#loading = null;
      });
      this.#loading = { version, release };
    }
    return this.#loading.release;
  }

  #reportOnce(error: unknown): void {
    if (String(error) === this.#reported) return;
    this.#reported = String(error);
    this.#report(error);
  }
}

/** Changes with every release, and when a damaged one is repaired in place. */
async function versionOf(out: string): Promise<string | null> {
  const id = await currentId(out);
  if (id === null) return null;
  const { ino, mtimeMs } = await stat(join(out, 'releases', id, 'manifest.json'));
  return `${id} ${ino} ${mtimeMs}`;
}

async function load(out: string): Promise<ServedRelease | null> {
  const published = await readCurrent(out);
  return published && servedRelease(published.dir, published.manifest);
}

/** A file of the release, in every encoding that was published. */
export function resourceOf(release: ServedRelease, file: ManifestFile): Resource {
  let known = release.resources.get(file.path);
  if (!known) {
    known = new Resource({
      headers: headersFor(file),
      modified: file.modified,
      encodings: Object.keys(file.encodings) as Encoding[],
      ...(isCompressedOnRequest(file) && { varies: true }),
      content: (encoding) => contentIn(release, file, encoding),
    });
    release.resources.set(file.path, known);
  }
  return known;
}

const BOTH: readonly Encoding[] = ['br', 'gzip'];

/**
 * Answers with a file of the release. A page is published in Brotli alone, that of a record in neither encoding; what a client wants that is
 * not there is compressed once and kept, so that its entity tag is the hash of what is sent.
 */
export function answerWithFile(
  request: RequestHead,
  release: ServedRelease,
  file: ManifestFile,
): Answer | Promise<Answer> {
  const resource = resourceOf(release, file);
  const wanted = isCompressedOnRequest(file) ? encodingFor(request.headers, BOTH) : null;
  if (wanted === null || file.encodings[wanted]) return answerWith(request, resource);
  const encoded = release.encoded.get(`${wanted} ${file.path}`, () => encode(release, file, wanted));
  return encoded instanceof Promise
    ? encoded.then(({ resource }) => answerWith(request, resource))
    : answerWith(request, encoded.resource);
}

/** Data are published in both encodings, as far as they are not too long for that. */
function isCompressedOnRequest(file: ManifestFile): boolean {
  return file.kind !== 'data' && isWorthCompressing(file);
}

interface Encoded {
  size: number;
  resource: Resource;
}

/** In this encoding, or plain where that is no shorter. */
async function encode(release: ServedRelease, file: ManifestFile, wanted: Encoding): Promise<Encoded> {
  const plain = await readWhole(join(release.dir, storedAt(file)), file);
  const { [wanted]: source } = await compress(plain, file.media_type, [wanted]);
  const about = { headers: headersFor(file), modified: file.modified };
  if (!source)
    return {
      size: 0,
      resource: new Resource({ ...about, varies: true, content: () => contentIn(release, file, null) }),
    };
  const encoded = contentOf(source);
  return {
    size: source.length,
    resource: new Resource({ ...about, encodings: BOTH, content: () => encoded }),
  };
}

/** The text of a small file of the release; null if it has none at this path. Rejects if the file is damaged. */
export async function readReleaseText(release: ServedRelease, path: string): Promise<string | null> {
  const file = release.files.get(path);
  if (!file) return null;
  const place = join(release.dir, storedAt(file));
  return String(await release.small.get(place, () => readWhole(place, file)));
}

const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };
/** Larger files are streamed from the disk. */
const MAX_SMALL_BYTES = 256 * 1024;

function contentIn({ dir, small }: ServedRelease, file: ManifestFile, encoding: Encoding | null): Content {
  const blob: Blob = encoding ? file.encodings[encoding]! : file;
  const place = join(dir, storedAt(file)) + (encoding ? ENDINGS[encoding] : '');
  const { sha256, bytes } = blob;
  const read = () => small.get(place, () => readWhole(place, blob));
  return { sha256, bytes, source: bytes > MAX_SMALL_BYTES ? { file: place } : read };
}

/** Rejects with an Error if the file is not the manifest's. */
async function readWhole(place: string, { bytes, sha256 }: Blob): Promise<Buffer> {
  const found = await readFile(place);
  const digest = hash('sha256', found);
  if (digest === sha256) return found;
  throw new Error(
    `${place}: expected ${bytes} bytes with sha256 ${sha256}, found ${found.length} with ${digest}`,
  );
}
