import { hash } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { exists, finished } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { listTree, type Tree } from '../release/disk/list-tree.ts';
import { LATEST_PATH } from '../release/format/public-manifest.ts';
import { logFile } from '../release/log/log-folder.ts';
import { mismatchError } from './findings.ts';
import {
  type Disk,
  LOG,
  measure,
  type Opened,
  type OpenOptions,
  Origin,
  type Promised,
  promisedBody,
} from './origin.ts';

/** The release's files in a folder that a run, or a mirror, writes. */
export const CURRENT = join('current', 'public');
/** Where `cathedral mirror` keeps what it has fetched, until it has its place. */
export const STAGING = 'staging';
/** Folders of the service that such a folder keeps beside its releases: they only grow. */
const APART: ReadonlySet<string> = new Set([LOG, 'snapshots']);

const CHUNK_BYTES = 1 << 18;
/** A shorter file is read at once. */
const SHORT_BYTES = 1 << 20;
/** The file that is being compared: a buffer for each would keep the garbage collector busy. */
const compared = Buffer.allocUnsafeSlow(SHORT_BYTES);
/** What is decompressed at once, in bytes. */
const LONGEST_AT_ONCE = 8 << 20;

/** A folder on this machine: one that releases are published in, a mirror, or a plain copy of what a host serves. */
export class FolderOrigin extends Origin implements Disk {
  override readonly disk = this;
  readonly #folder: string;
  readonly #release: string;
  readonly #hasEntries: boolean;

  private constructor(folder: string, release: string, hasEntries: boolean) {
    super();
    this.#folder = folder;
    this.#release = release;
    this.#hasEntries = hasEntries;
  }

  /** Throws config_invalid if there is no such folder. `hasEntries`: a run writes it, which keeps the log's entries elsewhere in it. */
  static async at(folder: string, hasEntries = false): Promise<FolderOrigin> {
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => `${error.code}`);
    if (typeof found === 'string' || !found.isDirectory())
      throw new CathedralError('config_invalid', {
        place: folder,
        expected: 'a folder',
        found: typeof found === 'string' ? found : 'a file',
      });
    const current = join(folder, CURRENT);
    return new FolderOrigin(folder, (await exists(current)) ? current : folder, hasEntries);
  }

  placeOf(path: string): string {
    if (this.#hasEntries && path.startsWith(`${LOG}/`))
      return logFile(this.#folder, path.slice(LOG.length + 1));
    return join(APART.has(path.split('/')[0]!) ? this.#folder : this.#release, path);
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async open(path: string, { from = 0 }: OpenOptions = {}): Promise<Opened | null> {
    const place = this.placeOf(path);
    const validator = { etag: null, lastModified: null };
    try {
      const short = readShort(place, (bytes) => Buffer.allocUnsafe(bytes));
      if (short) return { from, bytes: short.length - from, validator, body: only(short.subarray(from)) };
      const { handle, size } = await openFile(place);
      const body = handle.createReadStream({ start: from, highWaterMark: CHUNK_BYTES });
      return { from, bytes: size - from, validator, body };
    } catch (cause) {
      if (cause instanceof CathedralError) throw cause;
      const { code, message: found } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw new CathedralError('mirror_unreachable', { place, expected: 'a readable file', found, cause });
    }
  }

  /** What is wrong with a file is found by reading it as a stream. */
  override async verifyFile(file: Promised): Promise<void> {
    if (!isShortFile(this.placeOf(file.path), file)) await super.verifyFile(file);
  }

  async list(folder: string): Promise<Tree> {
    const nothing: Tree = { files: [], folders: [], others: [] };
    // A missing folder is a finding of the check that reads its files. The folder itself may be a link to another disk.
    const tree = await listTree(this.placeOf(folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return nothing;
      throw error;
    });
    if (folder !== '') return tree;
    // A plain copy has the log and the snapshots in the same folder.
    const isOwn = (path: string) => !APART.has(path.split('/')[0]!);
    const { files, folders, others } = tree;
    return { files: files.filter(isOwn), folders: folders.filter(isOwn), others: others.filter(isOwn) };
  }

  finished(path: string): string {
    return finished(path);
  }

  isMirror(): Promise<boolean> {
    return exists(join(this.#folder, 'mirror.json'));
  }

  /** Whether a first `cathedral mirror` has begun to fill this folder, and no release is in it yet. */
  async isUnfinished(): Promise<boolean> {
    return !(await exists(this.placeOf(LATEST_PATH))) && exists(join(this.#folder, STAGING));
  }

  /** Says what is wrong with a file by decompressing it as a stream, which is slower by far for a short one. */
  async verifyEncoding(path: string, { sha256, bytes }: Promised): Promise<void> {
    const place = this.placeOf(path);
    if (isEncodingOf(place, { sha256, bytes })) return;
    const decoder = path.endsWith('.br') ? createBrotliDecompress() : createGunzip();
    const source = createReadStream(place).on('error', (error) => decoder.destroy(error));
    const body = source.pipe(decoder);
    const opened = { from: 0, bytes: null, validator: { etag: null, lastModified: null }, body };
    const found = await measure(promisedBody(opened, bytes, `${place}, decompressed`)).catch((cause) => {
      if (cause instanceof CathedralError) throw cause;
      throw mismatchError(place, 'a compressed file', (cause as Error).message);
    });
    source.destroy();
    // What follows the end of a compressed file is in no reader's way, but nobody made it. The stream may not have read all of it.
    const { size } = await stat(place);
    if (decoder.bytesWritten !== size)
      throw mismatchError(place, `${decoder.bytesWritten} bytes, all of them compressed`, `${size}`);
    if (found.sha256 !== sha256)
      throw mismatchError(`${place}, decompressed`, `SHA-256 ${sha256}`, found.sha256);
  }
}

/**
 * The bytes of a file of at most 1 MiB, read with four system calls, while a stream takes four trips through the thread pool. Null for a
 * longer file, and for one that `openFile` refuses. Throws what the disk throws.
 */
function readShort(place: string, bufferOf: (bytes: number) => Buffer): Buffer | null {
  const file = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > SHORT_BYTES) return null;
    const bytes = bufferOf(found.size);
    const read = readSync(file, bytes, 0, found.size, 0);
    // Someone is changing it.
    return read === found.size ? bytes : null;
  } finally {
    closeSync(file);
  }
}

/** The same, until the next file is compared. */
function readCompared(place: string): Buffer | null {
  return readShort(place, (bytes) => compared.subarray(0, bytes));
}

/** Whether this is a short file as listed; false also where it cannot be read. */
function isShortFile(place: string, { sha256, bytes }: Promised): boolean {
  if (bytes > SHORT_BYTES) return false;
  try {
    const found = readCompared(place);
    return found?.length === bytes && hash('sha256', found, 'hex') === sha256;
  } catch {
    return false;
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Whether a short file decompresses to this one; false also where that takes a stream to find out. */
function isEncodingOf(place: string, { sha256, bytes }: Pick<Promised, 'sha256' | 'bytes'>): boolean {
  if (bytes > LONGEST_AT_ONCE) return false;
  try {
    const compressed = readCompared(place);
    if (!compressed) return false;
    const decompress = place.endsWith('.br') ? brotliDecompressSync : gunzipSync;
    // One byte more, so that all of it comes in one buffer.
    const options = {
      maxOutputLength: Math.max(bytes, 1),
      chunkSize: Math.max(bytes + 1, 64),
      info: true,
    } as const;
    // With `info`, Node also returns how much of the input was used, which its types do not say.
    const { buffer, engine } = decompress(compressed, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return engine.bytesWritten === compressed.length && hash('sha256', buffer, 'hex') === sha256;
  } catch {
    return false;
  }
}

/**
 * Opens a file for reading. Never waits for a writer, as opening a named pipe usually does. Throws mirror_mismatch for
 * anything but a file, and what the disk throws.
 */
export async function openFile(place: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat().catch(async (error) => {
    await handle.close();
    throw error;
  });
  if (found.isFile()) return { handle, size: found.size };
  await handle.close();
  const kind = found.isDirectory() ? 'a folder' : 'a pipe, a device or another special file';
  throw mismatchError(place, 'a file', kind);
}
