import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer';
import { PROJECT } from '../../config/project.ts';
import { withFacts } from '../../release/format/pdf-facts.ts';
import { asBrowserError, type PrintingBrowser, pdfOf, STEP_MS } from './printing-browser.ts';
import { FONTS_FOLDER } from './rasterise.ts';

/** A chart that is to be printed. */
export interface ChartPrint {
  /** The path of the PDF: `charts/supply.pdf`. */
  path: string;
  title: string;
  /** An SVG document. */
  drawing: string;
  /** The time of the data, ISO 8601 or a day; it replaces the time of printing. */
  asOf: string;
  /** Who publishes it. */
  author: string;
}

/** Returns the bytes of the PDFs in the order of the charts. */
export type PrintCharts = (charts: readonly ChartPrint[]) => Promise<Uint8Array[]>;

const FACES = [
  ['Source Sans 3', 400, 'source-sans-3-400.ttf'],
  ['Source Sans 3', 600, 'source-sans-3-600.ttf'],
  ['Source Serif 4', 600, 'source-serif-4-600.ttf'],
] as const;

/**
 * Prints charts, as vectors and text, on pages of the charts' size, with embedded fonts. The same drawing and browser give the same
 * bytes. Throws print_failed.
 */
export async function printCharts(
  browser: PrintingBrowser,
  charts: readonly ChartPrint[],
): Promise<Uint8Array[]> {
  if (charts.length === 0) return [];
  const printed: Uint8Array[] = [];
  let page: Page | undefined;
  for (const chart of charts) {
    try {
      page ??= await openShell(browser);
      printed.push(await printChart(page, chart));
    } catch (cause) {
      throw asBrowserError(cause, chart.path, `a chart that is printed in ${STEP_MS / 1000} seconds`);
    }
  }
  await page?.close();
  return printed;
}

/** A page that loads the fonts, once for all charts, and takes most of the time of one. */
async function openShell(browser: PrintingBrowser): Promise<Page> {
  const page = await browser.open();
  await page.setContent(SHELL.replace('FACES', await fontFaces()));
  return page;
}

async function printChart(
  page: Page,
  { title, drawing, asOf, author, path }: ChartPrint,
): Promise<Uint8Array> {
  await page.evaluate(showChart, title, styleOf(drawing), drawing.trimEnd());
  return withFacts(await pdfOf(page), { asOf, author, place: path });
}

/** The same fonts as for PNGs, inlined because the page has no address to load them from; and places for a chart and its size. */
const SHELL =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title></title><style>FACES</style><style id="size"></style></head><body></body></html>';

/** Runs in the page. */
async function showChart(title: string, style: string, drawing: string): Promise<void> {
  document.title = title;
  document.querySelector('#size')!.textContent = style;
  document.body.innerHTML = drawing;
  // A font is requested when text in it is laid out.
  document.body.getBoundingClientRect();
  await document.fonts.ready;
}

/** A page of exactly the chart's size, so that documents can include it without cropping. */
function styleOf(drawing: string): string {
  const [, width, height] = /^<svg [^>]* width="(\d+)" height="(\d+)"/.exec(drawing)!;
  return `@page{size:${width}px ${height}px;margin:0}body{margin:0;overflow:hidden}svg{display:block}`;
}

async function fontFaces(): Promise<string> {
  const faces = FACES.map(async ([family, weight, file]) => {
    const font = await readFile(join(PROJECT, FONTS_FOLDER, file), 'base64');
    return `@font-face{font-family:"${family}";font-weight:${weight};src:url(data:font/ttf;base64,${font})}`;
  });
  return (await Promise.all(faces)).join('');
}
