import type { Server } from 'node:http';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { few } from '../setups/sweep.ts';
import { PAGES as PAGE_KINDS } from './pages/page-kinds.ts';
import { buildFixture, layOutWhole, serveStatic, useBrowser, violations } from './pages/seam.ts';

// In a browser, from a host of files: what the addresses of tools hold, and that one page of each kind is accessible.

const browser = useBrowser();
let site: { origin: string; server: Server };

beforeAll(async () => {
  site = await serveStatic(await buildFixture());
});

afterAll(() => {
  site?.server.closeAllConnections();
  site?.server.close();
});

/** One tab for several addresses. What the browser complains of is collected. */
async function opened(reader: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...reader });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error.message}`));
  page.on('console', (message) => {
    // They stand beside the releases, so the host of the fixture lacks them.
    const isOfHost = /\/(log\/checkpoint|snapshots\/index\.json)$/.test(message.location().url);
    if (['error', 'warning'].includes(message.type()) && !isOfHost)
      wrong.push(`${page.url()}: ${message.text()}`);
  });
  return { page, wrong, [Symbol.asyncDispose]: () => context.close() };
}

const ALL = 'MIC supply over time: circulating, locked and burned';
const BURNED = 'MIC supply over time: burned';

/** Query of a chart’s page: its title then, and its canonical address. */
const CHART_STATES: readonly (readonly [query: string, title: string, canonical: string])[] = [
  ['', ALL, ''],
  ['?series=burned', BURNED, '?series=burned'],
  ['?series=burned&scale=log&tab=table', BURNED, '?series=burned&scale=log'],
  ['?scale=log&series=burned', BURNED, '?series=burned&scale=log'],
  ['?utm_source=feed&series=burned&fbclid=abc', BURNED, '?series=burned'],
  ['?scale=linear', ALL, ''],
  ['?series=nothing', ALL, ''],
  ['?series=burned&series=nothing&scale=cubic', BURNED, '?series=burned'],
];

test('a chart shows the state of its address, and says which address that is', async () => {
  await using visited = await opened();
  const { page, wrong } = visited;
  const shown: (readonly string[])[] = [];
  for (const [query, title] of CHART_STATES) {
    await page.goto(`${site.origin}/charts/supply/${query}`);
    await expect.poll(() => page.locator('.chart-title').textContent()).toBe(title);
    if (query.includes('nothing'))
      await expect.poll(() => page.locator('[data-part="status"]').textContent()).toContain('does not have');
    const link = (await page.locator('link[rel="canonical"]').getAttribute('href')) ?? '';
    shown.push([query, title, link.replace('https://data.example.org/charts/supply/', '')]);
  }
  expect(shown).toEqual(CHART_STATES);
  expect(wrong).toEqual([]);
});

test('a chart follows its reader into its address, and back', async () => {
  await using visited = await opened();
  const { page, wrong } = visited;
  await page.goto(`${site.origin}/charts/supply/`);
  await page.getByRole('checkbox', { name: 'Circulating' }).uncheck();
  await expect.poll(() => new URL(page.url()).search).toBe('?series=burned&series=locked');
  await page.getByRole('checkbox', { name: 'Locked' }).uncheck();
  await expect.poll(() => page.locator('.chart-title').textContent()).toBe(BURNED);
  expect(await page.locator('.chart-table th').allTextContents()).not.toContain('Locked MIC');
  await page.goBack();
  await page.goBack();
  await expect.poll(() => page.locator('.chart-title').textContent()).toBe(ALL);
  expect(wrong).toEqual([]);
});

test('what cannot be loaded is named, with an offer to try again; the page stays as it is', async () => {
  await using visited = await opened();
  const { page } = visited;
  const offline = (isOffline: boolean) => page.context().setOffline(isOffline);
  await page.goto(`${site.origin}/charts/supply/`);
  await offline(true);
  // The page takes it back.
  await page.getByRole('checkbox', { name: 'Locked' }).click();
  const status = page.locator('[data-part="status"]');
  await expect
    .poll(() => status.textContent())
    .toMatch(/^\/\S+ cannot be loaded\. The chart is unchanged\. /);
  expect(await page.locator('.chart-title').textContent()).toBe(ALL);
  expect(await page.getByRole('checkbox', { name: 'Locked' }).isChecked()).toBe(true);
  await offline(false);
  await status.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?series=burned&series=circulating');
  expect(await status.textContent()).toBe('');

  await page.goto(`${site.origin}/search/`);
  await offline(true);
  await page.locator('#q').fill('atlas');
  const said = page.locator('#search-status');
  await expect.poll(() => said.textContent()).toContain('/search/index/entries.json cannot be loaded.');
  await offline(false);
  await said.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.locator('#search-results a').first().textContent()).toBe('ATLAS');

  await page.goto(`${site.origin}/files/academics/dataset.json/rows/`);
  const rows = await page.locator('#rows-body tr').count();
  await offline(true);
  await page.getByRole('button', { name: 'id' }).click();
  const notice = page.locator('#rows-notice');
  await expect.poll(() => notice.textContent()).toMatch(/^\/\S+(:| cannot be loaded)/);
  expect(await page.locator('#rows-body tr').count()).toBe(rows);
  await offline(false);
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.locator('#rows-status').textContent()).toContain('sorted by id');

  await page.goto(`${site.origin}/versions/`);
  await offline(true);
  await page.getByRole('button', { name: 'Show it' }).click();
  const version = page.locator('#version-outcome');
  await expect.poll(() => version.textContent()).toMatch(/\/_astro\/versions-worker\S+ cannot be loaded/);
  await offline(false);
  await version.getByRole('button', { name: 'Try again' }).click();
  // This host has no snapshots.
  await expect
    .poll(() => version.locator('h2').textContent())
    .toBe('This version cannot be shown: see the step that says why');
  await page.goBack();
  await expect.poll(() => version.isVisible()).toBe(false);
});

test('what is no file of this service, or half of one, is named too', async () => {
  await using visited = await opened();
  const { page } = visited;
  await page.route(/chart-tools/, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'const half = {' }),
  );
  await page.goto(`${site.origin}/charts/supply/`);
  await page.getByRole('checkbox', { name: 'Locked' }).click();
  await expect
    .poll(() => page.locator('[data-part="status"]').textContent())
    .toMatch(/^\/_astro\/chart-tools\S+ cannot be loaded\./);

  const signIn = '<!doctype html><title>Sign in</title>';
  await page.route(/\.json$/, (route) => route.fulfill({ contentType: 'text/html', body: signIn }));
  await page.goto(`${site.origin}/search/?q=atlas`);
  const said = page.locator('#search-status');
  await expect.poll(() => said.textContent()).toContain('/search/index/entries.json cannot be read (');
  await page.goto(`${site.origin}/attestations/`);
  await page.getByRole('button', { name: 'Get the latest' }).click();
  const registry = page.locator('#registry-time');
  await expect
    .poll(() => registry.textContent())
    .toMatch(/^\/\S+\.json cannot be read \(.*registry that it has\. /);
  expect(await registry.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
});

test('the answer to a job is not taken for that to the next one', async () => {
  await using visited = await opened();
  const { page } = visited;
  // Both jobs wait for the worker, that of the page and that of the button.
  const loading = Promise.withResolvers<void>();
  await page.route(/attestations-worker/, (route) => loading.promise.then(() => route.continue()));
  await page.route(/companions\.json$/, (route) => route.fulfill({ json: {} }));
  await page.goto(`${site.origin}/attestations/`);
  const asked = page.waitForResponse(/companions\.json$/);
  await page.getByRole('button', { name: 'Get the latest' }).click();
  await (await asked).finished();
  loading.resolve();
  await expect
    .poll(() => page.locator('#registry-time').textContent())
    .toBe(
      '/philosophy/companions.json cannot be read (/timestamp: The member "timestamp" is required but missing). ' +
        'The page still uses the registry that it has. Try again',
    );
});

test('a document is verified once its worker can be loaded, and a browser that has no workers is told so', async () => {
  await using visited = await opened();
  const { page, wrong } = visited;
  const verdict = page.locator('#verdict');
  const verify = async () => {
    await page.locator('#document').fill('{}');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
  };
  await page.route(/attestations-worker/, (route) => route.abort());
  await page.goto(`${site.origin}/attestations/`);
  await verify();
  await expect.poll(() => verdict.textContent()).toMatch(/\/_astro\/attestations-worker\S+ cannot be loaded/);
  await page.unroute(/attestations-worker/);
  await verdict.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => verdict.locator('h3').first().textContent()).toContain('Not valid');
  wrong.length = 0;
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'Worker'));
  await page.reload();
  await verify();
  await expect
    .poll(() => verdict.textContent())
    .toContain('This browser cannot run /_astro/attestations-worker');
  expect(wrong).toEqual([]);
});

test('the search finds what its address asks, and says what it does not find', async () => {
  await using visited = await opened();
  const { page, wrong } = visited;
  const first = () => page.locator('#search-results a').first().textContent();
  await page.goto(`${site.origin}/search/?q=atlas`);
  await expect.poll(first).toBe('ATLAS');
  await page.goto(`${site.origin}/search/?q=reading+interval&kind=deliberation`);
  await expect.poll(first).toContain('Whether the reading interval');
  await page.goto(`${site.origin}/search/?q=atlas&kind=chapter`);
  await expect.poll(first).toBe('ATLAS');
  expect(await page.locator('#search-status').textContent()).toContain('There is no kind “chapter”');
  await page.locator('#q').fill('ωψχω');
  await expect.poll(() => page.locator('#search-status').textContent()).toBe('Nothing found for “ωψχω”.');
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('ωψχω');
  // A text that would turn what follows it.
  await page.locator('#q').fill('ωψχω\u202e');
  await expect
    .poll(() => page.locator('#search-status').textContent())
    .toBe('Nothing found for “ωψχω[U+202E]”.');
  expect(wrong).toEqual([]);
});

test('a simulation is replayed from its address, and a wrong one says so', async () => {
  await using visited = await opened();
  const { page, wrong } = visited;
  await page.goto(`${site.origin}/philosophy/simulation/?scenario=model_drift&seed=7&do=1+audit&tick=4`);
  await expect.poll(() => page.locator('[data-part="moment"]').textContent()).toContain('Day 4');
  for (const lost of ['scenario=model_drift&seed=7&do=1+nothing&tick=4', 'seed=7&do=1+audit&tick=4']) {
    await page.goto(`${site.origin}/philosophy/simulation/?${lost}`);
    await expect
      .poll(() => page.locator('[data-part="fault"]').textContent())
      .toContain('This link does not lead to a run.');
  }
  expect(wrong).toEqual([]);
});

/** What the first screen of each portal shows in a wide window; a window of a phone shows the key figures, or the instruments. */
const FIRST_SCREEN: Readonly<Record<string, { wide: readonly string[]; phone: string }>> = {
  '': { wide: ['h1', '.lead', '.first-chart svg'], phone: 'h1' },
  'government/': { wide: ['.key-figures', '#chart-uptime', '.first .picture'], phone: '.key-figures' },
  'economy/': { wide: ['.key-figures', '#chart-supply', '.first .picture'], phone: '.key-figures' },
  'academics/': { wide: ['.key-figures', '#chart-events', '.first .picture'], phone: '.key-figures' },
  'philosophy/': { wide: ['.key-figures', '#chart-consensus', '.first .picture'], phone: '.key-figures' },
  'diplomacy/': { wide: ['.instruments', '.key-figures'], phone: '.instruments' },
};

/** The height of the page when its reader has seen all of it. */
async function wholeHeight(page: Page): Promise<number> {
  await layOutWhole(page);
  return page.evaluate(() => document.documentElement.scrollHeight);
}

describe('a portal', () => {
  /** The places of elements, and whether each is within the window. */
  const beyond = (page: Page, selectors: readonly string[]) =>
    page.evaluate(
      (all) =>
        all.flatMap((selector) => {
          const box = [...document.querySelectorAll(selector)]
            .map((one) => one.getBoundingClientRect())
            .find(({ height }) => height > 0);
          return box && box.top >= 0 && box.bottom <= innerHeight
            ? []
            : [`${selector} ends at ${Math.round(box?.bottom ?? Number.NaN)} of ${innerHeight}`];
        }),
      selectors,
    );

  test('shows its figures with their changes and its main chart at once, and is at most four screens high', async () => {
    await using visited = await opened({ viewport: { width: 1440, height: 900 } });
    const { page, wrong } = visited;
    const found: string[] = [];
    for (const [path, { wide }] of Object.entries(FIRST_SCREEN)) {
      await page.goto(`${site.origin}/${path}`);
      found.push(...(await beyond(page, wide)).map((one) => `/${path}: ${one}`));
      const height = await wholeHeight(page);
      if (path !== '' && height > 4 * 900) found.push(`/${path}: ${height} px high`);
    }
    await page.goto(`${site.origin}/economy/`);
    const changes = await page.locator('.key-figures .figure-changes b').allTextContents();
    expect(changes.filter((change) => /^[+−][\d,.]+$/.test(change)).length).toBeGreaterThan(2);
    expect(found).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('and other pages that are long are at most four screens high: what few come for is one click away', async () => {
    await using visited = await opened({ viewport: { width: 1440, height: 900 } });
    const { page, wrong } = visited;
    const found: string[] = [];
    for (const path of ['verification/', 'sentinels/eve/', 'files/economy/supply-by-day.csv/']) {
      await page.goto(`${site.origin}/${path}`);
      // From the fourth part on, what is far below waits to be laid out, unless it has something to open or to hit.
      const parts = await page.locator('main section ~ section').evaluateAll((all) =>
        all.map((one) => ({
          waits: one.matches(':nth-of-type(n + 4)') && !one.querySelector('summary, .facts, .thumbnail'),
          is: getComputedStyle(one).contentVisibility,
        })),
      );
      expect(parts.length, path).toBeGreaterThan(0);
      expect(parts, path).toEqual(parts.map(({ waits }) => ({ waits, is: waits ? 'auto' : 'visible' })));
      const atTheEnd = page.locator('.folds, .site-footer');
      const ends = await atTheEnd.evaluateAll((all) =>
        all.map((one) => getComputedStyle(one).contentVisibility),
      );
      expect(new Set(ends), path).toEqual(new Set(['auto']));
      const height = await wholeHeight(page);
      if (height > 4 * 900) found.push(`/${path}: ${height} px high`);
      const fold = page.locator('main details').last();
      await fold.locator('summary').first().click();
      expect(await fold.evaluate(({ open }: HTMLDetailsElement) => open), path).toBe(true);
    }
    expect(found).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('and a document shows the part that its contents lead to, also when the parts before it are laid out on the way', async () => {
    await using visited = await opened({ viewport: { width: 1440, height: 900 } });
    const { page } = visited;
    await page.goto(`${site.origin}/philosophy/simulation/reference/`);
    const link = page.locator('.contents a').last();
    const part = page.locator((await link.getAttribute('href'))!);
    await link.click();
    const place = () => part.evaluate((one) => one.getBoundingClientRect().top);
    await expect.poll(place).toBeLessThan(100);
    expect(await place()).toBeGreaterThanOrEqual(0);
  });

  test('and the reference of the API is at most four screens of a phone high', async () => {
    await using visited = await opened({ viewport: { width: 390, height: 844 } });
    await visited.page.goto(`${site.origin}/api/`);
    expect(await wholeHeight(visited.page)).toBeLessThanOrEqual(4 * 844);
  });

  test('shows its figures at once on a phone, and is at most six screens high', async () => {
    await using visited = await opened({ viewport: { width: 390, height: 844 } });
    const { page, wrong } = visited;
    const found: string[] = [];
    for (const [path, { phone }] of Object.entries(FIRST_SCREEN)) {
      await page.goto(`${site.origin}/${path}`);
      found.push(...(await beyond(page, [phone])).map((one) => `/${path}: ${one}`));
      const height = await wholeHeight(page);
      if (height > 6 * 844) found.push(`/${path}: ${height} px high`);
    }
    expect(found).toEqual([]);
    expect(wrong).toEqual([]);
  });
});

test('the text of a chart is not much larger than that of its page, however wide the window is', async () => {
  await using visited = await opened();
  const { page } = visited;
  const scaled = () =>
    [...document.querySelectorAll<SVGSVGElement>(':is(.chart, .picture, .plot, .thumbnail) svg')]
      .map((one) => one.getBoundingClientRect().width / one.viewBox.baseVal.width)
      .filter((scale) => scale > 0);
  const found: string[] = [];
  for (const path of ['economy/', 'charts/', 'charts/supply/', 'embed/supply/', 'sentinels/eve/']) {
    await page.goto(`${site.origin}/${path}`);
    for (const width of [320, 640, 820, 1023, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      const scales = await page.evaluate(scaled);
      expect(scales.length, path).toBeGreaterThan(0);
      for (const scale of scales) if (scale > 1.5) found.push(`/${path} at ${width} px: ${scale.toFixed(2)}`);
    }
  }
  expect(found).toEqual([]);
});

/** One of each kind, those with most on them first. */
const PAGES = [
  ...new Set([
    ...['economy/', 'charts/supply/', 'verification/', 'philosophy/simulation/'],
    ...Object.keys(PAGE_KINDS),
  ]),
];

const READERS: readonly (readonly [who: string, width: number, reader: BrowserContextOptions])[] = [
  ['on a small phone, in dark', 320, { colorScheme: 'dark' }],
  ['at a desk, in light', 1280, { colorScheme: 'light' }],
  ['with colours of their own', 800, { forcedColors: 'active' }],
];

describe('one page of each kind', () => {
  test.each(few(READERS))('is accessible, and within the window, %s', async (_, width, reader) => {
    await using visited = await opened({ viewport: { width, height: 640 }, ...reader });
    const { page, wrong } = visited;
    const found: string[] = [];
    for (const path of few(PAGES, 4)) {
      await page.goto(`${site.origin}/${path}`);
      // What is folded away is looked at too.
      await page.$$eval('main details', (all) => {
        for (const one of all as HTMLDetailsElement[]) one.open = true;
      });
      found.push(...(await violations(page)).map((one) => `${path}: ${one}`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) found.push(`${path}: ${wide} px wide`);
    }
    expect(found).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('is within the window of a phone where letters are twice as large', async () => {
    await using visited = await opened({ viewport: { width: 360, height: 640 } });
    const { page } = visited;
    const found: string[] = [];
    for (const path of new Set([
      '',
      'sentinels/eve/',
      'files/economy/supply-by-day.csv/',
      'files/academics/dataset.json/rows/apps/',
      ...few(PAGES, 4),
    ])) {
      await page.goto(`${site.origin}/${path}`);
      const wide = await page.evaluate(() => {
        document.documentElement.style.fontSize = '212.5%';
        for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
        return document.documentElement.scrollWidth;
      });
      if (wide > 360) found.push(`/${path}: ${wide} px wide`);
    }
    expect(found).toEqual([]);
  });

  test('gives a screen reader its landmarks, and a name for each link, button, field and picture', async () => {
    await using visited = await opened();
    const { page } = visited;
    const found: string[] = [];
    for (const path of few(PAGES, 4)) {
      await page.goto(`${site.origin}/${path}`);
      const tree = await page.locator('body').ariaSnapshot();
      // The page around a frame has the others.
      const landmarks = [
        'main',
        ...(path.startsWith('embed/') ? [] : ['banner', 'navigation', 'contentinfo']),
      ];
      for (const landmark of landmarks)
        if (!new RegExp(`^ *- ${landmark}\\b`, 'm').test(tree)) found.push(`${path}: no ${landmark}`);
      const nameless = tree.match(
        /^ *- (?:link|button|textbox|searchbox|checkbox|combobox|img)(?: \[.*\])?:?$/gm,
      );
      found.push(...(nameless ?? []).map((line) => `${path}:${line}`));
    }
    expect(found).toEqual([]);
  });

  test('is shown without what only words and orders of its reader need, which takes longer than all else', async () => {
    await using visited = await opened();
    const { page } = visited;
    await page.addInitScript(() => {
      const made: string[] = [];
      const kinds = ['Collator', 'DateTimeFormat', 'ListFormat', 'NumberFormat'] as const;
      for (const kind of kinds) {
        const construct = (target: new () => object, values: []) => {
          made.push(kind);
          return Reflect.construct(target, values);
        };
        Object.assign(Intl, { [kind]: new Proxy(Intl[kind], { construct } as ProxyHandler<object>) });
      }
      Object.assign(globalThis, { made });
    });
    const found: string[] = [];
    // A page of rows says how many it has.
    for (const path of few(PAGES, 4).filter((one) => !one.includes('/rows/'))) {
      await page.goto(`${site.origin}/${path}`);
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      const made = await page.evaluate(() => (globalThis as unknown as { made: string[] }).made);
      found.push(...made.map((kind) => `${path}: ${kind}`));
    }
    expect(found).toEqual([]);
  });

  test('is used with the keyboard alone: the first key leads to its content', async () => {
    await using visited = await opened();
    const { page } = visited;
    const focused = (of: Page) => of.evaluate(() => document.activeElement?.id);
    for (const path of ['economy/', 'verification/']) {
      await page.goto(`${site.origin}/${path}`);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect([path, await focused(page)]).toEqual([path, 'content']);
    }
  });
});
