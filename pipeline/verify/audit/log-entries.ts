import { CathedralError } from '../../errors.ts';
import { bytesOf, type Hash } from '../../ledger/log/hash.ts';
import { bundlePath, type Tile, tileAt } from '../../ledger/log/tile.ts';
import { leafHash } from '../../ledger/merkle.ts';
import type { Verifier } from '../../ledger/note.ts';
import type { LogSource } from './log-source.ts';
import { type AuditedLog, openAuditedLog } from './open-audited-log.ts';

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
  const bundle = known ?? read(source, tile);
  kept.delete(tile.index);
  kept.set(tile.index, bundle);
  if (!known) bundle.catch(() => kept.delete(tile.index));
  if (kept.size > KEPT_BUNDLES) kept.delete(kept.keys().next().value!);
  return bundle;
}

async function read(source: LogSource, { index, width }: Tile): Promise<EntryBundle> {
  const lines = await source.entries({ index, width });
  return { lines, hashes: lines.map(leafHash) };
}
