import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const LOG = resolve(import.meta.dirname, '../../pipeline/log');
/** With values; types leave nothing behind. */
const IMPORT = /^(?:import|export)\s(?!type\b)[^'"`;]*?from\s+'([^']+)'/gm;

/** What a file and all that it loads names of packages and of the platform, and where Node’s own globals are used. */
function needs(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const globals = /\b(Buffer|process)\b/.test(text) ? [`a global of Node in ${file}`] : [];
  const specifiers = [...text.matchAll(IMPORT)].map((match) => match[1]!);
  return [
    ...globals,
    ...specifiers.flatMap((one) => (one.startsWith('.') ? needs(resolve(dirname(file), one), seen) : [one])),
  ];
}

test('tiles, proofs and their check run in a browser', () => {
  const files = ['tile-reader.ts', 'inclusion.ts', 'consistency.ts', 'tlog-proof.ts', 'entry-bundle.ts'];
  for (const file of files)
    expect(new Set(needs(join(LOG, file))).difference(new Set(['@noble/hashes/utils.js']))).toEqual(
      new Set(),
    );
});
