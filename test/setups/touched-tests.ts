import { dirname, join, normalize } from 'node:path';

/** Cheap, and they read the whole project. */
const ALWAYS = ['test/imports.test.ts', 'test/docs.test.ts'];
/** What the site's compiler reads, which nothing imports, and the tests that look at its pages. */
const PAGES = /^(src\/site\/|public\/|astro\.config)/;
const OF_PAGES = /^test\/(site|contract\/pages)/;
const CODE = /\.(ts|mjs|sh)$|^bin\//;
/** What the product reads of a path that it names; it names others for people. */
const READ = /^(\.\.?\/|data\/)|-thread\.ts$/;
const IS_PRODUCT = /^(pipeline|src)\//;
/** `'./x.ts'`, `"docs/events.md"`, and words of a shell script. */
const NAMES = /['"`]([^'"`\n]{2,200})['"`]|(?<=\s)([\w.-]+(?:\/[\w.-]+)+)/g;

/**
 * The test files that a change of some files touches, sorted: what imports them, however far, and what names their path or a folder they
 * are in, since tests read files and start programs. `files`: path → text of all files of the project.
 */
export function touchedTests(files: ReadonlyMap<string, string>, changed: readonly string[]): string[] {
  const readers = readersOf(files);
  const touched = new Set(changed);
  // Iterating a set also visits the members that the loop adds.
  for (const path of touched) {
    for (const place of [path, ...foldersOf(path)])
      for (const reader of readers.get(place) ?? []) touched.add(reader);
  }
  const tests = [...files.keys()].filter((path) => path.endsWith('.test.ts'));
  const pages = changed.some((path) => PAGES.test(path)) ? tests.filter((path) => OF_PAGES.test(path)) : [];
  if (changed.length === 0) return [];
  const wanted = new Set([...touched, ...pages, ...ALWAYS]);
  return tests.filter((path) => wanted.has(path)).sort();
}

/** Path of a file or a folder → the code that names it. */
function readersOf(files: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const folders = new Set([...files.keys()].flatMap(foldersOf));
  const readers = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    if (!CODE.test(path)) continue;
    for (const [, quoted, word] of text.matchAll(NAMES)) {
      const name = quoted ?? word!;
      if (IS_PRODUCT.test(path) && !READ.test(name)) continue;
      for (const place of [join(dirname(path), name), normalize(name)].map(withoutSlash)) {
        // `'test'` and `'docs'` alone are words.
        const isThere = files.has(place) || (folders.has(place) && name.includes('/'));
        if (isThere && place !== path) readers.set(place, (readers.get(place) ?? new Set()).add(path));
      }
    }
  }
  return readers;
}

/** `a/b/c.ts` → `a/b`, not `a`: whoever names a folder at the top means its code, which is imported. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder.includes('/') ? [folder, ...foldersOf(folder)] : [];
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
