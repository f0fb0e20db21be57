import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { deadLinks, type Pages, readPages } from './pages/built-pages.ts';
import { END, PAGES } from './pages/page-kinds.ts';
import { type Built, buildFixture } from './pages/seam.ts';

// What a reader, a search engine or a program gets of each kind of page, without JavaScript.

const ORIGIN = 'https://data.example.org';

/** Every chart. */
const CHARTS = [
  ...'compliance consensus coordination coordination-history deliberations drift events mii minting'.split(
    ' ',
  ),
  ...'multipliers policy-impact reward-curve roi-by-cathedral roi-by-sentinel supply uptime virtues'.split(
    ' ',
  ),
  'virtues-history',
];

/** Addresses outside of the pages: files beside a release, and those that are printed. */
const BESIDE = [
  ...'/snapshots/ /log/checkpoint /log/public/policy.json /government/transparency.pdf'.split(' '),
  ...'/government/transparency-2025.pdf'.split(' '),
];

let built: Built;
let pages: Pages;

beforeAll(async () => {
  built = await buildFixture();
  pages = await readPages(built);
});

const page = (address: string) => pages.get(address)!;
const published = (path: string) => readFile(join(built.release, 'public', path), 'utf8');
const json = async (path: string) => JSON.parse(await published(path));
const grouped = (value: number, digits = 0) =>
  value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });

describe('each kind of page', () => {
  test('is at its address, with its title', () => {
    const found = Object.keys(PAGES).map((address) => [address, pages.get(address)?.title.replace(END, '')]);
    expect(Object.fromEntries(found)).toEqual(PAGES);
  });

  test('has a title of its own, so that tabs, bookmarks and results of a search engine are told apart', () => {
    const listed = [...pages].filter(([address]) => address !== '404.html' && !address.startsWith('embed/'));
    const alike = [...Map.groupBy(listed, ([, { title }]) => title).values()].filter(
      ({ length }) => length > 1,
    );
    expect(alike.map((all) => all.map(([address]) => address))).toEqual([]);
  });

  test('names its language and its own address, but for those that are of none', () => {
    const wrong = [...pages].filter(
      ([address, { language, canonical }]) =>
        language !== 'en-GB' ||
        canonical !==
          (address === '404.html' ? undefined : `${ORIGIN}/${address.replace(/^embed\//, 'charts/')}`),
    );
    expect(wrong.map(([address, { canonical }]) => [address, canonical])).toEqual([]);
  });

  test('has one first heading and skips no level', () => {
    const wrong = [...pages].filter(
      ([, { headings }]) =>
        headings.filter((level) => level === 1).length !== 1 ||
        headings.some((level, place) => level - (headings[place - 1] ?? 0) > 1),
    );
    expect(wrong.map(([address]) => address)).toEqual([]);
  });

  test('has no script, style or handler of its own, so that the strictest policy fits', () => {
    const wrong = [...pages].flatMap(([address, { inline }]) =>
      inline.map((found) => `${address}: ${found}`),
    );
    expect(wrong).toEqual([]);
  });

  test('links only to what the release has, and to anchors that are there', async () => {
    expect(await deadLinks(built, pages, BESIDE)).toEqual([]);
  });

  test('shows nothing of a restricted file, not even its hash', async () => {
    const policies = JSON.parse(
      await readFile(join(built.release, 'apart/government/policy-impact.json'), 'utf8'),
    ).projections.map(({ policy }: { policy: string }) => policy) as string[];
    const hashes = built.draft.files.filter(({ restricted }) => restricted).map(({ sha256 }) => sha256);
    expect(Math.min(policies.length, hashes.length)).toBeGreaterThan(1);
    const leaks = [...pages].filter(([, { html }]) =>
      [...policies, ...hashes].some((one) => html.includes(one)),
    );
    expect(leaks.map(([address]) => address)).toEqual([]);
  });

  test('escapes what the ledger says', () => {
    const said = [...pages].filter(([, { words }]) => words.includes('<later> stays at six hours'));
    expect(said.length).toBeGreaterThan(3);
    // In an attribute it does no harm.
    const bare = [...pages].filter(([, { html }]) =>
      html.replaceAll(/\s[\w:-]+="[^"]*"/g, '').includes('<later>'),
    );
    expect(bare.map(([address]) => address)).toEqual([]);
  });
});

describe('figures', () => {
  test('of the first page and of the economy are those of the published files, with their time', async () => {
    const supply = await json('economy/supply');
    const rows = parse(await published('economy/supply-by-day.csv'), { columns: true }) as Record<
      string,
      string
    >[];
    expect(grouped(Number(rows[0]!.total_supply))).toBe(grouped(supply.total_supply));
    expect(page('').words).toContain(`Total supply ${grouped(supply.total_supply)} MIC`);
    const economy = page('economy/').words;
    for (const [name, value] of [
      ['Total supply', supply.total_supply],
      ['In circulation', supply.circulating],
      ['Burned', supply.burned],
    ])
      expect(economy).toContain(`${name} ${grouped(value)} MIC`);
    for (const address of [
      '',
      'government/',
      'economy/',
      'academics/',
      'philosophy/',
      'diplomacy/',
      'files/economy/supply/',
    ])
      expect([address, /[Aa]s of 30 September 2026, 18:00 UTC/.test(page(address).words)]).toEqual([
        address,
        true,
      ]);
    expect(supply.timestamp).toBe('2026-09-30T18:00:00Z');
  });

  test('of the head of a page are those of the release: the root and the origin of its ledger', () => {
    expect(page('').html).toContain(built.draft.ledger.root);
    expect(page('').words).toContain(
      `Ledger ${built.draft.ledger.origin}, as of 30 September 2026, 18:00 UTC`,
    );
  });

  test('of a file’s page are those of the file: size, hash, fields', async () => {
    const file = built.draft.files.find(({ path }) => path === 'economy/supply')!;
    const { words } = page('files/economy/supply/');
    expect(words).toContain(`Size ${file.bytes} bytes`);
    expect(words).toContain(`SHA-256 ${file.sha256}`);
    for (const name of Object.keys(await json('economy/supply'))) expect(words).toContain(`"${name}":`);
  });
});

describe('a chart', () => {
  test('has a table with every number of its source, newest first', async () => {
    const days = parse(await published('economy/supply-by-day.csv'), { columns: true }) as Record<
      string,
      string
    >[];
    const byDay = new Map(days.map((row) => [row.date, row]));
    const [head, ...rows] = page('charts/supply/').tables.find((table) => table[0]?.[0] === 'Day')!;
    expect(head).toEqual(['Day', 'Circulating MIC', 'Locked MIC', 'Burned MIC', 'Total supply MIC']);
    expect(rows.length).toBe(66);
    const number = (text: string | undefined) => Number(text?.replaceAll(',', ''));
    // The last day goes on, so it is in the other file alone.
    const supply = await json('economy/supply');
    expect([rows[0]![0], number(rows[0]![1]), number(rows[0]![4])]).toEqual([
      '2026-09-30',
      supply.circulating,
      supply.total_supply,
    ]);
    for (const [day, circulating, locked, burned, total] of rows.slice(1)) {
      const row = byDay.get(day!)!;
      expect([day, number(circulating), number(locked), number(burned), number(total)]).toEqual([
        day,
        Number(row.circulating),
        Number(row.locked),
        Number(row.burned),
        Number(row.total_supply),
      ]);
    }
    expect(rows.map(([day]) => day)).toEqual(
      rows
        .map(([day]) => day!)
        .toSorted()
        .toReversed(),
    );
  });

  test('has two pictures with text alternatives of their own, its source, its oEmbed and its embed', async () => {
    const { html, words, links } = page('charts/supply/');
    const pictures = html.match(/<svg [^>]*role="img"[^>]*>/g) ?? [];
    const labels = pictures.flatMap((svg) => /aria-labelledby="([^"]+)"/.exec(svg)?.[1]?.split(' ') ?? []);
    expect([pictures.length, new Set(labels).size]).toEqual([2, 4]);
    for (const label of labels) expect(page('charts/supply/').ids.has(label)).toBe(true);
    expect(words).toContain('MIC, at the end of each week');
    for (const link of ['/files/economy/supply-by-day.csv/', '/economy/']) expect(links).toContain(link);
    const oembed = JSON.parse(await readFile(join(built.out, 'oembed/supply.json'), 'utf8'));
    expect([oembed.type, oembed.title]).toEqual([
      'rich',
      'MIC supply over time: circulating, locked and burned',
    ]);
    expect(oembed.html).toContain(`src="${ORIGIN}/embed/supply/"`);
    expect(page('embed/supply/').html).toContain('<meta name="robots" content="noindex">');
  });

  test('of every id has its page, its embed and its description for programs', async () => {
    const ids = [...pages.keys()].flatMap((address) => /^charts\/([^/]+)\/$/.exec(address)?.[1] ?? []);
    expect(ids.toSorted()).toEqual(CHARTS);
    for (const id of ids) {
      const [, text] =
        /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page(`charts/${id}/`).html) ?? [];
      if (text)
        expect(JSON.parse(text)).toMatchObject({ '@type': 'Dataset', url: `${ORIGIN}/charts/${id}/` });
      expect([id, pages.has(`embed/${id}/`)]).toEqual([id, true]);
    }
  });
});

describe('records', () => {
  test('each sentinel, deliberation and decision of the ledger has a page, and its list names it', async () => {
    for (const [list, pattern, count] of [
      ['sentinels/', /^sentinels\/[^/]+\/$/, 5],
      ['deliberations/', /^deliberations\/d-[^/]+\/$/, 15],
      ['decisions/', /^decisions\/dec-[^/]+\/$/, 15],
    ] as const) {
      const own = [...pages.keys()].filter((address) => pattern.test(address));
      expect([list, own.length]).toEqual([list, count]);
      const linked = new Set(page(list).links.map((href) => href.slice(1)));
      expect(own.filter((address) => !linked.has(address))).toEqual([]);
    }
  });

  const ldOf = (address: string) =>
    JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page(address).html)![1]!);

  test('have on their pages what the files say, a citation and a description for programs', async () => {
    const decision = (await json('philosophy/decisions.json')).decisions.at(-1);
    const deliberation = (await json('philosophy/deliberation-archive.json')).deliberations.at(-1);
    const decided = page('decisions/dec-10/');
    const { topic, outcome, reasoning, lessons_learned, sentinels_involved } = decision;
    for (const words of [topic, outcome, reasoning, lessons_learned, ...sentinels_involved])
      expect(decided.words).toContain(words);
    expect(decided.links).toEqual(expect.arrayContaining(['/deliberations/d-10/', '/sentinels/atlas/']));
    expect(ldOf('decisions/dec-10/')).toMatchObject({
      '@type': 'Report',
      identifier: 'DEC-10',
      abstract: outcome,
    });
    const deliberated = page('deliberations/d-10/');
    for (const [at, { id, reasoning }] of deliberation.sentinels.entries()) {
      expect(deliberated.words).toContain(reasoning);
      expect([id, deliberated.ids.has(`position-${at + 1}`)]).toEqual([id, true]);
    }
    expect(deliberated.words).toContain(deliberation.outcome);
    expect(deliberated.words).toMatch(/Consensus reached.*of those for or against, all were in favour/);
    expect(deliberated.links).toContain('/decisions/dec-10/');
    expect(ldOf('deliberations/d-10/')).toMatchObject({ '@type': 'Conversation', identifier: 'D-10' });
    const sentinel = page('sentinels/eve/');
    expect(sentinel.words).not.toContain('There is no day yet');
    // Scores and uptime, each for wide and for narrow windows.
    expect(sentinel.html.match(/<svg [^>]*role="img"/g)!.length).toBe(4);
    expect(ldOf('sentinels/eve/')).toMatchObject({ '@type': 'ProfilePage', name: 'EVE' });
    for (const [address, title] of [
      ['decisions/dec-10/', 'Decision DEC-10'],
      ['deliberations/d-10/', 'Deliberation D-10'],
      ['sentinels/eve/', 'Sentinel EVE'],
      ['academics/papers/decaying-threshold/', 'An integrity threshold that decays with supply'],
    ] as const) {
      expect(page(address).html).toMatch(new RegExp(`@\\w+\\{cathedral_.*title = \\{+${title}`, 's'));
      expect(page(address).words).toContain(`${ORIGIN}/${address}`);
    }
  });

  test('stand in the list of their year, which leads to the years beside it', () => {
    const year = page('deliberations/in-2026/');
    expect(year.links.filter((href) => href.startsWith('/deliberations/d-')).length).toBe(9);
    expect(year.links).toContain('/deliberations/in-2025/');
    expect(page('deliberations/in-2025/').links).toContain('/deliberations/in-2026/');
    expect(page('decisions/dec-40/').links).toEqual(
      expect.arrayContaining(['/decisions/dec-10/', '/decisions/dec-70/']),
    );
  });
});
