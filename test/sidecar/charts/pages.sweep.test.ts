import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ORGANISATION_FILE } from '../../../pipeline/artifacts/documents/organisation.ts';
import { compileSite } from '../../../pipeline/build/site/compile-site.ts';
import { SERVER_FACTS, SERVER_FOLDER } from '../../../pipeline/build/site/open-program.ts';
import { listTree } from '../../../pipeline/release/disk/list-tree.ts';
import { type DraftManifest, type Manifest, sha256 } from '../../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { type Charts, createCharts } from '../../../src/sidecar/charts/charts-in-states.ts';
import { answerOembed } from '../../../src/sidecar/charts/oembed.ts';
import { Renderer } from '../../../src/sidecar/charts/renderer.ts';
import { type ServedRelease, servedRelease } from '../../../src/sidecar/files/releases.ts';
import { ORGANISATION } from '../../organisation.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { buildFixture } from '../../site/build-fixture.ts';
import { BASE_URL } from '../../site/fixture-release.ts';

const CLIENT = '203.0.113.7';
const PROJECT = new URL('../../../', import.meta.url).pathname;

const folder = useFolder();
let renderer: Renderer;
let charts: Charts;
let release: ServedRelease;

/** A release with what pages on demand need. */
async function serve(dir: string, out: string, draft: DraftManifest): Promise<ServedRelease> {
  const { files: built } = await listTree(out);
  const { files: programs } = await listTree(join(dir, SERVER_FOLDER));
  const about = { area: null, restricted: false, rows: null, immutable: false, encodings: {} } as const;
  const files = await Promise.all(
    built.map(async (path) => {
      const bytes = await readFile(join(out, path));
      return {
        ...{ ...about, path, kind: 'page' as const, media_type: mediaTypeOf(path) },
        ...{ bytes: bytes.length, sha256: sha256(bytes), modified: draft.timestamp },
      };
    }),
  );
  const unlisted = await Promise.all(
    programs.map(async (path) => {
      const bytes = await readFile(join(dir, SERVER_FOLDER, path));
      return { file: `${SERVER_FOLDER}/${path}`, bytes: bytes.length, sha256: sha256(bytes) };
    }),
  );
  return servedRelease(dir, { ...draft, release: 'fixture', files, unlisted } as unknown as Manifest);
}

beforeAll(async () => {
  const built = await buildFixture();
  const dir = join(folder, 'release');
  await cp(built.release, dir, { recursive: true });
  await writeFile(join(dir, ORGANISATION_FILE), JSON.stringify(ORGANISATION));
  for (const folder of ['charts', 'embed', 'oembed'])
    await cp(join(built.out, folder), join(dir, 'public', folder), { recursive: true });
  release = await serve(dir, built.out, built.draft);
  renderer = new Renderer();
  charts = createCharts({ renderer, baseUrl: BASE_URL });
});

afterAll(() => renderer?.close());

async function get(path: string, query: string, headers: Record<string, string> = {}) {
  const answer = await charts.answerPage(
    { method: 'GET', headers },
    path,
    { query, client: CLIENT },
    release,
  );
  const body = answer?.body as Buffer | null | undefined;
  return { ...answer!, text: body?.toString() ?? '' };
}

describe('the program of a release', () => {
  test('contains no path of the machine that built it', async () => {
    const { files } = await listTree(join(release.dir, SERVER_FOLDER));
    expect(files).toContain('entry.mjs');
    for (const path of files) {
      const text = await readFile(join(release.dir, SERVER_FOLDER, path), 'utf8');
      for (const place of [inject('sharedFolder'), PROJECT])
        expect(text.includes(place), `${path} names ${place}`).toBe(false);
    }
  });

  test('contains nothing of the environment of its build', async () => {
    const text = await readFile(join(release.dir, SERVER_FOLDER, 'entry.mjs'), 'utf8');
    // Astro writes the members of the environment that a module seems to name: `_` is the shell's last command.
    expect(text).not.toMatch(/\{\s*_: "/);
  });

  test('is the same when built again elsewhere, in a folder whose name looks like a part of an address', async () => {
    const [one, { server: two }] = [
      join(release.dir, SERVER_FOLDER),
      await compileSite(join(folder, 'again #1%41?x=é')),
    ];
    const { files } = await listTree(two);
    expect((await listTree(one)).files).toEqual([...files, basename(SERVER_FACTS)].sort());
    for (const path of files)
      expect((await readFile(join(two, path))).equals(await readFile(join(one, path))), path).toBe(true);
  });

  test('is not run if one of its bytes differs', async () => {
    const place = join(release.dir, SERVER_FOLDER, 'entry.mjs');
    const text = await readFile(place);
    const other = new Renderer();
    const pages = createCharts({ renderer: other, baseUrl: BASE_URL });
    try {
      await writeFile(place, Buffer.concat([text, Buffer.from('\n')]));
      await expect(
        pages.answerPage(
          { method: 'GET', headers: {} },
          'charts/supply/',
          { query: 'scale=log', client: CLIENT },
          release,
        ),
      ).rejects.toThrow(/entry\.mjs: expected sha256/);
    } finally {
      await writeFile(place, text);
      await other.close();
    }
  });
});

describe('the page of a chart with a state in its query', () => {
  test('has title, sentences, table, picture and form of that state, without a script', async () => {
    const { status, headers, text } = await get('charts/supply/', 'series=burned&scale=log');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
    expect(text).toMatch(/<h1 data-part="heading">Burned MIC have (grown|fallen|not)/);
    expect(text).toContain('data-part="subtitle">MIC supply over time: burned</p>');
    const [head = ''] = /<thead>.*?<\/thead>/s.exec(text) ?? [];
    expect(head).toContain('Burned');
    expect(head).not.toContain('Circulating');
    expect(text).toContain('<meta name="robots" content="noindex"');
    const boxes = [...text.matchAll(/<input type="checkbox"[^>]*>/g)].map(([tag]) => tag);
    expect(boxes.filter((tag) => / checked/.test(tag))).toHaveLength(1);
    expect(text).toContain(`${BASE_URL}/charts/supply/?series=burned&amp;scale=log`);
  });

  test('is shared with its own title and address, in one spelling; search engines get the default view only', async () => {
    const { text } = await get(
      'charts/supply/',
      'scale=log&utm_source=x&series=burned&from=2025-12-25&tab=table',
    );
    const query = 'series=burned&amp;from=2025-12-25&amp;scale=log';
    expect(text).toContain(`<link rel="canonical" href="${BASE_URL}/charts/supply/?${query}"`);
    expect(text).toContain(`<meta property="og:url" content="${BASE_URL}/charts/supply/?${query}"`);
    expect(text).toContain(`<meta property="og:image" content="${BASE_URL}/card.png"`);
    expect(text).toMatch(/<meta property="og:title" content="[^"]*urned[^"]* \(25 December 2025[^"]*\)"/);
    expect(text).toContain(`href="${BASE_URL}/oembed/supply.json?tab=table&amp;${query}"`);
    expect(text).toContain('<meta name="robots" content="noindex"');
    const table = await get('charts/supply/', 'tab=table');
    expect(table.text).toContain(`<link rel="canonical" href="${BASE_URL}/charts/supply/"`);
    expect(table.text).not.toContain('noindex');
  });

  test('has an oEmbed document of that state, and so has the address of the view', async () => {
    const { text } = await get('oembed/supply.json', 'series=burned');
    const document = JSON.parse(text);
    expect(document.html).toContain(`src="${BASE_URL}/embed/supply/?series=burned"`);
    expect(document.title).toMatch(/urned/);
    if (document.thumbnail_url)
      expect(document.thumbnail_url).toBe(`${BASE_URL}/charts/supply.png?series=burned`);
    const url = `${BASE_URL}/charts/supply/?series=burned`;
    const sources = { release, charts, client: CLIENT, baseUrl: BASE_URL };
    const answer = await answerOembed({ url, maxwidth: 380, format: 'json' }, sources);
    const asked = JSON.parse(String(answer.body));
    expect(asked).toMatchObject({ title: document.title, width: 380, height: document.height });
    expect(asked.html).toContain('/embed/supply/?series=burned"');
    const unknown = { url: `${BASE_URL}/charts/supply/?series=nobody`, format: 'json' };
    await expect(answerOembed(unknown, sources)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('loads only files that the release has', async () => {
    const { text } = await get('charts/supply/', 'scale=log');
    const assets = [...text.matchAll(/(?:href|src|data-tools)="\/(_astro\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) expect(release.files.has(path), path).toBe(true);
  });

  test('accepts what a form sends: empty fields, and every series', async () => {
    const { status, text } = await get(
      'charts/supply/',
      'series=circulating&series=locked&series=burned&from=&to=&scale=log',
    );
    expect(status).toBe(200);
    expect(text).toContain('data-query="scale=log"');
  });

  test.each([
    ['series=nothing', 'series: expected one of circulating, locked, burned, found &quot;nothing&quot;.'],
    [
      'series=burnt',
      'series: expected burned, or another of circulating, locked, burned, found &quot;burnt&quot;.',
    ],
    ['scale=cubic', 'scale: expected linear or log, found &quot;cubic&quot;.'],
    ['from=2026-02-30', 'from: expected a day, YYYY-MM-DD, found &quot;2026-02-30&quot;.'],
    ['from=<b>$%26', 'found &quot;&lt;b&gt;$&amp;&quot;.'],
    ['from=2026-02-02&to=2026-02-01', 'to: expected a day from 2026-02-02 on'],
    ['colour=red', 'parameters: expected only tab, series, from, to, scale, found &quot;colour&quot;.'],
  ])('says of ?%s what is wrong, with the view that it opens with', async (query, fault) => {
    for (const folder of ['charts', 'embed']) {
      const { status, headers, text } = await get(`${folder}/supply/`, query);
      expect([status, headers['Cache-Control'], headers.ETag]).toEqual([400, 'no-store', undefined]);
      expect(text).toContain('The address asks for a view that this chart does not have: ');
      expect(text).toContain(fault);
      expect(text).toMatch(/class="chart-page"[^>]* data-fault/);
      expect(text).toContain('MIC supply over time: circulating, locked and burned</p>');
    }
  });

  test('shows the nearest view of one that it does not have', async () => {
    const { status, text } = await get(
      'charts/supply/',
      'series=burned&series=nothing&from=soon&scale=log&colour=red',
    );
    expect([status, /data-query="([^"]*)"/.exec(text)?.[1]]).toEqual([400, 'series=burned&amp;scale=log']);
    expect(text).toContain('This is the nearest one that it has.');
  });

  test('says of a day without data which days there are; an embed shows the days that there are', async () => {
    const refused = await get('charts/supply/', 'from=2020-01-01');
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(
      /from: expected a day with data, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, found &quot;2020-01-01&quot;/,
    );
    expect((await get('embed/supply/', 'from=2020-01-01')).status).toBe(200);
  });

  test('is compressed for clients that accept it, and not sent again to clients that have it', async () => {
    const { headers, body } = await get('charts/supply/', 'scale=log', { 'accept-encoding': 'br' });
    expect(headers['Content-Encoding']).toBe('br');
    expect(brotliDecompressSync(body as Buffer).toString()).toContain('<h1 data-part="heading">');
    const again = await get('charts/supply/', 'scale=log', {
      'accept-encoding': 'br',
      'if-none-match': headers.ETag!,
    });
    expect(again.status).toBe(304);
  });

  test('works for embeds, too', async () => {
    const embed = await get('embed/supply/', 'series=burned');
    expect(embed.text).toContain('MIC supply over time: burned</p>');
    expect(embed.headers['Content-Security-Policy']).toContain('frame-ancestors *');
  });

  test.each([
    ['economy/', 'series=burned'],
    ['charts/', 'series=burned'],
    ['charts/no-such-chart/', 'series=burned'],
    ['charts/on-demand/supply/', 'series=burned'],
    ['embed/supply/frozen.txt', 'series=burned'],
    ['charts/supply/', ''],
    ['charts/supply/', 'utm_source=feed&fbclid=abc'],
    ['charts/supply/', `series=${'x'.repeat(5000)}`],
  ])('is nothing for /%s?%.20s: the release’s own file is the answer', (path, query) => {
    expect(
      charts.answerPage({ method: 'GET', headers: {} }, path, { query, client: CLIENT }, release),
    ).toBeNull();
  });
});
