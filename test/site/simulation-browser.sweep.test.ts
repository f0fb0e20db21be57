import { readFile } from 'node:fs/promises';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulation } from '../../src/sidecar/simulation/simulation.ts';
import { replay } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { formatRunAddress, historyOf, parseRunAddress } from '../../src/site/simulation/run-address.ts';
import { transcriptJson } from '../../src/site/simulation/take-away.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { simulationServer } from '../sidecar/simulation/simulation-server.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { type Reader, type Visit, violations, visit } from './visit.ts';

const PATH = '/philosophy/simulation/';
/** In light and in dark, axe looks at these in browser.test.ts. */
const UNPLAYED = ['', 'model/', 'protocol/', 'reference/'];
const RUN = '?scenario=model_drift&seed=7&do=1+audit&tick=4';
const STORY = '?scenario=model_drift&seed=7';
const DECISION = '?scenario=model_drift&seed=7&tick=1';
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'who has enlarged it to 200 %': { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  'with colours of their own': { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};
/** The windows in which a newcomer sees everything that a decision needs. */
const WINDOWS = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

const DRIFT = SCENARIOS.find(({ name }) => name === 'model_drift')!;
/** At least as long as a day takes in a page. */
const DAY_MS = 1000;
/** The first decision of that scenario, and the labels of its choices. */
const [FIRST] = DRIFT.decisions;
const labelOf = (choice: string) => FIRST!.choices.find(({ name }) => name === choice)!.label;

const AUDITED = { scenario: DRIFT.name, seed: 7, actions: [{ tick: 1, name: 'audit', parameters: {} }] };
const ENDED = formatRunAddress({
  ...AUDITED,
  tick: replay({ ...AUDITED, tick: DRIFT.horizon }).world.tick,
});

let built: Built;
const browser = useBrowser();

beforeAll(async () => {
  built = await buildFixture();
});

afterAll(async () => {});

/** What the page’s engine is to give, by the same engine here: byte for byte. */
function transcriptHere(address: string): string {
  const { run } = parseRunAddress(new URL(address).searchParams)!;
  return transcriptJson(run, historyOf(run), address);
}

const moment = (page: Page) => page.locator('[data-part="moment"]').textContent();
const place = (page: Page) => page.locator('[data-part="place"]').textContent();
const fault = (page: Page) => page.locator('[data-part="fault"]').textContent();
const heard = (page: Page) => page.locator('[data-part="said"]').textContent();
const stances = (page: Page) => page.locator('[data-part="board"]').getAttribute('aria-label');
const dots = (page: Page) =>
  page.locator('.sentinel circle').evaluateAll((all) => all.map((dot) => Number(dot.getAttribute('cx'))));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const state = (page: Page) => page.locator('#simulation').getAttribute('data-state');

async function until(page: Page, start: string): Promise<void> {
  await expect.poll(() => moment(page)).toContain(start);
}

async function reach(page: Page, wanted: string): Promise<void> {
  await expect.poll(() => state(page)).toBe(wanted);
}

/** A run is played with the page's clock stopped: between two looks at it, it does not go on. */
function opened(url: string, reader: Reader = {}): Promise<Visit> {
  return visit(browser, url, { ...reader, clock: 'stopped' });
}

/** Lets days pass until then. */
async function play(page: Page, wanted: string): Promise<void> {
  const next = async () => {
    const now = await state(page);
    if (now !== wanted) await page.clock.runFor(DAY_MS);
    return now;
  };
  await expect.poll(next).toBe(wanted);
}

/** A control of the folded menu. */
async function more(page: Page, name: string): Promise<void> {
  await page.locator('.options summary').click();
  await button(page, name).click();
}

/** The parts, of those named, that the window does not show as a whole. */
function outside(page: Page, parts: readonly string[]): Promise<string[]> {
  return page.evaluate((selectors) => {
    return selectors.filter((selector) => {
      const { top, bottom, left, right, height } = document.querySelector(selector)!.getBoundingClientRect();
      const isIn = top >= -1 && left >= -1 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
      return height === 0 || !isIn;
    });
  }, parts);
}

describe.each(Object.entries(READERS))('to a reader %s', (_, reader) => {
  test.each([...UNPLAYED, STORY, DECISION, RUN, ENDED])(
    'the simulation at “%s” is accessible and fits',
    async (path) => {
      await using host = await openHost(built.out);
      await using visited = await visit(browser, `${host.origin}${PATH}${path}`, reader);
      const { page, wrong } = visited;
      if (path.startsWith('?')) await page.locator('.card h3').waitFor();
      if (path === ENDED) await reach(page, 'ended');
      if (!reader.colorScheme || !UNPLAYED.includes(path)) expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(reader.viewport!.width);
      const narrow = await page
        .locator('dd')
        .evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.clientWidth < 100).length);
      expect(narrow).toBe(0);
      expect(wrong).toEqual([]);
    },
  );
});

describe.each(WINDOWS)('in a window of $width × $height', (viewport) => {
  test('a newcomer chooses, guesses, decides and sees the ending without scrolling', async () => {
    await using host = await openHost(built.out);
    await using visited = await opened(`${host.origin}${PATH}`, { viewport });
    const { page, wrong } = visited;
    expect(await outside(page, ['.cases li:first-child', '.cases li:last-child'])).toEqual([]);
    await page.locator('.cases [data-scenario]').last().click();
    await reach(page, 'story');
    expect(await outside(page, ['[data-part="question"]', '[data-part="board"]', '.predict'])).toEqual([]);
    await button(page, 'In force').click();
    await play(page, 'decision');
    const screen = [
      '[data-part="question"]',
      '[data-part="board"]',
      '[data-part="tally"]',
      '[data-part="economy"]',
    ];
    const choices = await page.locator('.choice').count();
    const each = Array.from({ length: choices }, (_, i) => `.choice:nth-of-type(${i + 1}) > label`);
    expect(await outside(page, [...screen, ...each, '.commit'])).toEqual([]);
    expect(await page.locator('[data-part="tally"]').textContent()).toMatch(/\d+ of 10 must take a position/);
    await page.locator('.choice input').first().check();
    await page.locator('.predict button').first().click();
    expect(await outside(page, ['.forecast', '.commit'])).toEqual([]);
    await more(page, 'Skip to the end');
    await reach(page, 'ended');
    expect(
      await outside(page, [...screen, '.ended h3', '.ended p', '.ended .asked', '.ended .commit']),
    ).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.closest('.ended') !== null)).toBe(true);
    if (viewport.width < 500) {
      const heights = await page
        .locator('.ended button, .controls button:visible')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    }
    expect(wrong).toEqual([]);
  });
});

/** A sequence of numbers in [0, 1) that is the same in every run. */
function numbers(seed: number): () => number {
  let value = seed;
  return () => {
    value = (value * 16_807) % 2_147_483_647;
    return value / 2_147_483_647;
  };
}

/** The sentences on the screen with more than two numbers. */
function crowded(page: Page): Promise<string[]> {
  return page.locator('[data-part="screen"]').evaluate((screen) => {
    const blocks = screen.querySelectorAll<HTMLElement>('p, li, h2, h3, label, button, summary, output');
    const texts = [...blocks].filter((one) => one.checkVisibility()).map((one) => one.innerText);
    const sentences = texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n/));
    return sentences.filter((one) => (one.match(/\d+(?:[.,]\d+)*/g) ?? []).length > 2);
  });
}

describe('a run that is played', () => {
  test.each(SCENARIOS.map(({ name }) => name))(
    'of %s has no sentence with more than two numbers, whatever is chosen',
    async (name) => {
      await using host = await openHost(built.out);
      await using visited = await opened(`${host.origin}${PATH}?scenario=${name}&seed=3`);
      const { page, wrong } = visited;
      const random = numbers(name.length * 7919);
      await reach(page, 'story');
      const found = await crowded(page);
      await button(page, 'Start without a guess').click();
      await expect.poll(() => state(page)).not.toBe('story');
      for (let turn = 0; turn < 40; turn += 1) {
        const now = await state(page);
        found.push(...(await crowded(page)));
        if (now === 'ended') break;
        if (now === 'decision') {
          const inputs = page.locator('.choice input[type="radio"]');
          await inputs.nth(Math.floor(random() * (await inputs.count()))).check();
          for (const slider of await page.locator('.choice.chosen input[type="range"]').all()) {
            const end = await slider.getAttribute(random() < 0.5 ? 'min' : 'max');
            await slider.fill(end!);
          }
          await page.locator('.predict:visible [data-answer]').first().click();
          found.push(...(await crowded(page)));
          await page.locator('.commit .primary').click();
        } else await button(page, 'Next decision').click();
      }
      await reach(page, 'ended');
      expect(found).toEqual([]);
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
    await until(page, 'Day 4 of');
    const drawn = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      const system = ['CanvasText', 'LinkText', 'Canvas'].map((colour) => {
        probe.style.color = colour;
        return getComputedStyle(probe).color;
      });
      const dots = [...document.querySelectorAll('.sentinel circle')].map((dot) => getComputedStyle(dot));
      return { system, dots: dots.flatMap(({ fill, stroke }) => [fill, stroke]) };
    });
    expect(drawn.system).toEqual(expect.arrayContaining([...new Set(drawn.dots)]));
  });

  test('is printed without what paper cannot do, with its question, ending and chart', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${ENDED}`);
    const { page } = visited;
    await reach(page, 'ended');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#simulation :is(input, select, button:not(.sort)):visible').count()).toBe(0);
    for (const part of ['[data-part="question"]', '.ended', '.chosen-list', '[data-part="course"] svg'])
      expect(await page.locator(part).isVisible()).toBe(true);
    await page.goto(`${host.origin}${PATH}`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.scenario dd').first().isVisible()).toBe(true);
    await page.goto(`${host.origin}${PATH}protocol/`);
    expect(await page.locator('[data-answer]').first().isVisible()).toBe(true);
  });
});

test.each(['A4', 'Letter'] as const)(
  'the sheet for teachers is printed alone, on one page of %s',
  async (format) => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`);
    const { page } = visited;
    await page.evaluate(() => {
      window.print = () => {};
    });
    await button(page, 'Print this sheet').click();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('main > :visible').count()).toBe(1);
    expect(await page.locator('.teacher-sheet button:visible').count()).toBe(0);
    const pdf = await page.pdf({ format });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)).toHaveLength(1);
    // Once it is printed, the page is whole again.
    expect(await page.locator('main > :visible').count()).toBeGreaterThan(1);
  },
);

describe('on a host that has files alone', () => {
  test('with the keyboard a run is begun, stops at a decision, and goes on as one decides', async () => {
    await using host = await openHost(built.out);
    await using visited = await opened(`${host.origin}${PATH}`);
    const { page, wrong } = visited;
    await page.locator('a[data-scenario="model_drift"]').focus();
    await page.keyboard.press('Enter');
    await reach(page, 'story');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('The story');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await play(page, 'decision');
    expect(await place(page)).toContain('there is no service here');
    await expect.poll(() => heard(page)).toContain(`Your decision: ${FIRST!.title}.`);
    // The card has changed under the reader, who is at its heading.
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(FIRST!.title);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.locator('.predict [data-answer="undecided"]').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('.forecast').textContent()).toContain('The forecast for the next 7 days');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.getAll('do')).toHaveLength(1);
    await more(page, 'Skip to the end');
    await reach(page, 'ended');
    expect(await heard(page)).toContain('The run is over');
    expect(await page.locator('.ended').textContent()).toMatch(/predictions? /);
    expect([wrong, host.missed]).toEqual([[], []]);
  });

  test('“Next decision” stops at the next decision or vote; a dot moves for each sentinel', async () => {
    await using host = await openHost(built.out);
    const reader = { reducedMotion: 'reduce' } as const;
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`, reader);
    const { page } = visited;
    await until(page, 'Day 4 of');
    const before = await dots(page);
    expect(before).toHaveLength(10);
    await button(page, 'Next decision').click();
    await expect.poll(() => moment(page)).not.toContain('Day 4 of');
    expect(await dots(page)).not.toEqual(before);
    expect(await stances(page)).toMatch(/^The board on day \d+\. for: .*; against: /);
    const { open, deliberation } = await page.evaluate(() => ({
      open: document.querySelectorAll('.deciding').length,
      deliberation: document.querySelectorAll('.result').length,
    }));
    expect(open + deliberation).toBeGreaterThan(0);
  });

  test('a slider changes the forecast, which names the value that it assumes', async () => {
    await using host = await openHost(built.out);
    const [scenario] = SCENARIOS.filter(({ decisions }) =>
      decisions[0]!.choices.some(({ parameters }) => parameters),
    );
    const choice = scenario!.decisions[0]!.choices.find(({ parameters }) => parameters)!;
    const [parameter, about] = Object.entries(choice.parameters!)[0]!;
    if (about.kind !== 'number') throw new Error(`${parameter} has no slider`);
    const path = `${PATH}?scenario=${scenario!.name}&seed=7&tick=1`;
    await using visited = await visit(browser, `${host.origin}${path}`);
    const { page } = visited;
    await page.getByLabel(choice.label).check();
    await page.locator('.predict').getByRole('button', { name: 'Skip' }).click();
    const slider = page.locator(`[name="${choice.name}.${parameter}"]`);
    await slider.fill(String(about.maximum));
    await expect
      .poll(() => page.locator('.forecast').textContent())
      .toContain(`${parameter} ${about.maximum}`);
  });

  test('a link replays a run exactly, an earlier point is gone back to, and two runs are compared', async () => {
    await using host = await openHost(built.out);
    await using visited = await opened(`${host.origin}${PATH}${RUN}`);
    const { page, wrong } = visited;
    await until(page, 'Day 4 of');
    const four = await dots(page);
    await button(page, 'Keep this run for comparison').click();
    await page.getByLabel('Show an earlier day').fill('1');
    await until(page, 'day 1.');
    expect(await dots(page)).not.toEqual(four);
    await button(page, 'Branch from here').click();
    await page.getByLabel(labelOf('ask_aurea'), { exact: true }).check();
    await page.locator('.predict').getByRole('button', { name: 'Skip' }).click();
    await button(page, `Decide: ${labelOf('ask_aurea')}`).click();
    await expect.poll(() => new URL(page.url()).search).toContain('do=1+ask_aurea');
    await button(page, 'Pause').click();
    await button(page, 'Next decision').click();
    await expect.poll(() => page.locator('.deciding, .result').count()).toBeGreaterThan(0);
    const other = await dots(page);
    const columns = await page.locator('[data-part="measures"] thead th').allTextContents();
    expect(columns).toEqual(['Measure', 'This run', 'Kept']);
    expect(await page.locator('[data-part="course"] path[stroke-dasharray="6 4"]').count()).toBe(2);
    const link = await page.locator('[data-part="link"] code').textContent();
    await using again = await visit(browser, link!);
    await expect.poll(() => dots(again.page)).toEqual(other);
    const both = await again.page.locator('[data-part="measures"]').textContent();
    expect(both).toBe(await page.locator('[data-part="measures"]').textContent());
    await button(again.page, 'Discard the kept run').click();
    expect(await again.page.locator('[data-part="link"] code').textContent()).not.toContain('kept_');
    await expect.poll(() => again.page.url()).not.toContain('kept_');
    expect([wrong, again.wrong]).toEqual([[], []]);
  });

  test('a run that is over can be changed at one decision, and is kept beside the new one', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${ENDED}`);
    const { page } = visited;
    await reach(page, 'ended');
    expect(await page.locator('.chosen-list').textContent()).toMatch(/Without it, the run would have ended/);
    expect(await page.locator('.why-panel').textContent()).toContain(labelOf('audit'));
    expect(await page.locator('.matrix rect').count()).toBe(100);
    await button(page, 'Change this').click();
    await reach(page, 'decision');
    await until(page, 'Day 1 of');
    expect(page.url()).toContain('kept_do=1+audit');
  });

  test('a run is taken along as transcript, picture and citation', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await until(page, 'Day 4 of');
    for (const [name, file, content] of [
      ['Transcript, JSON', 'model_drift-7-4.json', '"format": "cathedral-simulation/'],
      ['Transcript, CSV', 'model_drift-7-4.csv', 'tick,cycle,sentinel,'],
      ['Picture, SVG', 'model_drift-7-4.svg', '<svg xmlns="http://www.w3.org/2000/svg"'],
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
      /\[simulation run\]\. Scenario model_drift, seed 7, 1 action, tick 4\. http/,
    );
  });

  test('a link that is not valid says what is wrong, and the run goes as far as it was', async () => {
    await using host = await openHost(built.out);
    const address = `${host.origin}${PATH}?scenario=model_drift&v=0&seed=7&do=1+audit&do=3+explode&tick=9`;
    await using visited = await visit(browser, address);
    const { page, wrong } = visited;
    await until(page, 'Day 3 of');
    expect(await fault(page)).toMatch(/made with another version.*do, number 2: .*found "explode"/);
    await page.goto(`${host.origin}${PATH}?scenario=none`);
    await expect.poll(() => fault(page)).toContain('The link names no run. Expected one of');
    await page.locator('a[data-scenario="model_drift"]').click();
    await reach(page, 'story');
    expect(await fault(page)).toBe('');
    expect(wrong).toEqual([]);
  });
});

describe('where the service answers', () => {
  test('it plays, and the page goes on by itself when the service goes', async () => {
    const { simulation } = await simulationServer();
    await using host = await openHost(built.out, '', simulation);
    await using visited = await opened(`${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await expect.poll(() => place(page)).toContain('Played by the service');
    await until(page, 'Day 4 of');
    const four = await dots(page);
    expect(simulation.counts()).toMatchObject({ started: 1, sent: 1 });
    await simulation.close();
    const later = async () => {
      await page.clock.runFor('00:05');
      return place(page);
    };
    await expect.poll(later).toContain('Played in this page');
    expect(await dots(page)).toEqual(four);
    await more(page, 'One day');
    await until(page, 'Day 5 of');
  });

  test('it goes on with the run at another server when one shuts down', async () => {
    const servers = [await simulationServer(), await simulationServer()];
    const asked: number[] = [];
    const balancer: Pick<Simulation, 'upgrade'> = {
      upgrade: (...connection) => servers[asked.push(asked.length) - 1]!.simulation.upgrade(...connection),
    };
    await using host = await openHost(built.out, '', balancer);
    await using visited = await opened(`${host.origin}${PATH}${RUN}`);
    const { page } = visited;
    await expect.poll(() => place(page)).toContain('Played by the service');
    await more(page, 'One day');
    await until(page, 'Day 5 of');
    const five = await dots(page);
    let sockets = 0;
    page.on('websocket', () => {
      sockets += 1;
    });
    await servers[0]!.simulation.drain(0);
    // The reader need not wait for the connection.
    await more(page, 'One day');
    const connecting = async () => {
      if (sockets === 0) await page.clock.runFor(500);
      return sockets;
    };
    await expect.poll(connecting).toBe(1);
    await until(page, 'Day 6 of');
    expect(await place(page)).toContain('Played by the service');
    expect(servers[1]!.simulation.counts()).toMatchObject({ started: 0, resumed: 1 });
    await page.getByLabel('Show an earlier day').fill('5');
    expect(await dots(page)).toEqual(five);
  });

  test('it need not have any left: then the page plays, and says why', async () => {
    const take = async () => ({ allowed: false, limit: 100, remaining: 0, resetSeconds: 60 });
    const { simulation } = await simulationServer({ services: { limiter: { take } } });
    await using host = await openHost(built.out, '', simulation);
    await using visited = await opened(`${host.origin}${PATH}${RUN}`);
    await expect
      .poll(() => place(visited.page))
      .toContain('the service has reached its limit for your network');
    expect(await moment(visited.page)).toContain('Day 4 of');
  });
});

describe('without JavaScript', () => {
  test('the stories, their endings and the model are there, and nothing that would not work', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`, { javaScriptEnabled: false });
    const { page } = visited;
    expect(await page.locator('details.scenario').count()).toBe(7);
    await page.locator('details.scenario summary').first().click();
    expect(await page.locator('details.scenario dd').first().isVisible()).toBe(true);
    expect(await page.locator('#simulation button:visible, #simulation select:visible').count()).toBe(0);
    expect(await page.locator('#model').isVisible()).toBe(true);
    expect(await page.locator('.lesson').isVisible()).toBe(true);
    expect(await page.locator('.teacher-sheet button:visible').count()).toBe(0);
  });
});
