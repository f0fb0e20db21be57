import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { exists, finished } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { nodeHash } from '../ledger/merkle.ts';
import { listTree, type Tree } from '../release/disk/list-tree.ts';
import { mismatchError } from './findings.ts';
import {
  type Disk,
  type Hashing,
  measure,
  type Opened,
  type OpenOptions,
  Origin,
  type Promised,
  promisedBody,
} from './origin.ts';

export const NODE_HASHING: Hashing = {
  sha256() {
    const hash = createHash('sha256');
    return { update: (chunk) => void hash.update(chunk), digest: () => hash.digest('hex') };
  },
  nodeHash,
};

/** The release's files in a folder that a run, or a mirror, writes. */
export const CURRENT = join('current', 'public');
/** Folders of the service that such a folder keeps beside its releases: they only grow. */
const APART: ReadonlySet<string> = new Set(['log', 'snapshots']);

const CHUNK_BYTES = 1 << 18;

/** A folder on this machine: one that releases are published in, a mirror, or a plain copy of what a host serves. */
export class FolderOrigin extends Origin implements Disk {
  override readonly hashing = NODE_HASHING;
  override readonly disk = this;
  readonly #folder: string;
  readonly #release: string;

  private constructor(folder: string, release: string) {
    super();
    this.#folder = folder;
    this.#release = release;
  }

  /** Throws mirror_unreachable if there is no such folder. */
  static async at(folder: string): Promise<FolderOrigin> {
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => `${error.code}`);
    if (typeof found === 'string' || !found.isDirectory())
      throw new CathedralError('mirror_unreachable', {
        place: folder,
        expected: 'a folder',
        found: typeof found === 'string' ? found : 'a file',
      });
    const current = join(folder, CURRENT);
    return new FolderOrigin(folder, (await exists(current)) ? current : folder);
  }

  placeOf(path: string): string {
    return join(APART.has(path.split('/')[0]!) ? this.#folder : this.#release, path);
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async open(path: string, { from = 0 }: OpenOptions = {}): Promise<Opened | null> {
    const place = this.placeOf(path);
    try {
      const { handle, size } = await openFile(place);
      const body = handle.createReadStream({ start: from, highWaterMark: CHUNK_BYTES });
      return { from, bytes: size - from, validator: { etag: null, lastModified: null }, body };
    } catch (cause) {
      if (cause instanceof CathedralError) throw cause;
      const { code, message: found } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw new CathedralError('mirror_unreachable', { place, expected: 'a readable file', found, cause });
    }
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

  async verifyEncoding(path: string, { sha256, bytes }: Promised): Promise<void> {
    const place = this.placeOf(path);
    const decoder = path.endsWith('.br') ? createBrotliDecompress() : createGunzip();
    const source = createReadStream(place).on('error', (error) => decoder.destroy(error));
    const body = source.pipe(decoder);
    const opened = { from: 0, bytes: null, validator: { etag: null, lastModified: null }, body };
    const found = await measure(promisedBody(opened, bytes, `${place}, decompressed`), this.hashing).catch(
      (cause) => {
        if (cause instanceof CathedralError) throw cause;
        throw mismatchError(place, 'a compressed file', (cause as Error).message);
      },
    );
    source.destroy();
    if (found.sha256 !== sha256)
      throw mismatchError(`${place}, decompressed`, `SHA-256 ${sha256}`, found.sha256);
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
