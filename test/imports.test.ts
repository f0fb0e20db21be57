import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '..');

/**
 * The floor plan: each layer, the files that belong to it, and what it is for. A file imports only from its own layer and
 * from the layers above it in this list.
 */
const LAYERS: readonly (readonly [pattern: RegExp, purpose: string])[] = [
  [/^pipeline\/errors\.ts$/, 'Errors with a code, a place, and the expected and actual value'],
  [/^pipeline\/random\.ts$/, 'A seeded random generator'],
  [
    /^pipeline\/(transient-fault|pace)\.ts$/,
    'Retries after faults of a remote server, and transfers that stall',
  ],
  [/^pipeline\/words\//, 'Numbers, dates, durations and lists as text'],
  [/^pipeline\/config\//, 'Settings from flags, environment variables and defaults'],
  [/^pipeline\/disk\//, 'Durable writes, and locks between processes'],
  [/^pipeline\/sql\//, 'Tables of keys, counts and the access log, and the engine of one machine'],
  [/^pipeline\/postgres\//, 'The database that many machines share: connections, transactions, its schema'],
  [/^pipeline\/objects\//, 'A bucket of an S3-compatible object store'],
  [/^pipeline\/ledger\//, 'Events, snapshots, checkpoints, and the transparency log over them'],
  [/^pipeline\/sources\//, 'Rows of files, databases and remote ledgers that become events of a ledger'],
  [/^pipeline\/witness\//, 'A witness, which cosigns the checkpoints of other publishers’ logs'],
  [/^pipeline\/attestation\//, 'Companion Attestations: schema, signatures, life cycle'],
  [/^pipeline\/model\//, 'The fold from events to state, and queries on the state'],
  [/^pipeline\/artifacts\//, 'The published files: schema, example and content of each'],
  [/^pipeline\/release\//, 'A release on disk: format, staging, history, signatures, log files'],
  [/^pipeline\/formats\//, 'Other formats of the published files, and the catalogues that list them'],
  [/^pipeline\/charts\//, 'All charts: what they show, how they are drawn, the files made from them'],
  [/^pipeline\/verify\//, 'Verification of a release, wherever it is stored'],
  [/^pipeline\/mirror\//, 'Copies of a release that are kept up to date'],
  [/^pipeline\/bucket\//, 'Releases in object storage, from which other machines serve them'],
  [/^pipeline\/build\//, 'The run that turns a ledger into a release, with snapshots, site and PDFs'],
  [/^src\/simulation\//, 'The simulation: engine, scenarios and protocol'],
  [/^src\/api\//, 'The contract of the HTTP service: problems, tiers, quotas, queries, OpenAPI'],
  [/^src\/(site|sidecar)\//, 'The pages; and the server for everything that is not a static file'],
  [/^src\/scheduler\//, 'Runs at fixed times, each in a process of its own'],
  [/^pipeline\/sample\//, 'The demo ledger; only what writes one imports it'],
  [/^src\/service\//, 'The service as a whole: a run, runs on schedule, and serving what they publish'],
  [/^src\/commands\//, 'The command line'],
  [/^src\/cli\.ts$/, 'The entry point'],
];

/** Layers that must not import each other although the order allows it. */
const APART: readonly (readonly [from: RegExp, to: RegExp])[] = [
  [/^src\/site\//, /^src\/sidecar\//],
  [/^src\/sidecar\//, /^src\/site\//],
  [/^src\/scheduler\//, /^src\/(sidecar|site)\//],
  [/^src\/(service\/(?!demo\.ts$)|commands\/(?!sample\.ts$))/, /^pipeline\/sample\//],
  [/^pipeline\/sample\//, /^(src|pipeline\/(release|formats|charts|verify|mirror|build))\//],
];

/** Every file of code, the pages included. */
const SOURCES = ['pipeline', 'src']
  .flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((name) => /\.(ts|astro|mjs|js)$/.test(name));

/** Modules of this package that are others in a browser; each file is one that its layer may import. */
const OWN_NAMES: Readonly<Record<string, Record<string, string>>> = JSON.parse(
  readFileSync(join(PROJECT, 'package.json'), 'utf8'),
).imports;

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`; types count like values. */
const IMPORT = /(?:^|[\s;}])(?:import|export)(?:\s*\(\s*|\s[^'"`;()]*?\bfrom\s*|\s+)(['"])([^'"\n]+)\1/g;

function importsOf(file: string): string[] {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  const specifiers = [...text.matchAll(IMPORT)].map((match) => match[2]!);
  const own = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(PROJECT, resolve(PROJECT, dirname(file), specifier.replace(/\?.*$/, ''))));
  const named = specifiers.flatMap((specifier) => Object.values(OWN_NAMES[specifier] ?? {}));
  return [...own, ...named.map((path) => path.replace('./', ''))];
}

/** What a module loads with it: its imports without types, and without those that it makes when it runs. */
function loadedBy(file: string): string[] {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  return [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)';$/gm)].map(([, specifier]) =>
    relative(PROJECT, resolve(PROJECT, dirname(file), specifier!)),
  );
}

function layerOf(file: string): number {
  return LAYERS.findIndex(([pattern]) => pattern.test(file));
}

const EDGES = new Map(SOURCES.map((file) => [file, importsOf(file)]));

describe('imports', () => {
  test('are found at all, in code and in pages', () => {
    expect(EDGES.get('pipeline/build/build.ts')).toContain('pipeline/disk/lock.ts');
    expect(EDGES.get('src/commands/main.ts')).toContain('pipeline/errors.ts');
    expect(SOURCES.length).toBeGreaterThan(100);
  });

  test('are in files that belong to a layer', () => {
    expect(SOURCES.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  test('point to the same layer or an earlier one, never to a layer kept apart', () => {
    const wrong: string[] = [];
    for (const [file, imports] of EDGES) {
      for (const imported of imports) {
        // Styles, fonts and package.json are data.
        if (!/\.(ts|astro|mjs|js)$/.test(imported)) continue;
        const [from, to] = [layerOf(file), layerOf(imported)];
        const apart = APART.some(([one, other]) => one.test(file) && other.test(imported));
        if (to < 0 || to > from || apart) wrong.push(`${file} imports ${imported}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('follow the floor plan of docs/extending.md, which has each layer in its order', () => {
    const page = readFileSync(join(PROJECT, 'docs/extending.md'), 'utf8');
    const plan = page.split('\n## ').find((part) => part.startsWith('Floor plan\n'))!;
    const folders = [...plan.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map(([, folder]) => folder!),
    );
    const layers = [...new Set(folders.map(layerOf))];
    expect(layers).toEqual([...LAYERS.keys()]);
  });

  test('form no cycle', () => {
    expect(findCircle()).toBeNull();
  });

  test('of the commands’ declarations load no work, which a command loads when it runs', () => {
    const declared = EDGES.get('src/commands/table.ts')!.filter((file) => file !== 'src/commands/command.ts');
    const reached = new Set(declared);
    for (const file of reached) for (const imported of loadedBy(file)) reached.add(imported);
    const WORK =
      /^pipeline\/(sql|postgres|objects|sources|mirror|bucket|build|charts|formats|sample(?!\/span)|verify)\/|^src\/(service\/(?!run-settings)|site\/)/;
    expect(declared.length).toBeGreaterThan(10);
    expect([...reached].filter((file) => WORK.test(file))).toEqual([]);
  });

  test('of another package name one that package.json has', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const wrong = SOURCES.flatMap((file) => {
      const text = readFileSync(join(PROJECT, file), 'utf8');
      return [...text.matchAll(IMPORT)]
        .map((match) => match[2]!)
        .filter((specifier) => !/^(\.|#|node:|astro:)/.test(specifier))
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
  const SITE = ['pipeline/build/site/compile-site.ts'];

  /** Fontconfig is told of its fonts there and in no other way; what stood there is put back. */
  const FONTS = ['pipeline/charts/files/rasterise.ts'];

  /** Threads learn only from it where Node keeps compiled programs. */
  const COMPILED = [
    'pipeline/build/site/rendering-thread.ts',
    'src/cli.ts',
    'src/sidecar/charts/renderer.ts',
  ];

  /** The browser gets all of it, and a temporary folder of its own. */
  const BROWSER = ['pipeline/charts/files/printing-browser.ts'];

  /** In Astro's development server alone: the compiled site has none of it. */
  const DEVELOPMENT = ['src/site/layout/release-of-request.ts'];

  test('is read in pipeline/config/config.ts alone', () => {
    const readers = SOURCES.filter((file) =>
      /process\s*\.\s*(env|argv)\b|import\.meta\.env/.test(readFileSync(join(PROJECT, file), 'utf8')),
    );
    expect(readers.sort()).toEqual(
      [
        'pipeline/config/config.ts',
        'src/commands/main.ts',
        ...SITE,
        ...FONTS,
        ...COMPILED,
        ...BROWSER,
        ...DEVELOPMENT,
      ].sort(),
    );
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
