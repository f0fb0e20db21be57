import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulation } from '../../src/sidecar/simulation/simulation.ts';
import { historyOf, parseRunAddress } from '../../src/site/components/simulation/run-address.ts';
import { transcriptJson } from '../../src/site/components/simulation/take-away.ts';
import { simulationServer } from '../sidecar/simulation/simulation-server.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { launchBrowser, violations, visit } from './visit.ts';

const PATH = '/philosophy/simulation/';
const RUN = '?scenario=model_drift&seed=7&do=1+audit&tick=9';
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'who has enlarged it to 200 %': { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  'with colours of their own': { viewport: { width: 1280, height: 900 }, forcedColors: 'active' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};
/** On a machine that has other work a browser may take long to do little. */

let built: Built;
let browser: Browser;

beforeAll(async () => {
  built = await buildFixture();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

/** What the page’s engine is to give, by the same engine here: byte for byte. */
function transcriptHere(address: string): string {
  const { run } = parseRunAddress(new URL(address).searchParams)!;
  return transcriptJson(run, historyOf(run), address);
}

const moment = (page: Page) => page.locator('[data-part="moment"]').textContent();
const said = (page: Page) => page.locator('[data-part="status"]').textContent();
const opinions = (page: Page) => page.locator('.voices .stance').allTextContents();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function until(page: Page, start: string): Promise<void> {
  await expect.poll(() => moment(page)).toContain(start);
}

describe.each(Object.entries(READERS))('to a reader %s', (_, reader) => {
  test.each([PATH, `${PATH}${RUN}`, `${PATH}model/`, `${PATH}protocol/`])(
    '%s is accessible and fits',
    async (path) => {
      await using host = await openHost(built.out);
      await using visited = await visit(browser, `${host.origin}${path}`, reader);
      const { page, wrong } = visited;
      if (path.includes('?')) await until(page, 'Tick 9 of 34');
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(reader.viewport!.width);
      expect(wrong).toEqual([]);
    },
  );
});

describe('a run', () => {
  test('is drawn in the colours that a reader has chosen', async () => {
    await using host = await openHost(built.out);
    const reader = { forcedColors: 'active', colorScheme: 'dark' } as const;
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`, reader);
    const { page } = visited;
    await until(page, 'Tick 9 of 34');
    const drawn = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      const system = ['CanvasText', 'LinkText', 'Canvas'].map((colour) => {
        probe.style.color = colour;
        return getComputedStyle(probe).color;
      });
      const dots = [...document.querySelectorAll('.stances circle')].map((dot) => getComputedStyle(dot));
      return { system, dots: dots.flatMap(({ fill, stroke }) => [fill, stroke]) };
    });
    expect(drawn.system).toEqual(expect.arrayContaining([...new Set(drawn.dots)]));
  });

  test('is printed without what paper cannot do, and with what is folded on the screen', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await until(page, 'Tick 9 of 34');
    const ending = page.locator('.scenario dd').first();
    expect(await ending.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#simulation :is(input, select):visible').count()).toBe(0);
    expect(await ending.isVisible()).toBe(true);
    const buttons = page.locator('#simulation button:visible');
    for (const border of await buttons.evaluateAll((all) =>
      all.map((one) => getComputedStyle(one).borderTopWidth),
    ))
      expect(border).toBe('0px');
    await page.goto(`${host.origin}${PATH}protocol/`);
    expect(await page.locator('[data-answer]').first().isVisible()).toBe(true);
  });
});

describe('on a host that has files alone', () => {
  test('a run is begun, stops at a decision, and goes on as one decides, with the keyboard', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`);
    const { page, wrong } = visited;
    await page.getByLabel('Scenario', { exact: true }).selectOption('model_drift');
    await page.getByLabel(/^Seed/).fill('7');
    await page.keyboard.press('Enter');
    await until(page, 'Tick 1 of 34');
    expect(await moment(page)).toContain('run in this page');
    await expect.poll(() => said(page)).toContain('Decision needed: How you look.');
    await expect.poll(() => button(page, 'Run').isVisible()).toBe(true);
    await button(page, 'An audit against the baseline').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('heading', { name: 'You decide' }).count()).toBe(0);
    // The button is gone; who pressed it is not left at the top of the page.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('actions-title');
    await button(page, 'One tick').click();
    await until(page, 'Tick 2 of 34');
    await expect
      .poll(() => new URL(page.url()).search)
      .toBe('?scenario=model_drift&seed=7&do=1+audit&tick=2');
    await button(page, 'To the end').click();
    await expect.poll(() => page.getByRole('heading', { name: /^Ending: / }).isVisible()).toBe(true);
    expect(await said(page)).toContain('The run is over');
    expect(await violations(page)).toEqual([]);
    expect([wrong, host.missed]).toEqual([[], []]);
  });

  test('what moves, moves in the picture: a dot for each sentinel, at its opinion', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`, { reducedMotion: 'reduce' });
    const { page } = visited;
    await until(page, 'Tick 9 of 34');
    const dots = () =>
      page.locator('.stances circle').evaluateAll((all) => all.map((dot) => Number(dot.getAttribute('cx'))));
    const before = await dots();
    expect(before).toHaveLength(10);
    await button(page, 'One tick').click();
    await until(page, 'Tick 10 of 34');
    expect(await dots()).not.toEqual(before);
    expect(await page.locator('.stances svg').getAttribute('aria-label')).toMatch(
      /^Opinions after tick 10: \d+ support, /,
    );
  });

  test('a link replays a run exactly, an earlier point is gone back to, and two runs are compared', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page, wrong } = visited;
    await until(page, 'Tick 9 of 34');
    const nine = await opinions(page);
    await button(page, 'Keep this run for comparison').click();
    await page.getByLabel('Show an earlier tick').fill('1');
    await until(page, 'Tick 1 of 34');
    expect(await opinions(page)).not.toEqual(nine);
    await button(page, 'Branch from here').click();
    await button(page, 'Ask AUREA').click();
    await expect.poll(() => new URL(page.url()).search).toContain('do=1+ask_aurea&tick=1');
    for (let tick = 2; tick <= 9; tick += 1) {
      await button(page, 'One tick').click();
      await until(page, `Tick ${tick} of 34`);
    }
    const other = await opinions(page);
    expect(other).not.toEqual(nine);
    const columns = await page.locator('[data-part="measures"] thead th').allTextContents();
    expect(columns).toEqual(['Measure', 'This run', 'Kept']);
    expect(await page.locator('[data-part="course"] path[stroke-dasharray]').count()).toBe(1);
    const link = await page.locator('[data-part="link"] code').textContent();
    await using again = await visit(browser, link!);
    await until(again.page, 'Tick 9 of 34');
    expect(await opinions(again.page)).toEqual(other);
    const both = await again.page.locator('[data-part="measures"]').textContent();
    expect(both).toBe(await page.locator('[data-part="measures"]').textContent());
    await button(again.page, 'Discard the kept run').click();
    expect(await again.page.locator('[data-part="link"] code').textContent()).not.toContain('kept_');
    await expect.poll(() => again.page.url()).not.toContain('kept_');
    expect([wrong, again.wrong]).toEqual([[], []]);
  });

  test('a run is taken along as transcript, picture and citation', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await until(page, 'Tick 9 of 34');
    for (const [name, file, content] of [
      ['Transcript, JSON', 'model_drift-7-9.json', '"format": "cathedral-simulation/1"'],
      ['Transcript, CSV', 'model_drift-7-9.csv', 'tick,cycle,sentinel,'],
      ['Picture, SVG', 'model_drift-7-9.svg', '<svg xmlns="http://www.w3.org/2000/svg"'],
    ] as const) {
      const saving = page.waitForEvent('download');
      await button(page, name).click();
      const saved = await saving;
      expect(saved.suggestedFilename()).toBe(file);
      const text = await readFile(await saved.path(), 'utf8');
      expect(text).toContain(content);
      expect(text).not.toContain('var(--');
      if (file.endsWith('.json')) expect(text).toBe(transcriptHere(page.url()));
    }
    expect(await page.locator('[data-part="citation"] code').textContent()).toMatch(
      /\[simulation run\]\. Scenario model_drift, seed 7, 1 action, tick 9\. http/,
    );
  });

  test('an address that names no run says so, and one can begin all the same', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}?scenario=model_drift&do=1+explode`);
    const { page, wrong } = visited;
    await expect.poll(() => said(page)).toContain('The address does not describe a valid run');
    await button(page, 'Start').click();
    await until(page, 'Tick 1 of');
    expect(wrong).toEqual([]);
  });
});

describe('where the service answers', () => {
  test('it plays, and the page goes on by itself when the service goes', async () => {
    const { simulation } = await simulationServer();
    await using host = await openHost(built.out, '', simulation);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await until(page, 'run by the service');
    const nine = await opinions(page);
    expect(simulation.counts()).toMatchObject({ started: 1, sent: 1 });
    await simulation.close();
    await until(page, 'run in this page');
    expect(await opinions(page)).toEqual(nine);
    await button(page, 'One tick').click();
    await until(page, 'Tick 10 of 34');
  });

  test('it goes on with the run at another server when one shuts down', async () => {
    const servers = [await simulationServer(), await simulationServer()];
    const asked: number[] = [];
    const balancer: Pick<Simulation, 'upgrade'> = {
      upgrade: (...connection) => servers[asked.push(asked.length) - 1]!.simulation.upgrade(...connection),
    };
    await using host = await openHost(built.out, '', balancer);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await until(page, 'run by the service');
    await button(page, 'One tick').click();
    await until(page, 'Tick 10 of 34');
    const ten = await opinions(page);
    await servers[0]!.simulation.drain(0);
    // The reader need not wait for the connection.
    await button(page, 'One tick').click();
    await until(page, 'Tick 11 of 34');
    expect(await moment(page)).toContain('run by the service');
    expect(servers[1]!.simulation.counts()).toMatchObject({ started: 0, resumed: 1 });
    await page.getByLabel('Show an earlier tick').fill('10');
    expect(await opinions(page)).toEqual(ten);
  });

  test('it need not have any left: then the page plays', async () => {
    const take = async () => ({ allowed: false, limit: 100, remaining: 0, resetSeconds: 60 });
    const { simulation } = await simulationServer({ services: { limiter: { take } } });
    await using host = await openHost(built.out, '', simulation);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    await until(visited.page, 'run in this page');
    expect(await moment(visited.page)).toContain('Tick 9 of 34');
  });
});

describe('without JavaScript', () => {
  test('the scenarios, their endings and the model are there, and nothing that would not work', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`, { javaScriptEnabled: false });
    const { page } = visited;
    expect(await page.locator('article.scenario').count()).toBe(7);
    expect(await page.locator('#simulation button:visible, #simulation select:visible').count()).toBe(0);
    expect(await page.locator('#model').isVisible()).toBe(true);
  });
});
