import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { BrowserContext } from 'playwright';
import { beforeAll, describe, expect, test } from 'vitest';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { type Built, buildFixture } from './build-fixture.ts';
import { htmlFaults } from './html-faults.ts';
import { servePages } from './serve-pages.ts';
import { unlike } from './unlike-pages.ts';

/** HTML with all styles and scripts that it may load, compressed as they are sent; fonts apart. */
const BUDGET_BYTES = 100_000;
/** Of a page with all that its use loads, the tools of a chart for example. */
const USED_BUDGET_BYTES = 125_000;
const WORKER = /\bdata-worker="\/(_astro\/[^"]+\.js)"/;

/** Pages that people come back to: all bytes of their first load are within the budget, fonts too. */
const PORTALS = ['', 'government/', 'economy/', 'academics/', 'philosophy/', 'diplomacy/'];
/** Already compressed, so sent as it is. */
const COMPRESSED = /\.(woff2|png|ico)$/;

let built: Built;
let pages: Map<string, string>;

beforeAll(async () => {
  built = await buildFixture();
  const { files } = await listTree(built.out);
  const html = files.filter((path) => path.endsWith('.html'));
  const texts = await Promise.all(html.map((path) => readFile(join(built.out, path), 'utf8')));
  pages = new Map(html.map((path, index) => [path, texts[index]!]));
});

interface Asset {
  /** Compressed. */
  bytes: number;
  /** Scripts that it imports, whenever it does. */
  imports: string[];
}

async function readAsset(path: string): Promise<Asset> {
  const text = await readFile(join(built.out, path), 'utf8');
  const imported = text.matchAll(/\b(?:from|import)\s*\(?\s*["'`]\.\/([^"'`]+\.js)["'`]/g);
  return {
    bytes: brotliCompressSync(text).length,
    imports: path.endsWith('.js') ? [...imported].map(([, name]) => `_astro/${name}`) : [],
  };
}

/** Paths of the styles and scripts that a page loads, at once or when somebody uses it. */
async function assetsOf(html: string, read: (path: string) => Promise<Asset>): Promise<Set<string>> {
  // A worker is a program of its own, which a reader starts; it has the same budget for itself.
  const named = html.matchAll(/\b(?:href|src|data-(?!worker=)[a-z]+)="\/(_astro\/[^"]+\.(?:css|js))"/g);
  const paths = new Set([...named].map(([, path]) => path!));
  // A set that grows while it is walked through is walked through to its new end.
  for (const path of paths) for (const one of (await read(path)).imports) paths.add(one);
  return paths;
}

/** Brotli takes its time, and most pages are small enough with gzip. */
function isHeavy(html: string, assets: readonly Asset[]): boolean {
  const rest = USED_BUDGET_BYTES - assets.reduce((sum, { bytes }) => sum + bytes, 0);
  return gzipSync(html).length >= rest && brotliCompressSync(html).length >= rest;
}

/** Files that a browser asks for when it loads a page, without touching it, and gets. */
async function firstLoad(context: BrowserContext, url: string): Promise<Set<string>> {
  const page = await context.newPage();
  const paths = new Set<string>();
  page.on('response', (response) => {
    if (response.ok()) paths.add(decodeURIComponent(new URL(response.url()).pathname).slice(1));
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.evaluate(() => document.fonts.ready);
  await page.close();
  return paths;
}

async function sentBytes(path: string): Promise<number> {
  const body = await readFile(
    join(built.out, path === '' || path.endsWith('/') ? `${path}index.html` : path),
  );
  return COMPRESSED.test(path) ? body.length : brotliCompressSync(body).length;
}

const browser = useBrowser();

describe('a portal', () => {
  test('is at most 100 kB at first load, with its fonts', async () => {
    await using closing = new AsyncDisposableStack();
    const { server, origin } = await servePages(built.out);
    closing.defer(() => void server.close());
    for (const portal of PORTALS) {
      // A context of its own: nothing is in its cache.
      const context = await browser.newContext();
      const paths = [...(await firstLoad(context, `${origin}/${portal}`))];
      await context.close();
      for (const kind of ['.css', '.js', '.woff2'])
        expect(paths.filter((path) => path.endsWith(kind)).length, `${portal} ${kind}`).toBeGreaterThan(0);
      const sizes = await Promise.all(paths.map(sentBytes));
      const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
      expect(total, `/${portal}: ${paths.join(', ')}`).toBeLessThanOrEqual(BUDGET_BYTES);
    }
  });
});

describe('every page', () => {
  test('with all its styles and scripts, those that its use loads too, is less than 125 kB, compressed', async () => {
    const assets = new Map<string, Promise<Asset>>();
    const read = (path: string) => {
      const asset = assets.get(path) ?? readAsset(path);
      assets.set(path, asset);
      return asset;
    };
    const heavy: string[] = [];
    for (const [path, html] of pages) {
      const used = await Promise.all([...(await assetsOf(html, read))].map(read));
      if (isHeavy(html, used)) heavy.push(path);
    }
    expect(heavy).toEqual([]);
    const workers = new Set([...pages.values()].flatMap((html) => WORKER.exec(html)?.[1] ?? []));
    expect(workers.size).toBeGreaterThan(0);
    // The SQL engine is far larger, and the page says so before a reader starts it.
    for (const path of workers)
      if (!path.includes('sql-worker')) expect((await read(path)).bytes, path).toBeLessThan(BUDGET_BYTES);
    expect(assets.size).toBeGreaterThan(10);
  });

  test('is valid HTML, as recommended', async () => {
    const faults: string[] = [];
    for (const [path, html] of unlike(pages))
      faults.push(...(await htmlFaults(html)).map((fault) => `${path}:${fault}`));
    expect(faults).toEqual([]);
  });

  test('offers to copy its code, and loads the script for that only if it has any', () => {
    for (const [path, html] of pages) {
      if (/^(embed|charts)\//.test(path)) continue;
      // The head of a file is data, not code.
      const rest = html.replaceAll(/<div class="copyable" data-copy="[^"]+"[^>]*>\s*<pre[\s>]/g, '');
      expect(/<pre(?! id="file-preview")[\s>].{0,60}/s.exec(rest)?.[0], path).toBeUndefined();
      expect(/ src="[^"]*copy-buttons[^"]*"/.test(html), path).toBe(html.includes(' data-copy='));
    }
  });

  test('has a value for each of its figures', () => {
    let figures = 0;
    for (const [path, html] of pages)
      for (const [, value] of html.matchAll(/class="figure-value">(.*?)<\/(?:dd|b)>/gs)) {
        figures += 1;
        expect(
          value!
            .replace(/<small>.*/s, '')
            .replaceAll(/<[^>]+>/g, '')
            .trim(),
          path,
        ).not.toBe('');
      }
    expect(figures).toBeGreaterThan(50);
  });

  test('sets its commas and full stops right after the word', () => {
    for (const [path, html] of pages) {
      expect(/.{0,60}<\/(a|code|em|span|strong|time)>\s+[,.;].{0,9}/.exec(html)?.[0], path).toBeUndefined();
    }
  });
});
