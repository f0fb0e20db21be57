import { constants, createReadStream } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { diskFull, isDiskFull, renameDurably, TEMPORARY_SUFFIX } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../events/event.ts';
import { LEDGER_START, type LedgerPosition } from '../log/leaf.ts';
import { LineWriter } from './line-writer.ts';

/** Bytes of a head in [from, to): its events that are in no snapshot. */
export interface HeadRange {
  from: number;
  to: number;
}

export const NO_EVENTS: HeadRange = { from: 0, to: 0 };

const BATCH_BYTES = 1024 * 1024;

/**
 * A new `head.ndjson` beside the old one, which it replaces when it is complete, so that nobody ever sees part of a batch. Throws
 * `ledger_unwritable` or `disk_full` with the place head.ndjson.
 */
export class NewHead {
  readonly #path: string;
  readonly #kept: HeadRange;
  readonly #durable: boolean;
  readonly #lines: LineWriter;
  #file: FileHandle | undefined;
  #bytes: number;

  /**
   * Begins with the bytes `kept` of the old head. What follows them may be an incomplete line of a writer that was killed. `end`: of the
   * events before those that are added.
   */
  constructor(
    path: string,
    kept: HeadRange,
    durable: boolean,
    end: Pick<LedgerPosition, 'size' | 'timestamp'> = LEDGER_START,
  ) {
    this.#path = path;
    this.#kept = kept;
    this.#durable = durable;
    this.#lines = new LineWriter(end);
    this.#bytes = kept.to - kept.from;
  }

  /** An event that has been checked, and its line without the line end. Throws `ledger_order` or `ledger_corrupt`. */
  add(event: LedgerEvent, line: string | Uint8Array): void {
    this.#lines.add(event, line);
  }

  /** Whether so much was added that it is time to `flush`. */
  get isFull(): boolean {
    return this.#lines.bytes >= BATCH_BYTES;
  }

  /** Writes what was added, or forgets it if `dryRun`. */
  async flush(dryRun = false): Promise<void> {
    const lines = this.#lines.take();
    if (dryRun) return;
    await orUnwritable(async () => (await this.#open()).writeFile(lines));
    this.#bytes += lines.length;
  }

  /** The end of the events so far. */
  get end(): Pick<LedgerPosition, 'size' | 'timestamp'> {
    return this.#lines.end;
  }

  /** Replaces the head, and returns its length in bytes. */
  async commit(): Promise<number> {
    try {
      await this.flush();
      await orUnwritable(async () => {
        const file = await this.#open();
        if (this.#durable) await file.sync();
        await file.close();
        await renameDurably(this.#temporary, this.#path, this.#durable);
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

  get #temporary(): string {
    return `${this.#path}${TEMPORARY_SUFFIX}`;
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const { from, to } = this.#kept;
    const isCopy = from === 0 && to > 0;
    // A copy-on-write file system copies no bytes.
    if (isCopy) await copyFile(this.#path, this.#temporary, constants.COPYFILE_FICLONE);
    this.#file = await open(this.#temporary, isCopy ? 'a' : 'w');
    if (isCopy) await this.#file.truncate(to);
    else if (from < to)
      for await (const chunk of createReadStream(this.#path, { start: from, end: to - 1 }))
        await this.#file.writeFile(chunk as Buffer);
    return this.#file;
  }
}

async function orUnwritable<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    if (isDiskFull(cause)) throw diskFull('head.ndjson', found, cause);
    throw new CathedralError('ledger_unwritable', {
      place: 'head.ndjson',
      expected: 'a writable file',
      found,
      cause,
    });
  }
}
