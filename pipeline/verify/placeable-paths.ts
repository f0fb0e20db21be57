import { CathedralError } from '../errors.ts';
import { PROOF_PATHS } from '../release/format/public-manifest.ts';
import { HOST_FILES } from '../release/format/response-headers.ts';

/**
 * Names that some static hosts interpret, and names that a mirror writes itself. In lower case. Paths cannot contain `..`,
 * empty names, backslashes or control characters: the schema of the manifest excludes them.
 */
const RESERVED = new Set([
  ...PROOF_PATHS,
  ...HOST_FILES,
  '_redirects',
  '_routes.json',
  '_worker.js',
  'functions',
]);
const READ_BY_SERVERS = /(^|\/)(\.ht[^/]*|web\.config|\.user\.ini)(\/|$)/;

/**
 * Makes sure that all paths can be written below one folder, even on a file system that ignores case. Throws
 * release_invalid.
 */
export function assertPlaceable(paths: readonly string[], place: string): void {
  const files = new Map<string, string>();
  for (const path of paths) {
    const key = path.toLowerCase();
    const other = files.get(key);
    if (other !== undefined) throw invalid(place, 'paths that differ in more than case', `${other}, ${path}`);
    if (RESERVED.has(key.split('/')[0]!) || READ_BY_SERVERS.test(key))
      throw invalid(place, 'no name that web servers interpret', path);
    files.set(key, path);
  }
  for (const path of paths)
    for (const folder of foldersAbove(path.toLowerCase())) {
      const file = files.get(folder);
      if (file !== undefined) throw invalid(place, `nothing below the file ${file}`, path);
    }
}

/** Why no mirror can hold these paths, in a clause; null if a mirror can. */
export function mirrorWarning(paths: readonly string[], place: string): string | null {
  try {
    assertPlaceable(paths, place);
    return null;
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    return `no mirror can take this release: ${error.message}`;
  }
}

/** `a/b/c` → `a`, `a/b` */
function foldersAbove(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('release_invalid', { place: `${place}: files`, expected, found });
}
