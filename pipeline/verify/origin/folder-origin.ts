import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { exists } from '../../release/disk/durable.ts';
import type { Opened, OpenOptions, Origin } from './origin.ts';
import { openFile } from './read-local.ts';

/** Where a release is below a folder that a run, or a mirror, writes. */
export const CURRENT = join('current', 'public');
/** Top folders that stand beside the releases there: they only grow. */
export const APART: ReadonlySet<string> = new Set(['log', 'snapshots']);

const CHUNK_BYTES = 1 << 18;

/** A folder on the disk: one that releases are published in, a mirror, or a plain copy of what a host serves. */
export class FolderOrigin implements Origin {
  readonly #folder: string;
  /** The release's files; the folder itself in a plain copy. */
  readonly root: string;

  private constructor(folder: string, root: string) {
    this.#folder = folder;
    this.root = root;
  }

  /** Throws mirror_unreachable where there is no such folder. */
  static async at(folder: string): Promise<FolderOrigin> {
    const found = await stat(folder).catch((error: NodeJS.ErrnoException) => `${error.code}`);
    if (typeof found === 'string' || !found.isDirectory()) {
      const fault = {
        place: folder,
        expected: 'a folder',
        found: typeof found === 'string' ? found : 'a file',
      };
      throw new CathedralError('mirror_unreachable', fault);
    }
    const root = join(folder, CURRENT);
    return new FolderOrigin(folder, (await exists(root)) ? root : folder);
  }

  placeOf(path: string): string {
    return join(APART.has(path.split('/')[0]!) ? this.#folder : this.root, path);
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async answersLive(): Promise<boolean> {
    return false;
  }

  async open(path: string, { from = 0 }: OpenOptions = {}): Promise<Opened | null> {
    const place = this.placeOf(path);
    try {
      const { handle, size } = await openFile(place);
      const body = handle.createReadStream({ start: from, highWaterMark: CHUNK_BYTES });
      return { from, bytes: size - from, validator: { etag: null, lastModified: null }, body };
    } catch (cause) {
      if (cause instanceof CathedralError) throw cause;
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw new CathedralError('mirror_unreachable', {
        place,
        expected: 'a file that can be read',
        found: message,
        cause,
      });
    }
  }
}
