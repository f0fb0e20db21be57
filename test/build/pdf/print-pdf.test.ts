import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../../pipeline/build/pdf/print-pdf.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { type Built, buildFixture } from '../../site/build-fixture.ts';

const AUTHOR = 'Δήμος (North) & Sons, 市議会';
const { CHROMIUM_PATH = null, PATH = '' } = process.env;
const CHROMIUM = findChromium({ configured: CHROMIUM_PATH, path: PATH });
const AS_OF = '2026-09-30T18:00:00Z';

async function browser(): Promise<{ chromium: string; profile: string }> {
  return { chromium: CHROMIUM, profile: join(await temporaryFolder(), 'browser') };
}

const MODULE = new URL('../../../pipeline/build/pdf/print-pdf.ts', import.meta.url).href;
const PRINTING = 'import(process.argv[1]).then(({ printPdf }) => printPdf(JSON.parse(process.argv[2])))';

/** True if a browser with this profile is running. Reads /proc, because not every machine has ps. */
async function runs(profile: string): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.some((command) => command.includes(`--user-data-dir=${profile}`));
}

interface Outline {
  title: string;
  items: Outline[];
}

/** The outline's titles, with the second level indented. */
function titles(outline: Outline[], indent = ''): string[] {
  return outline.flatMap(({ title, items }) => [indent + title, ...titles(items, `${indent}  `)]);
}

async function read(pdf: Uint8Array) {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1)),
  );
  const texts = await Promise.all(
    pages.map(async (page) => {
      const { items } = await page.getTextContent();
      return items
        .map((item) => ('str' in item ? item.str : ''))
        .join(' ')
        .replaceAll(/\s+/g, ' ');
    }),
  );
  const links = (await Promise.all(pages.map((page) => page.getAnnotations()))).flat();
  return {
    info: (await document.getMetadata()).info as Record<string, unknown>,
    marked: ((await document.getMarkInfo()) as unknown as Map<string, boolean>).get('Marked'),
    outline: titles((await document.getOutline()) as Outline[]),
    texts,
    links: links.map(({ url }) => url as string),
    size: pages[0]!.view,
    structure: JSON.stringify(await Promise.all(pages.map((page) => page.getStructTree()))),
  };
}

describe('the transparency report as a PDF', () => {
  let built: Built;
  let pdf: Uint8Array;
  const page = '/government/transparency/';
  const print = async () =>
    printPdf({ root: built.out, page, asOf: AS_OF, author: AUTHOR, ...(await browser()) });

  beforeAll(async () => {
    built = await buildFixture();
    // Not beside the site, which others copy meanwhile.
    const folder = await mkdtemp(join(tmpdir(), 'cathedral-browser-'));
    const profile = join(folder, 'browser');
    pdf = await printPdf({ root: built.out, page, asOf: AS_OF, author: AUTHOR, chromium: CHROMIUM, profile });
    await rm(folder, { recursive: true, force: true });
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
      '    The latest decisions of the year',
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
    expect(structure).toMatch(
      /"alt":"Integrity index against its threshold by month The mean of the index in a whole month/,
    );
  });

  test('has a cover with a title block and the contents, and no sheet with next to nothing', async () => {
    const { texts } = await read(pdf);
    for (const words of [
      'Transparency report 2026 Year to date PUBLISHER Cathedral Data Service',
      'LEDGER ledger.example.org/cathedral',
      '4. Financial transparency',
    ])
      expect(texts[0]).toContain(words);
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

describe('printing', () => {
  async function site(html: string): Promise<string> {
    const root = await temporaryFolder();
    await mkdir(join(root, 'report'));
    await writeFile(
      join(root, 'report', 'index.html'),
      `<!doctype html><html lang="en"><title>T</title>${html}`,
    );
    return root;
  }

  test.each([
    ['a missing page', '/absent/', '', '/absent/ (404)'],
    ['a page that requests a missing file', '/report/', '<img src="/x.png">', '/x.png (404)'],
  ])('refuses %s', async (_, page, html, found) => {
    const root = await site(html);
    const error = await failureOf(async () =>
      printPdf({ root, page, asOf: AS_OF, author: AUTHOR, ...(await browser()) }),
    );
    expect(error).toMatchObject({ code: 'site_failed', place: page, found });
  });

  test('reports that the browser does not start', async () => {
    const profile = join(await temporaryFolder(), 'browser');
    const options = {
      root: await site(''),
      page: '/report/',
      asOf: AS_OF,
      author: AUTHOR,
      profile,
      chromium: '/bin/false',
    };
    expect(await failureOf(() => printPdf(options))).toMatchObject({
      code: 'site_failed',
      place: '/bin/false',
      expected: expect.stringContaining('a browser that starts'),
    });
  });

  test('leaves no browser behind when the process is killed', async () => {
    const profile = join(await temporaryFolder(), 'browser');
    const options = {
      root: await site('<h1>One</h1>'),
      page: '/report/',
      chromium: CHROMIUM,
      asOf: AS_OF,
      author: AUTHOR,
      profile,
    };
    const run = spawn(process.execPath, ['-e', PRINTING, MODULE, JSON.stringify(options)]);
    while (!(await runs(profile))) await sleep(10);
    run.kill('SIGKILL');
    while (await runs(profile)) await sleep(10);
  });

  test('prints stale data before their release is signed, with the same time in every time zone', async () => {
    const root = await site('<h1>One</h1><script src="/ask.js"></script>');
    // The notice about stale data requests this file, which no release has yet. No script runs.
    await writeFile(
      join(root, 'ask.js'),
      "const r = new XMLHttpRequest(); r.open('GET', '/latest.json', false); r.send()",
    );
    const pdf = await printPdf({
      root,
      page: '/report/',
      asOf: '2026-01-01T01:30:00+02:00',
      author: AUTHOR,
      ...(await browser()),
    });
    expect((await read(pdf)).info.CreationDate).toBe("D:20251231233000+00'00'");
  });
});
