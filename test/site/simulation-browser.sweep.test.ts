import type { BrowserContextOptions, Page } from 'playwright';
import { beforeAll, describe, expect, test } from 'vitest';
import { replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { SCENARIOS, scenarioNamed } from '../../src/simulation/scenarios.ts';
import { formatRunAddress } from '../../src/site/simulation/run-address.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { violations, visit } from './visit.ts';

const PATH = '/philosophy/simulation/';
/** In light and in dark, axe looks at these in browser.test.ts. */
const UNPLAYED = ['', 'model/', 'protocol/', 'reference/'];
const DRIFT = scenarioNamed('model_drift');
const AUDITED = { scenario: DRIFT.name, seed: 7, actions: [{ tick: 1, name: 'audit', parameters: {} }] };
const FIRST = formatRunAddress(stepRun(startRun(DRIFT.name, 7)));
const RUN = formatRunAddress(replay({ ...AUDITED, tick: 4 }));
const ENDED = formatRunAddress(replay({ ...AUDITED, tick: DRIFT.horizon }));
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'who has enlarged it to 200 %': { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  'with colours of their own': { viewport: { width: 1280, height: 800 }, forcedColors: 'active' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

let built: Built;
const browser = useBrowser();

beforeAll(async () => {
  built = await buildFixture();
});

const moment = (page: Page) => page.locator('[data-part="moment"]').textContent();
const fault = (page: Page) => page.locator('[data-part="fault"]').textContent();
const heard = (page: Page) => page.locator('[data-part="said"]').textContent();
const dots = (page: Page) =>
  page
    .locator('.sentinel .track')
    .evaluateAll((all) => all.map((track) => (track as HTMLElement).style.getPropertyValue('--is')));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

async function reach(page: Page, wanted: string): Promise<void> {
  await expect.poll(() => page.locator('#simulation').getAttribute('data-state')).toBe(wanted);
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
  test.each([...UNPLAYED, FIRST, RUN, ENDED])(
    'the simulation at “%s” is accessible and fits',
    async (path) => {
      await using host = await openHost(built.out);
      await using visited = await visit(browser, `${host.origin}${PATH}${path}`, reader);
      const { page, wrong } = visited;
      if (path.startsWith('?')) await page.locator('.card h3').waitFor();
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

test.each([
  [1280, 900],
  [390, 844],
])('in a window of %i × %i a newcomer sees at once what there is to do', async (width, height) => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}`, { viewport: { width, height } });
  const { page, wrong } = visited;
  expect(await outside(page, ['.cases li:first-child', '.cases li:last-child'])).toEqual([]);
  await page.locator('.cases [data-scenario]').last().click();
  await reach(page, 'decision');
  const situation = ['[data-part="question"]', '[data-part="clock"]', '[data-part="board"]'];
  expect(await outside(page, [...situation, '.card h3', '.choice'])).toEqual([]);
  await page.locator('.choice button').first().click();
  expect(await page.locator('.led h3').textContent()).toMatch(/^Since you chose “/);
  expect(await outside(page, ['.led h3', '.led ul'])).toEqual([]);
  if (width < 500) {
    const low = await page
      .locator('.commit button, .choice button')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44).length);
    expect(low).toBe(0);
  }
  expect(wrong).toEqual([]);
});

test('with the keyboard a case is chosen, decided and ended, and a screen reader hears what changed', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}`);
  const { page, wrong } = visited;
  await page.locator('a[data-scenario="model_drift"]').focus();
  await page.keyboard.press('Enter');
  await reach(page, 'decision');
  const [first] = DRIFT.decisions;
  expect(await focused(page)).toBe(first!.title);
  await page.keyboard.press('Tab');
  const { label } = first!.choices[0]!;
  expect(await focused(page)).toBe(label);
  // What it does, whom it pleases and what it costs is heard with it.
  const tree = await page.locator('[data-part="card"]').ariaSnapshot();
  expect(tree).toContain(`button "${label}"`);
  await expect.poll(() => page.locator('[data-part="card"]').ariaSnapshot()).toContain('term: In a week');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).searchParams.getAll('do')).toHaveLength(1);
  // The card is there when its choices are forecast.
  const atHeading = () => expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H3');
  await atHeading();
  expect(await heard(page)).toMatch(/^Day \d+\. /);
  for (let turn = 0; turn < 40; turn += 1) {
    await atHeading();
    if ((await page.locator('#simulation').getAttribute('data-state')) === 'ended') break;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  }
  await reach(page, 'ended');
  expect(await page.locator('.ended .entries').textContent()).toContain('Without it: ');
  expect([wrong, host.missed]).toEqual([[], []]);
});

test.each(SCENARIOS.map(({ name }) => name))('%s is played to its end in the page', async (name) => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}?scenario=${name}&seed=3`);
  const { page, wrong } = visited;
  for (let turn = 0; turn < 40; turn += 1) {
    await page.locator('.card h3').waitFor();
    const state = await page.locator('#simulation').getAttribute('data-state');
    if (state === 'ended') break;
    const buttons = page.locator(state === 'decision' ? '.choice:not(.move) button' : '.commit button');
    await buttons.nth(turn % (await buttons.count())).click();
  }
  await reach(page, 'ended');
  expect(wrong).toEqual([]);
});

test('“back” takes a choice back, and an ending leads to the moment before each choice', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}${FIRST}`);
  const { page } = visited;
  await reach(page, 'decision');
  const before = await dots(page);
  await page.locator('.choice button').first().click();
  await expect.poll(() => dots(page)).not.toEqual(before);
  await page.goBack();
  await expect.poll(() => dots(page)).toEqual(before);
  await page.goto(`${host.origin}${PATH}${ENDED}`);
  await page.getByRole('link', { name: 'Choose otherwise' }).first().click();
  await reach(page, 'decision');
  expect(await moment(page)).toContain('Day 1 of');
  await page.getByRole('link', { name: 'All cases' }).click();
  expect(await page.locator('.cases').isVisible()).toBe(true);
});

test('a slider changes what its choice would do', async () => {
  await using host = await openHost(built.out);
  const path = `${PATH}?scenario=cathedral_multiplier_proposal&seed=7`;
  await using visited = await visit(browser, `${host.origin}${path}`);
  const { page } = visited;
  const choice = page.locator('[data-choice="amend_multiplier"]');
  const prospect = () => choice.locator('.prospect').textContent();
  await choice.waitFor();
  const before = await prospect();
  await choice.locator('input').fill('2');
  await expect.poll(prospect).not.toBe(before);
  await choice.getByRole('button').click();
  await expect.poll(() => new URL(page.url()).searchParams.get('do')).toBe('1 amend_multiplier multiplier 2');
});

test('a run is taken along as its link and its citation', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`);
  const { page } = visited;
  await reach(page, 'decision');
  expect(await page.locator('[data-part="link"] code').textContent()).toBe(page.url());
  expect(await page.locator('[data-part="citation"] code').textContent()).toMatch(
    /\[simulation run\]\. Scenario model_drift, seed 7, 1 action, tick 4\. http/,
  );
});

test('a link that is not valid says what is wrong, and leads to the run as far as it goes and to the cases', async () => {
  await using host = await openHost(built.out);
  const address = `${host.origin}${PATH}?scenario=model_drift&v=0&seed=7&do=1+audit&do=3+explode&tick=9`;
  await using visited = await visit(browser, address);
  const { page, wrong } = visited;
  await expect.poll(() => fault(page)).toMatch(/do, number 2: .*found "explode".*made with another version/);
  await page.locator('[data-part="fault"] a').click();
  await expect.poll(() => moment(page)).toContain('Day 3 of');
  expect(await fault(page)).toBe('');
  await page.goto(`${host.origin}${PATH}?scenario=none`);
  await expect.poll(() => fault(page)).toContain('scenario: expected one of');
  await page.locator('a[data-scenario="model_drift"]').click();
  await reach(page, 'decision');
  expect(await fault(page)).toBe('');
  expect(wrong).toEqual([]);
});

test('a run is drawn in the colours that a reader has chosen', async () => {
  await using host = await openHost(built.out);
  const reader = { forcedColors: 'active', colorScheme: 'dark' } as const;
  await using visited = await visit(browser, `${host.origin}${PATH}${RUN}`, reader);
  const { page } = visited;
  await reach(page, 'decision');
  const drawn = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    const system = ['CanvasText', 'LinkText', 'Canvas'].map((colour) => {
      probe.style.color = colour;
      return getComputedStyle(probe).color;
    });
    const dots = [...document.querySelectorAll('.track')].map((track) => getComputedStyle(track, '::after'));
    return { system, dots: dots.flatMap((dot) => [dot.backgroundColor, dot.borderTopColor]) };
  });
  expect(drawn.system).toEqual(expect.arrayContaining([...new Set(drawn.dots)]));
});

test('a run is printed without what paper cannot do, with its question, ending and chart', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}${ENDED}`);
  const { page } = visited;
  await reach(page, 'ended');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('#simulation :is(input, select, button:not(.sort)):visible').count()).toBe(0);
  for (const part of ['[data-part="question"]', '.ended', '.ended .entries', '[data-part="course"] svg'])
    expect(await page.locator(part).isVisible()).toBe(true);
  await page.goto(`${host.origin}${PATH}${RUN}`);
  await reach(page, 'decision');
  expect(await page.locator('.choice > button').first().isVisible()).toBe(true);
  await page.goto(`${host.origin}${PATH}`);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.scenario dd').first().isVisible()).toBe(true);
  await page.goto(`${host.origin}${PATH}protocol/`);
  expect(await page.locator('#message-scenario_list ~ details pre').isVisible()).toBe(true);
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
    expect(await page.locator('.teacher-sheet button:not(.sort):visible').count()).toBe(0);
    const pdf = await page.pdf({ format });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)).toHaveLength(1);
    // Once it is printed, the page is whole again.
    expect(await page.locator('main > :visible').count()).toBeGreaterThan(1);
  },
);

test('without JavaScript the stories, their endings and the model are there, and nothing that would not work', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}`, { javaScriptEnabled: false });
  const { page } = visited;
  expect(await page.locator('details.scenario').count()).toBe(7);
  await page.locator('details.scenario summary').first().click();
  expect(await page.locator('details.scenario dd').first().isVisible()).toBe(true);
  expect(await page.locator('#simulation button:visible, #simulation select:visible').count()).toBe(0);
  expect(await page.locator('#model').isVisible()).toBe(true);
  expect(await page.locator('.lesson').isVisible()).toBe(true);
  expect(await page.locator('.teacher-sheet button:not(.sort):visible').count()).toBe(0);
});
