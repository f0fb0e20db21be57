import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { diskFull, isDiskFull, writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../events/event.ts';
import { slotTime } from '../events/slot.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { formatCheckpoint } from '../notes/checkpoint.ts';
import { type Signer, signNote } from '../notes/note.ts';
import { type SnapshotFile, snapshotFile } from '../reading/directory.ts';
import { ZstdFile } from '../reading/zstd.ts';
import { EventWriter } from './event-writer.ts';

export interface SnapshotOptions {
  /** Whether the files are flushed to disk when `seal` returns. Off for demo ledgers. Default true. */
  durable?: boolean;
}

/** The keys that sign a ledger: one, and during a rotation more. */
export type Signers = readonly [Signer, ...Signer[]];

/** Bytes of lines to compress at a time. */
const BATCH_BYTES = 256 * 1024;
const READY = Promise.resolve();

/**
 * Writes one snapshot: append its events, then seal it. Only one writer may use a ledger at a time. If killed, it leaves a `.tmp` file or
 * events without a checkpoint, which readers ignore and the next writer replaces.
 */
export class SnapshotWriter {
  readonly #ledger: string;
  readonly #before: LedgerPosition;
  readonly #signers: Signers;
  readonly #durable: boolean;
  readonly #events: EventWriter;
  readonly #file: ZstdFile;
  #open = true;

  private constructor(ledger: string, position: LedgerPosition, signers: Signers, durable: boolean) {
    this.#ledger = ledger;
    this.#before = position;
    this.#signers = signers;
    this.#durable = durable;
    this.#events = new EventWriter(position, BATCH_BYTES);
    this.#file = new ZstdFile(`${snapshotFile(ledger, 'next').events}.tmp`, durable);
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

  /** Number of events in the ledger including those appended so far, which is the next event's seq. */
  get size(): number {
    return this.#events.size;
  }

  /**
   * Appends the next event, validated as by a reader. Await the promise before the next call: it waits for the disk when the buffer is
   * full. Throws `ledger_schema`, `ledger_order`, `ledger_corrupt` (a line too long), `ledger_unwritable` or
   * `disk_full`.
   */
  append(event: LedgerEvent): Promise<void> {
    if (!this.#open) throw new Error('this snapshot is closed');
    this.#events.append(event);
    return this.#flushed() ?? READY;
  }

  /** As `append`, for an event that has been checked, with its line without the line end. Null: there is nothing to wait for. */
  appendLine(event: LedgerEvent, line: string | Uint8Array): Promise<void> | null {
    if (!this.#open) throw new Error('this snapshot is closed');
    this.#events.appendLine(event, line);
    return this.#flushed();
  }

  #flushed(): Promise<void> | null {
    return this.#events.full ? this.#written(this.#file.write(this.#events.take())) : null;
  }

  /** Seals the snapshot of slot `id` and returns the end of the ledger. Never overwrites a snapshot. */
  async seal(id: string): Promise<LedgerPosition> {
    if (!this.#open) throw new Error('this snapshot is closed');
    const file = this.#newFile(id);
    this.#open = false;
    await this.#written(this.#file.finish(this.#events.take(), file.events));
    const { size } = this.#events;
    const checkpoint = formatCheckpoint({
      origin: this.#signers[0].verifier.name,
      size,
      root: this.#events.root(),
    });
    try {
      await writeFileAtomically(file.checkpoint, signNote(checkpoint, ...this.#signers), this.#durable);
    } catch (cause) {
      throw unwritable(file.checkpoint, cause);
    }
    return this.#events.position(id);
  }

  /** Abandons the snapshot and removes its files. */
  async discard(): Promise<void> {
    this.#open = false;
    await this.#file.discard();
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

  async #written(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (cause) {
      throw unwritable(this.#ledger, cause);
    }
  }
}

function unwritable(place: string, cause: unknown): CathedralError {
  const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
  if (isDiskFull(cause)) return diskFull(place, found, cause);
  return new CathedralError('ledger_unwritable', { place, expected: 'a place to write to', found, cause });
}
