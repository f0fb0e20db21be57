import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { latestChanges, takeAway } from '../../src/site/components/home.ts';
import { QUESTIONS } from '../../src/site/components/portal/questions.ts';
import { SiteRelease } from '../../src/site/components/release.ts';
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

describe('a portal', () => {
  test.each(AREAS)(
    '%s draws each chart of its area into the page, narrow, and wide too where it has the room',
    (area) => {
      const html = page(`${area}/index.html`);
      const roomy = QUESTIONS[area].filter(({ half, charts }) => !half && charts.length === 1);
      for (const { id } of CHARTS.filter((chart) => chart.area === area)) {
        const isWide = roomy.some(({ charts }) => charts.includes(id));
        expect(html.split(`id="chart-${id}-780-page-title"`), id).toHaveLength(isWide ? 2 : 1);
        expect(html.split(`id="chart-${id}-340-page-title"`), id).toHaveLength(2);
        expect(html).toContain(`href="/charts/${id}/"`);
      }
    },
  );

  test.each(AREAS)('%s lists each file with its page, and keeps the address inside the page', (area) => {
    const html = page(`${area}/index.html`);
    for (const { path, restricted } of ARTIFACTS.filter((artifact) => artifact.area === area)) {
      const anchor = path.slice(area.length + 1).replaceAll(/[^a-z0-9]+/g, '-');
      expect(html).toContain(`<tr id="${anchor}">`);
      expect(html).toContain(`href="/files/${path}/"`);
      expect(html.includes(`href="/${path}"`), path).toBe(!restricted);
    }
  });

  test('shows the integrity index as it is published, with unit, time and source', async () => {
    const { mii, threshold, minting_active } = await released('economy/mii');
    const html = page('economy/index.html');
    expect(words(html)).toContain(`Integrity index ${mii.toFixed(4)} MII, from 0 to 1`);
    expect(words(html)).toContain(
      `its threshold of ${threshold.toFixed(4)}, so minting is ${minting_active ? 'on' : 'off'}`,
    );
    expect(html).toContain('href="/files/economy/mii/"');
    expect(words(html)).toContain('As of 30 September 2026, 18:00 UTC');
  });

  test('computes a change from the file by day', async () => {
    const { total_supply } = await released('economy/supply');
    const days = await readFile(join(built.release, 'public/economy/supply-by-day.csv'), 'utf8');
    // Thirty days before 30 September, 18:00: the end of 31 August is six hours off.
    const [, before] =
      days
        .split('\n')
        .find((line) => line.startsWith('2026-08-31,'))
        ?.split(',') ?? [];
    const change = Math.round(total_supply - Number(before));
    expect(change).toBeGreaterThan(0);
    expect(words(page('economy/index.html'))).toContain(`+${change.toLocaleString('en-GB')} in 30 days`);
    expect(words(page('economy/index.html'))).toContain(
      'Changes in a day are since the end of 29 September 2026, those in 30 days since the end of 31 August 2026.',
    );
  });

  test.each(['index.html', ...PORTALS])('%s states the time of its data once', (name) => {
    // The notice of old data is hidden.
    const text = words(page(name).replace(/<div class="old-data".*?<\/div>/s, ''));
    expect(text.match(/\bas of 30 September 2026, 18:00 UTC/gi)).toHaveLength(1);
  });

  test('draws the course of a figure that is published by day, and says which direction is good where one is', () => {
    const tiles = page('economy/index.html')
      .split('<dt class="label">')
      .slice(1)
      .map((tile) => tile.split('</div>')[0]!);
    expect(tiles.map((tile) => tile.includes('class="sparkline"'))).toEqual(tiles.map(() => true));
    const judged = tiles.filter((tile) => tile.includes('higher is better'));
    expect(judged.map((tile) => tile.split('<')[0])).toEqual(['Integrity index']);
  });

  test('has a shape of its own: board, multipliers, catalogue, question and decisions, instruments', async () => {
    const { sentinels } = await released('government/sentinel-status.json');
    for (const { id } of sentinels)
      expect(words(page('government/index.html'))).toContain(`${id} operational`);
    expect(page('economy/index.html')).toContain('id="multiplier-table"');
    expect(page('economy/index.html')).toContain('action="/charts/reward-curve/"');
    for (const { path, restricted } of ARTIFACTS.filter(({ area }) => area === 'academics'))
      if (!restricted) expect(page('academics/index.html')).toContain(`href="/files/${path}/">`);
    const { decisions } = await released('philosophy/decisions.json');
    expect(words(page('philosophy/index.html'))).toContain(decisions[0].reasoning.slice(0, 40));
    const { articles } = await released('diplomacy/treaty-framework.json');
    for (const { title } of articles) expect(words(page('diplomacy/index.html'))).toContain(title);
  });

  test('says that nothing was minted on a day without a mint', () => {
    // The fixture's last mint is of 24 September.
    expect(words(page('economy/index.html'))).toMatch(
      /Minted in a day 0 MIC .*?the last whole day, 29 September 2026/,
    );
  });

  test('offers a prepared mail for each tier with a key', () => {
    const mails = page('economy/index.html').match(/href="mailto:[^"]*\?subject=[^"]*"/g) ?? [];
    expect(mails.map((mail) => decodeURIComponent(mail).match(/Key request: [\w, ]+/)?.[0])).toEqual([
      'Key request: economy, economist',
      'Key request: economy, institutional',
    ]);
    expect(page('diplomacy/index.html')).not.toContain('?subject=');
  });

  test('shows the obligations, standards and protocols of diplomacy from their files', async () => {
    const text = words(page('diplomacy/index.html'));
    const { obligations } = await released('diplomacy/treaty-framework.json');
    const { standards } = await released('diplomacy/standards.json');
    const { protocols } = await released('diplomacy/protocols.json');
    for (const { id } of [...obligations, ...standards, ...protocols]) expect(text).toContain(id);
  });
});

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

  test('carries the time of its data for the notice of old data, which is hidden until a script decides', () => {
    expect(page('economy/index.html')).toMatch(
      /<div class="old-data" role="status" data-as-of="2026-09-30T18:00:00Z" hidden>/,
    );
  });

  test('has neither that notice nor its script on a page without figures of the release', async () => {
    const script = /<script defer src="([^"]*watch-age[^"]*)"/.exec(page('economy/index.html'))![1]!;
    for (const path of ['licence', 'problems', 'mirrors', 'search']) {
      const html = await asset(`${path}/index.html`);
      expect(html).not.toContain('old-data');
      expect(html).not.toContain(script);
    }
  });
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
        /(?:index|threshold|consensus rate|\brate|reading)(?: is| of| was)? [\d.]+ %/i,
      );
    }
    const home = words(page('index.html'));
    for (const measure of ['index', 'consensus', 'virtues'] as const)
      expect(home.split(expected[measure]).length, measure).toBeGreaterThan(2);
  });
});

describe('the home page', () => {
  test('opens with the supply, and draws no chart twice', () => {
    const html = page('index.html');
    const ids = [...html.matchAll(/<h3 id="chart-([a-z-]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['supply', 'mii', 'consensus']);
    expect(html).toContain('id="chart-supply-400-page-title"');
  });

  test('loads the same file with every tool', () => {
    const lines = takeAway({ baseUrl: BASE_URL } as SiteRelease).map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(line).toContain(`${BASE_URL}/economy/supply-by-day.csv`);
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

describe('the page on verification', () => {
  test('says of which ledger and root the release is, and the hash of the file that it tells how to check', () => {
    const html = page('verification/index.html');
    const { ledger, files } = built.draft;
    expect(html).toContain(ledger.root);
    expect(html).toContain(ledger.origin);
    expect(html).toContain(files.find(({ path }) => path === 'economy/mic-history.csv')!.sha256);
    expect(html).toContain(`curl -s ${BASE_URL}/economy/mic-history.csv | sha256sum`);
  });
});
