import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';

/** axe's tags for WCAG 2.2 AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The same axe as its builder's, which would send it to the page twice for each analysis, and not minified. */
const AXE = readFileSync(axeFile(), 'utf8');

export interface Visit extends AsyncDisposable {
  page: Page;
  /** What the browser complains of. */
  wrong: string[];
}

const SHELL = 'chromium-headless-shell';
/** Instead of 30 s: less than the limit of a test, whose message would not say what was waited for. ms */
const PATIENCE = 150_000;

/** The machine's Chromium, without its own windows where there is that: they cost more than most pages. */
export async function launchBrowser(): Promise<Browser> {
  const { CHROMIUM_PATH = null, PATH = '' } = process.env;
  const shell = PATH.split(delimiter)
    .map((folder) => join(folder, SHELL))
    .find((file) => existsSync(file));
  const executablePath = (!CHROMIUM_PATH && shell) || findChromium({ configured: CHROMIUM_PATH, path: PATH });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args, timeout: PATIENCE });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE));
  return browser;
}

/** `clock: 'stopped'`: nothing that a page does later happens before `page.clock.runFor`, however long the test takes. */
export interface Reader extends BrowserContextOptions {
  clock?: 'stopped';
}

/** A page in a context of its own, where nothing is remembered of others. */
export async function visit(
  browser: Browser,
  url: string,
  { clock, ...reader }: Reader = {},
): Promise<Visit> {
  const context = await browser.newContext(reader);
  const page = await context.newPage();
  if (clock) await stopClock(page);
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  await page.goto(url);
  return { page, wrong, [Symbol.asyncDispose]: () => context.close() };
}

/** The page's time stands at `now`, ms since 1970, until `page.clock.runFor`. */
export async function stopClock(page: Page, now = Date.now()): Promise<void> {
  // The clock runs until it is paused, which takes some time.
  await page.clock.install({ time: now - 3_600_000 });
  await page.clock.pauseAt(now);
}

/** What axe finds against WCAG 2.2 AA, by rule and element. */
export async function violations(page: Page, alsoTags: readonly string[] = []): Promise<string[]> {
  await page.evaluate(AXE);
  // Legacy mode: without a second, blank page for each analysis; there are no frames here.
  const { violations: found } = await new AxeBuilder({ page, axeSource: 'undefined' })
    // A report on every element that passes takes longer than to look at it.
    .options({ resultTypes: ['violations'] })
    .withTags([...WCAG, ...alsoTags])
    .setLegacyMode(true)
    .analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

function axeFile(): string {
  const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
  return createRequire(builder).resolve('axe-core/axe.min.js');
}
