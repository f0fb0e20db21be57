import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { playPlan } from '../../src/simulation/plan.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { formatRunAddress } from '../../src/site/components/simulation/run-address.ts';
import { SCENARIO_PAGES } from '../../src/site/components/simulation/teaching/scenario-pages.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { launchBrowser, violations, visit } from './visit.ts';

const TEACHERS = '/philosophy/simulation/teachers/';
const ONE_TICK = `${TEACHERS}one-tick/`;

let built: Built;
let browser: Browser;

beforeAll(async () => {
  built = await buildFixture();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
});

/** Where each sheet begins, and how many pages there are. */
async function printed(page: Page, format: 'A4' | 'Letter'): Promise<number> {
  const pdf = await page.pdf({ format });
  return pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g)!.length;
}

test.each(['A4', 'Letter'] as const)(
  'sheets fill whole pages of %s: one for the pupil, two for the teacher',
  async (format) => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, host.origin);
    const { page } = visited;
    await page.goto(`${host.origin}${ONE_TICK}`);
    expect(await printed(page, format)).toBe(2);
    for (const path of SCENARIO_PAGES) {
      await page.goto(`${host.origin}${path}`);
      const all = await printed(page, format);
      await page.locator('.teacher-sheet').evaluate((sheet) => sheet.remove());
      expect([path, all, await printed(page, format)]).toEqual([path, 3, 1]);
    }
  },
);

test('without a script there are ready links, plans and sheets, and no form that does nothing', async () => {
  await using host = await openHost(built.out);
  await using visited = await visit(browser, `${host.origin}${TEACHERS}`, { javaScriptEnabled: false });
  const { page } = visited;
  expect(await page.locator('main form:visible').count()).toBe(0);
  expect(await page.locator('noscript').first().textContent()).toContain('Making a link needs JavaScript.');
  expect(await page.locator('noscript').first().isVisible()).toBe(true);
  expect(await page.getByRole('link', { name: /^Ready link/ }).count()).toBe(SCENARIOS.length);
  await page.getByText('Inside a model: 45 minutes').click();
  expect(await page.getByText('Compare with the machine').isVisible()).toBe(true);
});

describe('the tools', () => {
  test('make links for a class with slips to print, and say what is wrong with what was entered', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${TEACHERS}`);
    const { page, wrong } = visited;
    const make = page.getByRole('button', { name: 'Make the link' });
    await page.getByLabel(/^Seed 0 to/).fill('x');
    await make.click();
    expect(await page.locator('#a-seed-fault').textContent()).toMatch(
      /^Expected a whole number .* found "x"\.$/,
    );
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('a-seed');
    await page.getByLabel('each pupil their number').check();
    await page.getByLabel(/^Pupils/).fill('2');
    await page.getByLabel('Scenario', { exact: true }).selectOption('moral_dilemma');
    await make.click();
    const lines = (await page.locator('#assignment-made code').textContent())!.split('\n');
    expect(lines.map((line) => line.split('\t')[0])).toEqual(['1', '2']);
    expect(lines[1]).toMatch(/\/philosophy\/simulation\/\?scenario=moral_dilemma&v=[0-9a-f]{8}&seed=2$/);
    expect(await violations(page)).toEqual([]);
    await page.evaluate(() => {
      window.print = () => {};
    });
    await page.getByRole('button', { name: 'Print slips to hand out' }).click();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.slip:visible').count()).toBe(2);
    expect(await page.locator('main h1:visible, main section:visible').count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  test('replay what is pasted, and save it as CSV', async () => {
    const { world, actions } = playPlan('moral_dilemma', 2, {}, {});
    const run = { scenario: 'moral_dilemma', seed: 2, actions: [...actions], tick: world.tick };
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}${TEACHERS}`);
    const { page, wrong } = visited;
    const check = page.getByRole('button', { name: 'Check', exact: true });
    const said = page.locator('[data-part="checked"]');
    await check.click();
    await expect
      .poll(() => said.textContent())
      .toMatch(/^Expected 1 to \d+ links and transcripts, found 0\.$/);
    await page.getByLabel(/^Links/).fill(`Ada https://x.example/${formatRunAddress(run)}\n8 nothing`);
    await check.click();
    await expect.poll(() => said.textContent()).toBe('2 checked: 1 finished, 1 to look at.');
    const ending = SCENARIOS.find(({ name }) => name === run.scenario)!.endings.find(
      ({ name }) => name === world.ending,
    )!;
    const rows = page.locator('.handed-in tbody tr');
    expect(await rows.nth(0).textContent()).toContain(ending.title);
    expect(await rows.nth(1).textContent()).toContain('not valid');
    expect(await violations(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the table, CSV' }).click();
    const csv = await readFile(await (await saved).path(), 'utf8');
    expect(csv.split('\n').map((line) => line.split(',')[0])).toEqual(['who', 'Ada', '8 nothing', '']);
    expect([wrong, host.missed]).toEqual([[], []]);
  });
});
