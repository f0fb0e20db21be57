import type { BrowserContextOptions, Page, Route } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RenderingThread } from '../../pipeline/build/site/rendering-thread.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import {
  formatSnapshot,
  formatSnapshotIndex,
  parseSnapshot,
  parseSnapshotIndex,
  type SnapshotIndex,
} from '../../pipeline/release/format/snapshot-index.ts';
import { BEGIN, PUBLISHER, type Site, STRANGER, smallSite } from '../mirror/small-service.ts';
import { ORGANISATION } from '../organisation.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { BASE_URL } from './fixture-release.ts';
import { violations, visit } from './visit.ts';

const SLOT_MS = 6 * 3_600_000;
const RELEASES = 12;
const HISTORY = 'economy/mic-history.csv';
const LIST = 'snapshots/index.json';
const SNAPSHOTS = 'snapshots/index.html';
const idOf = (release: number) => `${new Date(BEGIN + (release - 1) * SLOT_MS).toISOString().slice(0, 13)}Z`;

let built: Built;
const browser = useBrowser();
let host: Host;
let site: Site;
/** Of fewer years: axe looks at each link. */
let shortList: Buffer;

beforeAll(async () => {
  built = await buildFixture();
  host = await openHost(built.out);
  site = smallSite({ release: RELEASES });
  site.set('publisher.vkey', Buffer.from(`${formatVerifierKey(PUBLISHER.verifier)}\n`));
  await addPages();
});

afterAll(() => host?.[Symbol.asyncDispose]());

/** Rendered by the program of the fixture, for the snapshots of the small service. */
async function addPages(): Promise<void> {
  const facts = { baseUrl: BASE_URL, organisation: ORGANISATION };
  await using thread = new RenderingThread({ dir: built.release, program: built.release, facts });
  const index = parseSnapshotIndex(String(site.get(LIST)));
  const list = await thread.render('/snapshots/', { index: withYears(index, 40), days: 366 });
  const short = await thread.render('/snapshots/', { index: withYears(index, 2), days: 366 });
  site.set(SNAPSHOTS, Buffer.from(list.body));
  shortList = Buffer.from(short.body);
}

/** And the last one of each month of the years before. */
function withYears(index: SnapshotIndex, years: number): SnapshotIndex {
  const before = Array.from({ length: 12 * years }, (_, at) => {
    const last = new Date(Date.UTC(2025, 11 - at, 0, 18)).toISOString();
    return { ...index[0]!, id: `${last.slice(0, 13)}Z`, as_of: last };
  });
  return [...index, ...before];
}

interface Reader extends BrowserContextOptions {
  hasRanges?: boolean;
  damage?: (site: Site) => void;
}

/** A static host with these snapshots. */
async function opened(path: string, { hasRanges = true, damage, ...reader }: Reader = {}) {
  const { page, wrong, ...visited } = await visit(browser, 'about:blank', reader);
  onTestFinished(() => visited[Symbol.asyncDispose]());
  const served: Site = new Map([...site].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  damage?.(served);
  await page.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname.slice(1).replace(/\/$/, '/index.html');
    const bytes = served.get(name);
    return bytes ? fulfil(route, bytes, name, hasRanges) : route.continue();
  });
  await page.goto(`${host.origin}${path}`);
  return { page, wrong };
}

function fulfil(route: Route, bytes: Buffer, name: string, hasRanges: boolean): Promise<void> {
  const contentType = name.endsWith('.html') ? 'text/html' : 'text/plain';
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(route.request().headers().range ?? '') ?? [];
  if (!hasRanges || from + to === '') return route.fulfill({ body: bytes, contentType });
  const first = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from);
  const part = bytes.subarray(first, from === '' || to === '' ? undefined : Number(to) + 1);
  const range = `bytes ${first}-${first + part.length - 1}/${bytes.length}`;
  return route.fulfill({ status: 206, body: part, contentType, headers: { 'Content-Range': range } });
}

/** The verdict, and each step with its own. */
async function outcome(page: Page) {
  const place = page.locator('#version-outcome');
  await place.locator('h2').waitFor();
  const steps = await place
    .locator('.rows > li')
    .evaluateAll((items) =>
      items.map((item) => [
        item.querySelector('strong')!.textContent!,
        `${item.querySelector('.result')!.textContent}: ${item.querySelector('.detail')!.textContent}`,
      ]),
    );
  return { title: (await place.locator('h2').textContent())!, steps: Object.fromEntries(steps) };
}

const versionOf = (path: string, query: string) => `/versions/?file=${path}&${query}`;
/** The file of that release. */
const textOf = (release: number, path = HISTORY) => String(smallSite({ release }).get(path)!);

describe('a file as it was', () => {
  test.each([true, false])('is assembled, verified and saved; ranges: %s', async (hasRanges) => {
    const { page, wrong } = await opened(versionOf(HISTORY, `as_of=${idOf(3)}`), { hasRanges });
    const { title, steps } = await outcome(page);
    expect(title).toBe(`/${HISTORY} as of 1 December 2025, 12:00 UTC`);
    expect(Object.values(steps).every((words) => String(words).startsWith('Holds'))).toBe(true);
    expect(Object.keys(steps)).toEqual(['Snapshot', 'File', 'Signature']);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save this version' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe(`mic-history_${idOf(3)}.csv`);
    const chunks: Buffer[] = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer);
    expect(String(Buffer.concat(chunks))).toBe(textOf(3));
    expect(await page.inputValue('#version-file')).toBe(HISTORY);
    expect(await page.inputValue('#version-as-of')).toBe('2025-12-01');
    expect(wrong).toEqual([]);
  });

  test('is found by a day, and by nothing, which is the newest', async () => {
    const { page } = await opened(versionOf('economy/supply', 'as_of=2025-12-01'));
    expect((await outcome(page)).steps.Snapshot).toContain(idOf(5));
    const newest = await opened(versionOf('economy/supply', 'as_of='));
    expect((await outcome(newest.page)).steps.Snapshot).toContain(idOf(RELEASES));
    await newest.page.getByRole('link', { name: 'Earlier' }).click();
    expect((await outcome(newest.page)).steps.Snapshot).toContain(idOf(RELEASES - 1));
  });

  test.each<[string, string, string, RegExp]>([
    ['an unknown file', 'economy/nothing', `as_of=${idOf(2)}`, /a file that the snapshot .+ has.+nothing/],
    [
      'a misspelt file',
      'economy/suply',
      `as_of=${idOf(2)}`,
      /economy\/supply, or another file that the snapshot/,
    ],
    ['a malformed time', HISTORY, 'as_of=yesterday', /a time like .+yesterday/],
    [
      'a time before the first snapshot',
      HISTORY,
      'as_of=2020-01-01',
      /from the first snapshot on, 2025-12-01T00Z/,
    ],
  ])('is not shown for %s, which is said', async (_, path, query, words) => {
    const { page } = await opened(versionOf(path, query));
    const { title, steps } = await outcome(page);
    expect(title).toContain('cannot be shown');
    expect(steps.Snapshot).toMatch(/^Cannot be checked/);
    expect(steps.Snapshot).toMatch(words);
  });

  test('of a time whose snapshot was removed has its neighbours instead', async () => {
    const damage = (served: Site) => {
      const index = parseSnapshotIndex(String(served.get(LIST)));
      const entries = ['2025-09-30T18Z', '2025-10-31T18Z'].map((id, at) => {
        const snapshot = parseSnapshot(String(served.get(`snapshots/${idOf(at + 1)}/index.json`)), '');
        const bytes = Buffer.from(formatSnapshot({ ...snapshot, id }));
        const path = `snapshots/${id}/index.json`;
        served.set(path, bytes);
        return { ...index.at(-1)!, id, index: { path, sha256: sha256(bytes), bytes: bytes.length } };
      });
      served.set(LIST, Buffer.from(formatSnapshotIndex([...index, ...entries.reverse()])));
    };
    const { page } = await opened(versionOf(HISTORY, 'as_of=2025-10-10'), { damage });
    expect((await outcome(page)).steps.Snapshot).toContain('of October 2025 only the last snapshot is kept');
    const near = page.locator('#version-outcome .buttons a');
    expect(await near.allTextContents()).toEqual(['As of 2025-09-30T18Z', 'As of 2025-10-31T18Z']);
  });

  test.each<[string, (served: Site) => void, string, RegExp]>([
    ['a changed row', (served) => void served.get(HISTORY)!.fill('x', 9000, 9001), 'File', /SHA-256/],
    [
      'another signature',
      (served) => {
        const other = smallSite({ release: 2, signers: () => [STRANGER] });
        const path = `snapshots/${idOf(2)}/manifest.json.sig`;
        served.set(path, other.get(path)!);
      },
      'Signature',
      /.+/,
    ],
  ])('is refused with %s', async (_, damage, step, words) => {
    const { page } = await opened(versionOf(HISTORY, `as_of=${idOf(2)}`), { damage });
    const { title, steps } = await outcome(page);
    expect(title).toMatch(/not the file as it was|do not rely on it/);
    expect(steps[step]).toMatch(/^Does not hold/);
    expect(steps[step]).toMatch(words);
  });

  test('is read again where the host did not send it', async () => {
    const { page } = await opened('/versions/');
    await page.route(`**/${HISTORY}`, (route) => route.abort());
    await page.goto(`${host.origin}${versionOf(HISTORY, `as_of=${idOf(2)}`)}`);
    expect((await outcome(page)).title).toContain('cannot be shown');
    await page.getByText(`/${HISTORY} could not be loaded.`).waitFor();
    await page.unroute(`**/${HISTORY}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Save this version' }).waitFor();
  });
});

describe('the page of a file', () => {
  test('leads to its versions without JavaScript', async () => {
    const { page } = await opened(`/files/${HISTORY}/`, { javaScriptEnabled: false });
    await page.locator('summary', { hasText: 'Versions' }).click();
    await page.fill('#version-as-of', '2025-12-01');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.waitForURL(`**/versions/?file=${encodeURIComponent(HISTORY)}&as_of=2025-12-01`);
    expect(await page.locator('noscript').first().textContent()).toContain('This needs JavaScript');
    expect(await page.getByText('curl -s -r').isVisible()).toBe(true);
    expect(await page.locator('#version-form').isVisible()).toBe(false);
  });
});

describe('the page of the snapshots', () => {
  test('lists forty years by year and month, within the weight of a page', async () => {
    const { page } = await opened('/snapshots/');
    expect(await page.locator('main h2').allTextContents()).toHaveLength(41);
    const links = await opened('/snapshots/#2025-12', { javaScriptEnabled: false });
    expect(await links.page.getByRole('link', { name: idOf(2), exact: true }).isVisible()).toBe(true);
  });
});

describe.each<[string, Reader]>([
  ['on a phone, in dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
  ['at a desk', { viewport: { width: 1280, height: 900 } }],
])('a reader %s', (_, reader) => {
  test('finds the pages accessible, and within the window', async () => {
    for (const path of [versionOf(HISTORY, `as_of=${idOf(2)}`), '/snapshots/']) {
      const damage = (served: Site) => void served.set(SNAPSHOTS, shortList);
      const { page } = await opened(path, { ...reader, damage });
      if (path.includes('as_of')) await outcome(page);
      expect(await violations(page), path).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, path).toBeLessThanOrEqual(reader.viewport!.width);
    }
  });
});
