import { CathedralError } from '../../errors.ts';
import { bytesOf, type Hash } from '../../ledger/log/hash.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { bundlePath, TILE_WIDTH, type Tile, tileAt } from '../../ledger/log/tile.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { type AuditedLog, type LogSource, openAuditedLog } from './audited-log.ts';

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
  readonly log: AuditedLog;
  readonly #source: LogSource;
  readonly #cache: Map<number, Promise<EntryBundle>>;
  #last = -1;

  private constructor(log: AuditedLog, source: LogSource, cache: Map<number, Promise<EntryBundle>>) {
    this.log = log;
    this.#source = source;
    this.#cache = cache;
  }

  static async open(source: LogSource, verifiers: readonly Verifier[]): Promise<LogEntries> {
    const cache = new Map<number, Promise<EntryBundle>>();
    const readTile = async (tile: Tile) =>
      tile.level > 0 ? source.tile(tile) : bytesOf((await cachedBundle(cache, source, tile)).hashes);
    return new LogEntries(await openAuditedLog(source, verifiers, readTile), source, cache);
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
    cachedBundle(this.#cache, this.#source, tileAt(0, number - 1, this.size)!).catch(() => undefined);
  }

  /**
   * Entries from 256·number on. Throws log_invalid if one does not follow from the checkpoint, and what the source throws.
   */
  async bundle(number: number): Promise<EntryBundle> {
    const tile = tileAt(0, number, this.size)!;
    const bundle = await cachedBundle(this.#cache, this.#source, tile);
    this.#readAhead(number);
    const expected = await this.log.reader.tile(0, number);
    const wrong = bundle.hashes.findIndex((hash, index) => hash !== expected[index]);
    if (wrong < 0) return bundle;
    throw new CathedralError('log_invalid', {
      place: `${this.#source.name}/${bundlePath(tile)}, entry ${wrong}`,
      expected: `hash ${expected[wrong]}`,
      found: bundle.hashes[wrong]!,
    });
  }
}

function cachedBundle(
  cache: Map<number, Promise<EntryBundle>>,
  source: LogSource,
  tile: Tile,
): Promise<EntryBundle> {
  const known = cache.get(tile.index);
  const bundle = known ?? readBundle(source, tile);
  cache.delete(tile.index);
  cache.set(tile.index, bundle);
  if (!known) bundle.catch(() => cache.delete(tile.index));
  if (cache.size > CACHED_BUNDLES) cache.delete(cache.keys().next().value!);
  return bundle;
}

async function readBundle(source: LogSource, { index, width }: Tile): Promise<EntryBundle> {
  const lines = await source.entries({ index, width });
  return { first: index * TILE_WIDTH, lines, hashes: lines.map(leafHash) };
}
