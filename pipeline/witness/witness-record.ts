import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, replaceFile } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { readSignatures } from '../ledger/notes/note.ts';

/** Of one log: enough to convict it, and no more than a sender of forged proofs can fill a disk with. */
const MOST_REFUSED = 100;

/**
 * What a witness knows about one log: `<folder>/<SHA-256 of the origin>/checkpoint`, the newest checkpoint that it cosigned, as it is
 * served. It is read from the disk each time: after a write that failed, only the disk knows which one it has.
 */
export class WitnessRecord {
  readonly #folder: string;
  readonly #place: string;

  constructor(folder: string, originHash: string) {
    this.#folder = join(folder, originHash);
    this.#place = join(this.#folder, 'checkpoint');
  }

  /** Null before the first. Throws `store_failed` if it cannot be read, and `ledger_corrupt` if it is damaged: the log could fork then. */
  async read(): Promise<{ note: string; checkpoint: Checkpoint } | null> {
    const note = await readFile(this.#place, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      const expected = 'the last checkpoint that this witness cosigned';
      throw new CathedralError('store_failed', { place: this.#place, expected, found: cause.message, cause });
    });
    if (note === null) return null;
    const { text } = readSignatures(note, this.#place);
    return { note, checkpoint: parseCheckpoint(text, this.#place) };
  }

  /** On disk when it resolves. Throws `publish_failed` and `disk_full`. */
  async replace(note: string): Promise<void> {
    await replaceFile(this.#place, note);
  }

  /** Keeps a signed checkpoint that was not shown to extend the last one. */
  async keepRefused({ size, root }: Checkpoint, note: string): Promise<void> {
    const folder = join(this.#folder, 'refused');
    const place = join(folder, `${size}-${root.slice(0, 16)}`);
    if (await exists(place)) return;
    const kept = await readdir(folder).catch(() => []);
    if (kept.length < MOST_REFUSED) await asDiskErrors(place, () => replaceFile(place, note));
  }
}
