import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest, ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { currentId, readCurrent } from '../../../pipeline/release/format/release.ts';
import { Problem } from '../../api/problem.ts';
import type { Representation } from './representation.ts';
import { SmallFiles } from './small-files.ts';

/** The release that one request is answered from. */
export interface ServedRelease {
  id: string;
  dir: string;
  manifest: Manifest;
  /** By exact path: nothing that is not in it has an address. */
  files: ReadonlyMap<string, ManifestFile>;
  /** By path and encoding, as they are asked for. */
  representations: Map<string, Representation>;
  small: SmallFiles;
}

/** What a request is answered with before the first release. */
export function noRelease(): Problem {
  return new Problem('unavailable', 'The first one is being made.', { 'Retry-After': '30' });
}

export interface ReleasesOptions {
  /** For how long it is not looked again which release is current, ms. 0: never; each request looks. */
  keepMs?: number;
  /** ms */
  now?: () => number;
}

/**
 * Follows OUT/current. A request asks once and keeps what it got, so its answer is of one release; a new release is
 * there for the next request. A new release that cannot be read is reported once, and the one before stays.
 */
export class Releases {
  readonly #out: string;
  readonly #report: (error: unknown) => void;
  #served: { version: string; release: ServedRelease } | null = null;
  #loading: { version: string; release: Promise<ServedRelease | null> } | null = null;
  #reported = '';
  #looked = -Infinity;
  readonly #keepMs: number;
  readonly #now: () => number;

  constructor(
    out: string,
    report: (error: unknown) => void,
    { keepMs = 0, now = () => performance.now() }: ReleasesOptions = {},
  ) {
    this.#out = out;
    this.#report = report;
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** The one that was looked up last. */
  get served(): ServedRelease | null {
    return this.#served?.release ?? null;
  }

  /** Null before the first release. At once where the last look is not `keepMs` ago. */
  current(): ServedRelease | null | Promise<ServedRelease | null> {
    const now = this.#now();
    if (this.#served && now - this.#looked < this.#keepMs) return this.#served.release;
    this.#looked = now;
    return this.#look();
  }

  async #look(): Promise<ServedRelease | null> {
    try {
      const version = await versionOf(this.#out);
      if (version === null) return null;
      if (this.#served?.version !== version) {
        const release = await this.#load(version);
        if (release) this.#served = { version, release };
      }
    } catch (error) {
      this.#reportOnce(error);
    }
    return this.#served?.release ?? null;
  }

  /** Requests that come meanwhile wait for the same reading. */
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

/** Changes with every release, and when a damaged one was mended in its place. */
async function versionOf(out: string): Promise<string | null> {
  const id = await currentId(out);
  if (id === null) return null;
  const { ino, mtimeMs } = await stat(join(out, 'releases', id, 'manifest.json'));
  return `${id} ${ino} ${mtimeMs}`;
}

async function load(out: string): Promise<ServedRelease | null> {
  const published = await readCurrent(out);
  if (!published) return null;
  const { dir, manifest } = published;
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  return {
    id: manifest.release,
    dir,
    manifest,
    files,
    representations: new Map(),
    small: new SmallFiles(),
  };
}
