import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestLedger } from '../model/events.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { buildOver } from './build-fixture.ts';
import { servePages } from './serve-pages.ts';

const browser = useBrowser();
let site: Awaited<ReturnType<typeof servePages>>;

/** The longest id that a ledger takes, and a text of some thousand letters without a blank. */
const ID = 'x'.repeat(200);
const TEXT = 'ä'.repeat(3000);

beforeAll(async () => {
  const at = (hour: number) => `2026-10-01T0${hour}:00:00Z`;
  const decision = { topic: TEXT, reasoning: TEXT, outcome: TEXT, lessons_learned: TEXT };
  const ledger = new TestLedger()
    .add(at(0), 'genesis', 'LEDGER', { allocation: '1234567890123456', multipliers: {} })
    .add(at(1), 'sentinel_registered', 'LEDGER', { sentinel: ID, cathedral: 'FOR-GOVERNMENTS' })
    .add(at(2), 'heartbeat', ID, {})
    .add(at(3), 'deliberation_opened', ID, { deliberation: ID, topic: TEXT })
    .add(at(4), 'decision_recorded', ID, {
      ...decision,
      decision: ID,
      frameworks_applied: [TEXT],
      sentinels_involved: [ID],
    })
    .add(at(5), 'alert_raised', ID, { alert: ID, severity: 'critical', scope: 'system', message: TEXT });
  site = await servePages((await buildOver('long-names', ledger)).out);
});

afterAll(() => {
  site?.server.close();
});

test.each([
  ['screen', 390],
  // A sheet of A4 between its margins.
  ['print', 665],
] as const)('names and texts without a blank make no page wider: %s of %i px', async (media, width) => {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  await page.emulateMedia({ media });
  await page.goto(`${site.origin}/decisions/`);
  const record = await page.locator('main a[href^="/decisions/"][href$="/"]').first().getAttribute('href');
  const wide: string[] = [];
  for (const path of ['/decisions/', record!, '/government/', '/government/transparency/', '/philosophy/']) {
    await page.goto(site.origin + path);
    const found = await page.evaluate(() => document.documentElement.scrollWidth);
    if (found > width) wide.push(`${path}: ${found}`);
  }
  expect(wide).toEqual([]);
  await context.close();
});

test.each([
  ['screen', 390, '/economy/'],
  ['screen', 1440, '/economy/'],
  ['print', 665, '/government/transparency/'],
] as const)('a number of sixteen digits stays in one line: %s of %i px, %s', async (media, width, path) => {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  await page.emulateMedia({ media });
  await page.goto(site.origin + path);
  const lines = await page.locator('.figures .figure-value').evaluateAll((all) =>
    all
      .filter((one) => one.textContent!.includes('1,234,567,890,123,456'))
      .map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one.firstChild!);
        return range.getClientRects().length;
      }),
  );
  expect(new Set(lines)).toEqual(new Set([1]));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await context.close();
});
