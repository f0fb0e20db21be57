import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { headersFor } from '../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { launchBrowser, violations } from './visit.ts';

let built: Built;
let browser: Browser;
let site: { origin: string; server: Server };
const wrong: string[] = [];

/** The pages and the data as a host of files serves them: with the headers that are decided, and blind to queries. */
async function serveStatic({ out, release }: Built): Promise<typeof site> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url
      .slice(1)
      .split('?', 1)[0]!
      .replace(/(^|\/)$/, '$1index.html');
    const found = await readFile(join(out, path))
      .catch(() => readFile(join(release, 'public', path)))
      .catch(() => null);
    if (!found) return response.writeHead(404).end();
    const type = path.startsWith('economy/') && !path.includes('.') ? 'application/json' : mediaTypeOf(path);
    const file = { path, kind: 'page', restricted: false, immutable: false, media_type: type };
    return response.writeHead(200, headersFor(file as ManifestFile)).end(found);
  });
  return { server, origin: await listen(server) };
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  );
}

beforeAll(async () => {
  built = await buildFixture();
  site = await serveStatic(built);
  browser = await launchBrowser();
}, 120_000);

afterAll(async () => {
  await browser?.close();
  site?.server.close();
});

afterEach(() => {
  expect(wrong.splice(0)).toEqual([]);
});

/** What is wrong in it is collected: no test may leave an error in the console. */
async function open(path: string, reader: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...reader });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error.message}`));
  await page.goto(`${site.origin}${path}`);
  return page;
}

const heading = (page: Page) => page.locator('h1').textContent();
const BURNED = 'MIC supply over time: burned';
const ALL = 'MIC supply over time: circulating, locked and burned';

describe('a reader of a chart', () => {
  test('takes series out, and address, picture, table, citation and embed code follow; the way back leads back', async () => {
    const page = await open('/charts/supply/');
    await page.getByRole('checkbox', { name: 'Circulating' }).uncheck();
    // A choice that comes before the one before was drawn takes its place, in the history too.
    await expect.poll(() => new URL(page.url()).search).toBe('?series=burned&series=locked');
    await page.getByRole('checkbox', { name: 'Locked' }).uncheck();
    await expect.poll(() => heading(page)).toBe(BURNED);
    await expect.poll(() => new URL(page.url()).search).toBe('?series=burned');
    expect(await page.title()).toContain(BURNED);
    expect(await page.locator('.plot svg title').first().textContent()).toBe(BURNED);
    expect(await page.locator('.chart-table th').allTextContents()).not.toContain('Locked MIC');
    const link = 'https://data.example.org/charts/supply/?series=burned';
    expect(await page.locator('[data-code="link"] code').textContent()).toBe(link);
    expect(await page.locator('[data-code="live"] code').textContent()).toContain(
      '/embed/supply/?series=burned',
    );
    expect(await page.locator('[data-code="citation"] code').first().textContent()).toContain(link);
    await page.goBack();
    await page.goBack();
    await expect.poll(() => heading(page)).toBe(ALL);
    expect(await page.getByRole('checkbox', { name: 'Locked' }).isChecked()).toBe(true);
    expect(await page.locator('[data-code="link"] code').textContent()).not.toContain('?');
    await page.context().close();
  });

  test('opens an address with a state, on a host that knows of no states', async () => {
    const page = await open('/charts/supply/?series=burned&scale=log&tab=table');
    await expect.poll(() => heading(page)).toBe(BURNED);
    expect(await page.getByLabel('logarithmic').isChecked()).toBe(true);
    expect(await page.getByRole('tab', { name: /Table/ }).getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('.plot').isVisible()).toBe(false);
    await page.context().close();
  });

  test('opens an address as networks pass it on', async () => {
    const page = await open('/charts/supply/?utm_source=feed&series=burned&fbclid=abc');
    await page.getByRole('heading', { level: 1, name: 'MIC supply over time: burned' }).waitFor();
    await page.context().close();
  });

  test('is told where an address asks for what the chart does not have', async () => {
    const page = await open('/charts/supply/?series=nothing');
    await expect.poll(() => page.locator('[data-part="status"]').textContent()).toContain('does not have');
    expect(await heading(page)).toBe(ALL);
    await page.context().close();
  });

  test('steps through the values with arrow keys, which are said, and leaves with Escape', async () => {
    const page = await open('/charts/supply/');
    const stepper = page.getByRole('slider', { name: 'Values of the chart' });
    await stepper.focus();
    await page.keyboard.press('Home');
    const first = await page.locator('.chart-table tbody th').first().textContent();
    expect(await stepper.getAttribute('aria-valuetext')).toMatch(
      new RegExp(`^${first}; Circulating \\(MIC\\): `),
    );
    expect(await page.locator('.readout').isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    expect(await stepper.getAttribute('aria-valuenow')).toBe('2');
    await page.keyboard.press('Escape');
    expect(await page.locator('.readout').isVisible()).toBe(false);
    await page.context().close();
  });

  test('sees what lies below a finger', async () => {
    const page = await open('/charts/mii/', { viewport: { width: 360, height: 740 }, hasTouch: true });
    await page.locator('.stepper').scrollIntoViewIfNeeded();
    const box = (await page.locator('.stepper').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => page.locator('.readout').textContent()).toContain('Mean index');
    await page.context().close();
  });

  test('moves a point of the reward curve by sliders', async () => {
    const page = await open('/charts/reward-curve/');
    await page.getByRole('slider', { name: /Coordination score/ }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => new URL(page.url()).search).toBe('?s=100.5');
    expect(await page.locator('[data-part="summary"]').textContent()).toContain('A score of 100.5 points');
    await page.context().close();
  });

  test('walks between the tabs with the arrow keys', async () => {
    const page = await open('/charts/drift/');
    await page.getByRole('tab', { name: 'Chart' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.locator('.chart-table').isVisible()).toBe(true);
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=table');
    await page.context().close();
  });

  test('without JavaScript has picture, table, form and codes', async () => {
    const page = await open('/charts/supply/', { javaScriptEnabled: false });
    for (const selector of [
      '.plot svg >> nth=0',
      '.chart-table table',
      '.controls button',
      '[data-code="live"]',
    ])
      expect(await page.locator(selector).isVisible(), selector).toBe(true);
    await page.context().close();
  });

  test.each([
    ['light, wide', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
    ['dark, on a phone', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
  ] as const)('finds no barrier after WCAG 2.2 AA: %s', async (_, reader) => {
    for (const path of [
      '/charts/',
      '/charts/supply/',
      '/charts/events/',
      '/charts/reward-curve/',
      '/embed/supply/',
    ]) {
      const page = await open(path, reader);
      expect(await violations(page), path).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${path} scrolls sideways`).toBeLessThanOrEqual(reader.viewport.width);
      await page.context().close();
    }
  });
});

describe('a page of another origin', () => {
  /** With a policy as strict as it can be that still has a frame in it. */
  async function pageWith(body: string): Promise<{ page: Page; server: Server }> {
    const server = createServer((_, response) => {
      const policy = `default-src 'none'; frame-src ${site.origin}; script-src 'nonce-x'; img-src data:`;
      response.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy,
      });
      response.end(
        `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><script nonce="x">addEventListener('message', ({ data, origin }) => { (window.told ??= []).push({ ...data, origin }); });</script>${body}`,
      );
    });
    const origin = await listen(server);
    const page = await (await browser.newContext({ viewport: { width: 800, height: 900 } })).newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    await page.goto(origin);
    return { page, server };
  }

  test('shows the embed in a frame and is told its height', async () => {
    const { page, server } = await pageWith(
      `<iframe src="${site.origin}/embed/supply/?series=burned" title="MIC supply" width="700" height="300"></iframe>`,
    );
    const frame = page.frameLocator('iframe');
    await expect.poll(() => frame.locator('h1').textContent()).toBe(BURNED);
    expect(await frame.locator('[data-page]').getAttribute('href')).toBe(
      'https://data.example.org/charts/supply/?series=burned',
    );
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { told: object[] }).told?.at(-1)))
      .toMatchObject({ type: 'cathedral-embed', chart: 'supply', origin: site.origin });
    const told = await page.evaluate(
      () => (window as unknown as { told: { height: number }[] }).told.at(-1)!.height,
    );
    const high = await frame.locator('body').evaluate((body) => body.scrollHeight);
    expect(Math.abs(told - high)).toBeLessThanOrEqual(1);
    await page.context().close();
    server.close();
  });

  test('cannot have any other page of the service in a frame', async () => {
    const { page, server } = await pageWith(
      `<iframe src="${site.origin}/charts/supply/" title="MIC supply" width="700" height="300"></iframe>`,
    );
    await expect.poll(() => wrong.join()).toMatch(/frame-ancestors/);
    wrong.splice(0);
    await page.context().close();
    server.close();
  });

  test('has a frozen chart whole under the strictest policy, without a request', async () => {
    const code = await readFile(join(built.out, 'embed/supply/frozen.txt'), 'utf8');
    const { page, server } = await pageWith(code);
    expect(await page.getByRole('img', { name: new RegExp(`^${ALL}`) }).isVisible()).toBe(true);
    await page.getByText('Table: ').click();
    expect(await page.locator('figure table tbody tr').count()).toBeGreaterThan(10);
    await page.context().close();
    server.close();
  });
});
