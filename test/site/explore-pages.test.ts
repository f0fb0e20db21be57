import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { SEARCH_INDEX } from '../../pipeline/release/format/search-kinds.ts';
import { type Built, buildFixture } from './build-fixture.ts';

const EXPLORERS = ['sentinels', 'deliberations', 'decisions', 'cycles', 'search', 'calculator'];

let built: Built;
let pages: Map<string, string>;

beforeAll(async () => {
  built = await buildFixture();
  const { files } = await listTree(built.out);
  const own = files.filter((path) => path.endsWith('.html') && EXPLORERS.includes(path.split('/')[0]!));
  const read = async (path: string) => [path, await readFile(join(built.out, path), 'utf8')] as const;
  pages = new Map(await Promise.all(own.map(read)));
});

const page = (path: string) => pages.get(`${path}/index.html`) ?? '';
const published = async (path: string) =>
  JSON.parse(await readFile(join(built.release, 'public', path), 'utf8'));
/** Words of a page, as a reader has them. */
const words = (html: string) =>
  html
    .replace(/^.*<main/s, '')
    .replace(/<\/main>.*$/s, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the explorers', () => {
  test('have a page for each sentinel, deliberation and decision that is published', async () => {
    const { sentinels } = await published('government/sentinel-status.json');
    const { deliberations } = await published('philosophy/deliberations.json');
    const { decisions } = await published('philosophy/decisions.json');
    const wanted = [
      ...sentinels.map(({ id }: { id: string }) => `sentinels/${id.toLowerCase()}`),
      ...deliberations.map(({ id }: { id: string }) => `deliberations/${id.toLowerCase()}`),
      ...decisions.map(({ id }: { id: string }) => `decisions/${id.toLowerCase()}`),
    ];
    expect(wanted.length).toBeGreaterThan(20);
    for (const path of wanted) expect([path, page(path) !== '']).toEqual([path, true]);
  });

  test('have a page for each cycle, and lists of them by year', () => {
    for (const name of ['c-0', 'c-151', 'c-454', 'in-2025', 'in-2026'])
      expect(page(`cycles/${name}`)).not.toBe('');
    expect(page('cycles/c-455')).toBe('');
    expect(words(page('cycles/c-151'))).toContain('C-151, 1 December 2025');
    expect(page('cycles/in-2025').match(/<tr id="c-\d+"/g)).toHaveLength(182);
  });

  test('lead to each other without a dead end', () => {
    const own = new RegExp(`^/(${EXPLORERS.join('|')})/`);
    const dead = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/\bhref="([^"?#]*)([?#][^"]*)?"/g)]
        .map(([, href = '']) => href)
        .filter((href) => own.test(href) && !pages.has(`${href.slice(1)}index.html`))
        .map((href) => `${path}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  test('have neither script nor style in the page itself', () => {
    for (const [path, html] of pages) {
      expect([path, /<style|\sstyle="|\son\w+="/.exec(html)?.[0]]).toEqual([path, undefined]);
      const scripts = [...html.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)];
      for (const [, attributes = '', text] of scripts) {
        const isData = attributes.includes('application/ld+json');
        expect([path, isData || (attributes.includes('src=') && text === '')]).toEqual([path, true]);
      }
    }
  });

  test('escape what the ledger wrote', () => {
    const [, html = ''] = page('decisions/dec-10').split('<main');
    expect(html).toContain('& &lt;later&gt;'.replace('&', '&amp;'));
    expect(html).not.toContain('<later>');
  });

  test('are in the index of the search, but for the search itself', async () => {
    const { files } = await listTree(join(built.out, SEARCH_INDEX));
    expect(files).toEqual(expect.arrayContaining(['pagefind.js', 'bundles.json']));
    const entries = files.filter((path) => path.endsWith('pagefind-entry.json'));
    const counts = entries.map(async (path) => {
      const entry = JSON.parse(await readFile(join(built.out, SEARCH_INDEX, path), 'utf8'));
      return Number(entry.languages.en.page_count);
    });
    expect(entries.length).toBeGreaterThan(1);
    expect((await Promise.all(counts)).reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(
      pages.size - 1,
    );
  });
});

describe('what an explorer counts', () => {
  test.each(['deliberations', 'decisions', 'cycles'])('is listed: /%s/', async (explorer) => {
    const html = page(explorer);
    const nav = /<nav class="on-page"[\s\S]*?<\/nav>/.exec(html)![0];
    const counts = [...nav.matchAll(/\((\d+)\)/g)].map(([, count]) => Number(count));
    const listed = new Set(
      [...pages]
        .filter(([path]) => path === `${explorer}/index.html` || path.startsWith(`${explorer}/in-`))
        .flatMap(([, list]) => [...list.matchAll(new RegExp(`href="(/${explorer}/(?!in-)[^"/]+/)"`, 'g'))])
        .map(([, href]) => href),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(listed.size);
    const [, said] = /([\d,]+) (?:deliberations|decisions)/.exec(words(html)) ?? [];
    if (explorer !== 'cycles') expect(Number(said?.replace(',', ''))).toBe(listed.size);
  });
});

describe('a page', () => {
  test('of a sentinel has its values as they are published', async () => {
    const { sentinels } = await published('economy/sentinel-roi.json');
    const [{ id, roi, multiplier }] = sentinels;
    const text = words(page(`sentinels/${id.toLowerCase()}`));
    expect(text).toContain(roi.toFixed(3));
    expect(text).toContain(`× ${multiplier.toFixed(2)}`);
    expect(page(`sentinels/${id.toLowerCase()}`).match(/<svg[^>]*role="img"/g)).toHaveLength(4);
  });

  test('of a deliberation says who stood where, why it ended, and what was decided', () => {
    const text = words(page('deliberations/d-400'));
    expect(text).toContain('It ended');
    expect(text).toContain('Of five participants, five were in favour; nobody against.');
    expect(text).toContain('ECHO weighs a finer picture');
    expect(page('deliberations/d-400')).toContain('href="/decisions/dec-400/"');
  });

  test('of an open deliberation says that it is open', () => {
    expect(words(page('deliberations/d-430'))).toMatch(/It (ended|is still open)/);
    expect(words(page('deliberations/d-430'))).toContain('positions');
  });

  test('of a decision leads to its deliberation, however long ago that was', () => {
    expect(page('decisions/dec-400')).toContain('href="/deliberations/d-400/"');
    expect(page('decisions/dec-10')).toContain('href="/deliberations/d-10/"');
    expect(words(page('deliberations/d-10'))).toContain('opened and closed 13 July 2025');
    expect(page('deliberations/in-2025')).toContain('href="/deliberations/d-10/"');
  });
});
