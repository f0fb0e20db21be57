import { constants, existsSync, mkdirSync } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  diskFull,
  isDiskFull,
  renameDurably,
  TEMPORARY_SUFFIX,
  writeFileAtomically,
} from '../../disk/durable.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from '../events/event.ts';
import { assertEvent } from '../events/event-check.ts';
import { formatEventLine } from '../events/event-line.ts';
import { EventOrder } from '../events/event-order.ts';
import { slotTime } from '../events/slot.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { CompactRange, leafHash } from '../log/merkle.ts';
import { formatCheckpoint } from '../notes/checkpoint.ts';
import { type Signer, signNote } from '../notes/note.ts';
import { type SnapshotFile, snapshotFile } from '../reading/directory.ts';
import type { HeadLine } from '../reading/head.ts';
import { ZstdFile } from './zstd-file.ts';

const wrong = errorOf('config_invalid');

const LINE_END = Buffer.from('\n');

/** The end of some events: the seq of the next one, and the time of the last, null before the first. */
export type EventsEnd = Pick<LedgerPosition, 'size' | 'timestamp'>;

/** What failed at a place of a ledger. The disk's own errors are named for releases; others stay as they are. */
export function unwritable(place: string, cause: unknown): CathedralError {
  if (cause instanceof CathedralError)
    return cause.code === 'publish_failed'
      ? new CathedralError('ledger_unwritable', { ...cause, cause })
      : cause;
  const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
  if (isDiskFull(cause)) return diskFull(place, found, cause);
  return new CathedralError('ledger_unwritable', { place, expected: 'a place to write to', found, cause });
}

/** Lines of checked events that continue from a position, until somebody writes them. */
export class EventLines {
  readonly #order: EventOrder;
  readonly #batchBytes: number;
  #lines: Buffer[] = [];
  #bytes = 0;

  constructor(position: EventsEnd, batchBytes = Number.POSITIVE_INFINITY) {
    this.#order = new EventOrder(position);
    this.#batchBytes = batchBytes;
  }

  /**
   * An event that has been checked, and its line without the line end, whose bytes it returns. Throws `ledger_order` or `ledger_corrupt`
   * (too long) with the place `event <seq>`.
   */
  add(event: LedgerEvent, line: string | Uint8Array): Buffer {
    const bytes = Buffer.from(line as string);
    if (bytes.length > MAX_LINE_BYTES) {
      const expected = `at most ${MAX_LINE_BYTES} bytes`;
      throw new CathedralError('ledger_corrupt', { place: this.place(), expected, found: `${bytes.length}` });
    }
    this.#order.accept(event, this.place);
    this.#lines.push(bytes, LINE_END);
    this.#bytes += bytes.length + 1;
    return bytes;
  }

  /** Names the next event in errors. */
  readonly place = () => `event ${this.#order.seq}`;

  /** Whether enough was added to write it. */
  get isFull(): boolean {
    return this.#bytes >= this.#batchBytes;
  }

  /** The lines since the last call, with line ends. */
  take(): Buffer {
    const lines = Buffer.concat(this.#lines, this.#bytes);
    this.#lines = [];
    this.#bytes = 0;
    return lines;
  }

  get end(): EventsEnd {
    return { size: this.#order.seq, timestamp: this.#order.timestamp };
  }
}

/**
 * A new `head.ndjson` beside the old one, which it replaces when it is complete, so that nobody ever sees part of a batch. Throws
 * `ledger_unwritable` or `disk_full` with the place head.ndjson.
 */
export class NewHead extends EventLines {
  readonly #path: string;
  readonly #temporary: string;
  #file: FileHandle | undefined;
  #bytes: number;

  /**
   * Begins with the first `kept` bytes of the old head. What follows them may be an incomplete line of a writer that was killed. `end`: of
   * the events before those that are added.
   */
  constructor(path: string, kept: number, end: EventsEnd) {
    super(end, 1024 * 1024);
    this.#path = path;
    this.#temporary = `${path}${TEMPORARY_SUFFIX}`;
    this.#bytes = kept;
  }

  /** Lines that are valid by themselves. */
  async addAll(lines: readonly HeadLine[]): Promise<void> {
    for (const { event, line } of lines) {
      this.add(event, line);
      if (this.isFull) await this.flush();
    }
  }

  /** Writes what was added, or forgets it if `dryRun`. */
  async flush(dryRun = false): Promise<void> {
    const lines = this.take();
    if (dryRun) return;
    await this.#written(async () => (await this.#open()).writeFile(lines));
    this.#bytes += lines.length;
  }

  /** Replaces the head, and returns its length in bytes. */
  async commit(): Promise<number> {
    try {
      await this.flush();
      await this.#written(async () => {
        const file = await this.#open();
        await file.sync();
        await file.close();
        await renameDurably(this.#temporary, this.#path, true);
      });
    } catch (error) {
      await this.discard();
      throw error;
    }
    return this.#bytes;
  }

  async discard(): Promise<void> {
    // `commit` may have closed it before it failed.
    await this.#file?.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const kept = this.#bytes;
    // A copy-on-write file system copies no bytes.
    if (kept > 0) await copyFile(this.#path, this.#temporary, constants.COPYFILE_FICLONE);
    this.#file = await open(this.#temporary, kept > 0 ? 'a' : 'w');
    if (kept > 0) await this.#file.truncate(kept);
    return this.#file;
  }

  async #written(write: () => Promise<void>): Promise<void> {
    await write().catch((cause) => {
      throw unwritable('head.ndjson', cause);
    });
  }
}

/** The keys that sign a ledger: one, and during a rotation more. */
export type Signers = readonly [Signer, ...Signer[]];

/**
 * Writes one snapshot: add its events, then seal it. Only one writer may use a ledger at a time. If killed, it leaves a `.tmp` file or
 * events without a checkpoint, which readers ignore and the next writer replaces.
 */
export class SnapshotWriter extends EventLines {
  readonly #ledger: string;
  readonly #before: LedgerPosition;
  readonly #signers: Signers;
  readonly #durable: boolean;
  readonly #tree: CompactRange;
  readonly #file: ZstdFile;
  #isOpen = true;

  /**
   * `ledger` is the ledger's folder, created if missing. All signers have the name of the ledger's origin, and each signs the checkpoint.
   * `durable`: whether the files are flushed to disk when `seal` returns; off for demo ledgers. Throws `config_invalid` for keys of several
   * names, `ledger_unwritable` or `disk_full`.
   */
  constructor(ledger: string, position: LedgerPosition, signers: Signers, { durable = true } = {}) {
    super(position, 256 * 1024);
    const [{ verifier }] = signers;
    const other = signers.find((signer) => signer.verifier.name !== verifier.name);
    if (other) throw wrong('ledger key', `keys of one name, ${verifier.name}`, other.verifier.name);
    const next = snapshotFile(ledger, 'next').events;
    try {
      mkdirSync(dirname(next), { recursive: true });
    } catch (cause) {
      throw unwritable(ledger, cause);
    }
    this.#ledger = ledger;
    this.#before = position;
    this.#signers = signers;
    this.#durable = durable;
    this.#tree = CompactRange.resume(position.size, position.range);
    this.#file = new ZstdFile(`${next}${TEMPORARY_SUFFIX}`, durable);
  }

  /**
   * Appends the next event, validated as by a reader. Await the promise before the next call: it waits for the disk when the buffer is
   * full. Throws `ledger_schema`, `ledger_order`, `ledger_corrupt` (a line too long), `ledger_unwritable` or `disk_full`.
   */
  async append(event: LedgerEvent): Promise<void> {
    assertEvent(event, this.place);
    this.add(event, formatEventLine(event));
    if (this.isFull) await this.flush();
  }

  override add(event: LedgerEvent, line: string | Uint8Array): Buffer {
    this.#assertOpen();
    const bytes = super.add(event, line);
    this.#tree.append(leafHash(bytes));
    return bytes;
  }

  /** Waits for the disk. Throws `ledger_unwritable` or `disk_full`. */
  async flush(): Promise<void> {
    await this.#written(this.#file.write(this.take()));
  }

  /** Seals the snapshot of slot `id` and returns the end of the ledger. Never overwrites a snapshot. */
  async seal(id: string): Promise<LedgerPosition> {
    this.#assertOpen();
    const file = this.#newFile(id);
    this.#isOpen = false;
    await this.#written(this.#file.finish(this.take(), file.events));
    const { size, timestamp } = this.end;
    const origin = this.#signers[0].verifier.name;
    const note = signNote(formatCheckpoint({ origin, size, root: this.#tree.root() }), ...this.#signers);
    await this.#written(writeFileAtomically(file.checkpoint, note, this.#durable), file.checkpoint);
    return { snapshot: id, size, range: this.#tree.hashes(), timestamp };
  }

  /** Abandons the snapshot and removes its files. */
  async discard(): Promise<void> {
    this.#isOpen = false;
    await this.#file.discard();
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new Error('this snapshot is closed');
  }

  #newFile(id: string): SnapshotFile {
    const before = this.#before.snapshot;
    const place = `snapshots/${id}`;
    slotTime(id);
    if (before !== null && id <= before)
      throw new CathedralError('ledger_order', { place, expected: `a slot after ${before}`, found: id });
    const file = snapshotFile(this.#ledger, id);
    if (!existsSync(file.checkpoint)) return file;
    throw new CathedralError('ledger_unwritable', { place, expected: 'no such snapshot yet', found: 'one' });
  }

  /** Node ends the process over a file that nobody has closed, and the disk may have room again for a server that goes on. */
  async #written(write: Promise<void>, place = this.#ledger): Promise<void> {
    await write.catch(async (cause: unknown) => {
      await this.discard();
      throw unwritable(place, cause);
    });
  }
}
