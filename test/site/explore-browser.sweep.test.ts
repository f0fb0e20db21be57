import type { BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { openHost } from './explore-host.ts';
import { violations, visit } from './visit.ts';

const SUPPLY = { timestamp: '2026-10-01T00:00:30Z', total_supply: 1 };
const STATUS = {
  timestamp: '2026-10-01T00:01:30Z',
  system_health: 'degraded',
  sentinels: [
    {
      id: 'ATLAS',
      status: 'offline',
      uptime_days: 0,
      cathedral: 'FOR-GOVERNMENTS',
      last_heartbeat: '2026-09-29T12:00:00Z',
      performance: { gi_score: 0.1234, coordination: 7 },
    },
  ],
};

let built: Built;
const browser = useBrowser();

beforeAll(async () => {
  built = await buildFixture();
});

afterAll(async () => {});

function event(path: string, value: { timestamp: string }): string {
  return `event: ${path}\ndata: ${JSON.stringify({ path, timestamp: value.timestamp, value })}\nid: 1-1\n\n`;
}

describe('the search', () => {
  const results = (page: Page) => page.locator('#search-results a').allTextContents();

  test('finds by words, narrows to a kind, and keeps both in the address', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}/search/`);
    const { page, wrong } = visited;
    await page.keyboard.press('/');
    await page.keyboard.type('atlas');
    // What is found for the letters before is there for a while, where somebody types slowly.
    await expect.poll(async () => (await results(page))[0]).toBe('ATLAS');
    await expect.poll(() => page.url()).toBe(`${host.origin}/search/?q=atlas`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('radio', { name: /^Decisions/ }).check();
    await expect.poll(() => page.url()).toBe(`${host.origin}/search/?q=atlas&kind=decision`);
    await expect
      .poll(async () => (await results(page)).every((title) => title.startsWith('Whether')))
      .toBe(true);
    await page.goBack();
    await expect.poll(async () => (await results(page))[0]).toBe('ATLAS');
    expect(await page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true);
    expect([wrong, host.missed]).toEqual([[], []]);
  });

  test('shows more on demand, says how many there are, and what it did not find', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}/search/?q=ledger`);
    const { page } = visited;
    await page.locator('#search-results li').nth(19).waitFor();
    expect(await page.locator('#search-status').textContent()).toMatch(
      /^\d+ results for .* showing the first 20\.$/,
    );
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.locator('#search-results li').nth(20).waitFor();
    await page.locator('#q').fill('ωψχω');
    await expect.poll(() => page.locator('#search-status').textContent()).toBe('Nothing found for “ωψχω”.');
  });
});

describe('live values', () => {
  test('are those of the stream where the service answers, with their time', async () => {
    const greeting = event('government/sentinel-status.json', STATUS);
    await using host = await openHost(built.out, greeting);
    await using visited = await visit(browser, `${host.origin}/sentinels/atlas/`);
    const { page, wrong } = visited;
    await page.locator('.is-live').waitFor();
    expect(await page.locator('.is-live').textContent()).toMatch(
      /^The figures of status, .* below: live, as of 1 October 2026, 00:01 UTC\. Everything else: as of 30 September 2026, /,
    );
    expect(await page.locator('[data-live="sentinel-status"]').textContent()).toBe('Offline');
    expect(await page.locator('[data-live="sentinel-integrity"]').textContent()).toBe('0.123');
    const later = { ...STATUS, timestamp: '2026-10-01T00:05:00Z' };
    later.sentinels = [{ ...STATUS.sentinels[0]!, status: 'operational' }];
    host.listeners[0]!.write(event('government/sentinel-status.json', later));
    await expect.poll(() => page.locator('[data-live="sentinel-status"]').textContent()).toBe('Operational');
    expect(await violations(page)).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('of other sentinels stay as the page has them', async () => {
    await using host = await openHost(built.out, event('government/sentinel-status.json', STATUS));
    await using visited = await visit(browser, `${host.origin}/sentinels/`);
    const { page } = visited;
    const hermes = page.locator('tr', { hasText: 'HERMES' }).locator('[data-live="sentinel-status"]');
    const before = await hermes.textContent();
    await page.locator('.is-live').waitFor();
    expect(await hermes.textContent()).toBe(before);
  });

  test('are not asked of a static host, which shows the release’s', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}/sentinels/atlas/`);
    const { page, wrong } = visited;
    await page.waitForLoadState('networkidle');
    expect(await page.locator('[data-live-label]').textContent()).toMatch(/^As of /);
    expect([host.missed, wrong]).toEqual([[], []]);
  });

  test('are followed again after the stream was refused, as by a proxy while the service restarts', async () => {
    await using host = await openHost(built.out, event('government/sentinel-status.json', STATUS));
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${host.origin}/sentinels/atlas/`);
    await page.locator('.is-live').waitFor();
    const refused = page.waitForResponse((response) => response.status() === 502);
    await page.route(/\/live\?/, (route) => route.fulfill({ status: 502 }), { times: 1 });
    host.listeners[0]!.end();
    await refused;
    await expect.poll(() => page.locator('.is-live').count()).toBe(0);
    await page.clock.fastForward(60_000);
    await page.locator('.is-live').waitFor();
    expect(host.listeners).toHaveLength(2);
  });

  test('are followed by one connection for the paths that the page shows', async () => {
    await using host = await openHost(built.out, event('economy/supply', SUPPLY));
    await using visited = await visit(browser, `${host.origin}/sentinels/`);
    await expect.poll(() => host.wanted).toEqual(['?paths=government/sentinel-status.json']);
    await visited.page.waitForLoadState('load');
    expect(host.wanted).toHaveLength(1);
  });
});

describe('without JavaScript', () => {
  const reader: BrowserContextOptions = { javaScriptEnabled: false };

  test('the page of the search has the site map, which leads to every list', async () => {
    await using host = await openHost(built.out);
    await using visited = await visit(browser, `${host.origin}/search/?q=atlas`, reader);
    const { page } = visited;
    expect(await page.locator('#search').isVisible()).toBe(false);
    expect(await page.locator('noscript p', { hasText: 'needs JavaScript' }).isVisible()).toBe(true);
    expect(await page.locator('.site-footer a').count()).toBeGreaterThan(20);
  });
});
