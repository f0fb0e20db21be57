import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { csvCells } from '../../pipeline/formats/csv-cells.ts';
import { type ManifestFile, sha256 } from '../../pipeline/release/format/manifest.ts';
import { mediaTypeOf } from '../../pipeline/release/format/media-types.ts';
import { headersFor } from '../../pipeline/release/format/response-headers.ts';
import { SQL_ENGINE } from '../../pipeline/release/format/sql-engine.ts';
import { SQL_EXAMPLES } from '../../src/site/explore/sql/examples.ts';
import { listen } from '../listen.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type FilesRelease, filesRelease, filesSite } from './files-release.ts';
import { type Visit, violations, visit } from './visit.ts';

let release: FilesRelease;
const browser = useBrowser();
let server: Server;
let origin: string;
/** Paths that were asked for, with their range. */
let asked: string[] = [];
let hasRanges = true;
/** What the host sends in place of a file. */
const instead = new Map<string, Buffer>();
let site: string;

beforeAll(async () => {
  release = await filesRelease();
  ({ out: site } = await filesSite());
  const folders = [site, join(release.out, 'current/public'), release.out];
  server = createServer(async ({ url = '', headers }, response) => {
    const name = decodeURIComponent(new URL(url, 'http://host').pathname)
      .slice(1)
      .replace(/(^|\/)$/, '$1index.html');
    const { range = '' } = headers;
    asked.push(`${name} ${range}`.trim());
    const bytes = instead.get(name) ?? (await read(folders, name));
    if (!bytes) return response.writeHead(404).end();
    const kind = name.endsWith('.html') ? 'page' : 'asset';
    const about = headersFor({ path: name, kind, media_type: typeOf(name) } as ManifestFile);
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(hasRanges ? range : '') ?? [];
    if (from === undefined) return response.writeHead(200, about).end(bytes);
    const first = from === '' ? bytes.length - Number(to) : Number(from);
    const part = bytes.subarray(first, from === '' || to === '' ? undefined : Number(to) + 1);
    const place = `bytes ${first}-${first + part.length - 1}/${bytes.length}`;
    return response.writeHead(206, { ...about, 'Content-Range': place }).end(part);
  });
  ({ origin } = await listen(server));
});

afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
});

function typeOf(name: string): string {
  return /\.\w+$/.test(name) ? mediaTypeOf(name) : 'application/json';
}

async function read(folders: readonly string[], name: string): Promise<Buffer | null> {
  for (const folder of folders) {
    const bytes = await readFile(join(folder, name)).catch(() => null);
    if (bytes) return bytes;
  }
  return null;
}

async function opened(path: string, reader = {}) {
  asked = [];
  const { page, wrong, ...visited } = await visit(browser, `${origin}${path}`, {
    acceptDownloads: true,
    ...reader,
  });
  onTestFinished(() => visited[Symbol.asyncDispose]());
  return { page, wrong };
}

async function saved(page: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return `${Buffer.concat(chunks)}`;
}

const MINTS = 'economy/mic-history.csv';
const published = (path: string) => readFile(join(release.out, 'current/public', path), 'utf8');

describe('the rows of a file', () => {
  const cells = (page: Page) =>
    page
      .locator('#rows-table tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].slice(0, 6).map(({ textContent }) => textContent)),
      );

  test('are there without JavaScript; more come with one request, and the back button goes back', async () => {
    const rows = csvCells((await published(MINTS)).replace(/^.*\n/, ''));
    const plain = await opened(`/files/${MINTS}/rows/`, { javaScriptEnabled: false });
    expect(await plain.page.locator('#rows-table tbody tr').count()).toBe(50);
    const { page, wrong } = await opened(`/files/${MINTS}/rows/`);
    expect(await cells(page)).toEqual(rows.slice(0, 50));
    expect(asked.filter((path) => /worker|\.csv$/.test(path))).toEqual([]);
    // A slow phone draws some rows in each frame.
    const slices = await page.evaluateHandle(() => {
      const added: number[] = [];
      new MutationObserver((changes) => added.push(changes.length)).observe(
        document.querySelector('#rows-table tbody')!,
        { childList: true },
      );
      return added;
    });
    await page.getByRole('button', { name: 'Next' }).first().press('Enter');
    await page.getByText(`Rows 51–100 of ${rows.length}`, { exact: false }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Next');
    expect(await cells(page)).toEqual(rows.slice(50, 100));
    expect(await slices.jsonValue()).toEqual([12, 12, 12, 12, 2]);
    expect(asked.filter((path) => path.startsWith(MINTS))).toEqual([MINTS]);
    // At the end of the table there is no next page to go to.
    await page.getByRole('button', { name: 'Last' }).first().press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Page');
    await page.goBack();
    await page.getByText('Rows 51–100', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'amount' }).click();
    await page.locator('[aria-sort="descending"]').waitFor();
    await page.getByText('sorted by amount', { exact: false }).waitFor();
    expect(new URL(page.url()).search).toBe('?sort=-amount');
    await page.goBack();
    await page.getByText('Rows 51–100', { exact: false }).waitFor();
    expect(await cells(page)).toEqual(rows.slice(50, 100));
    expect(wrong).toEqual([]);
  });

  test('are filtered and saved, and axe finds nothing', async () => {
    const { page, wrong } = await opened(`/files/${MINTS}/rows/?filter=sentinel:eq:ATLAS`, {
      viewport: { width: 320, height: 700 },
    });
    await page.getByText('where sentinel is “ATLAS”', { exact: false }).waitFor();
    const text = await saved(page, () => page.getByRole('button', { name: 'Save the selection' }).click());
    const lines = (await published(MINTS)).split('\n');
    expect(text.trimEnd().split('\n')).toEqual([
      lines[0],
      ...lines.filter((line) => line.includes(',ATLAS,')),
    ]);
    await page.getByText('Add a filter').click();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expect(wrong).toEqual([]);
  });

  test.each([
    ['sort=nothing', /sort: expected a column: timestamp, cycle, .* found nothing/],
    ['page=999', /There is no page 999: the selection has \d+ rows, the last of them on page \d+/],
    ['filter=sentinel:eq:NOBODY', /^There is no row where sentinel .* “NOBODY”\.$/],
    ['as_of=2026-01-31', /as_of: expected no time, .* found 2026-01-31.*The file as of 2026-01-31$/],
    ['filter=amount:gt:many', /expected a number like 400 or 0.95; found many/],
  ])('?%s is answered with what there is', async (query, words) => {
    const { page } = await opened(`/files/${MINTS}/rows/?${query}`);
    await expect.poll(() => page.locator('#rows-status').textContent()).toMatch(words);
    expect(await page.locator('#rows-table tbody tr').count()).toBe(0);
  });
});

describe('SQL', () => {
  test('the engine is the package’s worker and its WebAssembly, of whose archive the page states the size', async () => {
    const dist = 'node_modules/@duckdb/duckdb-wasm/dist';
    const { version } = JSON.parse(await readFile(`${dist}/../package.json`, 'utf8'));
    const { archive, worker, wasm } = SQL_ENGINE;
    expect([archive, worker].map((path) => path.replace(version, ''))).toEqual([
      '_astro/duckdb-eh-.zip',
      '_astro/duckdb-eh-.worker.js',
    ]);
    const packed = await readFile(join(site, archive));
    expect(sha256(unzipSync(packed)[wasm]!)).toBe(sha256(await readFile(`${dist}/${wasm}`)));
    expect(Math.round(packed.length / 1e6)).toBe(8);
    const own = await readFile(`${dist}/duckdb-browser-eh.worker.js`);
    expect((await readFile(join(site, worker))).equals(own)).toBe(true);
  });

  /** Runs a query, and gives what the page then says. */
  async function ask(page: Page, sql: string, asOf = ''): Promise<string> {
    await page.locator('#sql-query').fill(sql);
    await page.locator('#sql-as-of').fill(asOf);
    await page.locator('#sql-run').click();
    await expect.poll(() => page.locator('#sql-run').isEnabled()).toBe(true);
    return page.locator('#sql-outcome').innerText();
  }

  const resultRows = (page: Page) =>
    page
      .locator('#sql-result tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)));

  describe('a query', () => {
    let visited: Visit;

    beforeAll(async () => {
      asked = [];
      visited = await visit(browser, `${origin}/sql/`);
    });

    afterAll(() => visited?.[Symbol.asyncDispose]());

    test('is answered from verified files, which are fetched for it', async () => {
      const { page, wrong } = visited;
      expect(asked.filter((path) => /worker|duckdb/.test(path))).toEqual([]);
      const rows = csvCells((await published(MINTS)).replace(/^.*\n/, ''));
      const text = await ask(
        page,
        'SELECT count(*) AS n, sum(amount) AS mic, max(timestamp) AS last FROM mic_history',
      );
      expect(text).toContain('SHA-256');
      const [seconds] = rows[0]!;
      const micro = rows.reduce((sum, row) => sum + BigInt(Math.round(Number(row[3]) * 1e6)), 0n);
      expect(await resultRows(page)).toEqual([[String(rows.length), String(Number(micro) / 1e6), seconds]]);
      expect(text).toContain(sha256(await published(MINTS)));
      const files = asked.map((path) => path.split(' ')[0]!).filter((path) => path.endsWith('.csv'));
      expect(new Set(files)).toEqual(new Set([MINTS]));
      expect(wrong).toEqual([]);
    });

    test('may be each of the examples', async () => {
      const { page, wrong } = visited;
      for (const { question, sql } of SQL_EXAMPLES) {
        await ask(page, sql);
        expect(await page.locator('#sql-outcome [role="alert"]').allTextContents(), question).toEqual([]);
        expect(await page.locator('#sql-outcome').innerText(), question).toMatch(/SHA-256 [0-9a-f]{64}/);
      }
      expect(await violations(page)).toEqual([]);
      expect(wrong).toEqual([]);
    });

    test('has its values in words, or what the engine says against it', async () => {
      const { page, wrong } = visited;
      expect(
        await ask(
          page,
          "SELECT 1.50::DECIMAL(9,2) AS a, DATE '2026-01-31' AS d, [1, NULL] AS l, NULL AS z, 12345678901234567890::HUGEINT AS h",
        ),
      ).toContain('read no file');
      expect(await resultRows(page)).toEqual([
        ['1.5', '2026-01-31', '[1, NULL]', 'NULL', '12345678901234567890'],
      ]);
      const nested = "[{'mic': 1.50::DECIMAL(9,2), 'day': DATE '2026-01-31', 'none': NULL}]";
      await ask(page, `SELECT ${nested} AS nested`);
      expect(await resultRows(page)).toEqual([["[{'mic': 1.5, 'day': 2026-01-31, 'none': NULL}]"]]);
      await ask(page, "SELECT ('a', 2, {'toJSON': 3}) AS tuple, DATE '12026-03-01' AS far");
      expect(await resultRows(page)).toEqual([["{'': a, '': 2, '': {'toJSON': 3}}", '+012026-03-01']]);
      for (const value of [
        "TIMESTAMP '2026-01-02 03:00:00' - TIMESTAMP '2026-01-01 00:00:00'",
        "TIME '12:00:00'",
        "'b'::ENUM('a', 'b')",
        "'\\xAA'::BLOB",
        '[INTERVAL 3 DAY]',
        "MAP {'a': 1}",
      ]) {
        const said = await ask(page, `SELECT 1 AS one, ${value} AS odd`);
        expect(said, value).toMatch(
          /This page cannot show the result:.*odd is of Arrow’s type .*odd::VARCHAR/s,
        );
        await ask(page, `SELECT (${value})::VARCHAR AS odd`);
        expect((await resultRows(page))[0]![0], value).not.toMatch(/^\d*$|^\{"|NULL/);
      }
      expect(await ask(page, 'SELECT amont FROM mic_history')).toMatch(
        /Referenced column "amont" not found.*LINE 1: SELECT amont/s,
      );
      expect(await ask(page, `SELECT * FROM read_csv('${origin}/economy/mic-history.csv')`)).toContain(
        'Permission Error: Cannot access file',
      );
      expect(await ask(page, 'SET lock_configuration = false')).toContain('locked');
      expect(wrong).toEqual([]);
    });

    test('may write the name of a table in capital letters, and reads the files of the same snapshot', async () => {
      const { page, wrong } = visited;
      const upper = await ask(page, 'SELECT count(*) AS n FROM MII_BY_DAY');
      expect(upper).toContain(sha256(await published('economy/mii-by-day.csv')));
      expect(wrong).toEqual([]);
    });

    test('leaves nothing that changes what the next one gives', async () => {
      const { page, wrong } = visited;
      const sql = 'SELECT max(total_supply) AS most FROM supply_by_day';
      await ask(page, sql);
      const before = await resultRows(page);
      for (const statement of [
        'DROP TABLE supply_by_day',
        'CREATE MACRO max(x) AS 7',
        'CREATE TEMP TABLE supply_by_day AS SELECT 7 AS total_supply',
        'COMMIT',
        'BEGIN TRANSACTION',
        'SET VARIABLE most = 7',
        'PREPARE most AS SELECT 7',
        "SET search_path = 'temp.main'",
        'SELECT no_such_column FROM supply_by_day',
      ]) {
        await ask(page, statement);
        await ask(page, sql);
        expect(await resultRows(page), statement).toEqual(before);
      }
      expect(await ask(page, 'CREATE TABLE own AS SELECT 1 AS one')).toContain('read-only');
      expect(await ask(page, 'EXECUTE most')).toContain('does not exist');
      expect(wrong).toEqual([]);
    });

    test('is stopped at its limits', async () => {
      const { page, wrong } = visited;
      expect(await ask(page, 'SELECT * FROM range(100000000)')).toContain('cut off at 1,000,000 rows');
      expect(await page.locator('#sql-result tbody tr').count()).toBe(1000);
      expect(await ask(page, 'SELECT * FROM range(1000000)')).not.toContain('cut off');
      expect(await ask(page, "SELECT repeat('x', 10000) AS x FROM range(100000)")).toContain(
        'cut off at 64 MB',
      );
      expect(wrong).toEqual([]);
    });

    test('can be cancelled with the keyboard, whose focus stays, and another one saved', async () => {
      const { page, wrong } = visited;
      const focused = () => page.evaluate(() => document.activeElement?.id);
      await page.locator('#sql-query').fill('SELECT count(*) FROM range(10000000000000)');
      await page.locator('#sql-run').press('Enter');
      await page.getByText('Running …').waitFor();
      expect(await focused()).toBe('sql-run');
      await page.getByRole('button', { name: 'Cancel' }).press('Enter');
      await page.getByText('Cancelled. DuckDB starts again').waitFor();
      expect(await focused()).toBe('sql-outcome');
      const csv = await ask(
        page,
        'SELECT sentinel, amount FROM mic_history ORDER BY timestamp DESC LIMIT 3',
      ).then(() => saved(page, () => page.getByRole('button', { name: 'Save as CSV' }).click()));
      expect(csvCells(csv.replace(/^.*\n/, '')).length).toBe(3);
      await ask(page, "SELECT chr(8238) || 'abc' AS reversed");
      expect(await resultRows(page)).toEqual([['[U+202E]abc']]);
      await ask(page, "SELECT '=1+1' AS formula, -5 AS number");
      const inert = await saved(page, () => page.getByRole('button', { name: 'Save as CSV' }).click());
      expect(inert).toBe("formula,number\n'=1+1,-5\n");
      expect(wrong).toEqual([]);
    });
  });

  test('says so where WebAssembly is missing, or is blocked so that the engine stays silent, and can be tried again', async () => {
    onTestFinished(() => instead.clear());
    const { page } = await opened('/sql/');
    const notice = page.locator('#sql-notice');
    const script = (await page.locator('#sql-form').getAttribute('data-worker'))!.slice(1);
    instead.set(
      script,
      Buffer.from(`delete globalThis.WebAssembly;${await readFile(join(site, script), 'utf8')}`),
    );
    await page.locator('#sql-run').click();
    await notice.getByText('needs WebAssembly').waitFor();
    expect(asked.filter((path) => path.includes('duckdb'))).toEqual([]);
    instead.clear();
    instead.set(SQL_ENGINE.worker, Buffer.from(''));
    await page.reload();
    await page.locator('#sql-run').click();
    await notice.getByText('may block WebAssembly').waitFor({ timeout: 120_000 });
    instead.clear();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#sql-result').waitFor();
  });

  test('a link repeats a query on the files of a snapshot, also without ranges', async () => {
    hasRanges = false;
    onTestFinished(() => {
      hasRanges = true;
      instead.clear();
    });
    const query = 'SELECT count(*) AS n, max(timestamp) AS last FROM mic_history';
    const [{ id }] = JSON.parse(await readFile(join(release.out, 'snapshots/index.json'), 'utf8'));
    const { page } = await opened(`/sql/?q=${encodeURIComponent(query)}&as_of=${id}`);
    await page.locator('#sql-run').click();
    await page.locator('#sql-result').waitFor();
    const rows = csvCells((await published(MINTS)).replace(/^.*\n/, ''));
    expect(await resultRows(page)).toEqual([[String(rows.length), rows[0]![0]]]);
    expect(await page.locator('#sql-outcome').innerText()).toContain(`as of ${id}`);
    expect(await ask(page, query, '2019-01-01')).toMatch(
      /These data do not exist.*as_of: expected a time from the first snapshot on/s,
    );
    expect(await ask(page, query, 'yesterday')).toMatch(/as_of: expected/);
    instead.set(MINTS, Buffer.from((await published(MINTS)).replaceAll('ATLAS', 'ATLOS')));
    await ask(page, `${query} WHERE true`, id);
    const notice = page.locator('#sql-notice');
    expect(await notice.textContent()).toMatch(new RegExp(`^/${MINTS}.*expected SHA-256`));
    instead.clear();
    await notice.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#sql-result').waitFor();
  });
});
