import { CathedralError } from '../../errors.ts';
import { MAX_BUNDLE_BYTES, parseBundle } from '../../ledger/log/entry-bundle.ts';
import type { Hash } from '../../ledger/log/hash.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { bundlePath, TILE_WIDTH, tileAt } from '../../ledger/log/tile.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { assertHashes } from '../../release/log/log-folder.ts';
import { counted } from '../../words/number.ts';
import { mismatchError } from '../findings.ts';
import { LOG, type Origin, readSmall } from '../origin.ts';
import { openSignedLog, type SignedLog } from '../signed-log.ts';

/** The entries of one bundle, with their hashes. */
interface EntryBundle {
  /** The number of the first one. */
  first: number;
  lines: Uint8Array[];
  hashes: readonly Hash[];
}

/** Random access to the entries of a log, each verified against the checkpoint. */
export class LogEntries {
  readonly log: SignedLog;
  /** Reads the entries, which need a government key; all else is public. */
  readonly #withKey: Origin;
  #last = -1;
  /** The bundle before the last one, once two were read one after the other: most callers read the log backwards. */
  #ahead: { number: number; bundle: Promise<EntryBundle> } | null = null;

  private constructor(log: SignedLog, withKey: Origin) {
    [this.log, this.#withKey] = [log, withKey];
  }

  static async open(origin: Origin, verifiers: readonly Verifier[], withKey = origin): Promise<LogEntries> {
    const entries = new LogEntries(await openSignedLog(origin, verifiers), withKey);
    // A missing key shows at once.
    if (entries.size > 0) await entries.bundle(entries.bundles - 1);
    return entries;
  }

  get size(): number {
    return this.log.checkpoint.size;
  }

  get bundles(): number {
    return Math.ceil(this.size / TILE_WIDTH);
  }

  /**
   * Entries from 256·number on. Throws log_invalid if one does not follow from the checkpoint, and what the origin throws.
   */
  async bundle(number: number): Promise<EntryBundle> {
    const bundle = this.#ahead?.number === number ? this.#ahead.bundle : this.#read(number);
    if (number === this.#last - 1 && number > 0) {
      this.#ahead = { number: number - 1, bundle: this.#read(number - 1) };
      // An error surfaces when the bundle is needed.
      this.#ahead.bundle.catch(() => undefined);
    }
    this.#last = number;
    return bundle;
  }

  /** A partial bundle may have been removed once the full one exists, which begins with it. */
  async #read(number: number): Promise<EntryBundle> {
    const { width } = tileAt(0, number, this.size)!;
    const paths = [...new Set([width, TILE_WIDTH])].map((one) => ({
      width: one,
      path: `${LOG}/${bundlePath({ index: number, width: one })}`,
    }));
    for (const one of paths) {
      const size = { most: MAX_BUNDLE_BYTES };
      const found = await readSmall(this.#withKey, one.path, size, { compressible: true }).catch(withoutKey);
      if (!found) continue;
      const place = this.#withKey.placeOf(one.path);
      const lines = parseBundle(found.bytes, one.width, place).slice(0, width);
      const hashes = await this.log.reader.tile(0, number);
      assertHashes(lines.map(leafHash), hashes, place);
      return { first: number * TILE_WIDTH, lines, hashes };
    }
    const place = this.#withKey.placeOf(paths[0]!.path);
    throw mismatchError(place, `a bundle of ${counted(width, 'entry', 'entries')}`, 'no such file');
  }
}

function withoutKey(error: unknown): never {
  if (!(error instanceof CathedralError) || !/^status 40[13]$/.test(error.found)) throw error;
  const found = `${error.found}: entries need a government key`;
  throw new CathedralError('proof_refused', { ...error, found, cause: error });
}
