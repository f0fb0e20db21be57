import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { PAGES } from '../contract/pages/page-kinds.ts';
import { few } from '../setups/sweep.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { servePages } from './serve-pages.ts';
import { layOutWhole, stopClock } from './visit.ts';

let built: Built;
const browser = useBrowser();
let site: Awaited<ReturnType<typeof servePages>>;

beforeAll(async () => {
  built = await buildFixture();
  site = await servePages(built.out);
});

afterAll(async () => {
  site?.server.close();
});

/** A page of the fixture, whose data are as of 30 September 2026, 18:00 UTC. */
async function open(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
  time?: string,
): Promise<Page> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (time) await stopClock(page, Date.parse(time));
  await page.goto(`${site.origin}${path}`);
  return page;
}

describe('the notice of old data', () => {
  test('is not there while a release may be one late', async () => {
    const page = await open('/economy/', {}, '2026-10-01T05:59:00Z');
    expect(await page.locator('.old-data').isVisible()).toBe(false);
  });

  test('says how old they are as soon as two releases are missing, on a page that stays open too', async () => {
    const page = await open('/economy/', {}, '2026-10-01T05:59:00Z');
    await page.clock.runFor(3 * 60_000);
    const notice = page.locator('.old-data');
    await notice.waitFor({ state: 'visible' });
    expect(await notice.textContent()).toMatch(/as of\s+30 September 2026, 18:00 UTC, 12 hours\s+ago/);
  });

  test('offers to reload a page that stayed open while newer ones were published', async () => {
    const page = await open('/economy/', {}, '2026-10-01T05:59:00Z');
    const body = JSON.stringify({ as_of: '2026-10-02T00:00:00Z', expires: '2026-10-04T00:00:00Z' });
    await page.route('**/latest.json', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.clock.fastForward(26 * 3_600_000);
    const notice = page.locator('.old-data', { hasText: 'There are newer data. Reload this page' });
    await notice.waitFor({ state: 'visible' });
    expect(await notice.textContent()).toContain('37 hours ago');
  });

  test('is left to the time in words where no script runs', async () => {
    const page = await open('/economy/', { javaScriptEnabled: false });
    expect(await page.locator('.old-data').isVisible()).toBe(false);
    expect(await page.locator('.page-head .as-of').textContent()).toBe('As of 30 September 2026, 18:00 UTC');
  });
});

test.each([360, 1280])(
  'the chart at the head of the home page fills its column in a window of %i pixels',
  async (width) => {
    const page = await open('/', { viewport: { width, height: 800 } });
    const box = await page.locator('.first-chart .picture svg:visible').boundingBox();
    expect(box!.width).toBeGreaterThan(280);
    expect(box!.x + box!.width).toBeLessThanOrEqual(width);
  },
);

describe('a portal', () => {
  test.each([1280, 360])('shows each chart once in a window of %i pixels', async (width) => {
    const page = await open('/economy/', { viewport: { width, height: 800 } });
    await page.$$eval('main details', (all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true;
    });
    const charts = await page.locator('.evidence').count();
    expect(charts).toBe(8);
    expect(await page.locator('.evidence:has(svg:visible)').count()).toBe(charts);
    expect(await page.locator('.evidence svg').filter({ visible: true }).count()).toBe(charts);
  });

  test('opens what a link leads to, where it is one click away', async () => {
    const page = await open('/economy/#supply-by-day-csv', { javaScriptEnabled: false });
    await page.locator('#supply-by-day-csv').waitFor({ state: 'visible' });
  });

  test.each([320, 640, 1280])(
    'has its menu inside a window of %i pixels, in double type too',
    async (width) => {
      const page = await open('/economy/', { viewport: { width, height: 800 } });
      const summary = page.locator('.menu summary');
      await summary.click();
      for (const size of ['100%', '200%']) {
        await page.evaluate((value) => {
          document.documentElement.style.fontSize = value;
        }, size);
        const box = (await page.locator('.menu-panel').boundingBox())!;
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
      }
    },
  );

  test('has the days of a chart inside the window of a phone, in double type', async () => {
    const page = await open('/charts/supply/', { viewport: { width: 390, height: 800 } });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    const { x, width } = (await page.locator('#days-extent').boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(390);
  });

  test('draws its charts in the reader’s colours', async () => {
    const colours: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/economy/', { colorScheme });
      const area = page.locator('.evidence:has(#chart-roi-by-cathedral) .picture svg rect').first();
      colours.push(await area.evaluate((mark) => getComputedStyle(mark).fill));
    }
    expect(colours).toEqual(['rgb(55, 107, 190)', 'rgb(101, 145, 233)']);
  });

  test('keeps the colours of its charts where the system forces its own', async () => {
    const page = await open('/economy/', { forcedColors: 'active' });
    const svg = page.locator('.evidence svg').first();
    expect(await svg.evaluate((picture) => getComputedStyle(picture).forcedColorAdjust)).toBe('none');
  });

  test('says of each table that is wider than its place that it scrolls, and follows the window', async () => {
    const page = await open('/academics/', { viewport: { width: 390, height: 800 } });
    // A table that is not shown is measured when it is.
    await page.$$eval('main details', (all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true;
    });
    await layOutWhole(page);
    const said = () =>
      page.$$eval('.scroll', (regions) =>
        regions.map((region) => ({
          isWide: region.scrollWidth > region.clientWidth + 1,
          isSaid: region.getAttribute('aria-describedby') !== null,
        })),
      );
    const isTrue = async (some: boolean) => {
      const all = await said();
      return (
        all.every(({ isWide, isSaid }) => isWide === isSaid) && all.some(({ isWide }) => isWide) === some
      );
    };
    await expect.poll(() => isTrue(true)).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => isTrue(false)).toBe(true);
  });

  test('moves nothing by itself', async () => {
    const page = await open('/economy/');
    const moving = await page.evaluate(() => document.getAnimations().length);
    const transitions = await page.evaluate(
      () =>
        [...document.querySelectorAll('body *')].filter(
          (one) => getComputedStyle(one).transitionDuration !== '0s',
        ).length,
    );
    expect([moving, transitions]).toEqual([0, 0]);
  });
});

/** The text of each sheet of a printed page. */
async function printed(page: Page, format: 'A4' | 'Letter'): Promise<string[]> {
  const bytes = await page.pdf({ format, printBackground: true });
  const pdf = await getDocument({ data: new Uint8Array(bytes) }).promise;
  const sheets: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    sheets.push(
      items
        .map((item) => ('str' in item ? item.str : ''))
        .join(' ')
        .replaceAll(/\s+/g, ' '),
    );
  }
  return sheets;
}

/** Between the margins of a sheet, px. */
const SHEETS = { A4: 665, Letter: 687 } as const;
/** Of a portal. */
const MOST_SHEETS = 12;

describe('on paper', () => {
  test.each(AREAS)(
    'the %s portal prints all of its parts and charts, A4 and Letter, with nothing cut off',
    async (area) => {
      const page = await open(`/${area}/`);
      const headings = await page.locator('main h2:not(nav h2)').allTextContents();
      for (const [format, width] of Object.entries(SHEETS) as ['A4' | 'Letter', number][]) {
        const sheets = await printed(page, format);
        expect(sheets.length, format).toBeLessThanOrEqual(MOST_SHEETS);
        for (const [index, sheet] of sheets.entries())
          expect(sheet).toContain(`Page ${index + 1} of ${sheets.length}`);
        expect(sheets[0]).toContain('As of 30 September 2026, 18:00 UTC');
        const text = sheets.join(' ');
        for (const heading of headings) expect(text).toContain(heading.trim());
        for (const left of ['Skip to the content', 'On this page', '↕']) expect(text).not.toContain(left);
        await page.setViewportSize({ width, height: 1000 });
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(cutOff), format).toEqual([]);
        const charts = page.locator('.evidence');
        const drawn = charts.locator('svg, .missing').filter({ visible: true });
        expect(await drawn.count(), format).toBe(await charts.count());
        await page.emulateMedia({ media: null });
      }
    },
  );

  test('a long table begins on the sheet of its heading', async () => {
    const page = await open('/files/economy/mic-history.csv/rows/');
    const rows = await page.locator('#rows-body tr').allTextContents();
    expect(rows.length).toBe(50);
    const times = rows.map((row) => row.trim().slice(0, '2026-09-30T18:00:00Z'.length));
    for (const format of ['A4', 'Letter'] as const) {
      const [first] = await printed(page, format);
      expect(times.filter((time) => first!.includes(time)).length, format).toBeGreaterThan(10);
    }
  });

  test('the home page takes at most three sheets', async () => {
    const page = await open('/');
    for (const format of ['A4', 'Letter'] as const)
      expect((await printed(page, format)).length, format).toBeLessThanOrEqual(3);
  });
});

test('a page of any kind prints with nothing cut off at the side', async () => {
  const page = await open('/', { viewport: { width: SHEETS.A4, height: 1000 } });
  await page.emulateMedia({ media: 'print' });
  const cut: string[] = [];
  // The table of the sentinels has the most columns.
  for (const path of new Set(['sentinels/', ...few(Object.keys(PAGES), 6)])) {
    await page.goto(`${site.origin}/${path}`);
    cut.push(...(await page.evaluate(cutOff)).map((words) => `/${path}: ${words.trim().slice(0, 40)}`));
  }
  expect(cut).toEqual([]);
});

/** The words that the print of a page cuts off at the side. Runs in the page. */
function cutOff(): string[] {
  return [...document.querySelectorAll<HTMLElement>('main :is(p, li, dd, td, th, .scroll, svg)')]
    .filter((one) => one.checkVisibility() && !one.closest('.visually-hidden'))
    .filter(
      (one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth + 1,
    )
    .map((one) => one.textContent ?? '');
}

/** As Chromium counts it: the share of the window that moves, times how far. */
const MOST_SHIFT = 0.01;

test.each([412, 1440])(
  'nothing moves while a page of any kind loads, in a window of %i pixels',
  async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 850 } });
    const page = await context.newPage();
    const moved: string[] = [];
    // The script of a chart puts its table behind a tab.
    for (const path of new Set(['charts/supply/', ...few(Object.keys(PAGES), 6)])) {
      await page.goto(`${site.origin}/${path}`, { waitUntil: 'networkidle' });
      const shift = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries())
                sum += (entry as PerformanceEntry & { value: number }).value;
            }).observe({ type: 'layout-shift', buffered: true });
            setTimeout(() => resolve(sum), 300);
          }),
      );
      if (shift > MOST_SHIFT) moved.push(`/${path} ${shift}`);
    }
    expect(moved).toEqual([]);
    await context.close();
  },
);
