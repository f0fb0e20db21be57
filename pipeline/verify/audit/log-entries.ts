import { CathedralError } from '../../errors.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { bytesOf, type Hash } from '../../ledger/log/hash.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { bundlePath, TILE_WIDTH, type Tile, tileAt } from '../../ledger/log/tile.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { type AuditedLog, type LogSource, openAuditedLog } from './audited-log.ts';
import { entryRow, type FoundEntry } from './entry-row.ts';
import type { ExportRow } from './export-row.ts';

/** The entries of one bundle, with their hashes. */
export interface EntryBundle {
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

  /** A full bundle, for which nothing vouches: its bytes, or the file that has them. Throws what the source throws. */
  unverified(number: number): Promise<Uint8Array> | string {
    return this.#source.bundle(number);
  }

  /** The root of the tree over the entries of a full bundle. Throws log_invalid. */
  async rootOf(number: number): Promise<Hash> {
    const above = await this.log.reader.tile(1, Math.floor(number / TILE_WIDTH));
    return above[number % TILE_WIDTH]!;
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
  return { lines, hashes: lines.map(leafHash) };
}

/** The form of a ledger's timestamp; the date need not exist. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The bundle used last; its entries are parsed on demand. */
interface OpenBundle extends EntryBundle {
  number: number;
  entries: (FoundEntry | undefined)[];
}

/** Finds entries by the content of a row. The ledger's times never decrease, so binary search works. */
export class EntryFinder {
  readonly #log: LogEntries;
  #open: OpenBundle = { number: -1, lines: [], hashes: [], entries: [] };

  constructor(log: LogEntries) {
    this.#log = log;
  }

  get size(): number {
    return this.#log.size;
  }

  async at(index: number): Promise<FoundEntry> {
    const number = Math.floor(index / TILE_WIDTH);
    if (this.#open.number !== number)
      this.#open = { number, ...(await this.#log.bundle(number)), entries: [] };
    return this.inOpenBundle(index)!;
  }

  /** The entry if it is in the bundle used last, else undefined. Synchronous, since most calls are of this kind. */
  inOpenBundle(index: number): FoundEntry | undefined {
    const { number, lines, hashes, entries } = this.#open;
    const within = index - number * TILE_WIDTH;
    if (within < 0 || within >= lines.length) return undefined;
    entries[within] ??= entryRow(lines[within]!, index, hashes[within]!);
    return entries[within];
  }

  /** The time of the last entry if it is earlier than this time, else null. */
  async endBefore(timestamp: string | undefined): Promise<string | null> {
    if (timestamp === undefined || this.size === 0) return null;
    const end = (await this.at(this.size - 1)).row.timestamp;
    return compareTimestamps(end, timestamp) < 0 ? end : null;
  }

  /** The number of entries before this time; `inclusive`: and at it. */
  async countBefore(timestamp: string, { inclusive }: { inclusive: boolean }): Promise<number> {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = compareTimestamps((await this.at(middle)).row.timestamp, timestamp);
      if (order < 0 || (inclusive && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The entry with a row's time and hash, whatever else the row says; null: there is none. */
  async locate({ timestamp, attestation_hash: hash }: ExportRow): Promise<FoundEntry | null> {
    if (!TIMESTAMP.test(timestamp)) return null;
    const first = await this.countBefore(timestamp, { inclusive: false });
    for (let index = first; index < this.size; index += 1) {
      const entry = await this.at(index);
      if (entry.row.attestation_hash === hash) return entry;
      if (entry.row.timestamp !== timestamp && compareTimestamps(entry.row.timestamp, timestamp) > 0)
        return null;
    }
    return null;
  }
}
