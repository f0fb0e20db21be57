import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskFull, isDiskFull, TEMPORARY_SUFFIX, writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../events/event.ts';
import { assertEvent } from '../events/event-check.ts';
import { formatEventLine } from '../events/event-line.ts';
import { slotTime } from '../events/slot.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { CompactRange, leafHash } from '../log/merkle.ts';
import { formatCheckpoint } from '../notes/checkpoint.ts';
import { type Signer, signNote } from '../notes/note.ts';
import { type SnapshotFile, snapshotFile } from '../reading/directory.ts';
import { LineWriter } from './line-writer.ts';
import { ZstdFile } from './zstd-file.ts';

export interface SnapshotOptions {
  /** Whether the files are flushed to disk when `seal` returns. Off for demo ledgers. Default true. */
  durable?: boolean;
}

/** The keys that sign a ledger: one, and during a rotation more. */
export type Signers = readonly [Signer, ...Signer[]];

/** Bytes of lines to compress at a time. */
const BATCH_BYTES = 256 * 1024;

/**
 * Writes one snapshot: add its events, then seal it. Only one writer may use a ledger at a time. If killed, it leaves a `.tmp` file or
 * events without a checkpoint, which readers ignore and the next writer replaces.
 */
export class SnapshotWriter {
  readonly #ledger: string;
  readonly #before: LedgerPosition;
  readonly #signers: Signers;
  readonly #durable: boolean;
  readonly #lines: LineWriter;
  readonly #tree: CompactRange;
  readonly #file: ZstdFile;
  #open = true;

  private constructor(ledger: string, position: LedgerPosition, signers: Signers, durable: boolean) {
    this.#ledger = ledger;
    this.#before = position;
    this.#signers = signers;
    this.#durable = durable;
    this.#lines = new LineWriter(position);
    this.#tree = CompactRange.resume(position.size, position.range);
    this.#file = new ZstdFile(`${snapshotFile(ledger, 'next').events}${TEMPORARY_SUFFIX}`, durable);
  }

  /**
   * `ledger` is the ledger's folder, created if missing. All signers have the name of the ledger's origin, and each signs the checkpoint.
   */
  static create(
    ledger: string,
    position: LedgerPosition,
    signers: Signers,
    { durable = true }: SnapshotOptions = {},
  ): SnapshotWriter {
    const [{ verifier }] = signers;
    const other = signers.find((signer) => signer.verifier.name !== verifier.name);
    if (other) {
      throw new CathedralError('config_invalid', {
        place: 'ledger key',
        expected: `keys of one name, ${verifier.name}`,
        found: other.verifier.name,
      });
    }
    try {
      mkdirSync(dirname(snapshotFile(ledger, 'next').events), { recursive: true });
    } catch (cause) {
      throw unwritable(ledger, cause);
    }
    return new SnapshotWriter(ledger, position, signers, durable);
  }

  /** Number of events in the ledger including those added so far, which is the next event's seq. */
  get size(): number {
    return this.#tree.size;
  }

  /**
   * Appends the next event, validated as by a reader. Await the promise before the next call: it waits for the disk when the buffer is
   * full. Throws `ledger_schema`, `ledger_order`, `ledger_corrupt` (a line too long), `ledger_unwritable` or
   * `disk_full`.
   */
  async append(event: LedgerEvent): Promise<void> {
    assertEvent(event, this.#lines.place);
    this.add(event, formatEventLine(event));
    if (this.isFull) await this.flush();
  }

  /** An event that has been checked, with its line without the line end. Throws `ledger_order` or `ledger_corrupt`. */
  add(event: LedgerEvent, line: string | Uint8Array): void {
    this.#assertOpen();
    this.#tree.append(leafHash(this.#lines.add(event, line)));
  }

  /** Whether so much was added that it is time to `flush`. */
  get isFull(): boolean {
    return this.#lines.bytes >= BATCH_BYTES;
  }

  /** Waits for the disk. Throws `ledger_unwritable` or `disk_full`. */
  async flush(): Promise<void> {
    await this.#written(this.#file.write(this.#lines.take()));
  }

  /** Seals the snapshot of slot `id` and returns the end of the ledger. Never overwrites a snapshot. */
  async seal(id: string): Promise<LedgerPosition> {
    this.#assertOpen();
    const file = this.#newFile(id);
    this.#open = false;
    await this.#written(this.#file.finish(this.#lines.take(), file.events));
    const { size, timestamp } = this.#lines.end;
    const origin = this.#signers[0].verifier.name;
    const note = signNote(formatCheckpoint({ origin, size, root: this.#tree.root() }), ...this.#signers);
    await this.#written(writeFileAtomically(file.checkpoint, note, this.#durable), file.checkpoint);
    return { snapshot: id, size, range: this.#tree.hashes(), timestamp };
  }

  /** Abandons the snapshot and removes its files. */
  async discard(): Promise<void> {
    this.#open = false;
    await this.#file.discard();
  }

  #assertOpen(): void {
    if (!this.#open) throw new Error('this snapshot is closed');
  }

  #newFile(id: string): SnapshotFile {
    const before = this.#before.snapshot;
    const place = `snapshots/${id}`;
    slotTime(id);
    if (before !== null && id <= before) {
      throw new CathedralError('ledger_order', { place, expected: `a slot after ${before}`, found: id });
    }
    const file = snapshotFile(this.#ledger, id);
    if (existsSync(file.checkpoint)) {
      throw new CathedralError('ledger_unwritable', {
        place,
        expected: 'no such snapshot yet',
        found: 'one',
      });
    }
    return file;
  }

  async #written(write: Promise<void>, place = this.#ledger): Promise<void> {
    await write.catch((cause: unknown) => {
      throw unwritable(place, cause);
    });
  }
}

function unwritable(place: string, cause: unknown): CathedralError {
  const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
  if (isDiskFull(cause)) return diskFull(place, found, cause);
  return new CathedralError('ledger_unwritable', { place, expected: 'a place to write to', found, cause });
}
