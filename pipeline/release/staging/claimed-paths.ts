import { errorOf } from '../../errors.ts';
import { ReleasePath } from '../format/release-path.ts';

const refusal = errorOf('publish_failed');

/**
 * The paths of a release, each with one owner. A run stops on paths that differ only in case, which are one on some file systems, on
 * a file that is also a folder, and on a path that is not plain.
 */
export class ClaimedPaths {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  /** The folders as they are spelled. */
  readonly #spelled = new Set<string>();

  /** Throws publish_failed if the path or that of a compressed variant is taken. */
  claim(path: string): void {
    if (!ReleasePath.safeParse(path).success)
      throw refusal(path, 'letters, digits and ._~+@- between slashes', path);
    const place = folded(path);
    const names = [place, `${place}.br`, `${place}.gz`];
    for (const name of names) this.#assertFree(path, name);
    this.#claimFolders(path, path.lastIndexOf('/'));
    for (const name of names) this.#files.set(name, path);
  }

  #assertFree(path: string, name: string): void {
    const owner = this.#files.get(name);
    if (owner !== undefined) throw refusal(path, 'an unused path', `a path that ${owner} uses`);
    if (this.#folders.has(name)) throw refusal(path, 'an unused path', 'a folder of the same name');
  }

  /** Claims the folder that ends at `end`, after those that it is in: `a`, `a/b`. */
  #claimFolders(path: string, end: number): void {
    if (end < 0) return;
    const folder = path.slice(0, end);
    if (this.#spelled.has(folder)) return;
    this.#claimFolders(path, folder.lastIndexOf('/'));
    this.#claimFolder(path, folder);
    this.#spelled.add(folder);
  }

  #claimFolder(path: string, folder: string): void {
    const owner = this.#files.get(folded(folder));
    if (owner !== undefined) throw refusal(path, `a folder ${folder}`, `the file ${owner}`);
    const spelling = this.#folders.get(folded(folder)) ?? folder;
    if (spelling !== folder)
      throw refusal(path, `a folder ${folder}`, `the same path in another case: ${spelling}`);
    this.#folders.set(folded(folder), folder);
  }
}

/** ReleasePath is ASCII, so lower case is complete case folding. */
function folded(path: string): string {
  return path.toLowerCase();
}
