import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ifThere, TEMPORARY_SUFFIX } from '../../../pipeline/disk/durable.ts';
import { isSlotId } from '../../../pipeline/ledger/events/slot.ts';
import type { Blob } from '../../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { snapshotHeaders } from '../../../pipeline/release/format/response-headers.ts';
import {
  INDEX,
  LIST_FILES,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotIndex,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { Problem } from '../../api/problem.ts';
import { RecentlyMade } from './recently-made.ts';
import { contentOf, type Encoding, Resource } from './representation.ts';

/** Folders whose listings stay in memory; readers mostly ask for one snapshot at a time. */
const MAX_LOADED = 16;
export const PAGE = 'index.html';

/** The files of one folder, by their path below the root, and what its index says. */
interface Listing {
  files: ReadonlyMap<string, Resource>;
  list: SnapshotIndex;
  snapshot: Snapshot | null;
}

/**
 * Serves what is below `snapshots/`. As with a release, only listed files have an address: files in the list of snapshots, in the
 * index of a snapshot, or in the folders of styles and old histories. A request's path is never joined with a folder's.
 */
export class ServedSnapshots {
  readonly #out: string;
  readonly #ready: () => void | Promise<void>;
  /** By folder and version. */
  readonly #loaded = new RecentlyMade<Listing>(MAX_LOADED, () => 1);
  /** By path and SHA-256, the newest snapshot with the file, of the snapshots in `#read`. */
  readonly #holders = new Map<string, string>();
  readonly #read = new Set<string>();

  /** `ready`: waited for before each request. */
  constructor(out: string, ready: () => void | Promise<void> = () => {}) {
    [this.#out, this.#ready] = [out, ready];
  }

  /** The file at a path, or the page of the list; where to redirect to if its slash is missing; null for neither. */
  async find(path: string): Promise<Resource | { movedTo: string } | null> {
    if (path === SNAPSHOTS) return { movedTo: `/${SNAPSHOTS}/` };
    const folder = folderOf(path);
    const listing = folder && (await this.#open(folder));
    if (!listing) return null;
    return listing.files.get(path.endsWith('/') ? `${path}${PAGE}` : path) ?? null;
  }

  /** The snapshot list, newest first; empty before the first one. Rejects if it cannot be read. */
  async list(): Promise<SnapshotIndex> {
    return (await this.#open(SNAPSHOTS))?.list ?? [];
  }

  /** The index of a snapshot; null if there is none. Rejects if it cannot be read. */
  async snapshot(id: string): Promise<Snapshot | null> {
    return (await this.#open(`${SNAPSHOTS}/${id}`))?.snapshot ?? null;
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
      const folder = `${SNAPSHOTS}/${id}`;
      if ((await this.#versionOf(folder)) === null) throw notYet();
      const { snapshot } = await this.#loadSnapshot(folder);
      for (const file of snapshot!.files) {
        const version = `${file.path} ${file.sha256}`;
        if ((this.#holders.get(version) ?? '') < id) this.#holders.set(version, id);
      }
      this.#read.add(id);
    }
    return this.#holders.get(`${path} ${sha256}`) ?? null;
  }

  /** Null if there is no such folder. Throws a Problem unavailable for one that is not here yet, and rejects if it cannot be read. */
  async #open(folder: string): Promise<Listing | null> {
    await this.#ready();
    const version = await this.#versionOf(folder);
    if (version === null) {
      const [, id] = folder.split('/');
      if (id && (await this.list()).some((listed) => listed.id === id)) throw notYet();
      return null;
    }
    return this.#loaded.get(`${folder} ${version}`, () => {
      if (folder === SNAPSHOTS) return this.#loadChanging();
      return folder === OLD_HISTORIES ? this.#loadHistories() : this.#loadSnapshot(folder);
    });
  }

  async #loadChanging(): Promise<Listing> {
    const list = parseSnapshotIndex(String(await this.#fileAt(LIST_PATH)), LIST_PATH);
    const modified = list[0]?.as_of ?? null;
    const files = new Map<string, Resource>();
    for (const path of LIST_FILES) {
      const bytes = await this.#fileAt(path);
      if (bytes) files.set(path, inMemory(path, bytes, { modified, immutable: false }));
    }
    return { files, list, snapshot: null };
  }

  async #loadSnapshot(folder: string): Promise<Listing> {
    const path = `${folder}/${INDEX}`;
    const text = await this.#fileAt(path);
    if (!text) throw new Error(`${path} is missing`);
    const snapshot = parseSnapshot(text.toString(), path);
    const { as_of: modified } = snapshot;
    const files = new Map([[path, inMemory(path, text, { modified, immutable: true })]]);
    for (const file of snapshot.files) {
      if (!('url' in file)) continue;
      const { url, media_type: mediaType } = file;
      const headers = snapshotHeaders(url, mediaType, true);
      files.set(url, this.#streamed(url, file, { headers, modified }));
    }
    return { files, list: [], snapshot };
  }

  async #loadHistories(): Promise<Listing> {
    const files = (await this.#histories()).map(({ path, ...blob }) => {
      const headers = snapshotHeaders(path, 'application/octet-stream', true);
      return [path, this.#streamed(path, blob, { headers, modified: null })] as const;
    });
    return { files: new Map(files), list: [], snapshot: null };
  }

  #streamed(
    path: string,
    { bytes, sha256 }: Blob,
    about: { headers: Record<string, string>; modified: string | null },
  ): Resource {
    const content = { sha256, bytes, source: { file: join(this.#out, path) } };
    return new Resource({ ...about, content: () => content });
  }

  /** Changes whenever the files of a folder do, which is `snapshots` or one in it; null if there is no such folder. */
  async #versionOf(folder: string): Promise<string | null> {
    const versionOf = async (path: string) => {
      const found = await stat(join(this.#out, path)).catch(() => null);
      return found && `${found.ino} ${found.mtimeMs}`;
    };
    if (folder !== SNAPSHOTS) return versionOf(folder);
    // The list and its signature are written one after the other.
    const [list, signature] = await Promise.all([LIST_PATH, LIST_SIGNATURE_PATH].map(versionOf));
    return list ? `${list} ${signature}` : null;
  }

  /** Null where OUT has no such file. */
  #fileAt(path: string): Promise<Buffer | null> {
    return ifThere(readFile(join(this.#out, path)), null);
  }

  /** The earlier versions of rewritten histories, which are named by their hash. */
  async #histories(): Promise<(Blob & { path: string })[]> {
    const entries = await readdir(join(this.#out, OLD_HISTORIES), { withFileTypes: true });
    const names = entries.flatMap((entry) =>
      entry.isFile() && !entry.name.endsWith(TEMPORARY_SUFFIX) ? [entry.name] : [],
    );
    return Promise.all(
      names.map(async (sha256) => {
        const path = `${OLD_HISTORIES}/${sha256}`;
        const { size: bytes } = await stat(join(this.#out, path));
        return { path, bytes, sha256 };
      }),
    );
  }
}

/** For a snapshot that is listed and not here: a server that follows others fetches its older ones last. */
function notYet(): Problem {
  return new Problem('unavailable', 'This snapshot is still being fetched.', { 'Retry-After': '10' });
}

/** The folder that lists a file: `snapshots/2025-12-01T06Z/economy/supply` → `snapshots/2025-12-01T06Z`. */
function folderOf(path: string): string | null {
  const [root, name = ''] = path.split('/');
  if (root !== SNAPSHOTS) return null;
  if (path === `${SNAPSHOTS}/` || path === LIST_PATH || path === LIST_SIGNATURE_PATH) return SNAPSHOTS;
  const folder = `${SNAPSHOTS}/${name}`;
  return isSlotId(name) || folder === OLD_HISTORIES ? folder : null;
}

function inMemory(
  path: string,
  bytes: Buffer,
  { modified, immutable }: { modified: string | null; immutable: boolean },
): Resource {
  const headers = snapshotHeaders(path, mediaTypeOf(path), immutable);
  const content = (encoding: Encoding | null) => contentOf(encoding === null ? bytes : gzipSync(bytes));
  return new Resource({ headers, modified, encodings: ['gzip'], content });
}
