import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { type PrintJob, printPdf } from '../../../pipeline/build/pdf/print-pdf.ts';
import { asBrowserError, PrintingBrowser } from '../../../pipeline/charts/files/printing-browser.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { readPdf } from './read-pdf.ts';

const AUTHOR = 'Δήμος (North) & Sons, 市議会';
const { CHROMIUM_PATH = null, PATH = '' } = process.env;
const CHROMIUM = findChromium({ configured: CHROMIUM_PATH, path: PATH });
const BASE_URL = 'https://data.example.org';
const AS_OF = '2026-09-30T18:00:00Z';

/** Each print in a browser of its own. */
async function printed(job: Omit<PrintJob, 'path'>, chromium = CHROMIUM): Promise<Uint8Array> {
  await using browser = new PrintingBrowser(chromium);
  return await printPdf(browser, job);
}

const BROWSER = new URL('../../../pipeline/charts/files/printing-browser.ts', import.meta.url).href;
const OPENING =
  'import(process.argv[1]).then(({ PrintingBrowser }) => new PrintingBrowser(process.argv[2]).open())';

/** True if a browser with its files in this folder is running. Reads /proc, because not every machine has ps. */
async function runs(folder: string): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.some((command) => command.includes(`--user-data-dir=${folder}/`));
}

async function site(html: string): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(join(root, 'report'));
  await writeFile(join(root, 'report', 'index.html'), html);
  return root;
}

const HTML = `<!doctype html><html lang="en-GB"><head><title>A report, year to date</title><link rel="canonical" href="https://data.example.org/report/">
<link rel="stylesheet" href="/print.css"></head><body><main><h1>A report</h1><p>It was <a href="/economy/supply">measured</a>.</p>
<h2>First part</h2><table><tr><th>Day</th></tr><tr><td>1</td></tr></table><h2>Last part</h2><p>Nothing more.</p></main><script src="/ask.js"></script></body></html>`;

test('a page is printed with outline, tags, title, author, the time of its data and links to the service, each time the same', async () => {
  const root = await site(HTML);
  await copyFile('src/site/styles/print.css', join(root, 'print.css'));
  // The notice about stale data requests this file, which no release has before it is signed. No script runs.
  await writeFile(
    join(root, 'ask.js'),
    "const r = new XMLHttpRequest(); r.open('GET', '/latest.json', false); r.send()",
  );
  const asOf = '2026-01-01T01:30:00+02:00';
  const print = () => printed({ root, baseUrl: BASE_URL, page: '/report/', asOf, author: AUTHOR });
  const pdf = await print();
  expect(Buffer.from(await print()).equals(Buffer.from(pdf))).toBe(true);
  const { info, marked, size, outline, texts, links, structure } = await readPdf(pdf);
  expect(info).toMatchObject({
    Title: 'A report, year to date',
    Author: AUTHOR,
    Creator: AUTHOR,
    Language: 'en-GB',
    CreationDate: "D:20251231233000+00'00'",
    ModDate: "D:20251231233000+00'00'",
  });
  expect([marked, size.map(Math.round)]).toEqual([true, [0, 0, 595, 842]]);
  expect(outline).toEqual(['A report', '  First part', '  Last part']);
  for (const role of ['H1', 'H2', 'Table', 'TH', 'TD']) expect(structure).toContain(`"role":"${role}"`);
  expect(texts[0]).toContain('Page 1 of 1 A report, year to date');
  expect(links).toEqual(['https://data.example.org/economy/supply']);
  expect(Buffer.from(pdf).toString('latin1')).not.toContain('127.0.0.1');
});

test('a page that requests a missing file is refused', async () => {
  const root = await site('<!doctype html><title>T</title><img src="/x.png">');
  const options = { root, baseUrl: BASE_URL, page: '/report/', asOf: AS_OF, author: AUTHOR };
  const error = await failureOf(() => printed(options));
  expect(error).toMatchObject({ code: 'print_failed', place: '/report/', found: '/x.png (404)' });
});

test('a browser that does not start is reported', async () => {
  const job = { root: await site(''), baseUrl: BASE_URL, page: '/report/', asOf: AS_OF, author: AUTHOR };
  expect(await failureOf(() => printed(job, '/bin/false'))).toMatchObject({
    code: 'print_failed',
    place: '/bin/false',
    expected: expect.stringContaining('a browser that starts'),
  });
});

test('of a browser that does not answer, no option of a library is named', () => {
  const cause = new Error(
    "Page.printToPDF timed out. Increase the 'protocolTimeout' setting in launch/connect calls.",
  );
  expect(asBrowserError(cause, '/report/', 'a page')).toMatchObject({ found: 'Page.printToPDF timed out.' });
});

test('a process that is killed leaves no browser behind', async () => {
  const folder = await temporaryFolder();
  const env = { ...process.env, TMPDIR: folder };
  const run = spawn(process.execPath, ['-e', OPENING, BROWSER, CHROMIUM], { env });
  while (!(await runs(folder))) await sleep(10);
  run.kill('SIGKILL');
  while (await runs(folder)) await sleep(10);
});
