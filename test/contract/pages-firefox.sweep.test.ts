import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { delimiter, join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { END, PAGES } from './pages/page-kinds.ts';
import { buildFixture, serveStatic } from './pages/seam.ts';

// In Firefox, which puppeteer drives by WebDriver BiDi: each kind of page opens, fits a phone, and works where it differs from Chromium.

const firefox = ['firefox-esr', 'firefox']
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((file) => existsSync(file));
const PHONE = { width: 390, height: 844 };

describe.skipIf(!firefox)('in Firefox', () => {
  let site: { origin: string; server: Server };
  let browser: Browser;

  beforeAll(async () => {
    site = await serveStatic(await buildFixture());
    browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefox!, timeout: 150_000 });
  });

  afterAll(async () => {
    await browser?.close();
    site?.server.closeAllConnections();
    site?.server.close();
  });

  test.each(Object.entries(PAGES))(
    '/%s has its title, no error, and the width of a phone',
    async (path, title) => {
      const wrong: string[] = [];
      const page = await browser.newPage();
      await page.setViewport(PHONE);
      page.on('pageerror', (error) => wrong.push(String(error)));
      page.on('console', (message) => {
        // The host of the test has no live values and no proofs of the newest release.
        if (message.type() === 'error' && !message.text().includes('404')) wrong.push(message.text());
      });
      await page.goto(`${site.origin}/${path}`);
      expect((await page.title()).replace(END, '')).toBe(title);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(wrong).toEqual([]);
      await page.close();
    },
  );

  test('a link into a folded part of a portal opens it', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.origin}/economy/#supply-by-day-csv`);
    await page.waitForSelector('#supply-by-day-csv', { visible: true });
    await page.close();
  });

  test('a chart follows its reader into its address', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.origin}/charts/supply/?series=burned`);
    await page.waitForFunction(
      () => document.querySelector('.chart-title')?.textContent === 'MIC supply over time: burned',
    );
    await page.close();
  });
});
