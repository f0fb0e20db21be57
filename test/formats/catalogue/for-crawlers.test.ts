import { Readable } from 'node:stream';
import { parseSitemap } from 'sitemap';
import { describe, expect, test } from 'vitest';
import { RELEASED } from '../../../pipeline/formats/catalogue/citation-cff.ts';
import { formatSitemaps } from '../../../pipeline/formats/catalogue/crawlers.ts';
import { tinyFacts } from './tiny-facts.ts';

const facts = tinyFacts();
const page = (path: string) => ({ ...facts.files[0]!, path, kind: 'page' as const });

describe('the sitemap', () => {
  const pages = [
    ...'index.html economy/index.html licence/index.html decisions/index.html'.split(' '),
    ...'decisions/d-7/index.html decisions/in-2025/index.html deliberations/open/index.html'.split(' '),
    ...'government/transparency/2025/index.html files/economy/mic-history.csv/index.html'.split(' '),
    ...'files/diplomacy/standards.json/index.html charts/supply/index.html 404.html'.split(' '),
    ...'embed/supply/index.html'.split(' '),
  ].map(page);
  const dated = (path: string, as_of: string) => ({ ...facts.files[0]!, path, as_of });
  const versions = [
    dated('economy/mic-history.csv', '2026-01-05T12:00:00Z'),
    dated('charts/supply.json', '2026-01-04'),
    { ...facts.files[0]!, path: 'diplomacy/standards.json' },
  ];
  const records = { decisions: new Map([['d-7', '2025-12-30']]), deliberations: new Map() };
  const given = { ...facts, files: [...versions, ...pages], records };
  const text = formatSitemaps(given)[0]!.content;

  test('lists every page by its address, and nothing else', async () => {
    const items = await parseSitemap(Readable.from([text]));
    expect(items.map(({ url }) => url).filter((url) => !/open/.test(url))).toEqual([
      ...'https://data.example.org/charts/supply/ https://data.example.org/decisions/d-7/'.split(' '),
      ...'https://data.example.org/decisions/in-2025/ https://data.example.org/decisions/'.split(' '),
      ...'https://data.example.org/economy/'.split(' '),
      ...'https://data.example.org/files/diplomacy/standards.json/'.split(' '),
      ...'https://data.example.org/files/economy/mic-history.csv/'.split(' '),
      ...'https://data.example.org/government/transparency/2025/ https://data.example.org/'.split(' '),
      ...'https://data.example.org/licence/ https://data.example.org/snapshots/'.split(' '),
    ]);
  });

  test('dates a page with what it shows, a record with its time, and prose with the software', async () => {
    const items = await parseSitemap(Readable.from([text]));
    const changed = Object.fromEntries(items.map(({ url, lastmod }) => [new URL(url).pathname, lastmod]));
    expect(changed).toEqual({
      '/': facts.asOf,
      '/economy/': facts.asOf,
      '/decisions/': facts.asOf,
      '/decisions/in-2025/': '2026-01-01',
      '/deliberations/open/': facts.asOf,
      '/files/economy/mic-history.csv/': '2026-01-05T12:00:00Z',
      '/files/diplomacy/standards.json/': RELEASED,
      '/charts/supply/': '2026-01-04',
      '/decisions/d-7/': '2025-12-30',
      '/licence/': RELEASED,
      '/government/transparency/2025/': '2026-01-01',
      '/snapshots/': facts.asOf,
    });
  });
});

describe('more pages than a sitemap may have', () => {
  test('are in several, which the first one lists', async () => {
    const pages = Array.from({ length: 6 }, (_, index) => page(`decisions/d-${index}/index.html`));
    const [index, ...parts] = formatSitemaps(
      {
        ...facts,
        files: pages,
        records: { decisions: new Map(), deliberations: new Map() },
      },
      3,
    );
    expect(index!.content).toContain('<sitemapindex');
    expect(index!.content.match(/<loc>[^<]*/g)).toEqual(
      parts.map(({ path }) => `<loc>${facts.baseUrl}/${path}`),
    );
    const found = await Promise.all(parts.map(({ content }) => parseSitemap(Readable.from([content]))));
    expect(found.map((items) => items.length)).toEqual([3, 3, 1]);
  });
});
