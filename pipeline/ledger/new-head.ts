import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { diskFull, isDiskFull } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { renameDurably } from './atomic-file.ts';

/** A new `head.ndjson` beside the old one, which it replaces when it is complete. */
export class NewHead {
  readonly #path: string;
  readonly #durable: boolean;
  readonly #file: number;
  #bytes: number;

  /** Begins with the first `bytes` bytes of the old head. Throws `ledger_unwritable` or `disk_full`. */
  constructor(path: string, bytes: number, durable: boolean) {
    this.#path = path;
    this.#durable = durable;
    this.#bytes = bytes;
    this.#file = orUnwritable(() => begin(path, bytes));
  }

  write(lines: Uint8Array): void {
    orUnwritable(() => writeAll(this.#file, lines));
    this.#bytes += lines.length;
  }

  /** Replaces the head, and returns its length in bytes. */
  commit(): number {
    orUnwritable(() => {
      if (this.#durable) fsyncSync(this.#file);
      closeSync(this.#file);
      renameDurably(temporary(this.#path), this.#path, this.#durable);
    });
    return this.#bytes;
  }

  discard(): void {
    try {
      closeSync(this.#file);
    } catch {
      // `commit` closed it before it failed.
    }
    rmSync(temporary(this.#path), { force: true });
  }
}

const temporary = (path: string) => `${path}.tmp`;

function begin(path: string, bytes: number): number {
  // A copy-on-write file system copies no bytes.
  if (bytes > 0) copyFileSync(path, temporary(path), constants.COPYFILE_FICLONE);
  const file = openSync(temporary(path), bytes > 0 ? 'a' : 'w');
  // Without the incomplete line that a killed writer may have left.
  ftruncateSync(file, bytes);
  return file;
}

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

/** Throws `ledger_unwritable` or `disk_full` with the place head.ndjson. */
export function orUnwritable<T>(write: () => T): T {
  try {
    return write();
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
