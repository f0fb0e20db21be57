import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playBatch } from '../../src/simulation/laboratory/batch.ts';
import { runsCsv } from '../../src/simulation/laboratory/run-row.ts';
import { EACH, ownLevers, type SetUp } from '../../src/simulation/laboratory/set-up.ts';
import { roundTo6 } from '../../src/simulation/round-to-6.ts';
import { replay } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { randomPlan } from '../../src/site/components/simulation/laboratory/presets.ts';
import {
  formatSetUpAddress,
  newSetUp,
} from '../../src/site/components/simulation/laboratory/set-up-address.ts';
import { parseRunAddress } from '../../src/site/components/simulation/run-address.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { launchBrowser, violations, visit } from './visit.ts';

const PATH = '/philosophy/simulation/laboratory/';
const [FIRST, , , , LAST] = SCENARIOS.map(({ name }) => name) as [string, string, string, string, string];
const READERS: Record<string, BrowserContextOptions> = {
  'at a desk, in light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'on a small phone, in dark': { viewport: { width: 320, height: 640 }, colorScheme: 'dark' },
};

let built: Built;
let browser: Browser;

beforeAll(async () => {
  built = await buildFixture();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

/** Random choices, a changed parameter, a comparison and a sweep. */
function busySetUp(scenario: string, seeds: SetUp['seeds']): SetUp {
  return {
    scenario,
    settings: { quorum: 0.5 },
    plan: randomPlan(scenario),
    seeds,
    sweep: { parameter: 'stubbornness', from: 0, to: 4, values: 5 },
    compared: { settings: {}, plan: {} },
  };
}

const addressOf = (setUp: SetUp) => `${PATH}${formatSetUpAddress(setUp)}`;
const said = (page: Page) => page.locator('[data-part="status"]').textContent();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const results = (page: Page) => page.locator('[data-part="results"]');

async function untilDone(page: Page): Promise<void> {
  await expect.poll(() => said(page)).toMatch(/^Done: /);
}

async function download(page: Page, name: string) {
  const saving = page.waitForEvent('download');
  await button(page, name).click();
  const saved = await saving;
  return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') };
}

describe.each(Object.entries(READERS))('to a reader %s', (_, reader) => {
  test('every state of it is accessible and fits', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`, reader);
    const { page, wrong } = visited;
    const check = async () => {
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(reader.viewport!.width);
    };
    await page.locator('.parameters summary').click();
    await check();
    await page.goto(`${host.origin}${addressOf(busySetUp(FIRST, { from: 1, to: 20 }))}`);
    await untilDone(page);
    await results(page).locator('details summary').first().click();
    await check();
    await page.goto(
      `${host.origin}${addressOf({ ...newSetUp(FIRST), seeds: { from: 1, to: 2 }, sweep: EACH })}&set=quorum+9`,
    );
    await expect.poll(() => page.getByText('expected a number from 0.3 to 1').isVisible()).toBe(true);
    await button(page, /^Run the batch/).click();
    await untilDone(page);
    await check();
    expect([wrong, host.missed]).toEqual([[], []]);
  });
});

describe('a batch', () => {
  test.each([FIRST, LAST])(
    'of %s gives the bytes that the engine gives here, and a link that repeats it',
    async (name) => {
      await using host = await openHost(built.out);
      const setUp = busySetUp(name, { from: 4, to: 33 });
      await using visited = await visit(browser, `${host.origin}${addressOf(setUp)}`);
      const { page, wrong } = visited;
      await untilDone(page);
      const csv = await download(page, 'Runs, CSV');
      expect(csv).toEqual({ name: `${name}-4-33.csv`, text: runsCsv(setUp, [...playBatch(setUp)]) });
      const json = JSON.parse((await download(page, 'Set-up, JSON')).text);
      expect(json).toMatchObject({ ...setUp, runs: 210, is_partial: false });
      const link = await page.locator('[data-part="link"] code').textContent();
      expect([link, json.address]).toEqual([`${host.origin}${addressOf(setUp)}`, link]);
      await results(page).locator('details summary').first().click();
      const seed = results(page).locator('.seeds a').first();
      const { run } = parseRunAddress(
        new URL(`${await seed.getAttribute('href')}`, host.origin).searchParams,
      )!;
      expect(run.seed).toBe(Number(await seed.textContent()));
      const [row] = [...playBatch(setUp)].filter((one) => one.part === 0 && one.seed === run.seed);
      expect(replay(run).world.ending).toBe(row!.ending);
      expect(wrong).toEqual([]);
    },
  );

  test('is set up and run with the keyboard; its worker is loaded when it starts, and gone when it is done', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`);
    const { page, wrong } = visited;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByRole('link', { name: 'Set it up: Does the quorum decide?' }).press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(
      /^Run the batch \(1,800 runs\)/,
    );
    await page.getByLabel('Number of seeds').fill('10');
    await page.locator('.parameters summary').press('Enter');
    await page.getByRole('slider', { name: 'Consensus' }).press('ArrowRight');
    const consensus = ownLevers(FIRST).consensus;
    const raised = String(roundTo6(consensus + 0.01));
    expect(await page.getByLabel('Consensus, as a number').inputValue()).toBe(raised);
    expect(asked).toEqual([]);
    await page.getByLabel('Number of seeds').press('Enter');
    await untilDone(page);
    expect(asked.filter((url) => url.includes('batch-worker'))).toHaveLength(1);
    await expect.poll(() => page.workers()).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('results-title');
    expect(new URL(page.url()).searchParams.getAll('set')).toEqual([`consensus ${raised}`]);
    await button(page, `Reset Consensus to ${consensus}`).click();
    expect(await page.getByText('The set-up above has changed since').isVisible()).toBe(true);
    expect(wrong).toEqual([]);
  });

  test('that is cancelled leaves nothing running, and what there is of it is kept as partial', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`);
    const { page } = visited;
    const setUp = { ...busySetUp(FIRST, { from: 1, to: 1000 }), sweep: null };
    const long = { ...setUp, sweep: { parameter: 'reach', from: 0.05, to: 2, values: 9 } };
    // With the first runs: a batch may be done before a test has looked and pressed.
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const isBegun = /^[1-9]/.test(document.querySelector('[data-part="count"]')?.textContent ?? '');
        if (!isBegun) return;
        observer.disconnect();
        document.querySelector<HTMLElement>('[data-do="cancel"]')!.click();
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${host.origin}${addressOf(long)}`);
    const count = () => page.locator('[data-part="count"]').textContent();
    await expect.poll(() => said(page)).toMatch(/^Cancelled\. [\d,]+ of 11,000 runs were played\.$/);
    await expect.poll(() => page.workers()).toEqual([]);
    await button(page, /^Keep the [\d,]+ runs? so far$/).click();
    expect(await page.getByText('Partial results.').isVisible()).toBe(true);
    const csv = await download(page, 'Runs, CSV');
    expect(csv.name).toBe(`${FIRST}-1-1000-partial.csv`);
    const rows = csv.text.trimEnd().split('\n');
    expect(JSON.parse((await download(page, 'Set-up, JSON')).text)).toMatchObject({
      runs: rows.length - 1,
      is_partial: true,
    });
    // The same rows that the whole batch would have begun with.
    const begun = { ...setUp, compared: null, seeds: { from: 1, to: 20 } };
    expect(runsCsv(begun, [...playBatch(begun)]).startsWith(rows.slice(0, 20).join('\n'))).toBe(true);
    await button(page, /^Run the batch/).click();
    await expect.poll(count).toMatch(/^[1-9]/);
    await page.goto(`${host.origin}/about/`);
    await expect.poll(() => page.workers()).toEqual([]);
  });

  test('whose worker cannot be loaded says so, and another can be run', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${PATH}`);
    const { page } = visited;
    await page.route(/batch-worker/, (route) => route.abort());
    await button(page, /^Run the batch/).click();
    await expect.poll(() => said(page)).toContain('its worker failed');
    await page.unroute(/batch-worker/);
    await button(page, /^Run the batch/).click();
    await untilDone(page);
  });

  test('is not run with a number out of range, and a link with faults says each of them', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(
      browser,
      `${host.origin}${PATH}?scenario=${FIRST}&v=old&seeds=x&set=quorum+7&set=reach+1`,
    );
    const { page, wrong } = visited;
    const faults = page.locator('[data-part="faults"]');
    expect(await faults.textContent()).toContain('version old');
    expect(await faults.locator('li').allTextContents()).toEqual([
      'set quorum: expected a number from 0.3 to 1; found “7”. The scenario’s own value, ' +
        `${ownLevers(FIRST).quorum}, is used.`,
      expect.stringContaining('seeds: expected whole numbers'),
    ]);
    expect(await page.locator('[data-part="changed"]').textContent()).toBe('1 change.');
    await page.getByLabel('Number of seeds').fill('5000');
    await button(page, /^Run the batch/).click();
    expect(await said(page)).toContain('out of range');
    expect(await page.locator('#count-fault').textContent()).toBe(
      'Expected a whole number from 1 to 1000, found 5000.',
    );
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('lab-count');
    await page.getByLabel('Number of seeds').fill('1000');
    await page.getByLabel('Vary step by step').selectOption(EACH);
    expect(await page.getByText('At most 20,000 runs fit into one batch').isVisible()).toBe(true);
    await button(page, /^Run the batch/).click();
    await expect.poll(() => page.workers()).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('is compared with one that was kept, and printed with its set-up but without the form', async () => {
    await using host = await openHost(built.out);
    const setUp = { ...newSetUp(LAST), seeds: { from: 1, to: 10 }, plan: randomPlan(LAST) };
    await using visited = await visit(browser, `${host.origin}${addressOf(setUp)}`);
    const { page } = visited;
    await untilDone(page);
    await button(page, 'Keep as comparison').click();
    await button(page, 'Nobody chooses').click();
    await button(page, /^Run the batch/).click();
    await expect.poll(() => said(page)).toMatch(/^Done: 20 runs/);
    const heads = await results(page).locator('.endings thead th').allTextContents();
    expect(heads).toContain('Runs, comparison');
    expect(await results(page).locator('.distribution .outline').count()).toBeGreaterThan(0);
    // A style for another page’s bars must not give these a height of its own.
    const heights = await results(page)
      .locator('.distribution rect.bar')
      .evaluateAll((all) => all.map((bar) => [bar.getAttribute('height'), getComputedStyle(bar).height]));
    expect(heights.filter(([meant, drawn]) => Number(meant) !== Number.parseFloat(drawn!))).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#laboratory :is(input, select, button):visible').count()).toBe(0);
    expect(await page.getByText('Seeds 1 to 10.').isVisible()).toBe(true);
  });
});

test('without JavaScript the page says what it needs, and shows no control', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${PATH}`, { javaScriptEnabled: false });
  const { page } = visited;
  expect(await page.content()).toMatch(
    /<noscript>\s*<p>\s*The laboratory computes in your browser and needs JavaScript/,
  );
  expect(await page.locator('#laboratory :is(input, select, button):visible').count()).toBe(0);
});
