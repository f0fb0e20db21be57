import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { launchBrowserServer } from '../setups/launch-browser.ts';
import { compare, type Report } from './figure.ts';
import { measuredBuild } from './releases.ts';
import { below, withScratch } from './scratch.ts';
import { serve } from './server.ts';

/** Until a worker has answered and its answer is drawn, ms. */
const SETTLED_MS = 2500;
/** A table whose drawing is the reference. */
const [ROWS, COLUMNS] = [400, 6];

interface Visit {
  what: string;
  path: string;
  act?: (page: Page) => Promise<void>;
}

const click = (selector: string) => (page: Page) => page.locator(selector).first().click();

const VISITS: readonly Visit[] = [
  { what: 'a portal', path: 'economy/' },
  { what: 'a file', path: 'files/economy/supply-by-day.csv/' },
  {
    what: 'rows that are sorted',
    path: 'files/academics/sentinels-by-day.csv/rows/',
    act: click('th .sort'),
  },
  { what: 'a chart that changes', path: 'charts/supply/', act: click('input[type=checkbox]') },
  {
    what: 'a document that is verified',
    path: 'attestations/',
    act: async (page) => {
      await page.locator('#document').fill('{"format": "an attestation"}');
      await page.locator('#verify-form button[type=submit]').click();
    },
  },
  {
    what: 'an event that is proved',
    path: 'verification/',
    act: async (page) => {
      await page.locator('#event-form textarea').first().fill('5');
      await page.locator('#event-form button[type=submit]').click();
    },
  },
  {
    what: 'a run of the simulation',
    path: 'philosophy/simulation/?scenario=model_drift&seed=7',
    act: click('.choice button'),
  },
];

/**
 * How long each kind of page holds up its reader: meanwhile it neither scrolls nor answers. What counts is the CPU time of the longest task of
 * the page's main thread, beside that of drawing a plain table in the same browser.
 */
export async function pages(report: Report): Promise<void> {
  const server = await launchBrowserServer();
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    await withScratch((folder) => measurePages(folder, browser, report));
  } finally {
    await server.close();
  }
}

async function measurePages(folder: string, browser: Browser, report: Report): Promise<void> {
  const [ledger, out] = below(folder, 'ledger', 'out');
  await writeSample({ out: ledger, to: '2025-10-01T03:00:00Z', seed: 7 });
  await measuredBuild(folder, ledger, out, ['--without-pdf']);
  const { url } = await serve('sidecar', [out, join(folder, 'stores'), 'full', ledger]);
  const table = await longestTask(browser, drawTable);
  for (const { what, path, act } of VISITS) {
    const longest = await longestTask(browser, async (page) => {
      await page.goto(`${url}/${path}`);
      await act?.(page);
      await page.waitForTimeout(SETTLED_MS);
    });
    const of = `${what}: the longest task ÷ drawing a table of ${ROWS} rows`;
    report(compare(of, longest, table, 'ms of CPU', 1));
  }
}

async function drawTable(page: Page): Promise<void> {
  const row = `<tr>${'<td>1,234.5</td>'.repeat(COLUMNS)}</tr>`;
  await page.setContent('<!doctype html><table></table>');
  await page.evaluate(
    ([html]) => {
      const table = document.querySelector('table')!;
      table.innerHTML = html!;
      return table.offsetHeight;
    },
    [row.repeat(ROWS)],
  );
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** CPU time, µs. */
  tdur?: number;
}

/** A trace has the threads of all pages of the browser. The page marks its own. */
const MARK = 'the main thread of this page';

/** The CPU time of the longest task of a narrow page's main thread, ms. */
async function longestTask(browser: Browser, visit: (page: Page) => Promise<void>): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const events: TraceEvent[] = [];
    cdp.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
    const traceConfig = { includedCategories: ['toplevel', 'blink.user_timing'], excludedCategories: ['*'] };
    await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
    await visit(page);
    await page.evaluate((mark) => performance.mark(mark), MARK);
    const complete = new Promise((resolve) => {
      cdp.once('Tracing.tracingComplete', resolve);
    });
    await cdp.send('Tracing.end');
    await complete;
    const main = events.find(({ name }) => name === MARK)!;
    const tasks = events.filter(
      ({ name, pid, tid }) => name.endsWith('RunTask') && pid === main.pid && tid === main.tid,
    );
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
  } finally {
    await context.close();
  }
}
