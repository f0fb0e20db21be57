import { CathedralError } from '../../errors.ts';
import { ReleasePath } from './release-path.ts';

/**
 * The paths of a release as they are claimed, one owner each. Two that differ in case alone are one on some
 * file systems, and a file cannot be a folder too, so either stops the run; as does a path that is not
 * plain.
 */
export class ClaimedPaths {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** Throws publish_failed where the path, or the place of its compressed variants, is not free. */
  claim(path: string): void {
    if (!ReleasePath.safeParse(path).success)
      throw refusal(path, 'letters, digits and ._~+@- between slashes', path);
    const names = [path, `${path}.br`, `${path}.gz`];
    for (const name of names) this.#assertFree(path, name);
    for (const folder of foldersOf(path)) this.#claimFolder(path, folder);
    for (const name of names) this.#files.set(folded(name), path);
  }

  #assertFree(path: string, name: string): void {
    const owner = this.#files.get(folded(name));
    if (owner !== undefined) throw refusal(path, 'a path of its own', `${owner} has taken it`);
    if (this.#folders.has(folded(name))) throw refusal(path, 'a path of its own', 'a folder of that name');
  }

  #claimFolder(path: string, folder: string): void {
    const owner = this.#files.get(folded(folder));
    if (owner !== undefined) throw refusal(path, `a folder ${folder}`, `the file ${owner}`);
    const spelling = this.#folders.get(folded(folder)) ?? folder;
    if (spelling !== folder) throw refusal(path, `a folder ${folder}`, `it is spelt ${spelling} elsewhere`);
    this.#folders.set(folded(folder), folder);
  }
}

/** ReleasePath is ASCII, where lower case is all there is to case folding. */
function folded(path: string): string {
  return path.toLowerCase();
}

/** `a/b/c` → `a`, `a/b`. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function refusal(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('publish_failed', { place, expected, found });
}
