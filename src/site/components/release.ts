import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { type DraftFile, DraftManifest, Manifest } from '../../../pipeline/release/format/manifest.ts';

interface SiteFacts {
  /** Without a slash at the end. */
  baseUrl: string;
  /** E-mail address that readers write to. */
  contact: string;
  /** Paths of what is printed from the pages, once they are there. */
  printed?: readonly string[] | undefined;
}

/** A page that is made when it is asked for is made from a release that is finished. */
const AnyManifest = z.discriminatedUnion('format', [DraftManifest, Manifest]);

/** What the pages are made from: the draft's facts, and the content of public files. */
export class SiteRelease {
  readonly draft: DraftManifest;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** E-mail address that readers write to. */
  readonly contact: string;
  /** Paths of what is printed from the pages, once they are there. */
  readonly #printed: ReadonlySet<string>;
  readonly #dir: string;
  readonly #files: ReadonlyMap<string, DraftFile>;

  constructor(dir: string, { baseUrl, contact, printed = [] }: SiteFacts) {
    const path = join(dir, 'manifest.json');
    this.draft = asDraft(parseJsonFile(readFileSync(path, 'utf8'), AnyManifest, path, 'site_failed'));
    this.baseUrl = baseUrl;
    this.contact = contact;
    this.#printed = new Set(printed);
    this.#dir = dir;
    this.#files = new Map(this.draft.files.map((file) => [file.path, file]));
  }

  /** Of this software: `cathedral-data-service 0.1.0` is 0.1.0. */
  get version(): string {
    return this.draft.software.replace(/^\S+ /, '');
  }

  find(path: string): DraftFile | undefined {
    return this.#files.get(path);
  }

  /** Whether the release will have a file at this path: a page links to no other. */
  willHave(path: string): boolean {
    return this.#files.has(path) || this.#printed.has(path);
  }

  /** A public JSON file, checked. Throws site_failed where it is not there, restricted, or does not fit. */
  read<S extends z.ZodType>(path: string, schema: S): z.output<S> {
    return parseJsonFile(readFileSync(this.#locate(path), 'utf8'), schema, path, 'site_failed');
  }

  /** The first bytes of a public file, or all of it where it is shorter. Throws site_failed like `read`. */
  head(path: string, bytes: number): string {
    const handle = openSync(this.#locate(path), 'r');
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, bytes, 0));
    } finally {
      closeSync(handle);
    }
  }

  /** A page must not show what is behind a key, not even its first row: restricted files have no place here. */
  #locate(path: string): string {
    const file = this.#files.get(path);
    if (file && !file.restricted) return join(this.#dir, 'public', path);
    const found = file ? 'a restricted one' : 'none';
    throw new CathedralError('site_failed', { place: path, expected: 'a public file of the release', found });
  }
}

function asDraft(manifest: z.output<typeof AnyManifest>): DraftManifest {
  if (manifest.format === 'cathedral-draft/1') return manifest;
  const { timestamp, ledger, software, inputs } = manifest;
  const files = manifest.files.map(({ modified: _, ...file }) => file);
  return { format: 'cathedral-draft/1', timestamp, ledger, software, inputs, files };
}

let opened: SiteRelease | undefined;

/** The release that this build is for, as `buildSite` names it in the environment. Throws site_failed. */
export function openRelease(): SiteRelease {
  const {
    CATHEDRAL_SITE_RELEASE: dir,
    CATHEDRAL_SITE_URL: baseUrl,
    CATHEDRAL_SITE_CONTACT: contact,
    CATHEDRAL_SITE_PRINTED: printed,
  } = process.env;
  if (!dir || baseUrl === undefined || !contact) {
    const place = 'CATHEDRAL_SITE_RELEASE, CATHEDRAL_SITE_URL, CATHEDRAL_SITE_CONTACT';
    throw new CathedralError('site_failed', {
      place,
      expected: 'a staging folder, the service’s address and an e-mail address',
      found: 'nothing',
    });
  }
  opened ??= new SiteRelease(dir, { baseUrl, contact, printed: printed?.split(' ') });
  return opened;
}
