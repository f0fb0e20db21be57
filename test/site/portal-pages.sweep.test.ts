import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import { latestChanges } from '../../src/site/portals/home.ts';
import { SearchEngine, type SearchIndex } from '../../src/site/reference/search/search-engine.ts';
import { ORGANISATION } from '../organisation.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { BASE_URL } from './fixture-release.ts';

const PORTALS = AREAS.map((area) => `${area}/index.html`);

let built: Built;
let pages: Map<string, string>;

beforeAll(async () => {
  built = await buildFixture();
  const names = ['index.html', 'verification/index.html', ...PORTALS];
  pages = new Map(await Promise.all(names.map(async (name) => [name, await asset(name)] as const)));
});

const asset = (path: string) => readFile(join(built.out, path), 'utf8');
const page = (name: string) => pages.get(name)!;
const released = async (path: string) =>
  JSON.parse(await readFile(join(built.release, 'public', path), 'utf8'));

/** The text of a page, as it is read. */
function words(html: string): string {
  const text = html.replaceAll(/<(script|svg)[\s\S]*?<\/\1>/g, ' ').replaceAll(/<[^>]+>/g, ' ');
  return text.replaceAll(/\s+/g, ' ').replaceAll('&amp;', '&').replaceAll('&#39;', '’');
}

describe('every page', () => {
  test.each(['index.html', ...PORTALS])('%s describes itself to search engines in valid JSON', (name) => {
    const data = [...page(name).matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)];
    const types = data.map(([, json]) => JSON.parse(json!)['@type']);
    expect(types).toEqual(
      name === 'index.html' ? ['Organization', 'WebSite', 'DataCatalog'] : ['CollectionPage'],
    );
  });

  test('of them the first tells where to search', () => {
    expect(page('index.html')).toContain(
      '"urlTemplate":"https://data.example.org/search/?q={search_term_string}"',
    );
  });

  test('leads from its header and footer to every part of the site', () => {
    const html = page('verification/index.html');
    const header = /<header[\s\S]*<\/header>/.exec(html)![0];
    const footer = /<footer[\s\S]*<\/footer>/.exec(html)![0];
    const portals = AREAS.map((area) => `/${area}/`);
    for (const href of [...portals, '/charts/', '/files/', '/search/', '/api/', '/sentinels/']) {
      expect(header).toContain(`href="${href}"`);
      expect(footer).toContain(`href="${href}"`);
    }
    for (const href of ['/verification/', '/licence/', '/glossary/'])
      expect(footer).toContain(`href="${href}"`);
  });

  test('about the service lists every dependency of the software', async () => {
    const html = await asset('about/index.html');
    for (const name of Object.keys(packageJson.dependencies)) expect(html).toContain(name);
  });

  test('carries the time of its data for the notice of old data, whose words a script writes: browsers for terminals show what is hidden', () => {
    expect(page('economy/index.html')).toMatch(
      /<div class="old-data" role="status" data-as-of="2026-09-30T18:00:00Z" data-moment="[^"]+" hidden><\/div>/,
    );
  });

  test('has neither that notice nor its script on a page without figures of the release', async () => {
    const script = /<script type="module" src="([^"]*watch-age[^"]*)"/.exec(page('economy/index.html'))![1]!;
    for (const path of ['licence', 'problems', 'mirrors', 'search']) {
      const html = await asset(`${path}/index.html`);
      expect(html).not.toContain('old-data');
      expect(html).not.toContain(script);
    }
  });
});

test.each([
  ['glossary', '/glossary/'],
  ['problems', '/problems/'],
  ['429', '/problems/rate_limited/'],
  ['license', '/licence/'],
  ['CC BY', '/licence/'],
  ['email', '/about/'],
  ['excel', '/files/'],
  ['png', '/charts/'],
])('the search finds %s, as readers type it', async (words, href) => {
  const { entries }: SearchIndex = JSON.parse(await asset('search/index/entries.json'));
  const { results } = new SearchEngine(entries).search(words, '', 10);
  expect(results.map((one) => one.href)).toContain(href);
});

describe('the card of the site', () => {
  test('is a picture of the size that networks ask for, named on every page with words for who does not see it', async () => {
    const { width, height, format } = await sharp(await readFile(join(built.out, 'card.png'))).metadata();
    expect([width, height, format]).toEqual([1200, 630, 'png']);
    for (const path of ['index.html', 'economy/index.html']) {
      expect(page(path)).toContain(`<meta property="og:image" content="${BASE_URL}/card.png">`);
      expect(page(path)).toContain(
        '<meta property="og:image:alt" content="Open data of an append-only ledger">',
      );
      expect(page(path)).toContain('<meta name="twitter:card" content="summary_large_image">');
    }
  });
});

describe('the icons', () => {
  test('are pictures of the size that their names and the manifest say', async () => {
    const manifest = JSON.parse(await asset('site.webmanifest'));
    expect(page('index.html')).toContain('rel="manifest" href="/site.webmanifest"');
    for (const { src, sizes, type } of manifest.icons) {
      const { width, height, format } = await sharp(await readFile(join(built.out, src))).metadata();
      expect([`${width}x${height}`, `image/${format}`]).toEqual([sizes, type]);
    }
    const touch = await sharp(await readFile(join(built.out, 'apple-touch-icon.png'))).metadata();
    expect(touch).toMatchObject({ width: 180, height: 180 });
  });

  test('have an ICO that holds one PNG, where its header says', async () => {
    const ico = await readFile(join(built.out, 'favicon.ico'));
    expect([...ico.subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
    const [bytes, offset] = [ico.readUInt32LE(14), ico.readUInt32LE(18)];
    expect(offset + bytes).toBe(ico.length);
    expect(await sharp(ico.subarray(offset)).metadata()).toMatchObject({ format: 'png', width: 32 });
  });
});

describe('a measure that stands in several places', () => {
  const NUMBER = '(\\d\\.\\d{3,})';
  /** What is said of the present; what is dated otherwise, a lowest or a change, has other words before it. */
  const SAID = {
    index: [`[Ii]ndex(?: is| \\(MII\\) stood at)? ${NUMBER}`, `Latest reading ${NUMBER}`],
    threshold: [`[Tt]hreshold(?: of| was)? ${NUMBER}`],
    consensus: [
      `(?:Consensus rate|\\bRate) ${NUMBER}`,
      `consensus rate of the (?:last thirty|30) days[^.]* is ${NUMBER}`,
    ],
    virtues: [`(?:virtues have a mean of|Five virtues) ${NUMBER}`],
    temperance: [`Temperance (?:from \\S+ to )?${NUMBER}`],
    drift: [`[Dd]rift score(?: is)? ${NUMBER}`],
  } as const;

  async function published(): Promise<Record<keyof typeof SAID, string>> {
    const { mii, threshold } = await released('economy/mii');
    const { consensus_rate } = await released('academics/sentinel-coordination.json');
    const { overall_compliance, virtues } = await released('philosophy/virtues.json');
    const { drift_score } = await released('philosophy/drift-analysis.json');
    return {
      index: mii.toFixed(4),
      threshold: threshold.toFixed(4),
      consensus: consensus_rate.toFixed(3),
      virtues: overall_compliance.toFixed(3),
      temperance: virtues.temperance.score.toFixed(3),
      drift: drift_score.toFixed(3),
    };
  }

  test('has one value in one unit, in tiles, sentences and at the ends of charts', async () => {
    const expected = await published();
    const charts = ['mii', 'consensus', 'virtues', 'virtues-history', 'drift'].map(
      (id) => `charts/${id}/index.html`,
    );
    const report = 'government/transparency/index.html';
    for (const name of ['index.html', ...PORTALS, ...charts, report]) {
      const text = (await asset(name))
        .replaceAll('</text>', ' · ')
        .replaceAll(/<script[\s\S]*?<\/script>|<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ');
      for (const [measure, patterns] of Object.entries(SAID)) {
        const found = patterns.flatMap((pattern) =>
          [...text.matchAll(new RegExp(pattern, 'g'))].map(([, value]) => value),
        );
        const values = new Set(found);
        expect([...values], `${measure} in ${name}`).toEqual(
          values.size === 0 ? [] : [expected[measure as keyof typeof SAID]],
        );
      }
      expect(text, name).not.toMatch(
        /(?:index|threshold|consensus rate|\brate|reading)(?: is| of| was)? [\d.]+\s%/i,
      );
    }
    const home = words(page('index.html'));
    for (const measure of ['index', 'consensus', 'virtues'] as const)
      expect(home.split(expected[measure]).length, measure).toBeGreaterThan(2);
  });
});

describe('the latest changes of the home page', () => {
  const item = (date_published: string, title: string, path: string) => ({
    url: `${BASE_URL}/${path}`,
    title,
    date_published,
  });

  test('are the newest day and what happens rarely, at the addresses that the feed has', () => {
    const items = [
      item('2026-09-30T00:00:00Z', '2026-09-29: 5 MIC minted', 'rows/?date=2026-09-29'),
      item('2026-09-29T00:00:00Z', '2026-09-28: 4 MIC minted', 'rows/?date=2026-09-28'),
      item('2026-09-28T00:00:00Z', 'Decision: to wait', 'decisions/d-2/'),
      item('2026-09-27T00:00:00Z', 'Decision: to go on', 'decisions/d-1/'),
    ];
    const release = {
      find: () => ({}),
      read: () => ({ items }),
      baseUrl: BASE_URL,
    } as unknown as SiteRelease;
    expect(latestChanges(release, 2)).toEqual([
      {
        title: '2026-09-29: 5 MIC minted',
        time: items[0]!.date_published,
        href: '/rows/?date=2026-09-29',
      },
      {
        title: 'Decision: to wait',
        time: items[2]!.date_published,
        href: '/decisions/d-2/',
      },
    ]);
  });

  test('are left out where a release has no feeds', () => {
    const release = new SiteRelease(built.release, { baseUrl: BASE_URL, organisation: ORGANISATION });
    expect(latestChanges(release, 2)).toEqual([]);
    expect(page('index.html')).not.toContain('id="changes"');
  });
});
