import { CathedralError } from '../errors.ts';
import { leafHash } from '../ledger/merkle.ts';
import type { Verifier } from '../ledger/note.ts';
import { bytesOf, type Hash } from '../log/hash.ts';
import { bundlePath, TILE_WIDTH, type Tile, tileAt } from '../log/tile.ts';
import type { LogSource } from './log-source.ts';
import { type AuditedLog, openAuditedLog } from './open-audited-log.ts';

/** An entry that follows from the checkpoint. */
export interface LogEntry {
  /** Its number in the log, from 0. */
  index: number;
  hash: Hash;
  line: Uint8Array;
}

interface Bundle {
  lines: Uint8Array[];
  hashes: Hash[];
}

/** Bundles that are kept: those of a search by halves, and a few of those that are gone through. */
const KEPT_BUNDLES = 24;

/** Any entry of a log, in any order, each compared with the checkpoint. Bundles give the tiles of level 0 themselves. */
export class LogEntries {
  readonly log: AuditedLog;
  readonly #source: LogSource;
  readonly #kept: Map<number, Promise<Bundle>>;

  private constructor(log: AuditedLog, source: LogSource, kept: Map<number, Promise<Bundle>>) {
    this.log = log;
    this.#source = source;
    this.#kept = kept;
  }

  static async open(source: LogSource, verifiers: readonly Verifier[]): Promise<LogEntries> {
    const kept = new Map<number, Promise<Bundle>>();
    const readTile = async (tile: Tile) =>
      tile.level > 0 ? source.tile(tile) : bytesOf((await keep(kept, source, tile)).hashes);
    return new LogEntries(await openAuditedLog(source, verifiers, readTile), source, kept);
  }

  get size(): number {
    return this.log.checkpoint.size;
  }

  /** Throws log_invalid where the entry does not follow from the checkpoint, and what the source throws. */
  async at(index: number): Promise<LogEntry> {
    const number = Math.floor(index / TILE_WIDTH);
    const tile = tileAt(0, number, this.size)!;
    const { lines, hashes } = await keep(this.#kept, this.#source, tile);
    const expected = await this.log.reader.tile(0, number);
    const within = index % TILE_WIDTH;
    const hash = hashes[within]!;
    if (hash === expected[within]) return { index, hash, line: lines[within]! };
    const place = `${this.#source.name}/${bundlePath(tile)}`;
    throw new CathedralError('log_invalid', { place, expected: `hash ${expected[within]}`, found: hash });
  }
}

function keep(kept: Map<number, Promise<Bundle>>, source: LogSource, tile: Tile): Promise<Bundle> {
  const known = kept.get(tile.index);
  const bundle = known ?? read(source, tile);
  kept.delete(tile.index);
  kept.set(tile.index, bundle);
  if (!known) bundle.catch(() => kept.delete(tile.index));
  if (kept.size > KEPT_BUNDLES) kept.delete(kept.keys().next().value!);
  return bundle;
}

async function read(source: LogSource, { index, width }: Tile): Promise<Bundle> {
  const lines = await source.entries({ index, width });
  return { lines, hashes: lines.map(leafHash) };
}
