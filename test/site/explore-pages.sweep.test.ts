import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { citationTexts, citeRecord } from '../../pipeline/forms/catalogue/record-citation.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { SEARCH_INDEX } from '../../pipeline/release/format/search-kinds.ts';
import { ORGANISATION } from '../organisation.ts';
import { type Built, buildFixture } from './build-fixture.ts';

const EXPLORERS = ['sentinels', 'deliberations', 'decisions', 'search'];

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
  test.each(['deliberations', 'decisions'])('is listed: /%s/', async (explorer) => {
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
    expect(Number(said?.replace(',', ''))).toBe(listed.size);
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

  /** What search engines read of a page. */
  const described = (path: string) =>
    [...page(path).matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(
      ([, text]) => JSON.parse(text!) as Record<string, unknown>,
    );

  test.each([
    [
      'decisions/dec-400',
      'Report',
      'decision',
      /Recorded on 7 August 2026\. Ledger \S+\. CC BY 4\.0\. https/,
    ],
    [
      'deliberations/d-400',
      'Conversation',
      'deliberation',
      /Closed on \d+ August 2026\. Ledger \S+\. CC BY 4\.0\. https/,
    ],
    [
      'sentinels/atlas',
      'ProfilePage',
      'sentinel',
      /State of the ledger at 2026-09-30T.*\/snapshots\/2026-10-01T00Z\/government/,
    ],
  ])('%s is described as a %s, and can be cited and linked to', (path, type, kind, note) => {
    const [record] = described(path);
    expect(record).toMatchObject({ '@type': type, url: `https://data.example.org/${path}/` });
    const [, aside = ''] = /<aside class="side"(.*?)<\/aside>/s.exec(page(path)) ?? [];
    const blocks = [...aside.matchAll(/<code>(.*?)<\/code>/gs)].map(([, text]) => text!);
    expect(blocks).toHaveLength(5);
    expect(blocks[0]).toBe(`https://data.example.org/${path}/`);
    expect(blocks[1]).toContain(`[${kind}]`);
    expect(blocks[1]).toMatch(note);
    expect(blocks[2]).toMatch(/^% .*\n\n@misc\{cathedral_/s);
    expect(blocks[3]).toMatch(/^TY {2}- DATA/);
    expect(JSON.parse(blocks[4]!.replaceAll('&quot;', '"'))[0].type).toBe('dataset');
  });

  test('of a deliberation has a link to each position, also for programs', () => {
    const html = page('deliberations/d-400');
    const anchors = [...html.matchAll(/<li id="(position-\d+)"/g)].map(([, id]) => id!);
    expect(anchors).toHaveLength(5);
    for (const id of anchors) expect(html).toContain(`<a class="anchor" href="#${id}"`);
    const [{ hasPart }] = described('deliberations/d-400') as [{ hasPart: { url: string }[] }];
    expect(hasPart.map(({ url }) => url.split('#')[1])).toEqual(anchors);
  });
});

test('a citation names the events of the record, which tell it from a later one with the same id', () => {
  const publication = { baseUrl: 'https://data.example.org', organisation: ORGANISATION, origin: 'l' };
  const of = (events: [number, number]) =>
    citeRecord(publication, {
      kind: 'decision',
      href: '/decisions/d-1/',
      title: 'Decision D-1: Whether',
      date: '2026-08-07',
      events,
    });
  expect(of([12345, 12345]).note).toBe('Recorded on 7 August 2026. Ledger l, event 12,345. CC BY 4.0.');
  expect(of([7, 12]).note).toContain('Ledger l, events 7 to 12.');
  expect(of([7, 7])).toMatchObject({ key: 'cathedral_decision_d_1', year: '2026', permanent: null });
});

test('a citation has no BibTeX entry where BibTeX cannot print its title', () => {
  const citation = {
    key: 'cathedral_decision_d_1',
    authors: ['Publisher'],
    publisher: 'Publisher',
    title: 'Decision d-1: \u0007',
    year: '2026',
    url: 'https://data.example.org/decisions/d-1/',
    note: 'CC BY 4.0.',
    permanent: null,
    asOf: '2026-09-30',
  };
  const names = (title: string) => citationTexts({ ...citation, title }, 'decision').map(({ name }) => name);
  for (const title of ['Decision d-1: Adiós', 'Decision d-1: 再見'])
    expect(names(title)).toEqual(['Text', 'BibTeX', 'RIS', 'CSL-JSON']);
  expect(names(citation.title)).toEqual(['Text', 'RIS', 'CSL-JSON']);
});
