import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists } from '../disk/durable.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import type { Tile } from '../ledger/log/tile.ts';
import type { PublicFile } from '../release/format/public-manifest.ts';
import { OLD_HISTORIES, SNAPSHOTS } from '../release/format/snapshot-index.ts';
import { mismatchError } from '../verify/findings.ts';
import { openFile } from '../verify/folder-origin.ts';
import { type Opened, type OpenOptions, Origin, type Promised } from '../verify/origin.ts';
import { type Blobs, hasLength, isIntact } from './blobs.ts';
import type { Earlier } from './fetch-blob.ts';
import { LocalTiles } from './local-tiles.ts';
import type { LocalRelease } from './mirror-state.ts';

export interface KeepingOptions {
  folder: string;
  /** New tiles wait here until they can be placed. */
  staging: string;
  /** The files that the mirror has already. What is fetched is added. */
  blobs: Blobs;
  /** The local release by path, for files of which only the beginning is new. */
  earlier: ReadonlyMap<string, PublicFile>;
  /** Where the files of that release are. */
  root: string;
  /** Reads local copies again, and replaces damaged ones. */
  recheck: boolean;
  reuseTiles: boolean;
}

/** Media types of histories to whose front rows are added. */
const GROWING = /^(text\/csv|application\/x-ndjson)\b/;
const NO_VALIDATOR = { etag: null, lastModified: null };

/**
 * An origin that keeps every file that was verified, and does not fetch what is on the disk already. Each distinct content is
 * fetched once.
 */
export class KeepingOrigin extends Origin {
  readonly #origin: Origin;
  readonly #options: KeepingOptions;
  /** Where verified local copies are, by path. */
  readonly #local = new Map<string, string>();
  readonly tiles: LocalTiles;
  /** Files below `snapshots/` that were verified and are not in place yet. */
  readonly pending = new Map<string, Promised>();

  constructor(origin: Origin, options: KeepingOptions) {
    super();
    this.#origin = origin;
    this.#options = options;
    const { folder, staging, recheck, reuseTiles } = options;
    this.tiles = new LocalTiles(origin, { folder, staging, recheck, reuse: reuseTiles });
  }

  placeOf(path: string): string {
    return this.#origin.placeOf(path);
  }

  retrying<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#origin.retrying(path, work);
  }

  override answersLive(path: string): Promise<boolean> {
    return this.#origin.answersLive(path);
  }

  override readTile(tile: Tile): Promise<Uint8Array> {
    return this.tiles.read(tile);
  }

  override readLogFile(path: string, mostBytes: number): Promise<Uint8Array | null> {
    if (path === POLICY_PATH) return this.#origin.readLogFile(path, mostBytes);
    return this.tiles.readEvents(path, mostBytes);
  }

  async open(path: string, options: OpenOptions = {}): Promise<Opened | 'unchanged' | null> {
    const { folder } = this.#options;
    const placed = (await this.#isPlacedHistory(path)) ? join(folder, path) : null;
    const place = this.#local.get(path) ?? placed;
    if (!place) return this.#origin.open(path, options);
    const { from = 0 } = options;
    const { handle, size } = await openFile(place);
    const body = handle.createReadStream({ start: from });
    return { from, bytes: size - from, validator: NO_VALIDATOR, body };
  }

  /** Fetches the file unless it is here. */
  override async verifyFile(file: Promised): Promise<void> {
    const { path, sha256 } = file;
    const { folder, blobs } = this.#options;
    if (path.startsWith(`${SNAPSHOTS}/`)) {
      if (await this.#isInPlace(file)) return void this.#local.set(path, join(folder, path));
      this.pending.set(path, file);
    }
    await blobs.fetch(file, this.#earlier(file));
    this.#local.set(path, blobs.placeOf(sha256));
  }

  /** Old histories get their place only once they are complete. */
  async #isPlacedHistory(path: string): Promise<boolean> {
    const { folder, recheck } = this.#options;
    return path.startsWith(`${OLD_HISTORIES}/`) && !recheck && exists(join(folder, path));
  }

  /** Left by an interrupted update, or shared with another snapshot. Throws mirror_mismatch for a damaged file. */
  async #isInPlace(file: Promised): Promise<boolean> {
    const { folder, recheck } = this.#options;
    const place = join(folder, file.path);
    if ((await this.#isPlacedHistory(file.path)) || (await isIntact(place, file))) return true;
    if (!(await lstat(place).catch(() => null))) return false;
    const expected = `SHA-256 ${file.sha256}, or no such file (\`mirror --recheck\` replaces it)`;
    if (!recheck) throw mismatchError(place, expected, 'something else');
    await asDiskErrors(place, () => rm(place, { recursive: true }));
    return false;
  }

  /** The version of a table in the local release, if it has fewer rows. */
  #earlier({ path, bytes }: Promised): Earlier | null {
    const { earlier, root, recheck } = this.#options;
    const before = earlier.get(path);
    const isTable = before && GROWING.test(before.media_type) && before.bytes < bytes;
    if (!isTable || recheck) return null;
    const hasHeader = before.media_type.startsWith('text/csv');
    return { place: join(root, path), bytes: before.bytes, hasHeader };
  }
}

/**
 * Notes the files of the local release; whether all are there. Comparing sizes finds truncated files at no cost; `recheck` reads every byte to
 * find other damage.
 */
export async function knowRelease(
  blobs: Blobs,
  { root, manifest }: LocalRelease,
  { parallel, recheck }: { parallel: number; recheck: boolean },
): Promise<boolean> {
  let isWhole = true;
  await inParallel(manifest.files, parallel, async ({ path, sha256, bytes }) => {
    const place = join(root, path);
    if (await (recheck ? isIntact(place, { sha256, bytes }) : hasLength(place, bytes)))
      blobs.know(sha256, { folder: root, file: path });
    else isWhole = false;
  });
  return isWhole;
}
