import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { type ChartPrint, printCharts } from '../../../pipeline/charts/files/print-charts.ts';
import { PrintingBrowser } from '../../../pipeline/charts/files/printing-browser.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { textsOf } from '../drawing.ts';

const AUTHOR = 'Δήμος (North) & Sons, 市議会';
const { CHROMIUM_PATH = null, PATH = '' } = process.env;
const CHROMIUM = findChromium({ configured: CHROMIUM_PATH, path: PATH });
const NAMES = ['supply', 'drift', 'deliberations'];
const GOLDEN = join(import.meta.dirname, '../../contract/release/examples/charts');
const CHARTS = await Promise.all(NAMES.map((name) => chartNamed(`${name}.svg`)));

async function chartNamed(file: string): Promise<ChartPrint> {
  const name = file.replace('.svg', '');
  return {
    path: `charts/${name}.pdf`,
    title: `Title of ${name}`,
    drawing: await readFile(join(GOLDEN, file), 'utf8'),
    asOf: '2026-01-09T23:59:00Z',
    author: AUTHOR,
  };
}

async function print(charts = CHARTS): Promise<Uint8Array[]> {
  await using browser = new PrintingBrowser(CHROMIUM);
  return await printCharts(browser, charts);
}

async function read(pdf: Uint8Array) {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  const page = await document.getPage(1);
  const { items } = await page.getTextContent();
  return {
    pages: document.numPages,
    info: (await document.getMetadata()).info as Record<string, unknown>,
    size: page.view,
    text: items.map((item) => ('str' in item ? item.str : '')).join(' '),
  };
}

/** As they stand in the file: `/BaseFont /AAAAAA+SourceSans3-Regular`. */
function fontsOf(pdf: Uint8Array): string[] {
  const names = Buffer.from(pdf)
    .toString('latin1')
    .matchAll(/\/FontName \/(?:[A-Z]{6}\+)?([\w-]+)/g);
  return [...new Set([...names].map(([, name]) => name!))].sort();
}

test('a chart is one page of its own size, with text that can be read and fonts that are in it', async () => {
  const printed = await print();
  for (const [index, { drawing, title }] of CHARTS.entries()) {
    const { pages, info, size, text } = await read(printed[index]!);
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(drawing)!.map(Number);
    expect(pages).toBe(1);
    // A point is 4/3 pixels; the browser rounds up to whole steps of its own.
    expect(Math.abs(size[2]! - width! * 0.75)).toBeLessThan(1);
    expect(Math.abs(size[3]! - height! * 0.75)).toBeLessThan(1);
    expect(info).toMatchObject({
      Title: title,
      CreationDate: "D:20260109235900+00'00'",
      Author: AUTHOR,
    });
    expect(text).toContain('Source: Council of Example');
    const fonts = fontsOf(printed[index]!);
    expect(fonts).toEqual(expect.arrayContaining(['SourceSans3-Regular', 'SourceSerif4-SemiBold']));
    expect(fonts.filter((name) => !name.startsWith('Source'))).toEqual([]);
  }
});

// Publishers refuse Type 3 fonts, which the browser makes of letters with an outline.
test('every chart has only fonts that publishers accept, and copying it gives each text once', async () => {
  const names = globSync('*.svg', { cwd: GOLDEN });
  const charts = await Promise.all(names.map(chartNamed));
  const printed = await print(charts);
  const letters = (text: string) => [...text.normalize('NFKC').replaceAll(/\s/g, '')].sort().join('');
  for (const [index, { path, drawing }] of charts.entries()) {
    expect(Buffer.from(printed[index]!).includes('/Type3'), path).toBe(false);
    const words = textsOf(drawing).map(({ text }) => text);
    expect(letters((await read(printed[index]!)).text), path).toBe(letters(words.join('')));
  }
});

test('a chart is tagged, and its picture has its summary as a text alternative', async () => {
  for (const [index, pdf] of (await print()).entries()) {
    const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
    const structure = JSON.stringify(await (await document.getPage(1)).getStructTree());
    const [, title] = /<title[^>]*>([^<]+)</.exec(CHARTS[index]!.drawing)!;
    expect(structure).toContain('"role":"Figure"');
    expect(structure).toContain(`"alt":"${title} `);
  }
});

test('the same chart gives the same bytes, alone or after others', async () => {
  const [all, alone] = [await print(), await print(CHARTS.slice(1, 2))];
  expect(Buffer.from(alone[0]!).equals(all[1]!)).toBe(true);
});

test('no chart starts no browser, and one that does not start says so', async () => {
  await using browser = new PrintingBrowser('/no/such/chromium');
  expect(await printCharts(browser, [])).toEqual([]);
  expect(await failureOf(() => printCharts(browser, CHARTS))).toMatchObject({ code: 'print_failed' });
});
