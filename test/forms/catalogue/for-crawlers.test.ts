import { Readable } from 'node:stream';
import robotsParser, { type Robot } from 'robots-parser';
import { parseSitemap } from 'sitemap';
import { describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { formatRobotsTxt, formatSitemap } from '../../../pipeline/forms/catalogue/crawlers.ts';
import { formatLlmsTxt } from '../../../pipeline/forms/catalogue/llms-txt.ts';
import { tinyFacts } from './tiny-facts.ts';

// Its types describe a module of another kind than it is.
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;
const facts = tinyFacts();
const page = (path: string) => ({ ...facts.files[0]!, path, kind: 'page' as const });

describe('the sitemap', () => {
  const pages = [
    'index.html',
    'economy/index.html',
    'licence/index.html',
    'decisions/index.html',
    'decisions/d-7/index.html',
    'decisions/in-2025/index.html',
    'government/transparency/2025/index.html',
    '404.html',
    'embed/supply/index.html',
  ].map(page);
  const text = formatSitemap(facts.baseUrl, facts.asOf, [...facts.files, ...pages]);

  test('lists every page by its address, and nothing else', async () => {
    const items = await parseSitemap(Readable.from([text]));
    expect(items.map(({ url }) => url)).toEqual([
      'https://data.example.org/decisions/d-7/',
      'https://data.example.org/decisions/in-2025/',
      'https://data.example.org/decisions/',
      'https://data.example.org/economy/',
      'https://data.example.org/government/transparency/2025/',
      'https://data.example.org/',
      'https://data.example.org/licence/',
    ]);
  });

  test('dates pages that follow the ledger, and not prose or pages about the past', async () => {
    const items = await parseSitemap(Readable.from([text]));
    const changed = Object.fromEntries(items.map(({ url, lastmod }) => [new URL(url).pathname, lastmod]));
    expect(changed).toEqual({
      '/': facts.asOf,
      '/economy/': facts.asOf,
      '/decisions/': facts.asOf,
      '/decisions/in-2025/': facts.asOf,
      '/decisions/d-7/': undefined,
      '/licence/': undefined,
      '/government/transparency/2025/': undefined,
    });
  });
});

test('robots.txt lets everybody read everything, and names the sitemap', () => {
  const robots = parseRobots(`${facts.baseUrl}/robots.txt`, formatRobotsTxt(facts.baseUrl));
  expect(robots.isAllowed(`${facts.baseUrl}/economy/mic-history.csv`, 'AnyBot')).toBe(true);
  expect(robots.getSitemaps()).toEqual([`${facts.baseUrl}/sitemap.xml`]);
});

test('llms.txt has a title, a summary, and a link to each file with what it takes to read it', () => {
  const text = formatLlmsTxt(facts);
  expect(text).toMatch(/^# Cathedral Data Service\n\n> /);
  for (const { path, title, restricted } of ARTIFACTS) {
    const line = text.split('\n').find((one) => one.startsWith(`- [${title}](${facts.baseUrl}/${path})`));
    expect(line, path).toBeDefined();
    expect(line!.includes('needs a key'), path).toBe(restricted);
  }
});
