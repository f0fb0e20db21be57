import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../setups/use-browser.ts';
import { buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { violations } from './visit.ts';

const browser = useBrowser();
let host: Host;

beforeAll(async () => {
  host = await openHost((await buildFixture()).out);
});

afterAll(() => host?.[Symbol.asyncDispose]());

describe('a reader with a keyboard', () => {
  test('skips to the content with the first two keys, and sees where the focus is', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/economy/`);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    expect(await skip.evaluate((link) => link === document.activeElement)).toBe(true);
    expect((await skip.boundingBox())!.x).toBe(0);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)).toBe('solid');
    await page.close();
  });

  test('reaches each table that scrolls', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    await page.goto(`${host.origin}/economy/`);
    const regions = await page
      .locator('.scroll')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('tabindex'), one.getAttribute('role')]));
    expect(regions.length).toBeGreaterThan(2);
    expect(regions.every(([tabindex, role]) => tabindex === '0' && role === 'group')).toBe(true);
    await page.close();
  });

  test('opens the menu of the header without a script, and goes where it leads', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${host.origin}/economy/`);
    const menu = page.locator('.menu');
    await menu.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await menu.getAttribute('open')).not.toBeNull();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sentinels/');
    await context.close();
  });
});

describe('the frame', () => {
  test('closes its menu on Escape, which returns the focus, and when the reader goes on elsewhere', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/licence/`);
    const summary = page.locator('.menu summary');
    const isOpen = () => page.locator('.menu').evaluate((menu) => (menu as HTMLDetailsElement).open);
    await summary.click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await isOpen()).toBe(false);
    expect(await summary.evaluate((one) => one === document.activeElement)).toBe(true);
    await summary.click();
    await page.locator('.site-footer .label').first().click();
    expect(await isOpen()).toBe(false);
    await page.close();
  });

  test('has a search field that “/” focuses, Escape clears and leaves, and that leads to the search without a script', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${host.origin}/licence/`);
    const field = page.getByRole('searchbox');
    await page.keyboard.press('/');
    await page.keyboard.type('and/or');
    expect(await field.inputValue()).toBe('and/or');
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(false);
    await context.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(`${host.origin}/licence/`);
    await other.getByRole('searchbox').fill('atlas');
    await other.keyboard.press('Enter');
    await other.waitForURL('**/search/?q=atlas');
    await plain.close();
  });

  test('on a phone has two rows, and the area of the page is in view', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    await page.goto(`${host.origin}/diplomacy/`);
    const labels = page.locator('.site-nav a');
    const tops = await labels.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    const box = (await labels.last().boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(320);
    await page.close();
  });

  test('explains a word on Enter and on a click, without a script; Escape closes it', async () => {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/economy/`);
    const definition = page.locator('.definition').first();
    await page.locator('.term').first().focus();
    await page.keyboard.press('Enter');
    await definition.waitFor({ state: 'visible' });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await definition.waitFor({ state: 'hidden' });
    await page.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(`${host.origin}/economy/`);
    await other.locator('.term').first().click();
    await other.locator('.definition').first().waitFor({ state: 'visible' });
    await plain.close();
  });
});

describe('a chart on the page', () => {
  test.each([
    [1280, '.wide'],
    [320, '.narrow'],
  ])('is drawn once for a window of %i pixels', async (width, shown) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.goto(`${host.origin}/government/transparency/`);
    const visible = await page
      .locator('.chart svg')
      .evaluateAll((all) => all.filter((one) => one.getClientRects().length > 0).length);
    expect(visible).toBe(2);
    expect(await page.locator(`.chart ${shown} svg`).first().isVisible()).toBe(true);
    await page.close();
  });
});
