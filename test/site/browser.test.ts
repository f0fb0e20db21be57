import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servePages } from '../../pipeline/build/pdf/print-pdf.ts';
import { formatCheckpoint } from '../../pipeline/ledger/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/note.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { signer } from '../ledger/test-signer.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { launchBrowser, violations } from './visit.ts';

/** Folders whose pages differ in their words alone: the first of each is looked at here, and its own tests see more. */
const ALIKE = /^\/(problems|files|charts|embed|sentinels|deliberations|decisions|cycles)\/.+/;
/** Pages that explore-browser.test.ts leaves to this one. */
const EXPLORED = [
  '/sentinels/',
  '/sentinels/atlas/',
  '/deliberations/',
  '/decisions/',
  '/cycles/',
  '/calculator/',
];
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

const NOTE = signNote(
  formatCheckpoint({ origin: signer.verifier.name, size: 1, root: '0'.repeat(64) }),
  signer,
);

let built: Built;
let browser: Browser;
let site: Awaited<ReturnType<typeof servePages>>;
let paths: string[];

beforeAll(async () => {
  built = await buildFixture();
  site = await servePages(built.out);
  const { files } = await listTree(built.out);
  paths = files
    .filter((file) => file.endsWith('.html'))
    .map((file) => `/${file.replace(/index\.html$/, '')}`)
    .filter(isFirstOfItsKind());
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  site?.server.close();
});

function isFirstOfItsKind(): (path: string) => boolean {
  const seen = new Set<string>();
  return (path) => {
    const [, kind] = ALIKE.exec(path) ?? [];
    if (kind === undefined) return true;
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst;
  };
}

/** Opens each page in turn in one tab; what goes wrong while it loads is collected with its path. */
async function visit(reader: BrowserContextOptions, look: (page: Page, path: string) => Promise<void>) {
  const context = await browser.newContext(reader);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error.message}`));
  page.on('requestfailed', (request) => {
    // What a script had still asked for when the next page was opened.
    const { errorText = '' } = request.failure() ?? {};
    if (errorText !== 'net::ERR_ABORTED') wrong.push(`${page.url()}: ${request.url()} ${errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) wrong.push(`${page.url()}: ${response.url()} ${response.status()}`);
  });
  // They stand beside the releases, so this host lacks them.
  await page.route('**/log/checkpoint', (route) => route.fulfill({ body: NOTE, contentType: 'text/plain' }));
  await page.route('**/snapshots/index.json', (route) => route.fulfill({ json: [] }));
  for (const path of paths) {
    await page.goto(`${site.origin}${path}`);
    await look(page, path);
  }
  await context.close();
  return wrong;
}

describe.each(Object.entries(READERS))('a reader %s', (_, reader) => {
  test('finds every page whole, within the window, and accessible after WCAG 2.2 AA', async () => {
    const inaccessible: string[] = [];
    const wrong = await visit(reader, async (page, path) => {
      // What is folded away is looked at too.
      await page.evaluate(() => {
        for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
      });
      inaccessible.push(...(await violations(page)).map((violation) => `${path} ${violation}`));
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${path} scrolls sideways`).toBeLessThanOrEqual(reader.viewport!.width);
    });
    expect(wrong).toEqual([]);
    expect(inaccessible).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(EXPLORED));
    expect(paths.length).toBeGreaterThan(15);
  });
});

describe('a reader with a keyboard', () => {
  test('skips to the content with the first two keys, and sees where the focus is', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.origin}/economy/`);
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
    await page.goto(`${site.origin}/economy/`);
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
    await page.goto(`${site.origin}/economy/`);
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
    await page.goto(`${site.origin}/licence/`);
    const summary = page.locator('.menu summary');
    const isOpen = () => page.locator('.menu').evaluate((menu) => (menu as HTMLDetailsElement).open);
    await summary.click();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await isOpen()).toBe(false);
    expect(await summary.evaluate((one) => one === document.activeElement)).toBe(true);
    await summary.click();
    await page.locator('.site-footer > p').click({ position: { x: 2, y: 2 } });
    expect(await isOpen()).toBe(false);
    await page.close();
  });

  test('has a search field that “/” focuses, Escape clears and leaves, and that leads to the search without a script', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.origin}/licence/`);
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
    await other.goto(`${site.origin}/licence/`);
    await other.getByRole('searchbox').fill('atlas');
    await other.keyboard.press('Enter');
    await other.waitForURL('**/search/?q=atlas');
    await plain.close();
  });

  test('on a phone has two rows, and the area of the page is in view', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
    await page.goto(`${site.origin}/diplomacy/`);
    const labels = page.locator('.site-nav a');
    const tops = await labels.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
    const box = (await labels.last().boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(320);
    await page.close();
  });

  test('explains a word on hover, on focus and on a click without a script; Escape closes it', async () => {
    const page = await browser.newPage();
    await page.goto(`${site.origin}/economy/`);
    const definition = page.locator('.definition').first();
    const term = page.locator('.term').first();
    await term.hover();
    await definition.waitFor({ state: 'visible' });
    await page.locator('h1').hover();
    await definition.waitFor({ state: 'hidden' });
    // The focus comes by the keyboard, from what stands before it.
    await page.locator('.site-nav a').last().focus();
    await page.keyboard.press('Tab');
    await definition.waitFor({ state: 'visible' });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await definition.waitFor({ state: 'hidden' });
    await page.close();
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const other = await plain.newPage();
    await other.goto(`${site.origin}/economy/`);
    await other.locator('.term').first().click();
    await other.locator('.definition').first().waitFor({ state: 'visible' });
    await plain.close();
  });

  test('says of a missed address what may have been meant', async () => {
    const page = await browser.newPage();
    const missed = await readFile(join(built.out, '404.html'), 'utf8');
    await page.route('**/economy/mic-histroy.csv', (route) =>
      route.fulfill({ status: 404, contentType: 'text/html', body: missed }),
    );
    await page.goto(`${site.origin}/economy/mic-histroy.csv`);
    expect(await page.locator('#near a').first().getAttribute('href')).toBe(
      '/files/economy/mic-history.csv/',
    );
    expect(await page.locator('main input[name=q]').inputValue()).toBe('economy mic histroy');
    await page.close();
  });
});

describe('a chart on the page', () => {
  test.each([
    [1280, '.wide'],
    [320, '.narrow'],
  ])('is drawn once for a window of %i pixels', async (width, shown) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.goto(`${site.origin}/government/transparency/`);
    const visible = await page
      .locator('.chart svg')
      .evaluateAll((all) => all.filter((one) => one.getClientRects().length > 0).length);
    expect(visible).toBe(2);
    expect(await page.locator(`.chart ${shown} svg`).first().isVisible()).toBe(true);
    await page.close();
  });
});
