import type { Server } from 'node:http';
import puppeteer, { type Browser } from 'puppeteer';
import { CathedralError } from '../errors.ts';
import { servePages } from './serve-pages.ts';

/** How long a page may take to load, and to print, in ms. */
const TIMEOUT_MS = 60_000;

export interface PrintOptions {
  /** Folder of the built site and the data files beside it. */
  root: string;
  /** Path of the page, `/government/transparency/`. */
  page: string;
  /** Path of a Chromium. */
  chromium: string;
  /** The data's own time, ISO 8601; it takes the place of the time of printing. */
  asOf: string;
}

const FOOTER = `<div style="width:100%;font:8px sans-serif;color:#555;padding:0 18mm;display:flex;justify-content:space-between">
  <span class="title"></span><span>Page <span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`;

/**
 * Prints a page of the site: A4, tagged, with an outline and page numbers. The same site and browser give the same
 * bytes. Throws site_failed where the page does not load or asks for something that is not there.
 */
export async function printPdf({ root, page, chromium, asOf }: PrintOptions): Promise<Uint8Array> {
  const { server, origin } = await servePages(root);
  try {
    const browser = await launch(chromium);
    try {
      const pdf = await print(browser, `${origin}${page}`);
      return withTime(pdf, asOf);
    } finally {
      await browser.close();
    }
  } finally {
    await close(server);
  }
}

async function launch(chromium: string): Promise<Browser> {
  // Chromium's sandbox does not start as root, and the page is our own, served from this machine.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const quiet = [
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
  ];
  return puppeteer.launch({ executablePath: chromium, args: [...asRoot, ...quiet] });
}

async function print(browser: Browser, url: string): Promise<Uint8Array> {
  const tab = await browser.newPage();
  const missing: string[] = [];
  tab.on('response', (response) => {
    if (response.status() >= 400) missing.push(`${response.url()} (${response.status()})`);
  });
  tab.on('requestfailed', (request) => missing.push(`${request.url()} (${request.failure()?.errorText})`));
  await tab.goto(url, { waitUntil: 'networkidle0', timeout: TIMEOUT_MS });
  await tab.evaluate(() => document.fonts.ready.then(() => true));
  if (missing.length > 0) {
    const place = new URL(url).pathname;
    throw new CathedralError('site_failed', {
      place,
      expected: 'every file that the page asks for',
      found: missing.join(', '),
    });
  }
  return tab.pdf({
    format: 'A4',
    preferCSSPageSize: true,
    printBackground: true,
    tagged: true,
    outline: true,
    displayHeaderFooter: true,
    headerTemplate: '<span></span>',
    footerTemplate: FOOTER,
    timeout: TIMEOUT_MS,
  });
}

/** `(D:20260301115500+00'00')`: the time of printing stands so twice, in a dictionary that is not compressed. */
const PDF_TIME = /\(D:\d{14}\+00'00'\)/g;

function withTime(pdf: Uint8Array, asOf: string): Uint8Array {
  const digits = new Date(asOf).toISOString().replace(/\D/g, '').slice(0, 14);
  const text = Buffer.from(pdf).toString('latin1').replaceAll(PDF_TIME, `(D:${digits}+00'00')`);
  return Buffer.from(text, 'latin1');
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
