import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSlotId } from '../../../pipeline/ledger/slot.ts';
import { TEMPORARY_SUFFIX } from '../../../pipeline/release/disk/durable.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import {
  ASSETS,
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { openFileBody } from './file-body.ts';
import { type Representation, representationHeaders } from './representation.ts';

/** Snapshots whose files are known by name, in memory; they are asked for one at a time. */
const MOST_KNOWN = 16;
const PAGE = 'index.html';

/** The files of one folder by their path below the root. */
type Shelf = ReadonlyMap<string, Representation>;

interface Loaded {
  version: string;
  shelf: Promise<Shelf>;
}

/**
 * Answers for OUT/snapshots. As with a release, nothing has an address that is not listed: by the index of all snapshots,
 * by that of one, or by its name among the styles and old histories. No path of a request is joined with a folder's.
 */
export class SnapshotFiles {
  readonly #out: string;
  /** By folder below OUT, the one asked for last at the end. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(out: string) {
    this.#out = out;
  }

  /** The file at a path, a page's at its folder; the folder that should have been asked for; null for neither. */
  async find(path: string): Promise<Representation | { movedTo: string } | null> {
    if (path === SNAPSHOTS) return { movedTo: `/${SNAPSHOTS}/` };
    const folder = folderOf(path);
    if (folder === null) return null;
    const shelf = await this.#open(folder);
    if (path === folder && shelf?.has(`${folder}/${PAGE}`)) return { movedTo: `/${folder}/` };
    return shelf?.get(path.endsWith('/') ? `${path}${PAGE}` : path) ?? null;
  }

  /** Null where there is no such folder. Rejects where it cannot be read. */
  async #open(folder: string): Promise<Shelf | null> {
    const place = join(this.#out, folder);
    const version = folder === SNAPSHOTS ? await versionOfList(this.#out) : await versionOf(place);
    if (version === null) return null;
    const known = this.#loaded.get(folder);
    const current = known?.version === version ? known : { version, shelf: this.#load(folder) };
    this.#loaded.delete(folder);
    this.#loaded.set(folder, current);
    const [oldest] = this.#loaded.keys();
    if (this.#loaded.size > MOST_KNOWN) this.#loaded.delete(oldest!);
    // Asked for again by the next request: it may have been mended.
    current.shelf.catch(() => this.#loaded.delete(folder));
    return current.shelf;
  }

  #load(folder: string): Promise<Shelf> {
    if (folder === SNAPSHOTS) return loadIndex(this.#out);
    const isNamed = folder === ASSETS || folder === OLD_HISTORIES;
    return isNamed ? loadNamed(this.#out, folder) : loadSnapshot(this.#out, folder);
  }
}

/** Whether a path is one that a `SnapshotFiles` may know. */
export function isOfSnapshots(path: string): boolean {
  return path === SNAPSHOTS || path.startsWith(`${SNAPSHOTS}/`);
}

/** `snapshots/2025-12-01T06Z/economy/supply` → `snapshots/2025-12-01T06Z`; the one that a file is listed in. */
function folderOf(path: string): string | null {
  const [root, name = ''] = path.split('/');
  if (root !== SNAPSHOTS) return null;
  if (path === `${SNAPSHOTS}/` || path === LIST_PATH || path === LIST_SIGNATURE_PATH) return SNAPSHOTS;
  const folder = `${SNAPSHOTS}/${name}`;
  return isSlotId(name) || folder === ASSETS || folder === OLD_HISTORIES ? folder : null;
}

async function versionOf(place: string): Promise<string | null> {
  const found = await stat(place).catch(() => null);
  return found && `${found.ino} ${found.mtimeMs}`;
}

/** Of the list and its signature: they are written one after the other. */
async function versionOfList(out: string): Promise<string | null> {
  const [list, signature] = await Promise.all(
    [LIST_PATH, LIST_SIGNATURE_PATH].map((path) => versionOf(join(out, path))),
  );
  return list ? `${list} ${signature}` : null;
}

/** What is there of the three files that change with each release. */
async function loadIndex(out: string): Promise<Shelf> {
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

async function loadSnapshot(out: string, folder: string): Promise<Shelf> {
  const path = `${folder}/${INDEX}`;
  const text = await readFile(join(out, path));
  const { as_of: modified, files } = parseSnapshot(text.toString(), path);
  const shelf = new Map([[path, inMemory(path, text, { modified, immutable: true })]]);
  const page = await readFile(join(out, folder, PAGE)).catch(() => null);
  const at = `${folder}/${PAGE}`;
  if (page) shelf.set(at, inMemory(at, page, { modified, immutable: true }));
  for (const file of files) {
    if (!('url' in file)) continue;
    const { url, media_type: mediaType, bytes, sha256 } = file;
    shelf.set(url, onDisk(join(out, url), { path: url, mediaType, bytes, etag: sha256, modified }));
  }
  return shelf;
}

/** Files that are named by their content. */
async function loadNamed(out: string, folder: string): Promise<Shelf> {
  const shelf = new Map<string, Representation>();
  for (const entry of await readdir(join(out, folder), { withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(TEMPORARY_SUFFIX)) continue;
    const path = `${folder}/${entry.name}`;
    const place = join(out, path);
    const { size: bytes, mtime } = await stat(place);
    const mediaType = folder === ASSETS ? mediaTypeOf(path) : 'application/octet-stream';
    const modified = mtime.toISOString();
    shelf.set(path, onDisk(place, { path, mediaType, bytes, etag: basename(path), modified }));
  }
  return shelf;
}

interface Described {
  path: string;
  mediaType: string;
  bytes: number;
  etag: string;
  /** ISO 8601. */
  modified: string;
}

function onDisk(place: string, about: Described): Representation {
  const described = describe(about, true);
  return { ...described, read: (range) => openFileBody(place, about.bytes, range) };
}

function inMemory(
  path: string,
  content: Buffer,
  { modified, immutable }: { modified: string | null; immutable: boolean },
): Representation {
  const about = { path, mediaType: mediaTypeOf(path), bytes: content.length, etag: hash('sha256', content) };
  const described = describe({ ...about, modified: modified ?? new Date(0).toISOString() }, immutable);
  return {
    ...described,
    read: (range) => (range ? content.subarray(range.first, range.last + 1) : content),
  };
}

function kindOf(path: string): ManifestFile['kind'] {
  if (path === LIST_PATH || path === LIST_SIGNATURE_PATH) return 'proof';
  return path.endsWith('.html') ? 'page' : 'data';
}

function describe(
  { path, mediaType, bytes, etag, modified }: Described,
  immutable: boolean,
): Omit<Representation, 'read'> {
  const file: ManifestFile = {
    path,
    kind: kindOf(path),
    area: null,
    restricted: false,
    media_type: mediaType,
    bytes,
    sha256: etag,
    rows: null,
    encodings: {},
    modified,
    immutable,
  };
  const validators = { etag: `"${etag}"`, modified: Math.floor(Date.parse(modified) / 1000) * 1000, bytes };
  const headers = representationHeaders(headersFor(file), validators, { encoding: null, varies: false });
  return { headers, ...validators };
}
