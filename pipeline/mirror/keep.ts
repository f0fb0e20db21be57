import { join } from 'node:path';
import { exists, replaceFile, replaceFiles } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import type { Hash } from '../ledger/log/hash.ts';
import { formatPublicBundle, parsePublicBundle, publicBundlePath } from '../ledger/log/public-bundle.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import { type Bundle, newTiles, parseTilePath, TILE_WIDTH, type Tile } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import type { WitnessPolicy } from '../ledger/notes/witness-policy.ts';
import { MANIFEST_PATH, type PublicManifest } from '../release/format/public-manifest.ts';
import { LIST_PATH, LIST_SIGNATURE_PATH, type SnapshotEntry } from '../release/format/snapshot-index.ts';
import { placePolicy, publicVersion } from '../release/log/public-bundles.ts';
import { removeOldPartials } from '../release/log/remove-old-partials.ts';
import { StagingFolder } from '../release/staging/staging-folder.ts';
import type { Choice, Keep } from '../verify/checks.ts';
import { mismatchError } from '../verify/findings.ts';
import { FolderOrigin, STAGING } from '../verify/folder-origin.ts';
import { CHECKPOINT, otherLog } from '../verify/log.ts';
import type { Origin } from '../verify/origin.ts';
import { assertPlaceable } from '../verify/placeable-paths.ts';
import type { SignedRelease } from '../verify/signed-release.ts';
import { readSnapshotList, type SignedList } from '../verify/snapshot-list.ts';
import type { VerifiedSnapshot } from '../verify/snapshots.ts';
import { Blobs, makeWay, makeWayAbove } from './blobs.ts';
import { KeepingOrigin, knowRelease } from './keeping-origin.ts';
import { mirrorHeaders } from './mirror-headers.ts';
import type { LocalRelease } from './mirror-state.ts';
import { placeRelease } from './place-release.ts';
import { keepFormerCheckpoint, mergedCheckpoint } from './refresh-notes.ts';

export interface KeeperOptions {
  origin: Origin;
  folder: string;
  /** Reads every byte of the local copy, and replaces what is damaged. */
  recheck: boolean;
  /** Which witnesses must have cosigned the log. */
  policy: WitnessPolicy | null;
  /** `current` is a folder instead of a link. */
  withoutLinks: boolean;
  /** Simultaneous requests. */
  parallel: number;
  log: (line: string) => void;
}

/** What the mirror has. */
export interface LocalCopy {
  release: LocalRelease | null;
  /** The log and the snapshots of that release are here too. */
  isWhole: boolean;
  /** Some tile on the disk is damaged, so that none is used. */
  hasDamagedTiles: boolean;
}

export interface Fetched {
  /** Files of the release; the bytes include those of snapshots. */
  files: { files: number; bytes: number };
  tiles: number;
  snapshots: number;
  /** New snapshots that no current key signed. */
  unvouched: number;
}

/** What was fetched waits here for its place. */
export function stagingOf(folder: string): string {
  return join(folder, STAGING);
}

/**
 * Keeps what the checks of `verify` have passed: tiles and snapshots, which only add to what is there, at once, and the release
 * in `finish`.
 */
export class Keeper implements Keep {
  readonly origin: KeepingOrigin;
  readonly #options: KeeperOptions;
  readonly #local: LocalCopy;
  readonly #blobs: Blobs;
  readonly #isIntact: boolean;
  /** Snapshots that are here, with the SHA-256 of their index. */
  readonly #snapshots: ReadonlyMap<string, string>;
  /** Whether an earlier update finished with a list of snapshots. */
  readonly #hasList: boolean;
  #release: SignedRelease | null = null;
  #reader: TileReader | null = null;
  #cosigned: string | null = null;
  #list: SignedList | null = null;
  /** Of the decisions by which the public events in this mirror were chosen; null: it has none. */
  readonly #eventsVersion: number | null;
  #policy: Uint8Array | null = null;
  /** The partial bundle of public events. */
  #edge: { bundle: Bundle; version: number; bytes: Uint8Array } | null = null;
  readonly #fetched = { files: 0, snapshots: 0, unvouched: 0 };

  private constructor(
    options: KeeperOptions,
    local: LocalCopy,
    { blobs, isIntact }: { blobs: Blobs; isIntact: boolean },
    snapshots: ReadonlyMap<string, string> | null,
    eventsVersion: number | null,
  ) {
    this.#eventsVersion = eventsVersion;
    const { folder, recheck } = options;
    this.#options = options;
    this.#local = local;
    this.#blobs = blobs;
    this.#isIntact = isIntact;
    this.#snapshots = snapshots ?? new Map();
    this.#hasList = snapshots !== null;
    const reuseTiles = !local.hasDamagedTiles;
    const { manifest, root = '' } = local.release ?? {};
    const earlier = new Map(manifest?.files.map((file) => [file.path, file]));
    const keeping = { folder, staging: stagingOf(folder), blobs, earlier, root, recheck, reuseTiles };
    this.origin = new KeepingOrigin(options.origin, keeping);
  }

  static async open(options: KeeperOptions, local: LocalCopy): Promise<Keeper> {
    const { origin, folder } = options;
    const blobs = new Blobs(origin, stagingOf(folder));
    const isIntact = local.release !== null && (await knowRelease(blobs, local.release, options));
    const snapshots = await localSnapshots(folder).catch((error) => {
      if (options.recheck && error instanceof CathedralError) return null;
      throw error;
    });
    const version = await publicVersion(folder);
    return new Keeper(options, local, { blobs, isIntact }, snapshots, version);
  }

  /** Everything that is not here yet, snapshots from the oldest to the newest. */
  get choice(): Choice {
    const { recheck } = this.#options;
    const { release, isWhole } = this.#local;
    const from = isWhole ? release!.manifest.log.size : 0;
    return {
      files: (all) => all,
      tiles: () => [...newTiles(from, this.#release!.manifest.log.size)],
      events: (all, version) => {
        const begin = version === this.#eventsVersion ? Math.floor(from / TILE_WIDTH) : 0;
        return all.filter(({ index }) => index >= begin);
      },
      snapshots: (all) => {
        for (const entry of all) this.#assertUnchanged(entry);
        return all.toReversed().filter(({ id }) => recheck || !this.#snapshots.has(id));
      },
    };
  }

  #assertUnchanged({ id, index }: SnapshotEntry): void {
    const known = this.#snapshots.get(id);
    if (known === undefined || known === index.sha256) return;
    const expected = `snapshot ${id} with the index ${known}, as in this mirror: a snapshot never changes`;
    throw mismatchError(this.origin.placeOf(index.path), expected, index.sha256);
  }

  async release(signed: SignedRelease): Promise<void> {
    const { manifest } = signed;
    const local = this.#local.release?.manifest;
    const place = this.origin.placeOf(MANIFEST_PATH);
    const paths = manifest.files.map(({ path }) => path);
    assertPlaceable(paths, place);
    assertOneLength([...(local?.files ?? []), ...manifest.files], place);
    if (local && local.log.origin !== manifest.log.origin)
      throw otherLog(`${place}: log.origin`, local.log.origin, manifest.log.origin, 'a release');
    this.#release = signed;
  }

  tile(tile: Tile, hashes: readonly Hash[]): Promise<void> {
    return this.origin.tiles.keep(tile, hashes);
  }

  async events(path: string, bytes: Uint8Array): Promise<void> {
    if (path === POLICY_PATH) this.#policy = bytes;
    else await this.origin.tiles.keepEvents(path, bytes);
    const found = parseTilePath(path);
    if (found?.kind === 'public' && found.bundle.width < TILE_WIDTH) this.#edge = { ...found, bytes };
  }

  /** The beginnings of the partial bundle for earlier checkpoints, which others may hold. */
  async #keepPartialEvents(sizes: readonly number[]): Promise<void> {
    if (!this.#edge) return;
    const { bundle, version, bytes } = this.#edge;
    const lines = parsePublicBundle(bytes, bundle.width, publicBundlePath(bundle, version));
    const widths = sizes.map((size) => size - bundle.index * TILE_WIDTH);
    for (const width of new Set(widths.filter((width) => width > 0 && width < bundle.width)))
      await this.origin.tiles.keepEvents(
        publicBundlePath({ index: bundle.index, width }, version),
        formatPublicBundle(lines.slice(0, width)),
      );
  }

  async log(reader: TileReader, cosigned: string | null): Promise<void> {
    this.#reader = reader;
    this.#cosigned = cosigned;
    this.#fetched.files = this.#blobs.fetched.files;
    // The snapshot of this release contains them as well.
    for (const bytes of this.#release!.proofs.values()) await this.#blobs.keep(bytes);
    await this.origin.tiles.place(this.#options.parallel);
  }

  /** The index of a snapshot shows that it is complete, so it comes last. */
  async snapshot({ entry, bytes, voucher }: VerifiedSnapshot): Promise<void> {
    const { id, index } = entry;
    const isNew = !this.#snapshots.has(id);
    if (isNew && this.#hasList && voucher !== 'known key')
      throw new CathedralError('ledger_signature', {
        place: this.origin.placeOf(index.path),
        expected: 'a new snapshot that a known key signed',
        found: voucher === 'nobody' ? 'no signature' : 'a signature by keys that the snapshot itself names',
      });
    await this.#placePending();
    const { folder, recheck } = this.#options;
    const place = join(folder, index.path);
    if (recheck) await makeWayAbove(folder, [index.path]);
    await makeWay(place);
    await replaceFile(place, bytes);
    if (isNew) this.#fetched.snapshots += 1;
    if (isNew && voucher !== 'known key') this.#fetched.unvouched += 1;
  }

  async list(list: SignedList): Promise<void> {
    await this.#placePending();
    this.#list = list;
  }

  /** Puts verified files below `snapshots/` in their places. */
  async #placePending(): Promise<void> {
    const { pending } = this.origin;
    const { folder, recheck } = this.#options;
    if (recheck) await makeWayAbove(folder, pending.keys());
    const target = new StagingFolder(folder);
    const files = [...pending.values()].map(({ path, ...blob }) => ({ ...blob, as: path }));
    await this.#blobs.link(target, files);
    if (pending.size > 0) await target.flush();
    pending.clear();
  }

  /** After the last check: swaps the release in, then publishes what points to the new tiles and snapshots. */
  async finish(): Promise<Fetched> {
    const { folder, parallel, recheck, policy, log } = this.#options;
    const { manifest, proofs } = this.#release!;
    const { tiles } = this.origin;
    const list = this.#list!;
    // Tiles that an interrupted update left are complete but for those of older snapshots.
    const sizes = list.index.map(({ log_size }) => log_size);
    await tiles.keepPartial(this.#reader!, sizes, this.#local.isWhole);
    await this.#keepPartialEvents(sizes);
    await tiles.place(parallel);
    log(`publishing version ${manifest.version}`);
    const headers = Buffer.from(mirrorHeaders(manifest));
    const texts = new Map<string, Uint8Array>([...proofs, ['_headers', headers], ['.nojekyll', Buffer.of()]]);
    // An update that was killed after the swap leaves the new release in place.
    const isPlaced = this.#isIntact && !recheck && this.#local.release?.sha256 === this.#release!.sha256;
    if (!isPlaced) await placeRelease(folder, { manifest, blobs: this.#blobs, texts }, this.#options);
    if (this.#policy) await placePolicy(folder, Buffer.from(this.#policy).toString());
    for (const path of [CHECKPOINT, LIST_PATH, LIST_SIGNATURE_PATH]) await makeWay(join(folder, path));
    await keepFormerCheckpoint(folder, this.#reader!);
    const cosignatures = { cosigned: this.#cosigned, policy };
    await replaceFile(join(folder, CHECKPOINT), await mergedCheckpoint(folder, manifest, cosignatures));
    await removeOldPartials(folder, manifest.log.size, { hasEntries: false });
    await replaceFiles([
      [join(folder, LIST_PATH), list.bytes],
      [join(folder, LIST_SIGNATURE_PATH), list.signature],
    ]);
    const { files, snapshots, unvouched } = this.#fetched;
    return { files: { files, bytes: this.#blobs.fetched.bytes }, tiles: tiles.fetched, snapshots, unvouched };
  }
}

/** Bytes with the same hash have the same length. Throws mirror_mismatch. */
function assertOneLength(files: PublicManifest['files'], place: string): void {
  const lengths = new Map<string, number>();
  for (const { path, sha256, bytes } of files) {
    const known = lengths.get(sha256) ?? bytes;
    lengths.set(sha256, known);
    if (known === bytes) continue;
    const expected = `${known} bytes, like another file of SHA-256 ${sha256}`;
    throw mismatchError(`${place}: ${path}`, expected, `${bytes}`);
  }
}

/** A list that is newer than its release may name a snapshot that is not here. Null: there is no list. */
async function localSnapshots(folder: string): Promise<Map<string, string> | null> {
  const list = await readSnapshotList(await FolderOrigin.at(folder));
  if (!list) return null;
  const found = new Map<string, string>();
  for (const { id, index } of list.index)
    if (await exists(join(folder, index.path))) found.set(id, index.sha256);
  return found;
}
