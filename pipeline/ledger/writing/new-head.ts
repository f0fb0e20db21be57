import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, rm } from 'node:fs/promises';
import { diskFull, isDiskFull, renameDurably, TEMPORARY_SUFFIX } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';

/** A new `head.ndjson` beside the old one, which it replaces when it is complete. */
export class NewHead {
  readonly #path: string;
  readonly #durable: boolean;
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(path: string, bytes: number, durable: boolean, file: FileHandle) {
    this.#path = path;
    this.#bytes = bytes;
    this.#durable = durable;
    this.#file = file;
  }

  /** Begins with the first `bytes` bytes of the old head. Throws `ledger_unwritable` or `disk_full`. */
  static async begin(path: string, bytes: number, durable: boolean): Promise<NewHead> {
    return orUnwritable(async () => {
      const temporary = `${path}${TEMPORARY_SUFFIX}`;
      if (bytes === 0) return new NewHead(path, bytes, durable, await open(temporary, 'w'));
      // A copy-on-write file system copies no bytes.
      await copyFile(path, temporary, constants.COPYFILE_FICLONE);
      return new NewHead(path, bytes, durable, await openAt(temporary, bytes));
    });
  }

  async write(lines: Uint8Array): Promise<void> {
    await orUnwritable(() => this.#file.writeFile(lines));
    this.#bytes += lines.length;
  }

  /** Replaces the head, and returns its length in bytes. */
  async commit(): Promise<number> {
    await orUnwritable(async () => {
      if (this.#durable) await this.#file.sync();
      await this.#file.close();
      await renameDurably(`${this.#path}${TEMPORARY_SUFFIX}`, this.#path, this.#durable);
    });
    return this.#bytes;
  }

  async discard(): Promise<void> {
    // `commit` may have closed it before it failed.
    await this.#file.close().catch(() => undefined);
    await rm(`${this.#path}${TEMPORARY_SUFFIX}`, { force: true }).catch(() => undefined);
  }
}

/** Adds lines after the first `bytes` bytes of the head. A failure leaves it as it was, or with an incomplete line. */
export async function appendInPlace(
  path: string,
  bytes: number,
  lines: Uint8Array,
  durable: boolean,
): Promise<void> {
  await orUnwritable(async () => {
    const file = await openAt(path, bytes);
    try {
      await file.appendFile(lines);
      if (durable) await file.sync();
    } catch (cause) {
      await file.truncate(bytes).catch(() => undefined);
      throw cause;
    } finally {
      await file.close();
    }
  });
}

/** Without what follows the first `bytes` bytes: an incomplete line of a killed writer would swallow the next one. */
async function openAt(path: string, bytes: number): Promise<FileHandle> {
  const file = await open(path, 'a');
  try {
    await file.truncate(bytes);
    return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

/** Throws `ledger_unwritable` or `disk_full` with the place head.ndjson. */
export async function orUnwritable<T>(write: () => Promise<T>): Promise<T> {
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
