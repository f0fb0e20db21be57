import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMON_HEADERS } from '../../pipeline/release/format/headers.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { operationsIn } from '../../src/api/openapi/operation.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { violations } from './visit.ts';

const ORIGIN = 'http://mirror.example.net';
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

let built: Built;
const browser = useBrowser();

beforeAll(async () => {
  built = await buildFixture();
});

afterAll(async () => {});

/** The explorer as another host serves it, with the headers of every answer; requests to anywhere else are wrong. */
async function openExplorer(reader: BrowserContextOptions) {
  const context = await browser.newContext(reader);
  const page = await context.newPage();
  const wrong: string[] = [];
  await context.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    if (origin !== ORIGIN) {
      wrong.push(route.request().url());
      return route.abort();
    }
    const isData = pathname === '/economy/supply';
    const root = isData ? join(built.release, 'public') : built.out;
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    const contentType = isData ? 'application/json' : mediaTypeOf(file.slice(1));
    return route.fulfill({ body: await readFile(join(root, file)), contentType, headers: COMMON_HEADERS });
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  await page.goto(`${ORIGIN}/api/explore/`);
  await page.locator('.opblock').first().waitFor();
  return { page, wrong, close: () => context.close() };
}

describe.each(Object.entries(READERS))('the API explorer, to a reader %s', (_, reader) => {
  let page: Page;
  let wrong: string[];
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ page, wrong, close } = await openExplorer(reader));
  });

  afterAll(() => close?.());

  test('lists every path, is accessible, and asks nobody else', async () => {
    const { paths } = JSON.parse(await readFile(join(built.out, 'openapi.json'), 'utf8'));
    expect(await page.locator('.opblock').count()).toBe(operationsIn(paths).length);
    // Also that there is one main element, and no level of headings is left out.
    expect(await violations(page, ['best-practice'])).toEqual([]);
    expect(
      await page
        .locator('.opblock-tag small')
        .first()
        .evaluate((words) => {
          const [one, other] = [words, words.previousElementSibling!].map((part) =>
            part.getBoundingClientRect(),
          );
          return one!.top >= other!.bottom || one!.left - other!.right >= 8;
        }),
    ).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(reader.viewport!.width);
    expect(wrong).toEqual([]);
  });

  test('sends a request to the host that it is from, and shows the answer', async () => {
    const operation = page.locator('#operations-economy-getSupply');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.btn.execute').click();
    const answer = operation.locator('.live-responses-table');
    await answer.getByText('"total_supply"').waitFor();
    expect(await operation.locator('.request-url').textContent()).toContain(`${ORIGIN}/economy/supply`);
    expect(wrong).toEqual([]);
  });

  test('takes a key in a form that can be read and named', async () => {
    await page.locator('.btn.authorize').click();
    await page.locator('.modal-ux input').fill('cds_government_example');
    expect(await violations(page)).toEqual([]);
  });
});

describe('the API explorer without JavaScript', () => {
  test('leads to the reference', async () => {
    const html = await readFile(join(built.out, 'api/explore/index.html'), 'utf8');
    expect(html).toMatch(/<noscript>.*href="\/api\/"/s);
  });
});
