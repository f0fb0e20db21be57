import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { signNote } from '../../pipeline/ledger/notes/note.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { signer } from '../ledger/test-signer.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { violations } from './visit.ts';

/** Folders whose pages differ in their words alone: the one with the most in it is looked at, with the lists of a year apart. */
const ALIKE = /^\/(problems|files|embed|sentinels|deliberations|decisions)\/(in-)?./;
/** Pages that are wide or narrow by their words, so all of them are opened; axe looks at the one with the most in it. */
const ALIKE_BUT_IN_WIDTH = /^\/(api|academics\/papers)\/./;
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

const NOTE = signNote(
  formatCheckpoint({ origin: signer.verifier.name, size: 1, root: '0'.repeat(64) }),
  signer,
);

let built: Built;
const browser = useBrowser();
let host: Host;
let paths: string[];
/** Those of the paths that axe looks at. */
let looked: Set<string>;

beforeAll(async () => {
  built = await buildFixture();
  host = await openHost(built.out);
  const { files } = await listTree(built.out);
  const pages = await Promise.all(
    files
      .filter((file) => file.endsWith('.html'))
      .map(async (file) => ({
        path: `/${file.replace(/index\.html$/, '')}`,
        bytes: (await stat(join(built.out, file))).size,
      })),
  );
  paths = longest(pages, ALIKE).map(({ path }) => path);
  looked = new Set(longest(pages, ALIKE_BUT_IN_WIDTH).map(({ path }) => path));
});

afterAll(() => host?.[Symbol.asyncDispose]());

interface Sized {
  path: string;
  bytes: number;
}

/** Of the pages that are alike the longest, and all others. */
function longest(pages: readonly Sized[], alike: RegExp): Sized[] {
  const kindOf = ({ path }: Sized) => alike.exec(path)?.slice(1).join() ?? path;
  const kinds = [...Map.groupBy(pages, kindOf).values()];
  return kinds.map((all) => all.reduce((one, other) => (other.bytes > one.bytes ? other : one)));
}

/** So many tests share the pages: all of them take minutes on a busy machine. */
const PARTS = 6;

/** Opens the pages of a part in turn in one tab; what goes wrong while one loads is collected with its path. */
async function visit(
  reader: BrowserContextOptions,
  part: number,
  look: (page: Page, path: string) => Promise<void>,
) {
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
  for (const path of paths.filter((_, index) => index % PARTS === part)) {
    await page.goto(`${host.origin}${path}`);
    await look(page, path);
  }
  await context.close();
  return wrong;
}

describe.each(Object.entries(READERS))('a reader %s', (_, reader) => {
  test.each([...Array(PARTS).keys()])(
    'finds every page whole, within the window, and accessible after WCAG 2.2 AA, part %i',
    async (part) => {
      const inaccessible: string[] = [];
      const wrong = await visit(reader, part, async (page, path) => {
        // What is folded away is looked at too.
        await page.evaluate(() => {
          for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
        });
        if (looked.has(path))
          inaccessible.push(...(await violations(page)).map((violation) => `${path} ${violation}`));
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width, `${path} scrolls sideways`).toBeLessThanOrEqual(reader.viewport!.width);
      });
      expect(wrong).toEqual([]);
      expect(inaccessible).toEqual([]);
    },
  );
});

test('a page of every kind is among them', () => {
  expect(paths).toEqual(expect.arrayContaining(['/', '/sentinels/', '/decisions/in-2026/', '/search/']));
  expect(paths.filter((path) => looked.has(path)).length).toBeGreaterThan(40);
});

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
