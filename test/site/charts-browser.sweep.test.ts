import { createServer, type Server } from 'node:http';
import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listenInTest } from '../listen.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { serveStatic } from './static-host.ts';
import { type Reader, stopClock } from './visit.ts';

let built: Built;
const browser = useBrowser();
let site: { origin: string; server: Server };
const wrong: string[] = [];

beforeAll(async () => {
  built = await buildFixture();
  site = await serveStatic(built);
});

afterAll(async () => {
  site?.server.close();
});

afterEach(() => {
  expect(wrong.splice(0)).toEqual([]);
});

/** What is wrong in it is collected: no test may leave an error in the console. `lacks`: files that it cannot load. */
async function open(
  path: string,
  { clock, lacks, ...reader }: Reader & { lacks?: string } = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...reader });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (clock) await stopClock(page);
  if (lacks) await page.route(lacks, (route) => route.abort());
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`${page.url()}: ${error.message}`));
  await page.goto(`${site.origin}${path}`);
  return page;
}

/** Of each sheet of a PDF: its text, and how many pictures of pixels and how many painted paths it has. */
async function sheetsOf(bytes: Uint8Array) {
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const sheets: { text: string; images: number; paths: number }[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const { fnArray } = await page.getOperatorList();
    const count = (...wanted: number[]) => fnArray.filter((operation) => wanted.includes(operation)).length;
    sheets.push({
      text: items.map((item) => ('str' in item ? item.str : '')).join(''),
      images: count(OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject),
      paths: count(OPS.constructPath),
    });
  }
  return sheets;
}

/** The title, below the finding. */
const heading = (page: Page) => page.locator('.chart-title').textContent();
const BURNED = 'MIC supply over time: burned';

describe('a reader of a chart', () => {
  test('chooses days in a field and by a preset, one step of the history for each choice', async () => {
    const page = await open('/charts/supply/');
    const [first, last] = (await page.locator('.chart-page').getAttribute('data-range'))!.split(' ');
    expect(
      await page
        .locator('#days-extent time')
        .evaluateAll((times) => times.map((time) => time.getAttribute('datetime'))),
    ).toEqual([first, last]);
    const steps = await page.evaluate(() => history.length);
    const from = new Date(Date.parse(first!) + 29 * 86_400_000).toISOString().slice(0, 10);
    const field = page.locator('[name="from"]');
    await field.fill(from);
    await field.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe(`?from=${from}`);
    expect(await page.evaluate(() => history.length)).toBe(steps + 1);
    const code = (name: string) => page.locator(`[data-code="${name}"] code`).first().textContent();
    for (const name of ['link', 'live', 'citation'])
      expect(await code(name), name).toContain(`?from=${from}`);
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    for (const name of ['link', 'live', 'citation']) expect(await code(name), name).not.toContain('?from=');
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe(from);
  });

  test('stays in the page and at the control where a server answers with a newer state than the release has', async () => {
    const page = await open('/charts/supply/');
    const headers = { 'x-request-id': 'a-request' };
    await page.route('**/charts/supply/**', (route) => route.fulfill({ headers, body: '' }));
    const asked: string[] = [];
    await page.route(/\/economy\/supply(-by-day.csv)?(\?|$)/, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      asked.push(`${pathname}${search.replace(/[0-9a-f]{64}$/, '…')}`);
      const response = await route.fetch();
      const body = await response.text();
      const live = body.replace(/(?<="timestamp": ")\d{4}/, '2031');
      await route.fulfill({ response, body: search === '' ? live : body });
    });
    const box = page.getByRole('checkbox', { name: 'Circulating' });
    await box.focus();
    await page.keyboard.press('Space');
    await expect.poll(() => new URL(page.url()).search).toBe('?series=burned&series=locked');
    expect(await box.evaluate((one) => one === document.activeElement)).toBe(true);
    await expect.poll(() => heading(page)).toBe('MIC supply over time: locked and burned');
    expect(asked.toSorted()).toEqual(['/economy/supply-by-day.csv?sha256=…', '/economy/supply?sha256=…']);
  });

  test('is told of days without data at the field and in an address, and of a choice without a series; the chart stays', async () => {
    const page = await open('/charts/supply/?from=2020-01-01');
    await expect.poll(() => page.locator('[data-part="status"]').textContent()).toContain('a day with data');
    const picture = await page.locator('[data-part="picture"]').innerHTML();
    await page.locator('[name="from"]').fill('2020-01-01');
    await page.keyboard.press('Tab');
    const [first] = (await page.locator('.chart-page').getAttribute('data-range'))!.split(' ');
    await expect
      .poll(() => page.locator('.time-control .fault').textContent())
      .toContain(`Expected a day with data, ${first} to `);
    expect(await page.locator('[name="from"]').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('[data-part="picture"]').innerHTML()).toBe(picture);
    await page.goto(`${site.origin}/charts/supply/?series=burned`);
    await expect.poll(() => heading(page)).toBe(BURNED);
    const burned = page.getByRole('checkbox', { name: 'Burned' });
    await burned.click();
    await expect.poll(() => page.locator('.series .fault').textContent()).toContain('At least one series');
    expect([await burned.isChecked(), new URL(page.url()).search]).toEqual([true, '?series=burned']);
  });

  test('steps through the values with arrow keys, which are said, and leaves with Escape', async () => {
    const page = await open('/charts/supply/');
    const stepper = page.getByRole('slider', { name: 'Values of the chart' });
    await stepper.focus();
    await page.keyboard.press('Home');
    expect(await stepper.getAttribute('aria-valuetext')).toMatch(
      /^\d{1,2} \w+ \d{4}; Circulating: [\d,]+ MIC; /,
    );
    expect(await page.locator('.readout').isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    expect(await stepper.getAttribute('aria-valuenow')).toBe('2');
    await page.keyboard.press('Escape');
    expect(await page.locator('.readout').isVisible()).toBe(false);
  });

  test('sees what lies below a finger', async () => {
    const page = await open('/charts/mii/', { viewport: { width: 360, height: 740 }, hasTouch: true });
    await page.locator('.stepper').scrollIntoViewIfNeeded();
    const box = (await page.locator('.stepper').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => page.locator('.readout').textContent()).toContain('Mean index');
    // At the bottom of the screen, below the mark, until it is closed.
    const boxOf = async (part: string) => (await page.locator(part).first().boundingBox())!;
    const readout = await boxOf('.readout');
    expect(readout.y + readout.height).toBeCloseTo(740, 0);
    await expect
      .poll(async () => (await boxOf('.time-mark')).y + (await boxOf('.time-mark')).height)
      .toBeLessThan(readout.y);
    expect(await page.locator('.dot-mark').count()).toBe(2);
    await page.getByTitle('Close').click();
    expect(await page.locator('.readout').isVisible()).toBe(false);
  });

  test('sorts the table, by the size of its numbers, and steps through the picture as before', async () => {
    const page = await open('/charts/supply/?tab=table');
    const cells = () => page.locator('.chart-table tbody td:nth-child(2)').allTextContents();
    const before = await cells();
    const heading = page.locator('.chart-table th', { hasText: 'Circulating' });
    await heading.getByRole('button').click();
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    const size = (text: string) => Number(text.replaceAll(',', ''));
    expect((await cells()).map(size)).toEqual(before.map(size).toSorted((a, b) => b - a));
    await heading.getByRole('button').click();
    await heading.getByRole('button').click();
    expect(await cells()).toEqual(before);
  });

  test('adds a point to the reward curve', async () => {
    const page = await open('/charts/reward-curve/');
    const field = page.getByRole('spinbutton', { name: /Coordination score/ });
    await field.fill('100.5');
    await field.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?s=100.5');
    expect(await page.locator('[data-part="summary"]').textContent()).toContain('Your point');
  });

  test('walks between the tabs with the arrow keys, without the page being loaded again', async () => {
    const page = await open('/charts/supply/?series=burned');
    await expect.poll(() => heading(page)).toBe(BURNED);
    const loaded: string[] = [];
    page.on('request', (request) => request.isNavigationRequest() && loaded.push(request.url()));
    await page.getByRole('tab', { name: 'Chart' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.locator('.chart-table').isVisible()).toBe(true);
    await expect.poll(() => new URL(page.url()).search).toBe('?tab=table&series=burned');
    await page.getByRole('tab', { name: 'Table' }).press('ArrowLeft');
    await expect.poll(() => new URL(page.url()).search).toBe('?series=burned');
    expect(await heading(page)).toBe(BURNED);
    expect(loaded).toEqual([]);
  });

  test.each(['A4', 'Letter'] as const)(
    'prints a view as one sheet of %s, with text and vectors; with the tab of the table, the table too',
    async (format) => {
      const page = await open('/charts/supply/?series=burned');
      await expect.poll(() => heading(page)).toBe(BURNED);
      const [sheet, ...more] = await sheetsOf(await page.pdf({ format }));
      expect(more).toEqual([]);
      expect(sheet!.text).toContain(BURNED);
      expect(sheet!.text).toContain('https://data.example.org/charts/supply/?series=burned');
      expect(sheet!.text).not.toContain('How it is made');
      expect([sheet!.images, sheet!.paths > 10]).toEqual([0, true]);
      await page.getByRole('tab', { name: /Table/ }).click();
      await expect.poll(() => page.locator('.chart-table').isVisible()).toBe(true);
      const sheets = await sheetsOf(await page.pdf({ format }));
      expect(sheets.map(({ text }) => text).join(' ')).toContain('How it is made');
    },
  );

  test('without JavaScript has picture, table, form and codes', async () => {
    const page = await open('/charts/supply/', { javaScriptEnabled: false });
    for (const selector of [
      '.plot svg >> nth=0',
      '.chart-table table',
      '.time-control button',
      '[data-code="live"]',
    ])
      expect(await page.locator(selector).isVisible(), selector).toBe(true);
  });

  test('has the buttons of its form where its script cannot be loaded, and none where it can', async () => {
    const show = (page: Page) => page.locator('.controls [type="submit"]');
    expect(await show(await open('/charts/supply/')).isVisible()).toBe(false);
    const page = await open('/charts/supply/', { lacks: '**/chart-page*' });
    await show(page).waitFor();
    await page.getByRole('checkbox', { name: 'Burned' }).uncheck();
    await show(page).click();
    await page.waitForURL(/series=/);
    expect(wrong.splice(0).join(' ')).toMatch(/ERR_FAILED/);
  });
});

describe('a page of another origin', () => {
  /** With a policy as strict as it can be that still has a frame in it. */
  async function pageWith(
    body: string,
    { scripts = "'nonce-x'", styles = "'none'", width = 800 } = {},
  ): Promise<Page> {
    const server = createServer((_, response) => {
      const policy = `default-src 'none'; frame-src ${site.origin}; script-src ${scripts}; style-src ${styles}; img-src data:`;
      response.writeHead(200, {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': policy,
      });
      response.end(
        `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,"><script nonce="x">addEventListener('message', ({ data, origin }) => { (window.told ??= []).push({ ...data, origin }); });</script>${body}`,
      );
    });
    const { origin } = await listenInTest(server);
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    await page.goto(origin);
    return page;
  }

  test('shows the embed in a frame and is told its height', async () => {
    const page = await pageWith(
      `<iframe src="${site.origin}/embed/supply/?series=burned" title="MIC supply" width="700" height="300"></iframe>`,
    );
    const frame = page.frameLocator('iframe');
    await expect.poll(() => frame.locator('.chart-title').textContent()).toBe(BURNED);
    expect(await frame.locator('[data-page]').getAttribute('href')).toBe(
      'https://data.example.org/charts/supply/?series=burned',
    );
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { told: object[] }).told?.at(-1)))
      .toMatchObject({ type: 'cathedral-embed', chart: 'supply', origin: site.origin });
    const told = () =>
      page.evaluate(() => (window as unknown as { told: { height: number }[] }).told.at(-1)!.height);
    const high = () => frame.locator('body').evaluate((body) => body.scrollHeight);
    await expect.poll(async () => Math.abs((await told()) - (await high()))).toBeLessThanOrEqual(1);
  });

  /** What the chart's page offers to paste, for this host. */
  async function pasted(id: string): Promise<string> {
    const page = await open(`/charts/${id}/`);
    const code = await page.locator('[data-code="live"] code').textContent();
    return code!.replaceAll('https://data.example.org', site.origin);
  }
  const shown = (page: Page) =>
    page.evaluate(() => [...document.querySelectorAll('iframe')].map(({ offsetHeight }) => offsetHeight));
  const needed = (page: Page) =>
    Promise.all(
      page
        .frames()
        .slice(1)
        .map((frame) =>
          frame.evaluate(async () => {
            await document.fonts.ready;
            return Math.ceil(document.body.getBoundingClientRect().height);
          }),
        ),
    );

  test.each([380, 700])(
    'gives each frame the height of its chart with the pasted code, %i pixels wide',
    async (width) => {
      const codes = [await pasted('supply'), await pasted('mii')];
      // The page around it has what would be in the way: its own globals, and messages of others.
      const page = await pageWith(
        `<style>body{margin:0}</style><script>var listener = 1, origin = 2;</script>${codes.join('')}<script>postMessage({ type: 'cathedral-embed', height: 77 }, '*')</script>`,
        { scripts: "'unsafe-inline'", styles: "'unsafe-inline'", width },
      );
      wrong.splice(0);
      for (const frame of await page.locator('iframe').all()) await frame.scrollIntoViewIfNeeded();
      await expect
        .poll(async () => JSON.stringify(await shown(page)) === JSON.stringify(await needed(page)))
        .toBe(true);
      expect(new Set(await shown(page)).size).toBe(2);
      // Opening its table makes one of them taller.
      const [before, other] = await shown(page);
      await page.frameLocator('iframe >> nth=0').getByText('Table').click();
      await expect.poll(async () => (await shown(page))[0]).toBeGreaterThan(before!);
      expect((await shown(page))[1]).toBe(other);
    },
  );

  test('has its fonts at the first sight, and in a frame of its usual width letters of the size that a page has', async () => {
    const page = await open('/embed/mii/', { viewport: { width: 720, height: 600 } });
    await page.evaluate(() => document.fonts.ready);
    const { families, scale } = await page.evaluate(() => {
      const svg = [...document.querySelectorAll<SVGSVGElement>('.plot svg')].find(
        (one) => one.clientWidth > 0,
      )!;
      const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
      return {
        families: [...new Set(loaded.map(({ family }) => family))],
        scale: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
      };
    });
    expect(families.sort()).toEqual(['Cathedral Sans', 'Cathedral Serif']);
    expect(scale).toBe(1);
  });

  test('that forbids scripts shows source and link of the chart at the height in the code, also on a phone', async () => {
    const page = await pageWith(`<style>body{margin:0}</style>${await pasted('mii')}`, {
      styles: "'unsafe-inline'",
      width: 380,
    });
    await page.frameLocator('iframe').locator('.links a').waitFor();
    await expect.poll(async () => (await needed(page))[0]!).toBeGreaterThan(300);
    // The policy is what keeps the script from running.
    expect(wrong.splice(0).join()).toMatch(/inline script/);
    expect((await needed(page))[0]!).toBeLessThanOrEqual((await shown(page))[0]!);
  });

  test('has its own fonts in a sandboxed frame', async () => {
    const page = await pageWith(
      `<iframe sandbox="allow-scripts" src="${site.origin}/embed/supply/" title="MIC supply" width="700" height="300"></iframe>`,
    );
    const frame = page.frameLocator('iframe');
    await frame.locator('.chart-title').waitFor();
    // Not those of the system in the same widths, which a machine may lack.
    const loaded = await frame.locator('body').evaluate(async () => {
      const own = [...document.fonts].filter(({ family }) => family.includes('Cathedral'));
      const faces = await Promise.all(own.map((face) => face.load()));
      return faces.map(({ status }) => status);
    });
    expect(loaded.length).toBeGreaterThan(2);
    expect(new Set(loaded)).toEqual(new Set(['loaded']));
  });

  test('cannot have any other page of the service in a frame', async () => {
    const page = await pageWith(
      `<iframe src="${site.origin}/charts/supply/" title="MIC supply" width="700" height="300"></iframe>`,
    );
    await expect.poll(() => wrong.join()).toMatch(/frame-ancestors/);
    await page.close();
    wrong.splice(0);
  });
});
