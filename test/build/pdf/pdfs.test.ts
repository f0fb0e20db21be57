import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePdf, pdfJobs } from '../../../pipeline/build/pdf/pdfs.ts';
import type { Print } from '../../../pipeline/build/pdf/print-pdf.ts';
import { emptyState, emptyYear } from '../../../pipeline/model/empty-state.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { readSite } from '../../../pipeline/release/staging/site-tree.ts';
import { ORGANISATION } from '../../organisation.ts';
import { publishTiny } from '../../release/publish-tiny.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

const CLOSED = 'government/transparency-2024.pdf';
const CURRENT = 'government/transparency.pdf';
const PAGES = ['government/transparency/2024/index.html', 'government/transparency/index.html'];

const state = { ...emptyState(), since: '2024-06-01T00:00:00Z', year: emptyYear(2025, '2025-01-01', 0n) };
const printedBy =
  (browser: string): Print =>
  async ({ page }) =>
    Buffer.from(`%PDF of ${page} by ${browser}`);

interface RunOptions {
  print: Print | null;
  rebuild?: boolean;
  /** What the pages say. */
  text?: string;
}

/** A run that prints PDFs. In the previous release, if any, 2024 is closed. */
function runWithPdfs(out: string, { print, rebuild = false, text = '' }: RunOptions) {
  const options = {
    baseUrl: 'https://data.example.org',
    printing: print && { page: print, charts: async () => [] },
    organisation: ORGANISATION,
    log: () => {},
  };
  return publishTiny(out, {
    events: 3,
    rebuild,
    extra: async (staging) => {
      const pages = join(staging.scratch, 'pages');
      for (const page of PAGES) {
        await mkdir(join(pages, page, '..'), { recursive: true });
        await writeFile(join(pages, page), `<!doctype html><title>${page}</title>${text}`);
      }
      await readSite(pages, (file) => staging.write(file));
      for (const pdf of await pdfJobs(staging, { state }, options)) await makePdf(staging, pdf, options);
    },
  });
}

async function pdfsOf(out: string): Promise<Record<string, string>> {
  const { manifest } = (await readCurrent(out))!;
  const paths = manifest.files.map(({ path }) => path).filter((path) => path.endsWith('.pdf'));
  const texts = paths.map(async (path) => [path, await readFile(join(out, 'current/public', path), 'utf8')]);
  return Object.fromEntries(await Promise.all(texts));
}

describe('a PDF', () => {
  test('of a closed year is printed once, that of the current year when its page has changed', async () => {
    const out = await temporaryFolder();
    await runWithPdfs(out, { print: printedBy('one') });
    const [closed, current] = ['/government/transparency/2024/', '/government/transparency/'];
    expect(await pdfsOf(out)).toEqual({
      [CLOSED]: `%PDF of ${closed} by one`,
      [CURRENT]: `%PDF of ${current} by one`,
    });
    const first = await pdfsOf(out);
    await runWithPdfs(out, { print: printedBy('another browser') });
    expect(await pdfsOf(out)).toEqual(first);
    await runWithPdfs(out, { print: printedBy('two'), text: 'more' });
    expect(await pdfsOf(out)).toEqual({
      [CLOSED]: `%PDF of ${closed} by one`,
      [CURRENT]: `%PDF of ${current} by two`,
    });
  });

  test('of a closed year stays if no browser is available any more', async () => {
    const out = await temporaryFolder();
    await runWithPdfs(out, { print: printedBy('one') });
    await runWithPdfs(out, { print: null });
    expect(Object.keys(await pdfsOf(out))).toEqual([CLOSED]);
  });

  test('that is damaged is printed again by a rebuild, which stops if the bytes differ', async () => {
    const out = await temporaryFolder();
    await runWithPdfs(out, { print: printedBy('one') });
    const before = await pdfsOf(out);
    const file = join(out, 'current/public', CLOSED);
    await writeFile(file, 'damaged');
    const other = () => runWithPdfs(out, { print: printedBy('two'), rebuild: true });
    expect(await failureOf(other)).toMatchObject({ code: 'publish_failed', place: CLOSED });
    expect(await readFile(file, 'utf8')).toBe('damaged');
    await runWithPdfs(out, { print: printedBy('one'), rebuild: true });
    expect(await pdfsOf(out)).toEqual(before);
  });
});
