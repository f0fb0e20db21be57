import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import type { Browser, Page } from 'puppeteer';
import { asBrowserError, launchChromium } from '../../charts/files/launch-chromium.ts';
import { CathedralError } from '../../errors.ts';
import { COMMON_HEADERS } from '../../release/format/headers.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import { withFacts } from '../../release/format/pdf-facts.ts';

/** How long a page may take to load, and to print, in ms. */
const TIMEOUT_MS = 60_000;
/** What browsers ask for of themselves, where a page names no icon. */
const UNASKED = '/favicon.ico';

export interface PrintJob {
  /** Folder of the built site and the data files beside it. */
  root: string;
  /** Path of the page, `/government/transparency/`. */
  page: string;
  /** Path that the PDF is published at, `government/transparency.pdf`. */
  path: string;
  /** The data's own time, ISO 8601; it takes the place of the time of printing. */
  asOf: string;
  /** Folder for the browser's own files: not there before, of no use afterwards. */
  profile: string;
}

/** Gives a PDF's bytes. */
export type Print = (job: PrintJob) => Promise<Uint8Array>;

export interface PrintOptions extends Omit<PrintJob, 'path'> {
  /** Path of a Chromium. */
  chromium: string;
}

/**
 * Prints a page of the site: A4, tagged, with an outline, page numbers, title, language and author. The same site and
 * browser give the same bytes. Throws site_failed where the browser does not start, where the page asks for something
 * that is not there, or where it is too long to be printed in time.
 */
export async function printPdf({ root, page, asOf, ...options }: PrintOptions): Promise<Uint8Array> {
  const { server, origin } = await servePages(root);
  try {
    const browser = await launchChromium(options);
    try {
      return withFacts(await print(browser, `${origin}${page}`), asOf, page);
    } catch (cause) {
      const expected = `a page that loads and prints, each in ${TIMEOUT_MS / 1000} seconds`;
      throw asBrowserError(cause, page, expected);
    } finally {
      await browser.close();
    }
  } finally {
    await close(server);
  }
}

async function print(browser: Browser, url: string): Promise<Uint8Array> {
  const tab = await browser.newPage();
  // Scripts depend on the clock and ask for what a release has only when it is signed, as the notice of old data does.
  await tab.setJavaScriptEnabled(false);
  await load(tab, url);
  return tab.pdf({
    format: 'A4',
    preferCSSPageSize: true,
    printBackground: true,
    tagged: true,
    outline: true,
    // The page's own style has the page numbers, in its own type (`@page` in print.css).
    displayHeaderFooter: false,
    timeout: TIMEOUT_MS,
  });
}

async function load(tab: Page, url: string): Promise<void> {
  const missing = new Map<string, string>();
  tab.on('response', (response) => {
    const path = pathOf(response.url());
    if (response.status() >= 400 && path !== UNASKED) missing.set(path, String(response.status()));
  });
  tab.on('requestfailed', (request) => {
    const path = pathOf(request.url());
    missing.set(path, missing.get(path) ?? request.failure()?.errorText ?? 'failed');
  });
  await tab.goto(url, { waitUntil: 'load', timeout: TIMEOUT_MS });
  await tab.evaluate(prepare);
  if (missing.size === 0) return;
  const found = [...missing].map(([path, reason]) => `${path} (${reason})`).join(', ');
  const expected = 'every file that the page asks for';
  throw new CathedralError('site_failed', { place: pathOf(url), expected, found });
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** Runs in the page: its title for the foot of each sheet, and links that lead to the service, not to this machine. */
async function prepare(): Promise<void> {
  document.documentElement.style.setProperty('--document-title', JSON.stringify(document.title));
  const service = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="/"]')) {
    link.href = new URL(link.getAttribute('href') ?? '', service).href;
  }
  await document.fonts.ready;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/**
 * Serves a built site to the browser that prints it: on this machine only, for as long as that takes, and under the
 * content security policy of the service, so that nothing shows here that a reader would not see.
 */
export async function servePages(root: string): Promise<{ server: Server; origin: string }> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const asked = decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
      // An absolute path has no way out of its root once it is normal.
      const path = normalize(asked);
      const body = await readFile(join(root, path));
      response.writeHead(200, { ...COMMON_HEADERS, 'content-type': mediaTypeOf(path) }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
