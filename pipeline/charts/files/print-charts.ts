import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../../config/project.ts';
import { withFacts } from '../../release/format/pdf-facts.ts';
import { escapeText } from '../drawing/element.ts';
import { asBrowserError, type Browser, launchChromium } from './launch-chromium.ts';

/** The limit for the layout of a chart, and for printing it, ms. */
const TIMEOUT_MS = 60_000;

/** A chart that is to be printed. */
export interface ChartPrint {
  /** The path of the PDF: `charts/supply.pdf`. */
  path: string;
  title: string;
  /** An SVG document. */
  drawing: string;
  /** The time of the data, ISO 8601 or a day; it replaces the time of printing. */
  asOf: string;
}

/** Returns the bytes of the PDFs in the order of the charts. */
export type PrintCharts = (
  charts: readonly ChartPrint[],
  options: { profile: string },
) => Promise<Uint8Array[]>;

const FACES = [
  ['Source Sans 3', 400, 'source-sans-3-400.ttf'],
  ['Source Sans 3', 600, 'source-sans-3-600.ttf'],
  ['Source Serif 4', 600, 'source-serif-4-600.ttf'],
] as const;

/**
 * Prints charts with one browser, as vectors and text, on pages of the charts' size, with embedded fonts. The same drawing
 * and browser give the same bytes. Throws site_failed.
 */
export async function printCharts(
  charts: readonly ChartPrint[],
  options: { chromium: string; profile: string },
): Promise<Uint8Array[]> {
  if (charts.length === 0) return [];
  const faces = await fontFaces();
  const browser = await launchChromium(options);
  try {
    const printed: Uint8Array[] = [];
    for (const chart of charts) printed.push(await printChart(browser, chart, faces));
    return printed;
  } finally {
    await browser.close();
  }
}

async function printChart(browser: Browser, chart: ChartPrint, faces: string): Promise<Uint8Array> {
  const { path, asOf } = chart;
  try {
    const tab = await browser.newTab(TIMEOUT_MS);
    await tab.setContent(pageOf(chart, faces));
    await tab.evaluate(async () => {
      await document.fonts.ready;
    });
    const pdf = await tab.pdf();
    await tab.close();
    return withFacts(pdf, asOf, path);
  } catch (cause) {
    throw asBrowserError(cause, path, `a chart that is printed in ${TIMEOUT_MS / 1000} seconds`);
  }
}

/** A page of exactly the chart's size, so that documents can include it without cropping. */
function pageOf({ title, drawing }: ChartPrint, faces: string): string {
  const [, width, height] = /^<svg [^>]* width="(\d+)" height="(\d+)"/.exec(drawing)!;
  const style = `${faces}@page{size:${width}px ${height}px;margin:0}body{margin:0;overflow:hidden}svg{display:block}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeText(title)}</title><style>${style}</style></head><body>${drawing.trimEnd()}</body></html>`;
}

/** The same fonts as for PNGs, inlined because the page has no address to load them from. */
async function fontFaces(): Promise<string> {
  const faces = FACES.map(async ([family, weight, file]) => {
    const font = await readFile(join(PROJECT, 'pipeline/charts/files/fonts', file), 'base64');
    return `@font-face{font-family:"${family}";font-weight:${weight};src:url(data:font/ttf;base64,${font})}`;
  });
  return (await Promise.all(faces)).join('');
}
