import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { asDiskErrors } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { TransientFault } from '../transient-fault.ts';
import { mismatchError } from '../verify/findings.ts';
import { openFile } from '../verify/folder-origin.ts';
import { type Origin, type Promised, promisedBody } from '../verify/origin.ts';

const CHUNK_BYTES = 1 << 18;
/** The header of a table is much shorter. */
const LONGEST_HEADER = 1 << 14;

/** A local file that may be the end of the one that is wanted: an earlier version of a history, whose rows are added at its front. */
export interface Earlier {
  place: string;
  bytes: number;
  /** Whether its first line is a header, which the longer file has before its new rows. */
  hasHeader: boolean;
}

/**
 * Fetches a file to `target`, which appears only once it is complete, flushed and verified. Of a file that has grown at its front,
 * only the beginning is fetched if `earlier` has the rest and the host answers with parts. An interrupted transfer
 * leaves `<target>.part`, which the next attempt resumes, even in another process. Never takes more bytes than promised. Returns the
 * number of bytes fetched. Throws mirror_mismatch if the file differs or does not exist, and mirror_unreachable.
 */
export async function fetchBlob(
  origin: Origin,
  promised: Promised,
  target: string,
  earlier: Earlier | null,
): Promise<number> {
  if (existsSync(target)) return 0;
  const path = `${target}.part`;
  const fetching: Fetching = {
    origin,
    promised,
    end: earlier && (await endOf(earlier, promised)),
    fetched: 0,
  };
  await origin.retrying(promised.path, async () => {
    const part = await Part.open(path);
    try {
      await part.takeUp(promised.bytes);
      await complete(part, fetching);
      await part.flush();
    } catch (error) {
      if (isMismatch(error) || isRestart(error)) await part.remove();
      throw error;
    } finally {
      await part.close();
    }
  });
  await asDiskErrors(target, async () => renameSync(path, target));
  return fetching.fetched;
}

interface Fetching {
  origin: Origin;
  promised: Promised;
  end: LocalEnd | null;
  fetched: number;
}

async function complete(part: Part, fetching: Fetching): Promise<void> {
  const { origin, promised, end } = fetching;
  const isResumed = part.bytes > 0;
  try {
    if (end && part.bytes < end.from && (await completeFromEnd(part, fetching, end))) return;
    await append(part, fetching);
    const found = part.hash.copy().digest('hex');
    if (found !== promised.sha256)
      throw mismatchError(origin.placeOf(promised.path), `SHA-256 ${promised.sha256}`, found);
  } catch (error) {
    // After a lost connection the next attempt resumes here.
    if (!isMismatch(error)) throw error;
    await part.restart();
    // The bytes from before may belong to a different file, and so may a beginning.
    if (!isResumed && !end) throw error;
    fetching.end = null;
    throw new TransientFault('a different file from the one begun', { cause: error });
  }
}

function isMismatch(error: unknown): boolean {
  return error instanceof CathedralError && error.code === 'mirror_mismatch';
}

function isRestart(error: unknown): boolean {
  return error instanceof TransientFault && isMismatch(error.cause);
}

async function append(part: Part, fetching: Fetching): Promise<void> {
  const { origin, promised } = fetching;
  const { path, bytes } = promised;
  if (part.bytes === bytes) return;
  const place = origin.placeOf(path);
  const opened = await origin.openExisting(path, `a file of ${bytes} bytes`, { from: part.bytes });
  if (opened.from !== part.bytes) await part.restart();
  for await (const chunk of promisedBody(opened, bytes, place)) {
    await part.append(chunk);
    fetching.fetched += chunk.length;
  }
}

/** What of an earlier version is the end of the longer file, which it would make whole from byte `from` on. */
interface LocalEnd {
  from: number;
  place: string;
  /** Length of its header. */
  skip: number;
}

/** Null where fetching the whole file is hardly more. */
async function endOf({ place, bytes, hasHeader }: Earlier, promised: Promised): Promise<LocalEnd | null> {
  if (bytes * 2 < promised.bytes || bytes >= promised.bytes) return null;
  const skip = hasHeader ? await headerLength(place) : 0;
  return { from: promised.bytes - bytes + skip, place, skip };
}

async function headerLength(place: string): Promise<number> {
  for await (const chunk of readEnd(place, 0, LONGEST_HEADER)) return chunk.indexOf('\n') + 1;
  return 0;
}

async function* readEnd(place: string, start: number, highWaterMark = CHUNK_BYTES): AsyncGenerator<Buffer> {
  const opened = await openFile(place).catch(() => null);
  if (opened) yield* opened.handle.createReadStream({ start, highWaterMark });
}

/** Fetches up to where the local end begins. False: together they are not the file, or the host has answered with all of it. */
async function completeFromEnd(part: Part, fetching: Fetching, end: LocalEnd): Promise<boolean> {
  const { origin, promised } = fetching;
  const place = origin.placeOf(promised.path);
  const needed = { from: part.bytes, to: end.from };
  const opened = await origin.openExisting(promised.path, `a file of ${promised.bytes} bytes`, needed);
  if (opened.from !== part.bytes) await part.restart();
  for await (const chunk of opened.body) {
    if (part.bytes + chunk.length > promised.bytes)
      throw mismatchError(place, `${promised.bytes} bytes`, 'more');
    await part.append(chunk);
    fetching.fetched += chunk.length;
  }
  if (part.bytes < end.from) throw mismatchError(place, `${promised.bytes} bytes`, `${part.bytes}`);
  if (part.bytes > end.from) return false;
  // An earlier version that was damaged, or written differently, is no end of this one.
  const hash = part.hash.copy();
  for await (const chunk of readEnd(end.place, end.skip)) hash.update(chunk);
  if (hash.digest('hex') !== promised.sha256) return false;
  for await (const chunk of readEnd(end.place, end.skip)) await part.append(chunk);
  return part.bytes === promised.bytes;
}

/** A file that is being fetched: the bytes so far, and their hash. */
class Part {
  readonly #path: string;
  readonly #handle: FileHandle;
  hash = createHash('sha256');
  bytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  static open(path: string): Promise<Part> {
    return asDiskErrors(path, async () => new Part(path, await open(path, 'a+')));
  }

  /** Hashes what an earlier attempt left, unless it is longer than the file. */
  takeUp(promised: number): Promise<void> {
    return asDiskErrors(this.#path, async () => {
      const { size } = await this.#handle.stat();
      if (size > promised) return this.restart();
      if (size === 0) return;
      for await (const chunk of this.#handle.createReadStream({ start: 0, autoClose: false })) {
        this.hash.update(chunk);
        this.bytes += chunk.length;
      }
    });
  }

  async append(chunk: Uint8Array): Promise<void> {
    await asDiskErrors(this.#path, () => this.#handle.appendFile(chunk));
    this.hash.update(chunk);
    this.bytes += chunk.length;
  }

  async restart(): Promise<void> {
    await asDiskErrors(this.#path, () => this.#handle.truncate(0));
    this.hash = createHash('sha256');
    this.bytes = 0;
  }

  /** After a failed flush, the system may report success for the same bytes the next time, so they are not reused. */
  async flush(): Promise<void> {
    await asDiskErrors(this.#path, async () => {
      await this.#handle.sync().catch(async (error) => {
        await rm(this.#path, { force: true }).catch(() => {});
        throw error;
      });
    });
  }

  remove(): Promise<void> {
    return asDiskErrors(this.#path, () => rm(this.#path, { force: true }));
  }

  close(): Promise<void> {
    return asDiskErrors(this.#path, () => this.#handle.close());
  }
}
