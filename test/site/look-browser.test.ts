import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servePages } from '../../pipeline/build/pdf/print-pdf.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { launchBrowser } from './visit.ts';

let built: Built;
let browser: Browser;
let site: Awaited<ReturnType<typeof servePages>>;

beforeAll(async () => {
  built = await buildFixture();
  site = await servePages(built.out);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  site?.server.close();
});

/** A page of the fixture, whose data are as of 30 September 2026, 18:00 UTC. */
async function open(
  path: string,
  options: Parameters<Browser['newContext']>[0] = {},
  time?: string,
): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  if (time) await page.clock.install({ time: new Date(time) });
  await page.goto(`${site.origin}${path}`);
  return page;
}

describe('the notice of old data', () => {
  test('is not there while a release may be one late', async () => {
    const page = await open('/economy/', {}, '2026-10-01T05:59:00Z');
    expect(await page.locator('.old-data').isVisible()).toBe(false);
    await page.context().close();
  });

  test('says how old they are as soon as two releases are missing, on a page that stays open too', async () => {
    const page = await open('/economy/', {}, '2026-10-01T05:59:00Z');
    await page.clock.runFor(3 * 60_000);
    const notice = page.locator('.old-data');
    await notice.waitFor({ state: 'visible' });
    expect(await notice.textContent()).toMatch(/as of\s+30 September 2026, 18:00 UTC, 12 hours\s+ago/);
    await page.context().close();
  });

  test('is left to the time in words where no script runs', async () => {
    const page = await open('/economy/', { javaScriptEnabled: false });
    expect(await page.locator('.old-data').isVisible()).toBe(false);
    expect(await page.locator('.page-head .as-of').textContent()).toBe('As of 30 September 2026, 18:00 UTC');
    await page.context().close();
  });
});

describe('a portal', () => {
  test.each([
    [1280, '.wide'],
    [360, '.narrow'],
  ])('shows each chart once in a window of %i pixels', async (width, shown) => {
    const page = await open('/economy/', { viewport: { width, height: 800 } });
    const charts = await page.locator('.evidence').count();
    expect(charts).toBe(8);
    expect(await page.locator(`.evidence ${shown} svg`).filter({ visible: true }).count()).toBe(charts);
    expect(await page.locator('.evidence svg').filter({ visible: true }).count()).toBe(charts);
    await page.context().close();
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
        const box = (await page.locator('.menu ul').boundingBox())!;
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
      }
      await page.context().close();
    },
  );

  test('draws its charts in the reader’s colours', async () => {
    const colours: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('/economy/', { colorScheme });
      const area = page.locator('#chart-roi-by-cathedral + .unit + .picture .wide svg rect').first();
      colours.push(await area.evaluate((mark) => getComputedStyle(mark).fill));
      await page.context().close();
    }
    expect(colours).toEqual(['rgb(55, 107, 190)', 'rgb(101, 145, 233)']);
  });

  test('keeps the colours of its charts where the system forces its own', async () => {
    const page = await open('/economy/', { forcedColors: 'active' });
    const svg = page.locator('.evidence .wide svg').first();
    expect(await svg.evaluate((picture) => getComputedStyle(picture).forcedColorAdjust)).toBe('none');
    await page.context().close();
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
    await page.context().close();
  });

  test('prints as a report: a running title, numbered sheets, every chart and no menu', async () => {
    const page = await open('/economy/');
    const bytes = await page.pdf({ preferCSSPageSize: true, printBackground: true });
    const titles = await page.locator('.evidence h3').allTextContents();
    await page.context().close();
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
    expect(sheets.length).toBeGreaterThan(4);
    sheets.forEach((sheet, index) => {
      expect(sheet).toContain('Economy – Cathedral Data Service');
      expect(sheet).toContain(`Page ${index + 1} of ${sheets.length}`);
    });
    const text = sheets.join(' ');
    for (const title of titles) expect(text).toContain(title);
    expect(text).toContain('https://data.example.org/economy/');
    expect(text).not.toContain('Skip to the content');
    expect(text).not.toContain('Explore');
    // A picture stands with its title on one sheet: the title, and the first words of its summary.
    expect(sheets.some((sheet) => sheet.includes(titles[0]!) && sheet.includes('had been burned'))).toBe(
      true,
    );
  });
});
