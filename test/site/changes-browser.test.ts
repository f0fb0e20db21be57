import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Built, buildFixture } from './build-fixture.ts';
import { type Host, openHost } from './explore-host.ts';
import { launchBrowser, violations, visit } from './visit.ts';

let built: Built;
let browser: Browser;
let host: Host;
/** The lines of the public file with the supply by day, newest first. */
let supply: string[][];

beforeAll(async () => {
  built = await buildFixture();
  host = await openHost(built.out);
  browser = await launchBrowser();
  const csv = await readFile(join(built.release, 'public/economy/supply-by-day.csv'), 'utf8');
  supply = csv
    .trim()
    .split('\n')
    .map((line) => line.split(','));
});

afterAll(async () => {
  await browser?.close();
  await host?.[Symbol.asyncDispose]();
});

const whole = (amount: string) =>
  new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 }).format(Number(amount));
const totalOn = (day: string) => supply.find(([date]) => date === day)![1]!;

describe('/changes/', () => {
  test('compares the newest day with that of a month before, without a script', async () => {
    await using open = await visit(browser, `${host.origin}/changes/`, { javaScriptEnabled: false });
    const { page } = open;
    expect(await page.locator('#period').textContent()).toBe(
      'From the end of 29 August 2026 to the end of 29 September 2026: 31 days',
    );
    const row = page.locator('[data-section="figures"] tr', { hasText: 'Total supply' });
    expect(await row.locator('td').allTextContents()).toEqual([
      whole(totalOn('2026-08-29')),
      whole(totalOn('2026-09-29')),
      expect.stringMatching(/^\+[\d,]+ \(\+\d+\.\d %\)$/),
    ]);
    const { changes } = JSON.parse(await readFile(join(built.out, 'changes.json'), 'utf8'));
    expect(changes).toMatchObject({ since: '2026-08-29', until: '2026-09-29' });
    expect(changes.figures[0]).toMatchObject({
      name: 'total_supply',
      since: Number(totalOn('2026-08-29')),
      until: Number(totalOn('2026-09-29')),
    });
    expect(await page.locator('#changes-form').isVisible()).toBe(false);
  });

  test('compares any two days of its address, across a year, and offers the result', async () => {
    await using open = await visit(browser, `${host.origin}/changes/?since=2025-12-24&until=2026-01-15`);
    const { page, wrong } = open;
    await page.locator('#period', { hasText: 'From the end of 24 December 2025' }).waitFor();
    const row = page.locator('[data-section="figures"] tr', { hasText: 'Total supply' });
    expect((await row.locator('td').allTextContents()).slice(0, 2)).toEqual(
      ['2025-12-24', '2026-01-15'].map((day) => whole(totalOn(day))),
    );
    expect(await page.locator('#changes-citation code').textContent()).toMatch(
      /\/changes\/\?since=2025-12-24&until=2026-01-15$/,
    );
    const texts: string[] = [];
    for (const name of ['JSON', 'CSV']) {
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name, exact: true }).click();
      texts.push(await readFile(await (await download).path(), 'utf8'));
    }
    expect(JSON.parse(texts[0]!).changes.figures[0].until).toBe(Number(totalOn('2026-01-15')));
    expect(texts[1]).toContain(`figures,total_supply,MIC,${Number(totalOn('2025-12-24'))},`);
    // The address is the state, and the way back leads to the one before.
    await page.getByRole('link', { name: 'A week', exact: true }).click();
    await page.locator('#period', { hasText: ': 7 days' }).waitFor();
    expect(page.url()).toMatch(/\?since=2026-09-22&until=2026-09-29$/);
    await page.goBack();
    await page.locator('#period', { hasText: 'From the end of 24 December 2025' }).waitFor();
    expect(wrong).toEqual([]);
  });

  test('says what is wrong with a day, shows what it has, and goes on', async () => {
    await using open = await visit(browser, `${host.origin}/changes/?since=2031-01-01`);
    const { page } = open;
    const said = page.locator('#changes-said');
    await said.waitFor({ state: 'visible' });
    expect(await said.textContent()).toMatch(
      /^1 January 2031 is after the newest finished day\. There are data from the end of .* to the end of 29 September 2026\.$/,
    );
    expect(await page.locator('#period').textContent()).toContain('29 August 2026');
    await page.getByLabel('Since the end of').fill('2026-09-20');
    await page.getByLabel('Until the end of').fill('2026-09-10');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect
      .poll(() => said.textContent())
      .toMatch(/^20 September 2026 is after 10 September 2026\. Exchange/);
    // A host that fails is named, and the next attempt succeeds.
    await page.route('**/changes/2026.json', (route) => route.fulfill({ status: 503 }));
    await page.getByLabel('Until the end of').fill('2026-09-25');
    await page.getByRole('button', { name: 'Compare' }).click();
    await expect
      .poll(() => said.textContent())
      .toBe('/changes/2026.json cannot be loaded: the host answered 503.');
    await page.unroute('**/changes/2026.json');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page
      .locator('#period', { hasText: '20 September 2026 to the end of 25 September 2026: 5 days' })
      .waitFor();
    expect(await said.isVisible()).toBe(false);
  });

  test.each(['light', 'dark'] as const)(
    'is accessible and as wide as a small phone (%s)',
    async (colorScheme) => {
      await using open = await visit(browser, `${host.origin}/changes/?since=2026-01-01`, {
        colorScheme,
        viewport: { width: 320, height: 800 },
      });
      const { page } = open;
      await page.locator('#period', { hasText: '1 January 2026' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    },
  );
});
