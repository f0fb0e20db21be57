import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import type { SiteFacts } from '../../../pipeline/build/site/open-program.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { RecentCheckpoint } from '../../../pipeline/ledger/reading/read-checkpoint.ts';
import { type DraftFile, DraftManifest, Manifest } from '../../../pipeline/release/format/manifest.ts';

/** The static pages are built from a draft, a page on demand from a finished release. */
const AnyManifest = z.discriminatedUnion('format', [DraftManifest, Manifest]);

/** What the pages are made from: the manifest of the draft, and the content of its public files. */
export class SiteRelease extends PublishedFiles {
  readonly draft: DraftManifest;
  readonly #facts: SiteFacts;
  readonly #printed: ReadonlySet<string>;
  readonly #files: ReadonlyMap<string, DraftFile>;
  readonly #pathOf: (path: string) => string;

  constructor(dir: string, facts: SiteFacts) {
    const path = join(dir, 'manifest.json');
    const draft = asDraft(parseJsonFile(readFileSync(path, 'utf8'), AnyManifest, path, 'site_failed'));
    const files = new Map(draft.files.map((file) => [file.path, file]));
    const pathOf = (path: string) => join(dir, 'public', requirePublic(files, path));
    super((path) => readFileSync(pathOf(path), 'utf8'), 'site_failed');
    this.draft = draft;
    this.#facts = facts;
    this.#printed = new Set(facts.printed);
    this.#files = files;
    this.#pathOf = pathOf;
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return this.#facts.baseUrl;
  }

  /** Who publishes. */
  get organisation(): Organisation {
    return this.#facts.organisation;
  }

  /** Where the source code of the software is, if the operator has stated it. */
  get sourceCode(): string | undefined {
    return this.#facts.sourceCode;
  }

  /** The newest checkpoints of the ledger, newest first. */
  get checkpoints(): readonly RecentCheckpoint[] {
    return this.#facts.checkpoints ?? [];
  }

  /** The text of a paper, as HTML; undefined where it is not published here. */
  paperText(id: string): string | undefined {
    return this.#facts.papers?.get(id);
  }

  /** The version of this software: `cathedral-data-service 1.0.0` → `1.0.0`. */
  get version(): string {
    return this.draft.software.replace(/^\S+ /, '');
  }

  find(path: string): DraftFile | undefined {
    return this.#files.get(path);
  }

  /** Paths of the files so far that begin so, in order. */
  paths(prefix: string): string[] {
    return [...this.#files.keys()].filter((path) => path.startsWith(prefix));
  }

  /** Whether the finished release will have a file at this path. Pages link to no other data file. */
  willHave(path: string): boolean {
    return this.#files.has(path) || this.#printed.has(path);
  }

  /** The first bytes of a public file, or all of a shorter one. Throws site_failed like `read`. */
  head(path: string, bytes: number): string {
    const handle = openSync(this.#pathOf(path), 'r');
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, bytes, 0));
    } finally {
      closeSync(handle);
    }
  }
}

/** A page must not show anything from behind a key, not even a first row, so restricted files cannot be read here. */
function requirePublic(files: ReadonlyMap<string, DraftFile>, path: string): string {
  const file = files.get(path);
  if (file && !file.restricted) return path;
  const found = file ? 'a restricted one' : 'none';
  throw new CathedralError('site_failed', { place: path, expected: 'a public file of the release', found });
}

function asDraft(manifest: z.output<typeof AnyManifest>): DraftManifest {
  if (manifest.format === 'cathedral-draft/1') return manifest;
  const { timestamp, ledger, software, inputs } = manifest;
  const files = manifest.files.map(({ modified: _, ...file }) => file);
  return { format: 'cathedral-draft/1', timestamp, ledger, software, inputs, files };
}

let opened: { dir: string; release: SiteRelease } | undefined;

/** The release in a folder, which all pages show from here on. Throws site_failed. */
export function useRelease(dir: string, facts: SiteFacts): SiteRelease {
  if (opened?.dir !== dir) opened = { dir, release: new SiteRelease(dir, facts) };
  return opened.release;
}

/** The release that pages show. Throws site_failed. */
export function openRelease(): SiteRelease {
  if (opened) return opened.release;
  const place = 'src/site/layout/release-of-request.ts';
  throw new CathedralError('site_failed', {
    place,
    expected: 'a release that a request named',
    found: 'none',
  });
}

/** Keeps a value that hundreds of pages need, per release. */
export function perRelease<T>(read: (release: SiteRelease) => T): (release: SiteRelease) => T {
  const known = new WeakMap<SiteRelease, { value: T }>();
  return (release) => {
    const made = known.get(release) ?? { value: read(release) };
    known.set(release, made);
    return made.value;
  };
}
