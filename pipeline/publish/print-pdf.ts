import type { Server } from 'node:http';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { CathedralError } from '../errors.ts';
import { servePages } from './serve-pages.ts';

/** How long a page may take to load, and to print, in ms. */
const TIMEOUT_MS = 60_000;
/** What browsers ask for of themselves, where a page names no icon. */
const UNASKED = '/favicon.ico';
const AUTHOR = 'Cathedral Data Service';

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
    const browser = await launch(options);
    try {
      return withFacts(await print(browser, `${origin}${page}`), asOf, page);
    } catch (cause) {
      const expected = `a page that loads and prints, each in ${TIMEOUT_MS / 1000} seconds`;
      throw asFault(cause, page, expected);
    } finally {
      await browser.close();
    }
  } finally {
    await close(server);
  }
}

async function launch({ chromium, profile }: Pick<PrintOptions, 'chromium' | 'profile'>): Promise<Browser> {
  // Chromium's sandbox does not start as root, and the page is our own, served from this machine.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const quiet = [
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    // Letters stand where the font says, not where the machine's screen settings round them to.
    '--font-render-hinting=none',
  ];
  return puppeteer
    .launch({
      executablePath: chromium,
      args: [...asRoot, ...quiet],
      userDataDir: profile,
      // Over a pipe, whose end is the end of the browser too, be this process killed.
      pipe: true,
    })
    .catch((cause) => {
      throw asFault(cause, chromium, 'a browser that starts; run by hand, it says why it does not');
    });
}

function asFault(cause: unknown, place: string, expected: string): unknown {
  if (cause instanceof CathedralError) return cause;
  return new CathedralError('site_failed', { place, expected, found: (cause as Error).message, cause });
}

async function print(browser: Browser, url: string): Promise<Uint8Array> {
  const tab = await browser.newPage();
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

/** The document information as Chromium writes it, not compressed; `…` of Creator is the browser's user agent. */
const CREATOR = /\/Creator \((?:[^()\\]|\\.)*\)/g;
/** `/CreationDate (D:20260301115500+00'00')` */
const TIMES = /(\/(?:Creation|Mod)Date) \(D:\d{14}\+00'00'\)/g;

/** The names of the tagged elements: Chromium counts them from where its own start-up got to, which varies. */
const NODES = /\bnode(\d{8})\b/g;

/** Chromium writes a heading that it moved to the next sheet twice into the outline: `(1. Title1. Title)`. */
const TWICE = /\/Title \(([^\n]+)\1\)/g;

/**
 * Puts the data's time in the place of the time of printing, an author beside the creator, counts the elements from one
 * and says each title of the outline once. Each replacement is as long as what it replaces, for the file's table of contents counts bytes.
 */
function withFacts(pdf: Uint8Array, asOf: string, place: string): Uint8Array {
  const text = Buffer.from(pdf).toString('latin1');
  const digits = new Date(asOf).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const creator = `/Author (${AUTHOR}) /Creator (${AUTHOR})`;
  const [found = ''] = text.match(CREATOR) ?? [];
  const counts = [text.match(CREATOR)?.length, text.match(TIMES)?.length];
  if (counts.join() !== '1,2' || found.length < creator.length) {
    const expected =
      'a PDF with one Creator and two times, as this version of Chromium was known to write it';
    throw new CathedralError('site_failed', { place, expected, found: `${counts.join(' and ')}, ${found}` });
  }
  const nodes = [...new Set(text.match(NODES))].sort();
  const names = new Map(nodes.map((name, index) => [name, `node${String(index + 1).padStart(8, '0')}`]));
  const changed = text
    .replace(CREATOR, creator.padEnd(found.length))
    .replaceAll(TIMES, `$1 (D:${digits}+00'00')`)
    .replaceAll(NODES, (name) => names.get(name)!)
    .replaceAll(TWICE, (twice, title: string) => `/Title (${title})`.padEnd(twice.length));
  return Buffer.from(changed, 'latin1');
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
