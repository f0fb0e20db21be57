import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import type { SiteFacts } from '../../../pipeline/build/site/open-program.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { type DraftFile, DraftManifest, Manifest } from '../../../pipeline/release/format/manifest.ts';

/** The static pages are built from a draft, a page on demand from a finished release. */
const AnyManifest = z.discriminatedUnion('format', [DraftManifest, Manifest]);

/** What the pages are built from: the manifest of the draft, and the content of its public files. */
export class SiteRelease extends PublishedFiles {
  readonly draft: DraftManifest;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** E-mail address that readers write to. */
  readonly contact: string;
  /** The publishing organisation, if the program was told. */
  readonly author: string | undefined;
  readonly #printed: ReadonlySet<string>;
  readonly #files: ReadonlyMap<string, DraftFile>;
  readonly #pathOf: (path: string) => string;

  constructor(dir: string, { baseUrl, contact, author, printed = [] }: SiteFacts) {
    const path = join(dir, 'manifest.json');
    const draft = asDraft(parseJsonFile(readFileSync(path, 'utf8'), AnyManifest, path, 'site_failed'));
    const files = new Map(draft.files.map((file) => [file.path, file]));
    const pathOf = (path: string) => join(dir, 'public', requirePublic(files, path));
    super((path) => readFileSync(pathOf(path), 'utf8'), { code: 'site_failed', compile: z.compile });
    this.draft = draft;
    this.baseUrl = baseUrl;
    this.contact = contact;
    this.author = author;
    this.#printed = new Set(printed);
    this.#files = files;
    this.#pathOf = pathOf;
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

  /** Where a public file is on this machine, to read parts of it. Throws site_failed where there is none. */
  placeOf(path: string): string {
    return this.#pathOf(path);
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

let opened: SiteRelease | undefined;

/** Opens the release that all pages of this program show. Throws site_failed. */
export function useRelease(dir: string, facts: SiteFacts): SiteRelease {
  opened = new SiteRelease(dir, facts);
  return opened;
}

/** The release that the program was opened with. Throws site_failed. */
export function openRelease(): SiteRelease {
  if (opened) return opened;
  const expected = 'a release that the program was opened with';
  throw new CathedralError('site_failed', { place: 'src/site/program.ts', expected, found: 'none' });
}

/** Caches a value that hundreds of pages need, per release. */
export function perRelease<T>(read: (release: SiteRelease) => T): (release: SiteRelease) => T {
  const known = new WeakMap<SiteRelease, { value: T }>();
  return (release) => {
    const before = known.get(release);
    if (before) return before.value;
    const value = read(release);
    known.set(release, { value });
    return value;
  };
}
