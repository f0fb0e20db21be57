import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TEMPORARY_SUFFIX } from '../../../pipeline/disk/durable.ts';
import { isSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { snapshotHeaders } from '../../../pipeline/release/format/headers.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import {
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotIndex,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { type Content, type Encoding, Resource } from './representation.ts';

/** Folders whose listings stay in memory; readers mostly ask for one snapshot at a time. */
const MAX_LOADED = 16;
export const PAGE = 'index.html';

/** The files of one folder, by their path below the root. */
export type Listing = ReadonlyMap<string, Resource>;

interface Loaded {
  version: string;
  listing: Promise<Listing>;
}

/** Where the files below `snapshots/` are. `folder`: `snapshots`, or one in it. */
export interface SnapshotSource {
  /** Changes whenever the files of the folder do; null if there is no such folder. */
  version(folder: string): Promise<string | null>;
  /** Rejects if the folder cannot be read. */
  load(folder: string): Promise<Listing>;
}

/**
 * Serves what is below `snapshots/`. As with a release, only listed files have an address: files in the list of snapshots, in the
 * index of a snapshot, or in the folders of styles and old histories. A request's path is never joined with a folder's.
 */
export class SnapshotFiles {
  readonly #source: SnapshotSource;
  /** By folder, the least recently requested first. */
  readonly #loaded = new Map<string, Loaded>();
  /** By path and SHA-256, the newest snapshot with the file, of the snapshots in `#read`. */
  readonly #holders = new Map<string, string>();
  readonly #read = new Set<string>();

  /** `source`: OUT, or where else the files are. */
  constructor(source: string | SnapshotSource) {
    this.#source = typeof source === 'string' ? folderSource(source) : source;
  }

  /** The file at a path, or the page of the list; where to redirect to if its slash is missing; null for neither. */
  async find(path: string): Promise<Resource | { movedTo: string } | null> {
    if (path === SNAPSHOTS) return { movedTo: `/${SNAPSHOTS}/` };
    const folder = folderOf(path);
    if (folder === null) return null;
    const listing = await this.#open(folder);
    return listing?.get(path.endsWith('/') ? `${path}${PAGE}` : path) ?? null;
  }

  /** The snapshot list, newest first; empty before the first one. Rejects if it cannot be read. */
  async list(): Promise<SnapshotIndex> {
    const listing = await this.#open(SNAPSHOTS);
    return listing ? parsedOnce(listing, LIST_PATH, parseSnapshotIndex, []) : [];
  }

  /** The index of a snapshot; null if there is none. Rejects if it cannot be read. */
  async snapshot(id: string): Promise<Snapshot | null> {
    const listing = await this.#open(`${SNAPSHOTS}/${id}`);
    return listing && parsedOnce(listing, `${SNAPSHOTS}/${id}/${INDEX}`, parseSnapshot, null);
  }

  /**
   * The newest of these snapshots that has a file with this hash; null if none does. Reads each index once, and remembers what the
   * files were, not the indexes.
   */
  async having(
    { path, sha256 }: { path: string; sha256: string },
    listed: SnapshotIndex,
  ): Promise<string | null> {
    const ids = new Set(listed.map(({ id }) => id));
    if ([...this.#read].some((id) => !ids.has(id))) {
      this.#read.clear();
      this.#holders.clear();
    }
    for (const { id } of listed) {
      if (this.#read.has(id)) continue;
      const listing = await this.#source.load(`${SNAPSHOTS}/${id}`);
      const snapshot = await parsedOnce(listing, `${SNAPSHOTS}/${id}/${INDEX}`, parseSnapshot, null);
      for (const file of snapshot?.files ?? []) {
        const version = `${file.path} ${file.sha256}`;
        if ((this.#holders.get(version) ?? '') < id) this.#holders.set(version, id);
      }
      this.#read.add(id);
    }
    return this.#holders.get(`${path} ${sha256}`) ?? null;
  }

  /** Null if there is no such folder. Rejects if it cannot be read. */
  async #open(folder: string): Promise<Listing | null> {
    const version = await this.#source.version(folder);
    if (version === null) return null;
    const known = this.#loaded.get(folder);
    const current = known?.version === version ? known : { version, listing: this.#source.load(folder) };
    this.#loaded.delete(folder);
    this.#loaded.set(folder, current);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > MAX_LOADED) this.#loaded.delete(oldest!);
    // The next request tries again: the folder may have been repaired.
    current.listing.catch(() => this.#loaded.delete(folder));
    return current.listing;
  }
}

const PARSED = new WeakMap<Listing, Promise<unknown>>();

function parsedOnce<T>(
  listing: Listing,
  path: string,
  parse: (text: string, place: string) => T,
  otherwise: T,
): Promise<T> {
  const resource = listing.get(path);
  if (!resource) return Promise.resolve(otherwise);
  const known = PARSED.get(listing) ?? resource.read().then((bytes) => parse(bytes.toString(), path));
  PARSED.set(listing, known);
  return known as Promise<T>;
}

function folderSource(out: string): SnapshotSource {
  return {
    version: (folder) => (folder === SNAPSHOTS ? versionOfList(out) : versionOf(join(out, folder))),
    load: (folder) => {
      if (folder === SNAPSHOTS) return loadIndex(out);
      return folder === OLD_HISTORIES ? loadHistories(out) : loadSnapshot(out, folder);
    },
  };
}

/** The folder that lists a file: `snapshots/2025-12-01T06Z/economy/supply` → `snapshots/2025-12-01T06Z`. */
function folderOf(path: string): string | null {
  const [root, name = ''] = path.split('/');
  if (root !== SNAPSHOTS) return null;
  if (path === `${SNAPSHOTS}/` || path === LIST_PATH || path === LIST_SIGNATURE_PATH) return SNAPSHOTS;
  const folder = `${SNAPSHOTS}/${name}`;
  return isSlotId(name) || folder === OLD_HISTORIES ? folder : null;
}

async function versionOf(place: string): Promise<string | null> {
  const found = await stat(place).catch(() => null);
  return found && `${found.ino} ${found.mtimeMs}`;
}

/** Covers the list and its signature, which are written one after the other. */
async function versionOfList(out: string): Promise<string | null> {
  const [list, signature] = await Promise.all(
    [LIST_PATH, LIST_SIGNATURE_PATH].map((path) => versionOf(join(out, path))),
  );
  return list ? `${list} ${signature}` : null;
}

/** Those of the three files that change with each release which exist. */
async function loadIndex(out: string): Promise<Listing> {
  const text = await readFile(join(out, LIST_PATH));
  const modified = parseSnapshotIndex(text.toString(), LIST_PATH)[0]?.as_of ?? null;
  const about = { modified, immutable: false };
  const files = new Map([[LIST_PATH, inMemory(LIST_PATH, text, about)]]);
  for (const path of [LIST_SIGNATURE_PATH, `${SNAPSHOTS}/${PAGE}`]) {
    const content = await readFile(join(out, path)).catch(() => null);
    if (content) files.set(path, inMemory(path, content, about));
  }
  return files;
}

async function loadSnapshot(out: string, folder: string): Promise<Listing> {
  const path = `${folder}/${INDEX}`;
  const text = await readFile(join(out, path));
  const { as_of: modified, files } = parseSnapshot(text.toString(), path);
  const listing = new Map([[path, inMemory(path, text, { modified, immutable: true })]]);
  for (const file of files) {
    if (!('url' in file)) continue;
    const { url, media_type: mediaType, bytes, sha256 } = file;
    listing.set(url, streamed({ file: join(out, url) }, { path: url, mediaType, bytes, sha256, modified }));
  }
  return listing;
}

/** They are named by their content. */
async function loadHistories(out: string): Promise<Listing> {
  const listing = new Map<string, Resource>();
  for (const entry of await readdir(join(out, OLD_HISTORIES), { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(TEMPORARY_SUFFIX)) continue;
    const path = `${OLD_HISTORIES}/${entry.name}`;
    const place = join(out, path);
    const { size: bytes, mtime } = await stat(place);
    const mediaType = 'application/octet-stream';
    const modified = mtime.toISOString();
    const facts = { path, mediaType, bytes, sha256: basename(path), modified };
    listing.set(path, streamed({ file: place }, facts));
  }
  return listing;
}

interface FileFacts {
  path: string;
  mediaType: string;
  bytes: number;
  sha256: string;
  /** ISO 8601. */
  modified: string;
}

/** A file that never changes. */
export function streamed(
  source: Content['source'],
  { path, mediaType, bytes, sha256, modified }: FileFacts,
): Resource {
  const content: Content = { sha256, bytes, source };
  return new Resource({ headers: snapshotHeaders(path, mediaType, true), modified, content: () => content });
}

export function inMemory(
  path: string,
  bytes: Buffer,
  { modified, immutable }: { modified: string | null; immutable: boolean },
): Resource {
  const headers = snapshotHeaders(path, mediaTypeOf(path), immutable);
  const content = (encoding: Encoding | null) => contentOf(encoding === null ? bytes : gzipSync(bytes));
  return new Resource({ headers, modified: modified ?? 0, encodings: ['gzip'], content });
}

function contentOf(bytes: Buffer): Content {
  return { sha256: hash('sha256', bytes), bytes: bytes.length, source: bytes };
}
