import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '..');

/** From what everything may use to what nothing uses. A file imports from its own layer and those before it. */
const LAYERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['errors', /^pipeline\/errors\.ts$/],
  ['config', /^pipeline\/config(\/|\.ts$)/],
  ['ledger', /^pipeline\/ledger\//],
  ['attestation', /^pipeline\/attestation\//],
  ['log', /^pipeline\/log\//],
  ['model', /^pipeline\/model\//],
  ['sample', /^pipeline\/sample\//],
  ['artifacts', /^pipeline\/artifacts\//],
  ['charts', /^src\/charts\//],
  ['publish', /^pipeline\/publish\//],
  ['mirror', /^pipeline\/mirror\//],
  ['formats', /^pipeline\/formats\//],
  ['catalogue', /^pipeline\/catalogue\//],
  ['extras', /^pipeline\/extras\//],
  ['chart files', /^pipeline\/charts\//],
  ['run', /^pipeline\/run\//],
  ['snapshots', /^pipeline\/snapshots\//],
  ['build', /^pipeline\/build\.ts$/],
  ['check', /^pipeline\/(check|as-of)\.ts$/],
  ['audit', /^pipeline\/audit\//],
  ['simulation', /^src\/simulation\//],
  ['sidecar', /^src\/sidecar\//],
  ['pages', /^src\/(pages|layouts|components)\//],
  ['scheduler', /^src\/scheduler\//],
  ['commands', /^src\/commands\//],
  ['cli', /^src\/cli\.ts$/],
];

/** Every file of code, the pages included. */
const SOURCES = ['pipeline', 'src']
  .flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((name) => /\.(ts|astro|mjs|js)$/.test(name));

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`; types count like values. */
const IMPORT = /(?:^|[\s;}])(?:import|export)(?:\s*\(\s*|\s[^'"`;()]*?\bfrom\s*|\s+)(['"])([^'"\n]+)\1/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  const specifiers = [...text.matchAll(IMPORT)].map((match) => match[2]!);
  return specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(PROJECT, resolve(PROJECT, dirname(file), specifier.replace(/\?.*$/, ''))));
}

function layerOf(file: string): number {
  return LAYERS.findIndex(([, pattern]) => pattern.test(file));
}

const EDGES = new Map(SOURCES.map((file) => [file, importsOf(file)]));

describe('imports', () => {
  test('are found at all, in code and in pages', () => {
    expect(EDGES.get('pipeline/build.ts')).toContain('pipeline/publish/lock.ts');
    expect(EDGES.get('src/commands/main.ts')).toContain('pipeline/errors.ts');
    expect(SOURCES.length).toBeGreaterThan(100);
  });

  test('stand in files that have a layer', () => {
    expect(SOURCES.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  test('point only to the same layer or an earlier one', () => {
    const wrong: string[] = [];
    for (const [file, imports] of EDGES) {
      for (const imported of imports) {
        // Styles, fonts and package.json are data.
        if (!/\.(ts|astro|mjs|js)$/.test(imported)) continue;
        const [from, to] = [layerOf(file), layerOf(imported)];
        if (to < 0 || to > from) wrong.push(`${file} imports ${imported}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('never lead back to where they began', () => {
    expect(findCircle()).toBeNull();
  });

  test('of another package name one that package.json has', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const wrong = SOURCES.flatMap((file) => {
      const text = readFileSync(join(PROJECT, file), 'utf8');
      return [...text.matchAll(IMPORT)]
        .map((match) => match[2]!)
        .filter((specifier) => !/^(\.|node:|astro:)/.test(specifier))
        .filter(
          (specifier) =>
            !Object.keys(dependencies).some((name) => specifier === name || specifier.startsWith(`${name}/`)),
        )
        .map((specifier) => `${file}: ${specifier}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the environment', () => {
  /** What the pipeline tells the site’s build, which is a process of its own, and where that reads it. */
  const SITE = ['pipeline/publish/site.ts', 'src/components/release.ts'];

  /** Fontconfig is told of its fonts there and in no other way; what stood there is put back. */
  const FONTS = ['pipeline/charts/rasterise.ts'];

  test('is read in pipeline/config.ts alone', () => {
    const readers = SOURCES.filter((file) =>
      /process\s*\.\s*(env|argv)\b|import\.meta\.env/.test(readFileSync(join(PROJECT, file), 'utf8')),
    );
    expect(readers.sort()).toEqual(['pipeline/config.ts', 'src/commands/main.ts', ...SITE, ...FONTS].sort());
  });
});

/** The files of a circle in order, the first again at the end. */
function findCircle(): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const imported of EDGES.get(file) ?? []) {
      const circle = visit(imported, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of SOURCES) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return null;
}
