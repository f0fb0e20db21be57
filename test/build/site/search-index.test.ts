import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { writeSearchIndex } from '../../../pipeline/build/site/search-index.ts';
import { listTree } from '../../../pipeline/release/disk/list-tree.ts';
import { type Manifest, sha256 } from '../../../pipeline/release/format/manifest.ts';
import {
  kindOf,
  SEARCH_BUNDLES,
  SEARCH_INDEX,
  SEARCH_KINDS,
} from '../../../pipeline/release/format/search-kinds.ts';

const page = (title: string, text: string, head = '') =>
  `<!doctype html><html lang="en-GB"><head><title>${title}</title>${head}</head><body><header>Menu of everything</header>
  <main id="content"><h1>${title}</h1><p>${text}</p><svg><text>drawn</text></svg></main><footer>As of today</footer></body></html>`;

const AS_OF = '2026-10-01T06:00:00Z';

const PAGES: Record<string, string> = {
  'index.html': page('Home', 'What the ledger says'),
  '404.html': page('Not found', 'nowhere'),
  'sentinels/index.html': page('Sentinels', 'All of them'),
  'sentinels/atlas/index.html': page('ATLAS', 'A monitored agent, zebra'),
  'decisions/d-1/index.html': page('Whether the lamp stays lit', 'It stays, said the quokka'),
  'decisions/in-2026/index.html': page('Decisions in 2026', 'A list'),
  'embed/supply/index.html': page('Supply', 'In a frame of another page'),
  'search/index.html': page('Search', 'Type a word'),
  'draft/index.html': page('Draft', 'ephemeral', '<meta name="robots" content="noindex">'),
};

async function site(pages: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-search-'));
  for (const [path, html] of Object.entries(pages)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), html);
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** What a run leaves for the next one. */
interface Left {
  files: Map<string, Buffer>;
  kept: Map<string, string>;
}

/**
 * Writes the index into the same folder. Files of `previous` may be taken over, as far as they are not `damaged`. Gives the files that
 * were made.
 */
async function writeIndex(
  folder: string,
  { paths, previous, damaged = [] }: { paths?: string[]; previous?: Left; damaged?: string[] } = {},
): Promise<Left & { made: string[] }> {
  const files = paths ?? (await listTree(folder)).files.filter((path) => !path.startsWith(SEARCH_INDEX));
  const pages = files.map((path) => ({
    path,
    sha256: sha256(paths ? '' : readFileSync(join(folder, path))),
  }));
  const left: Left = { files: new Map(), kept: new Map() };
  const made: string[] = [];
  const put = async (path: string, content: Buffer) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    left.files.set(path, content);
  };
  const before = [...(previous?.files.keys() ?? [])].map((path) => ({ path }));
  await writeSearchIndex(pages, AS_OF, {
    public: folder,
    previous: previous ? { manifest: { files: before } as unknown as Manifest } : null,
    keptBefore: async (file) => previous?.kept.get(file) ?? null,
    keep: async (file, bytes) => left.kept.set(file, Buffer.from(bytes).toString()),
    files: () => [...left.files.keys()].map((path) => ({ path, sha256: '' })),
    takeOver: async (path) => {
      const content = previous?.files.get(path);
      if (!content || damaged.includes(path)) return false;
      await put(path, content);
      return true;
    },
    write: async ({ path, content }) => {
      made.push(path);
      expect(left.files.has(path), path).toBe(false);
      await put(path, Buffer.from(content));
    },
  });
  return { ...left, made };
}

/** The files of an index by path. */
async function indexOf(folder: string): Promise<Map<string, Buffer>> {
  const { files } = await listTree(join(folder, SEARCH_INDEX));
  const read = async (path: string) => [path, await readFile(join(folder, SEARCH_INDEX, path))] as const;
  return new Map(await Promise.all(files.map(read)));
}

/** The results that the index would show for its pages. */
function shown(index: ReadonlyMap<string, Buffer>): string {
  const fragments = [...index].filter(([path]) => path.endsWith('.pf_fragment'));
  return fragments.map(([, bytes]) => gunzipSync(bytes).toString('utf8')).join('\n');
}

describe('the search index', () => {
  test('has the main part of each searchable page, and of no other', async () => {
    await using built = await site(PAGES);
    await writeIndex(built.folder);
    const text = shown(await indexOf(built.folder));
    for (const words of ['What the ledger says', 'zebra', 'quokka', 'All of them', 'A list']) {
      expect(text).toContain(words);
    }
    for (const words of [
      'nowhere',
      'In a frame',
      'Type a word',
      'ephemeral',
      'Menu of',
      'As of today',
      'drawn',
    ]) {
      expect(text).not.toContain(words);
    }
    expect(text).toContain('"url":"/decisions/d-1/"');
    expect(text).toContain('"kind":["decision"]');
  });

  test('has the same bytes for the same pages, even if two are built at once', async () => {
    await using one = await site(PAGES);
    await using two = await site(PAGES);
    await Promise.all([writeIndex(one.folder), writeIndex(two.folder)]);
    expect(await indexOf(one.folder)).toEqual(await indexOf(two.folder));
    for (const [path, html] of Object.entries(PAGES))
      expect(await readFile(join(one.folder, path), 'utf8')).toBe(html);
  });

  describe('over a long archive', () => {
    const dated = (year: string | null, text: string) =>
      page(text, text).replace('<h1>', `<div${year ? ` data-year="${year}"` : ''}></div><h1>`);
    const ARCHIVE: Record<string, string> = {
      'index.html': page('Home', 'ordinary'),
      'decisions/in-2019/index.html': page('Decisions of 2019', 'list'),
      'decisions/old/index.html': dated('2024', 'an old decision'),
      'deliberations/old/index.html': dated('2025', 'an old deliberation'),
      'decisions/new/index.html': dated('2026', 'a new decision'),
      'deliberations/open/index.html': dated(null, 'an open deliberation'),
    };
    const ORDINARY = '';
    const urlsOf = (left: Left, bundle: string) => {
      const below = `${SEARCH_INDEX}${bundle}fragment/`;
      const own = [...left.files].filter(([path]) => path.startsWith(below));
      return [...shown(new Map(own)).matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url).sort();
    };
    const bundlesMade = ({ made }: { made: string[] }) =>
      [
        ...new Set(made.flatMap((path) => /search\/index\/(.*)pagefind-entry\.json$/.exec(path)?.[1] ?? [])),
      ].sort();

    test('has an index of ordinary pages, of each decade’s closed years, and of the open year', async () => {
      await using built = await site(ARCHIVE);
      const left = await writeIndex(built.folder);
      expect(JSON.parse(`${left.files.get(SEARCH_BUNDLES)}`)).toEqual(['2010s/', '2020s/', '2026/']);
      expect(urlsOf(left, ORDINARY)).toEqual(['/']);
      expect(urlsOf(left, '2010s/')).toEqual(['/decisions/in-2019/']);
      expect(urlsOf(left, '2020s/')).toEqual(['/decisions/old/', '/deliberations/old/']);
      expect(urlsOf(left, '2026/')).toEqual(['/decisions/new/', '/deliberations/open/']);
      const engines = [...left.files.keys()].filter((path) => /\.js$|wasm/.test(path));
      expect(engines.every((path) => path.split('/').length === 3)).toBe(true);
    });

    test('is indexed again only where a page changed, with the bytes of an index made afresh', async () => {
      await using built = await site(ARCHIVE);
      const previous = await writeIndex(built.folder);
      expect((await writeIndex(built.folder, { previous })).made).toEqual([SEARCH_BUNDLES]);
      const file = join(built.folder, 'decisions/old/index.html');
      await writeFile(file, dated('2024', 'a corrected decision'));
      const next = await writeIndex(built.folder, { previous });
      expect(bundlesMade(next)).toEqual(['2020s/']);
      const { made: _, ...afresh } = await writeIndex(built.folder);
      const { made: __, ...incremental } = next;
      expect(incremental.files).toEqual(afresh.files);
      expect(incremental).toEqual(afresh);
    });

    test('has a damaged index made again', async () => {
      await using built = await site(ARCHIVE);
      const previous = await writeIndex(built.folder);
      const damaged = [...previous.files.keys()].filter((path) =>
        path.startsWith(`${SEARCH_INDEX}2026/index/`),
      );
      expect(damaged.length).toBeGreaterThan(0);
      const next = await writeIndex(built.folder, { previous, damaged });
      expect(next.made).toEqual([...damaged, SEARCH_BUNDLES]);
      expect(next.files).toEqual(previous.files);
    });
  });
});

describe('the kind of a page', () => {
  test.each([
    ['sentinels/atlas/index.html', 'sentinel'],
    ['sentinels/index.html', 'page'],
    ['deliberations/d-1/index.html', 'deliberation'],
    ['decisions/d-1/index.html', 'decision'],
    ['decisions/in-2026/index.html', 'page'],
    ['charts/supply/index.html', 'chart'],
    ['files/economy/mic-history.csv/index.html', 'file'],
    ['files/index.html', 'page'],
    ['index.html', 'page'],
  ])('of %s is %s', (path, kind) => {
    expect(kindOf(path)).toBe(kind);
    expect(SEARCH_KINDS).toContain(kind);
  });
});
