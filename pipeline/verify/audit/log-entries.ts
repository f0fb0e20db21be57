import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/event.ts';
import { bytesOf, type Hash } from '../../ledger/log/hash.ts';
import { bundlePath, TILE_WIDTH, type Tile, tileAt } from '../../ledger/log/tile.ts';
import { leafHash } from '../../ledger/merkle.ts';
import type { Verifier } from '../../ledger/note.ts';
import { compareTimestamps } from '../../ledger/timestamp.ts';
import { type AuditedLog, type LogSource, openAuditedLog } from './audited-log.ts';
import { type ExportRow, parseObject } from './export-row.ts';

/** An entry of the log with the row that the export has of it. */
export interface FoundEntry {
  index: number;
  event: LedgerEvent;
  row: ExportRow;
}

/** A ledger's timestamp; the digits of a date need not be those of one that there is. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The bundle that was looked at last, its entries read as they are asked for. */
interface OpenBundle extends EntryBundle {
  number: number;
  entries: (FoundEntry | undefined)[];
}

/** Finds entries by what a row says. The ledger's times never go back, so halving finds them. */
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
    return this.atHand(index)!;
  }

  /** The entry, where it is one of those that stand with the last one; undefined for others. Without a promise for each. */
  atHand(index: number): FoundEntry | undefined {
    const { number, lines, hashes, entries } = this.#open;
    const within = index - number * TILE_WIDTH;
    if (within < 0 || within >= lines.length) return undefined;
    entries[within] ??= read(lines[within]!, index, hashes[within]!);
    return entries[within];
  }

  /** The time of the last entry, where that is before this one; else null. */
  async endBefore(timestamp: string | undefined): Promise<string | null> {
    if (timestamp === undefined || this.size === 0) return null;
    const end = (await this.at(this.size - 1)).row.timestamp;
    return compareTimestamps(end, timestamp) < 0 ? end : null;
  }

  /** Number of entries before this time, or also of those at it. */
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

  /** The entry of a row's time and hash, whatever else the row says; null where there is none. */
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

/** The line is one of the ledger, by its hash; what its keeper sealed need not be checked again, but to be read. */
function read(line: Uint8Array, index: number, hash: string): FoundEntry {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  const event = parseObject(text) as unknown as LedgerEvent | null;
  if (!event) {
    const found = JSON.stringify(text.slice(0, 80));
    throw new CathedralError('log_invalid', { place: `entry ${index}`, expected: 'an event', found });
  }
  const { timestamp, type, agent } = event;
  const data = JSON.stringify(event.data);
  return { index, event, row: { timestamp, event_type: type, agent, data, attestation_hash: `0x${hash}` } };
}

/** Entries that stand together in the log, with their hashes. */
export interface EntryBundle {
  lines: Uint8Array[];
  hashes: Hash[];
}

/** Bundles that are kept: those of a search by halves, and a few of those that are gone through. */
const KEPT_BUNDLES = 24;

/** Any entry of a log, in any order, each compared with the checkpoint. Bundles give the tiles of level 0 themselves. */
export class LogEntries {
  readonly log: AuditedLog;
  readonly #source: LogSource;
  readonly #kept: Map<number, Promise<EntryBundle>>;
  #last = -1;

  private constructor(log: AuditedLog, source: LogSource, kept: Map<number, Promise<EntryBundle>>) {
    this.log = log;
    this.#source = source;
    this.#kept = kept;
  }

  static async open(source: LogSource, verifiers: readonly Verifier[]): Promise<LogEntries> {
    const kept = new Map<number, Promise<EntryBundle>>();
    const readTile = async (tile: Tile) =>
      tile.level > 0 ? source.tile(tile) : bytesOf((await keep(kept, source, tile)).hashes);
    return new LogEntries(await openAuditedLog(source, verifiers, readTile), source, kept);
  }

  get size(): number {
    return this.log.checkpoint.size;
  }

  /** Whoever goes through the log from its end gets the next bundle while this one is looked at. */
  #readAhead(number: number): void {
    const isOnTheWay = number === this.#last - 1 && number > 0;
    this.#last = number;
    if (!isOnTheWay) return;
    // What goes wrong with it is told when it is asked for.
    keep(this.#kept, this.#source, tileAt(0, number - 1, this.size)!).catch(() => undefined);
  }

  /**
   * Entries 256·number … of the log. Throws log_invalid where one does not follow from the checkpoint, and what the source
   * throws.
   */
  async bundle(number: number): Promise<EntryBundle> {
    const tile = tileAt(0, number, this.size)!;
    const bundle = await keep(this.#kept, this.#source, tile);
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

function keep(kept: Map<number, Promise<EntryBundle>>, source: LogSource, tile: Tile): Promise<EntryBundle> {
  const known = kept.get(tile.index);
  const bundle = known ?? readBundle(source, tile);
  kept.delete(tile.index);
  kept.set(tile.index, bundle);
  if (!known) bundle.catch(() => kept.delete(tile.index));
  if (kept.size > KEPT_BUNDLES) kept.delete(kept.keys().next().value!);
  return bundle;
}

async function readBundle(source: LogSource, { index, width }: Tile): Promise<EntryBundle> {
  const lines = await source.entries({ index, width });
  return { lines, hashes: lines.map(leafHash) };
}
