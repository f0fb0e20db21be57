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

  test('one page of each kind has its title, no error, and the width of a phone', async () => {
    const page = await browser.newPage();
    await page.setViewport(PHONE);
    const wrong: string[] = [];
    page.on('pageerror', (error) => wrong.push(`${page.url()}: ${String(error)}`));
    page.on('console', (message) => {
      // The host of the test has no live values and no proofs of the newest release.
      if (message.type() === 'error' && !message.text().includes('404'))
        wrong.push(`${page.url()}: ${message.text()}`);
    });
    const titles: [string, string][] = [];
    for (const path of Object.keys(PAGES)) {
      await page.goto(`${site.origin}/${path}`);
      titles.push([path, (await page.title()).replace(END, '')]);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (beyond > 0) wrong.push(`/${path}: ${beyond} px too wide`);
    }
    await page.close();
    expect(wrong).toEqual([]);
    expect(Object.fromEntries(titles)).toEqual(PAGES);
  });

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
