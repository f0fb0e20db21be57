import { beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../../pipeline/build/pdf/print-pdf.ts';
import { PrintingBrowser } from '../../../pipeline/charts/files/printing-browser.ts';
import { type Built, buildFixture } from '../../site/build-fixture.ts';
import { readPdf as read } from './read-pdf.ts';

const AUTHOR = 'Δήμος (North) & Sons, 市議会';
const { CHROMIUM_PATH = null, PATH = '' } = process.env;
const CHROMIUM = findChromium({ configured: CHROMIUM_PATH, path: PATH });
const AS_OF = '2026-09-30T18:00:00Z';

describe('the transparency report as a PDF', () => {
  let built: Built;
  let pdf: Uint8Array;
  const page = '/government/transparency/';
  const print = async () => {
    await using browser = new PrintingBrowser(CHROMIUM);
    return await printPdf(browser, {
      root: built.out,
      baseUrl: 'https://data.example.org',
      page,
      asOf: AS_OF,
      author: AUTHOR,
    });
  };

  beforeAll(async () => {
    built = await buildFixture();
    pdf = await print();
  });

  test('has the same bytes when printed again', async () => {
    expect(Buffer.from(await print()).equals(Buffer.from(pdf))).toBe(true);
  });

  test('has a title, a date and an author, and is tagged', async () => {
    const { info, marked, size } = await read(pdf);
    expect(info).toMatchObject({
      Title: 'Transparency report 2026, year to date – Cathedral Data Service',
      Author: AUTHOR,
      Creator: AUTHOR,
      Language: 'en-GB',
      CreationDate: "D:20260930180000+00'00'",
      ModDate: "D:20260930180000+00'00'",
    });
    expect(marked).toBe(true);
    expect(size.map(Math.round)).toEqual([0, 0, 595, 842]);
  });

  test('has an outline of the six sections and their contents, each title once', async () => {
    expect((await read(pdf)).outline).toEqual([
      'Transparency report 2026',
      '  Contents',
      '  1. Executive summary',
      '  2. System operations overview',
      '  3. Governance structure',
      '  4. Financial transparency',
      '    Supply and minting by month',
      '    Integrity index against its threshold by month',
      '  5. Compliance status',
      '  6. Future outlook',
    ]);
  });

  test('has headings, tables with headers, and charts with text alternatives in its structure', async () => {
    const { structure } = await read(pdf);
    for (const role of ['H1', 'H2', 'H3', 'Table', 'TH', 'TD', 'Figure']) {
      expect(structure).toContain(`"role":"${role}"`);
    }
    expect(structure).toMatch(/"alt":"Integrity index against its threshold by month The lowest reading was/);
  });

  test('has a cover with a title block and the contents, and no sheet with next to nothing', async () => {
    const { texts } = await read(pdf);
    for (const words of [
      'Transparency report 2026 Year to date Publisher Cathedral Data Service',
      '4. Financial transparency',
    ])
      expect(texts[0]).toContain(words);
    // A word may be of several pieces.
    expect(texts[0]!.replaceAll(' ', '')).toContain('Ledgerledger.example.org/cathedral');
    for (const text of texts.slice(1)) expect(text.length).toBeGreaterThan(600);
  });

  test('has page numbers in the footer', async () => {
    const { texts } = await read(pdf);
    expect(texts.length).toBeGreaterThan(2);
    for (const [index, text] of texts.entries()) {
      expect(text).toContain(`Page ${index + 1} of ${texts.length}`);
      expect(text).toContain('Transparency report 2026, year to date');
    }
  });

  test('links to the service, not to the machine that printed it', async () => {
    expect((await read(pdf)).links).toContain('https://data.example.org/government/transparency.json');
    expect(Buffer.from(pdf).toString('latin1')).not.toContain('127.0.0.1');
  });

  test('embeds its fonts as fonts, not as outlines', () => {
    const text = Buffer.from(pdf).toString('latin1');
    expect(text).toContain('CathedralSerif-Regular');
    expect(text).not.toContain('/Subtype /Type3');
  });
});
