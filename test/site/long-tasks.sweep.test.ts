import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useBrowser } from '../setups/use-browser.ts';
import { buildFixture } from './build-fixture.ts';
import { serveStatic } from './static-host.ts';

// A task holds up its reader: meanwhile the page neither scrolls nor answers. What counts is the CPU time of the main thread, which is
// the same on a busy machine, times four for a slow phone.

const SLOWDOWN = 4;
const MOST_MS = 200;
/** Until a worker has answered and its answer is drawn, ms. */
const SETTLED = 2500;

const browser = useBrowser();
let site: Awaited<ReturnType<typeof serveStatic>>;

beforeAll(async () => {
  site = await serveStatic(await buildFixture());
});

afterAll(() => site.server.close());

const click = (selector: string) => (page: Page) => page.locator(selector).first().click();

test.each<[what: string, path: string, act?: (page: Page) => Promise<void>]>([
  ['a portal', 'economy/'],
  ['a file', 'files/economy/supply-by-day.csv/'],
  ['rows that are sorted', 'files/academics/sentinels-by-day.csv/rows/', click('th .sort')],
  ['a chart that changes', 'charts/supply/', click('input[type=checkbox]')],
  [
    'a document that is verified',
    'attestations/',
    async (page) => {
      await page.locator('#document').fill('{"format": "an attestation"}');
      await page.locator('#verify-form button[type=submit]').click();
    },
  ],
  [
    'an event that is proved',
    'verification/',
    async (page) => {
      await page.locator('#event-form textarea').first().fill('5');
      await page.locator('#event-form button[type=submit]').click();
    },
  ],
  ['a search', 'search/?q=atlas'],
  ['a run of the simulation', 'philosophy/simulation/?scenario=model_drift&seed=7', click('.choice button')],
  ['the types of events', 'events/'],
  ['a document', 'philosophy/simulation/protocol/'],
  ['a list of charts', 'charts/'],
])('%s holds up its reader for less than 200 ms at a time', async (_, path, act) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const tasks = await tasksOf(page, async () => {
      await page.goto(`${site.origin}/${path}`);
      await act?.(page);
      await page.waitForTimeout(SETTLED);
    });
    expect(tasks.length).toBeGreaterThan(0);
    expect(Math.max(...tasks) * SLOWDOWN).toBeLessThan(MOST_MS);
  } finally {
    await context.close();
  }
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time, µs. */
  tdur?: number;
}

/** A trace has the threads of all pages of the browser, also those of other tests. The page marks its own. */
const MARK = 'the main thread of this page';

/** The CPU time of each task of a page's main thread, ms. */
async function tasksOf(page: Page, act: () => Promise<void>): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const traceConfig = { includedCategories: ['toplevel', 'blink.user_timing'], excludedCategories: ['*'] };
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
  await act();
  await page.evaluate((mark) => performance.mark(mark), MARK);
  const complete = new Promise((resolve) => {
    cdp.once('Tracing.tracingComplete', resolve);
  });
  await cdp.send('Tracing.end');
  await complete;
  const main = events.find(({ name }) => name === MARK)!;
  return events
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && pid === main.pid && tid === main.tid)
    .map(({ tdur = 0 }) => tdur / 1000);
}
