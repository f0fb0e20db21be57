// Checks the types of .astro files, which tsc does not read: it converts each to a TSX file below .astro/, runs tsc on those, and
// reports the errors at their place in the .astro file. `node scripts/check-pages.ts [FOLDER]`: FOLDER has a tsconfig.json and src/;
// by default this project. Exits with 1 if there is an error.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConvertToTsxResult, convertToTsx } from '@astrojs/astro2tsx';

/** A tree like that of the folder itself; `rootDirs` merges the two. */
const BESIDE = '.astro/types-of-pages';
const TSCONFIG = {
  extends: '../../tsconfig.json',
  compilerOptions: {
    // Like the site's bundler: `./Page.astro` resolves to `./Page.astro.tsx` beside it.
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'preserve',
    rootDirs: ['../..', '.'],
    types: ['node', 'astro/client'],
  },
  include: ['src/**/*.tsx', '../../pipeline/**/*.d.ts', '../../src/**/*.d.ts'],
  exclude: [],
};

interface Page {
  source: string;
  tsx: ConvertToTsxResult;
}

const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const beside = join(folder, BESIDE);
rmSync(beside, { recursive: true, force: true });
const pages = new Map(globSync('src/**/*.astro', { cwd: folder }).map((path) => [path, convert(path)]));
writeFileSync(join(beside, 'tsconfig.json'), JSON.stringify(TSCONFIG));
const { status, stdout, error } = spawnSync('tsc', ['--singleThreaded', '-p', beside], {
  cwd: folder,
  encoding: 'utf8',
});
if (error) throw error;
process.stdout.write(stdout.split('\n').map(inSource).join('\n'));
process.exitCode = status === 0 ? 0 : 1;

function convert(path: string): Page {
  const source = readFileSync(join(folder, path), 'utf8');
  const tsx = convertToTsx(source, { filename: path, ambientTypes: true });
  const target = join(beside, `${path}.tsx`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, tsx.code);
  return { source, tsx };
}

/** `.astro/types-of-pages/src/site/pages/x.astro.tsx(9,3): error …` → `src/site/pages/x.astro(7,3): error …`; other lines stay. */
function inSource(line: string): string {
  const [, file = '', row, column, rest] = /^(\S+)\.tsx\((\d+),(\d+)\)(.*)$/.exec(line) ?? [];
  const path = relative(beside, resolve(folder, file));
  const page = pages.get(path);
  if (!page) return line;
  const found = offsetOf(page.tsx.code, Number(row), Number(column));
  const [mapping] = page.tsx.mappings.filter(([start, length]) => start <= found && found <= start + length);
  // The conversion added this code, so it has no place in the source.
  if (!mapping) return `${path}${rest}`;
  const before = page.source.slice(0, mapping[2] + found - mapping[0]).split('\n');
  return `${path}(${before.length},${before.at(-1)!.length + 1})${rest}`;
}

function offsetOf(text: string, row: number, column: number): number {
  const lines = text.split('\n').slice(0, row - 1);
  return lines.join('\n').length + (row > 1 ? 1 : 0) + column - 1;
}
