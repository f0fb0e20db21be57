import { CathedralError } from '../../errors.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../../ledger/log/entry-bundle.ts';
import { bytesOf, type Hash } from '../../ledger/log/hash.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { type Bundle, bundlePath, TILE_WIDTH, type Tile, tileAt } from '../../ledger/log/tile.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { assertHashes } from '../../release/log/log-folder.ts';
import { mismatchError } from '../findings.ts';
import { LOG, type Origin, readSmall } from '../origin.ts';
import { openSignedLog, type SignedLog } from '../signed-log.ts';

/** The entries of one bundle, with their hashes. */
interface EntryBundle {
  /** The number of the first one. */
  first: number;
  lines: Uint8Array[];
  hashes: Hash[];
}

/** Bundles in memory: enough for a binary search and for reading ahead. */
const CACHED_BUNDLES = 24;

/** Random access to the entries of a log, each verified against the checkpoint. The bundles replace the tiles of level 0. */
export class LogEntries {
  readonly log: SignedLog;
  readonly #bundles: EntryBundles;
  #last = -1;

  private constructor(log: SignedLog, bundles: EntryBundles) {
    this.log = log;
    this.#bundles = bundles;
  }

  /** `withKey`: reads the entries, which need a government key; all else is public. */
  static async open(origin: Origin, verifiers: readonly Verifier[], withKey = origin): Promise<LogEntries> {
    const bundles = new EntryBundles(withKey);
    const readTile = async (tile: Tile) =>
      tile.level > 0 ? origin.readTile(tile) : bytesOf((await bundles.get(tile)).hashes);
    return new LogEntries(await openSignedLog(origin, verifiers, readTile), bundles);
  }

  get size(): number {
    return this.log.checkpoint.size;
  }

  get bundles(): number {
    return Math.ceil(this.size / TILE_WIDTH);
  }

  /** For callers that read the log backwards: fetches the next bundle while they use this one. */
  #readAhead(number: number): void {
    const isOnTheWay = number === this.#last - 1 && number > 0;
    this.#last = number;
    if (!isOnTheWay) return;
    // An error surfaces when the bundle is needed.
    this.#bundles.get(tileAt(0, number - 1, this.size)!).catch(() => undefined);
  }

  /**
   * Entries from 256·number on. Throws log_invalid if one does not follow from the checkpoint, and what the origin throws.
   */
  async bundle(number: number): Promise<EntryBundle> {
    const tile = tileAt(0, number, this.size)!;
    const bundle = await this.#bundles.get(tile);
    this.#readAhead(number);
    const place = this.log.origin.placeOf(`${LOG}/${bundlePath(tile)}`);
    assertHashes(bundle.hashes, await this.log.reader.tile(0, number), place);
    return bundle;
  }
}

/** The bundles of an origin, not verified; those that were used last stay in memory. */
class EntryBundles {
  readonly #origin: Origin;
  readonly #cache = new Map<number, Promise<EntryBundle>>();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get(tile: Bundle): Promise<EntryBundle> {
    const known = this.#cache.get(tile.index);
    const bundle = known ?? this.#read(tile);
    this.#cache.delete(tile.index);
    this.#cache.set(tile.index, bundle);
    if (!known) bundle.catch(() => this.#cache.delete(tile.index));
    if (this.#cache.size > CACHED_BUNDLES) this.#cache.delete(this.#cache.keys().next().value!);
    return bundle;
  }

  /** A partial bundle may have been removed once the full one exists, which begins with it. */
  async #read({ index, width }: Bundle): Promise<EntryBundle> {
    for (const one of new Set([width, TILE_WIDTH])) {
      const path = `${LOG}/${bundlePath({ index, width: one })}`;
      const size = { most: MAX_BUNDLE_BYTES };
      const found = await readSmall(this.#origin, path, size, { compressible: true }).catch(withoutKey);
      if (!found) continue;
      const lines = parseBundle(found.bytes, one, this.#origin.placeOf(path)).slice(0, width);
      return { first: index * TILE_WIDTH, lines, hashes: lines.map(leafHash) };
    }
    const place = this.#origin.placeOf(`${LOG}/${bundlePath({ index, width })}`);
    throw mismatchError(place, `a bundle of ${width} entries`, 'no such file');
  }
}

function withoutKey(error: unknown): never {
  if (!(error instanceof CathedralError) || !/^status 40[13]$/.test(error.found)) throw error;
  const { place, expected } = error;
  const found = `${error.found}: entries need a government key`;
  throw new CathedralError('proof_refused', { place, expected, found, cause: error });
}
