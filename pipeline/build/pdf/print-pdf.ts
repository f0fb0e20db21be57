import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer';
import { asBrowserError, type PrintingBrowser, pdfOf, STEP_MS } from '../../charts/files/printing-browser.ts';
import { CathedralError } from '../../errors.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import { withFacts } from '../../release/format/pdf-facts.ts';
import { COMMON_HEADERS } from '../../release/format/response-headers.ts';

/** Browsers request this by default if a page names no icon. */
const UNASKED = '/favicon.ico';

export interface PrintJob {
  /** Folder of the built site and its data files. */
  root: string;
  /** Where the service is reachable, without a slash at the end. */
  baseUrl: string;
  /** Path of the page, `/government/transparency/`. */
  page: string;
  /** Published path of the PDF, `government/transparency.pdf`. */
  path: string;
  /** Time of the data, ISO 8601. It replaces the time of printing. */
  asOf: string;
  /** Who publishes it. */
  author: string;
}

/** Returns the PDF's bytes. */
export type Print = (job: PrintJob) => Promise<Uint8Array>;

/**
 * Prints a page of the site: A4, tagged, with an outline, page numbers, title, language and author. Deterministic for the same site and
 * browser. Throws print_failed if the browser does not start, if the page requests a missing file, or if printing takes too long.
 */
export async function printPdf(
  browser: PrintingBrowser,
  { asOf, author, ...job }: Omit<PrintJob, 'path'>,
): Promise<Uint8Array> {
  const place = job.page;
  try {
    return withFacts(await print(browser, job), { asOf, author, place });
  } catch (cause) {
    throw asBrowserError(cause, place, `a page that loads and prints, each in ${STEP_MS / 1000} seconds`);
  }
}

type Shown = Pick<PrintJob, 'root' | 'baseUrl' | 'page'>;

async function print(browser: PrintingBrowser, shown: Shown): Promise<Uint8Array> {
  const page = await browser.open();
  // Scripts depend on the clock and request files that exist only after signing, as the notice of stale data does.
  await page.setJavaScriptEnabled(false);
  await load(page, shown);
  // The page's own style sheet adds page numbers (`@page` in print.css).
  const pdf = await pdfOf(page, { outline: true });
  await page.close();
  return pdf;
}

/** Under its own address, so that its links lead to the service. Nothing is asked of any server: the files come from the folder. */
async function load(page: Page, shown: Shown): Promise<void> {
  const { baseUrl, page: path } = shown;
  const { origin } = new URL(baseUrl);
  const missing = new Map<string, string>();
  await page.setRequestInterception(true);
  page.on('request', (request) => void answer(request, shown, missing));
  page.on('requestfailed', (request) => {
    const { pathname } = new URL(request.url());
    if (!missing.has(pathname)) missing.set(pathname, request.failure()?.errorText ?? 'failed');
  });
  await page.goto(origin + path);
  await page.evaluate(prepare);
  if (missing.size === 0) return;
  const found = [...missing].map(([name, reason]) => `${name} (${reason})`).join(', ');
  throw new CathedralError('print_failed', {
    place: path,
    expected: 'every file that the page asks for',
    found,
  });
}

/** With the service's content security policy, so that the PDF shows nothing that a reader would not see. */
async function answer(
  request: HTTPRequest,
  { root, baseUrl }: Shown,
  missing: Map<string, string>,
): Promise<void> {
  const { origin, pathname, protocol } = new URL(request.url());
  if (protocol === 'data:') return request.continue();
  // A normalised absolute path cannot leave its root.
  const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
  const isOwn = origin === new URL(baseUrl).origin;
  const body = isOwn ? await readFile(join(root, path)).catch(() => null) : null;
  if (body === null && path !== UNASKED) missing.set(pathname, '404');
  const headers = { ...COMMON_HEADERS, 'content-type': body === null ? 'text/plain' : mediaTypeOf(path) };
  // A page that was closed meanwhile needs no answer.
  await request.respond({ status: body === null ? 404 : 200, headers, body: body ?? '' }).catch(() => {});
}

/** Runs in the page: sets the title for the foot of each sheet. */
async function prepare(): Promise<void> {
  document.documentElement.style.setProperty('--document-title', JSON.stringify(document.title));
  // In a browser, a font that comes too late is left out, so that no text moves. Paper waits for it.
  for (const { cssRules } of document.styleSheets)
    for (const rule of cssRules)
      if (rule instanceof CSSFontFaceRule) rule.style.setProperty('font-display', 'block');
  await document.fonts.ready;
}
