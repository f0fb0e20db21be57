import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { AsyncFlateStreamHandler, ZipInputFile } from 'fflate';

/**
 * 1980-01-01, the first day that ZIP can store: with the real time, the same files would give other bytes in each run.
 * fflate stores local time, so this is midnight wherever the program runs.
 */
const ZIP_TIME = new Date(1980, 0, 1);

/** An entry that is written in pieces, some of which may have been compressed by an earlier run. */
export class PiecewiseEntry implements ZipInputFile {
  readonly filename: string;
  /** Deflate. */
  readonly compression = 8;
  readonly mtime = ZIP_TIME;
  /** CRC-32 and length of the content so far. */
  crc = 0;
  size = 0;
  /** `Zip.add` sets it. */
  ondata!: AsyncFlateStreamHandler;

  constructor(filename: string) {
    this.filename = filename;
  }

  /** Each piece ends on a byte and refers to no earlier one, so compressed pieces can be copied and joined. */
  add(piece: Uint8Array, isLast = false): void {
    this.crc = crc32(piece, this.crc);
    this.size += piece.length;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_FULL_FLUSH;
    this.ondata(null, deflateRawSync(piece, { finishFlush }), isLast);
  }

  /** Pieces as `add` compressed them. The caller sets `crc` and `size`. */
  addCompressed(pieces: Uint8Array<ArrayBuffer>): void {
    this.ondata(null, pieces, false);
  }
}
