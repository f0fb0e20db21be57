import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '../../..');
const PIPELINE = join(PROJECT, 'pipeline');
/** Names that stand for another file in a browser. */
const NAMES: Record<string, { browser: string }> = JSON.parse(
  readFileSync(join(PROJECT, 'package.json'), 'utf8'),
).imports;
/** Imports of values. Type imports are erased. */
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^'"`;]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** What came to browsers after those of docs/site.md: Chromium 123, Firefox 120, Safari 17.5. What is asked for by `?.` may be missing. */
const NEWER = new RegExp(
  [
    String.raw`(?<!\?)\.(getOrInsert(Computed)?|setFromBase64|setFromHex|toBase64|toHex|sumPrecise)\(`,
    String.raw`(?<!\bz)\.(union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(`,
    String.raw`\b(Promise\.try|RegExp\.escape|Error\.isError|URL\.parse|Uint8Array\.from(Hex|Base64))\b`,
    String.raw`\bTemporal\.|\bIterator\.\w+\(`,
    String.raw`\.(values\(\)|keys\(\)|entries\(\)|matchAll\([^()]*\))\.(map|filter|flatMap|take|drop|some|every|find|reduce|toArray)\(`,
  ].join('|'),
);

/** The packages and platform modules that a file imports directly or indirectly, and its uses of Node’s globals. */
function needs(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  // What is asked for by way of globalThis may be missing.
  const globals = /(?<!globalThis\.)\b(Buffer|process)\b/.test(text) ? [`a global of Node in ${file}`] : [];
  const specifiers = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2]!);
  const needsOf = (specifier: string) => {
    if (specifier.startsWith('#')) return needs(join(PROJECT, NAMES[specifier]!.browser), seen);
    return specifier.startsWith('.') ? needs(resolve(dirname(file), specifier), seen) : [specifier];
  };
  return [...globals, ...specifiers.flatMap(needsOf)];
}

/** The scripts of all pages. */
const SCRIPTS = globSync('src/site/**/*.astro', { cwd: PROJECT }).flatMap((page) => {
  const text = readFileSync(join(PROJECT, page), 'utf8');
  return [...text.matchAll(/'(\..*)\?worker&url'/g)].map(([, path]) => join(PROJECT, dirname(page), path!));
});

const allNeeds = (...files: string[]) =>
  new Set(files.flatMap((file) => needs(join(PIPELINE, file)))).difference(
    new Set(['@noble/hashes/utils.js', '@noble/hashes/sha2.js', '@noble/curves/ed25519.js', 'zod/mini']),
  );

test('tiles, proofs and their verification run in a browser', () => {
  const files = 'tile-reader proofs find-leaf tlog-proof entry-bundle public-bundle event-days'.split(' ');
  expect(allNeeds(...files.map((file) => `ledger/log/${file}.ts`))).toEqual(new Set());
});

test('browsers verify signatures and releases with the same code', () => {
  const release = ['verify', 'page-origin'];
  expect(allNeeds(...release.map((file) => `verify/${file}.ts`), 'verify/audit/verify-proof.ts')).toEqual(
    new Set(),
  );
});

test('browsers prove rows with the same code', () => {
  // What only files of a server need is left out of the page's scripts, see astro.config.mjs.
  expect(allNeeds('verify/rows/prove-row.ts', 'verify/rows/verify-history.ts')).toEqual(
    new Set(['canonicalize']),
  );
});

test('every script of a page has the small zod', () => {
  expect(SCRIPTS.length).toBeGreaterThan(15);
  expect(SCRIPTS.filter((script) => needs(script).includes('zod'))).toEqual([]);
  expect(SCRIPTS.filter((script) => needs(script).includes('zod/mini')).length).toBeGreaterThan(4);
});

test('the scripts of pages use nothing that a browser lacks in which the pages have their colours', () => {
  const files = new Set<string>();
  for (const script of SCRIPTS) needs(script, files);
  const newer = [...files].flatMap((file) => {
    const found = NEWER.exec(readFileSync(file, 'utf8'));
    return found ? [`${relative(PROJECT, file)}: ${found[0]}`] : [];
  });
  expect(newer).toEqual([]);
});

test('what is refused without the whole zod, as in a page, is refused in the same words', () => {
  const script = `import('./pipeline/release/format/public-manifest.ts')
    .then(({ parseLatest }) => parseLatest('{"version":0}'))
    .catch(({ message }) => console.log(message))`;
  const said = execFileSync(process.execPath, ['-e', script], { cwd: PROJECT, encoding: 'utf8' });
  expect(said).toBe('latest.json: version: expected at least 1, found 0 (release_invalid)\n');
});
