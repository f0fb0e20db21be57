import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContextOptions, Page } from 'playwright';
import type { SharedBrowser } from '../setups/use-browser.ts';

/** axe's tags for WCAG 2.2 AA, and for what is good practice beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The same axe as its builder's, which would send it to the page twice for each analysis, and not minified. */
const AXE = readFileSync(axeFile(), 'utf8');

export interface Visit extends AsyncDisposable {
  page: Page;
  /** What the browser complains of. */
  wrong: string[];
}

/** `clock: 'stopped'`: nothing that a page does later happens before `page.clock.runFor`, however long the test takes. */
export interface Reader extends BrowserContextOptions {
  clock?: 'stopped';
}

/** A page in a context of its own, where nothing is remembered of others. */
export async function visit(
  browser: SharedBrowser,
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

/** Lays the page out as a reader has it who has seen all of it: parts far below are laid out only when they come near. */
export function layOutWhole(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen = new CSSStyleSheet();
    seen.replaceSync('body * { content-visibility: visible !important }');
    document.adoptedStyleSheets.push(seen);
  });
}

/** What axe finds, by rule and element. */
export async function violations(page: Page): Promise<string[]> {
  // A part that is laid out while axe looks would move what it has measured.
  await layOutWhole(page);
  await page.evaluate(AXE);
  // Legacy mode: without a second, blank page for each analysis; there are no frames here.
  const { violations: found } = await new AxeBuilder({ page, axeSource: 'undefined' })
    // A report on every element that passes takes longer than to look at it.
    .options({ resultTypes: ['violations'] })
    .withTags(TAGS)
    .setLegacyMode(true)
    .analyze();
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

function axeFile(): string {
  const builder = createRequire(import.meta.url).resolve('@axe-core/playwright');
  return createRequire(builder).resolve('axe-core/axe.min.js');
}
