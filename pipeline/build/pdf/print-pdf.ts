import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Page } from 'puppeteer';
import { asBrowserError, type PrintingBrowser, pdfOf, STEP_MS } from '../../charts/files/printing-browser.ts';
import { CathedralError } from '../../errors.ts';
import { COMMON_HEADERS } from '../../release/format/headers.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import { withFacts } from '../../release/format/pdf-facts.ts';

/** Browsers request this by default if a page names no icon. */
const UNASKED = '/favicon.ico';

export interface PrintJob {
  /** Folder of the built site and its data files. */
  root: string;
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
 * browser. Throws site_failed if the browser does not start, if the page requests a missing file, or if printing takes too long.
 */
export async function printPdf(
  browser: PrintingBrowser,
  { root, page, asOf, author }: Omit<PrintJob, 'path'>,
): Promise<Uint8Array> {
  const { server, origin } = await servePages(root);
  try {
    return withFacts(await print(browser, `${origin}${page}`), { asOf, author, place: page });
  } catch (cause) {
    throw asBrowserError(cause, page, `a page that loads and prints, each in ${STEP_MS / 1000} seconds`);
  } finally {
    await close(server);
  }
}

async function print(browser: PrintingBrowser, url: string): Promise<Uint8Array> {
  const page = await browser.open();
  // Scripts depend on the clock and request files that exist only after signing, as the notice of stale data does.
  await page.setJavaScriptEnabled(false);
  await load(page, url);
  // The page's own style sheet adds page numbers (`@page` in print.css).
  const pdf = await pdfOf(page, { outline: true });
  await page.close();
  return pdf;
}

async function load(page: Page, url: string): Promise<void> {
  const missing = new Map<string, string>();
  page.on('response', (response) => {
    const path = pathOf(response.url());
    if (response.status() >= 400 && path !== UNASKED) missing.set(path, String(response.status()));
  });
  page.on('requestfailed', (request) => {
    const path = pathOf(request.url());
    missing.set(path, missing.get(path) ?? request.failure()?.errorText ?? 'failed');
  });
  await page.goto(url);
  await page.evaluate(prepare);
  if (missing.size === 0) return;
  const found = [...missing].map(([path, reason]) => `${path} (${reason})`).join(', ');
  const expected = 'every file that the page asks for';
  throw new CathedralError('site_failed', { place: pathOf(url), expected, found });
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** Runs in the page: sets the title for the foot of each sheet, and makes links point to the service instead of this machine. */
async function prepare(): Promise<void> {
  document.documentElement.style.setProperty('--document-title', JSON.stringify(document.title));
  const service = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="/"]')) {
    link.href = new URL(link.getAttribute('href') ?? '', service).href;
  }
  // In a browser, a font that comes too late is left out, so that no text moves. Paper waits for it.
  for (const { cssRules } of document.styleSheets)
    for (const rule of cssRules)
      if (rule instanceof CSSFontFaceRule) rule.style.setProperty('font-display', 'block');
  await document.fonts.ready;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Serves a built site to the printing browser, on this machine only and under the service's content security policy, so that the PDF
 * shows nothing that a reader would not see.
 */
export async function servePages(root: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const asked = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
      // A normalised absolute path cannot leave its root.
      const path = normalize(asked);
      const body = await readFile(join(root, path));
      response.writeHead(200, { ...COMMON_HEADERS, 'content-type': mediaTypeOf(path) }).end(body);
    } catch {
      // Without a body, the browser would show an error of its own instead.
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
