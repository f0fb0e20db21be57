import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { deadLinks, readPages } from '../contract/pages/built-pages.ts';
import { type Built, buildDamaged, buildFixture } from './build-fixture.ts';
import { filesSite, unprintedSite } from './files-release.ts';

let built: Built;

beforeAll(async () => {
  built = await buildFixture();
});

/** Beside the releases. */
const BESIDE = ['/snapshots/', '/log/checkpoint', '/log/public/policy.json'];

describe('the site', () => {
  test('links to no PDF where none is printed, and says that there is none', async () => {
    const without = await unprintedSite();
    const [plain, printed] = [await readPages(without), await readPages(await filesSite())];
    expect(await deadLinks(without, plain, BESIDE)).toEqual([]);
    expect([...plain.keys()]).toEqual([...printed.keys()]);
    expect(plain.get('government/')!.words).toContain('This release was built without PDFs');
    expect(printed.get('government/')!.words).not.toContain('This release was built without PDFs');
    expect(plain.get('')!.html).toMatch(/tables and two charts, on one page\.\s*</);
  });

  test('has each font once, and loads fonts and styles from its own origin only', async () => {
    const { files } = await listTree(built.out);
    const fonts = files.filter((path) => path.endsWith('.woff2'));
    expect(fonts.map((path) => path.replace(/^fonts\//, '')).sort()).toEqual(
      readdirSync('public/fonts').filter((name) => name.endsWith('.woff2')),
    );
    for (const path of files.filter((name) => name.endsWith('.css'))) {
      const css = await readFile(join(built.out, path), 'utf8');
      for (const [, url] of css.matchAll(/url\(([^)]+)\)/g)) {
        if (url!.startsWith('/fonts/')) expect(fonts).toContain(url!.slice(1));
        else expect(url).toMatch(/^(\/_astro\/|"?data:)/);
      }
    }
    for (const [, url] of (await readFile(join(built.out, 'index.html'), 'utf8')).matchAll(
      /rel="preload" href="\/([^"]+)"/g,
    ))
      expect(fonts).toContain(url);
  });
});

/** The first digits of each font's SHA-256. Caches keep fonts for a year, so different bytes need a new name. */
const FONTS = {
  'cathedral-sans-latin-400': 'e5f5e97be71a41a9',
  'cathedral-sans-latin-600': '66c4a20c3a630e7e',
  'cathedral-serif-latin-400': '76bb847da00d126c',
  'cathedral-serif-latin-600': '354adad468c788d4',
  'source-sans-3-greek-400-normal': '7f0050bec7f5350c',
  'source-sans-3-latin-ext-400-normal': 'f5706bb057951632',
  'source-serif-4-greek-400-normal': 'dafafcc62255d676',
  'source-serif-4-latin-400-italic': '882b7c150c29f29d',
  'source-serif-4-latin-ext-400-normal': '78ff74ea29d0cc55',
};

test('a font never changes under its name', () => {
  const digests = readdirSync('public/fonts')
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => [
      name.slice(0, -'.woff2'.length),
      sha256(readFileSync(`public/fonts/${name}`)).slice(0, 16),
    ]);
  expect(Object.fromEntries(digests)).toEqual(FONTS);
});

describe('a site that cannot be built', () => {
  test('says which file it misses', async () => {
    const damage = (release: string) => rm(join(release, 'public', 'economy', 'supply'));
    await expect(buildDamaged(damage)).rejects.toMatchObject({
      code: 'site_failed',
      place: '/economy/',
      found: expect.stringContaining('economy/supply'),
    });
  });
});
