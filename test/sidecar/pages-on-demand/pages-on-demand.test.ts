import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { listTree } from '../../../pipeline/publish/list-tree.ts';
import { type DraftManifest, type Manifest, sha256 } from '../../../pipeline/publish/manifest.ts';
import { mediaTypeOf } from '../../../pipeline/publish/media-types.ts';
import { SERVER_FOLDER, serverFolder } from '../../../pipeline/publish/site-server.ts';
import {
  createPagesOnDemand,
  type PagesOnDemand,
} from '../../../src/sidecar/pages-on-demand/pages-on-demand.ts';
import type { ServedRelease } from '../../../src/sidecar/releases.ts';
import { SmallFiles } from '../../../src/sidecar/small-files.ts';
import { buildFixture, buildUnprinted } from '../../site/build-fixture.ts';
import { BASE_URL } from '../../site/fixture-release.ts';

const DOCUMENTS = new URL('../../../data/documents/', import.meta.url).pathname;
const PROJECT = new URL('../../../', import.meta.url).pathname;

let folder: string;
let pages: PagesOnDemand;
let release: ServedRelease;

/** A release folder as the sidecar finds it, as far as pages on demand look at it. */
async function serve(dir: string, out: string, draft: DraftManifest): Promise<ServedRelease> {
  const { files: built } = await listTree(out);
  const { files: programs } = await listTree(join(dir, SERVER_FOLDER));
  const about = { area: null, restricted: false, rows: null, immutable: false, encodings: {} } as const;
  const files = built.map((path) => ({
    ...{ ...about, path, kind: 'page' as const, media_type: mediaTypeOf(path) },
    ...{ bytes: 0, sha256: sha256(''), modified: draft.timestamp },
  }));
  const unlisted = await Promise.all(
    programs.map(async (path) => {
      const bytes = await readFile(join(dir, SERVER_FOLDER, path));
      return { file: `${SERVER_FOLDER}/${path}`, bytes: bytes.length, sha256: sha256(bytes) };
    }),
  );
  const manifest = { ...draft, unlisted } as unknown as Manifest;
  const byPath = new Map(files.map((file) => [file.path, file]));
  return { id: 'fixture', dir, manifest, files: byPath, representations: new Map(), small: new SmallFiles() };
}

beforeAll(async () => {
  const built = await buildFixture();
  folder = await mkdtemp(join(tmpdir(), 'cathedral-on-demand-'));
  const dir = join(folder, 'release');
  await cp(built.release, dir, { recursive: true });
  await cp(serverFolder(built.cache), join(dir, SERVER_FOLDER), { recursive: true });
  release = await serve(dir, built.out, built.draft);
  pages = createPagesOnDemand({ documents: DOCUMENTS });
});

afterAll(async () => {
  await pages?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function get(path: string, query: string, headers: Record<string, string> = {}) {
  const answer = await pages.answer({ method: 'GET', headers }, path, query, release);
  const body = answer?.body as Buffer | null | undefined;
  return { ...answer!, text: body?.toString() ?? '' };
}

describe('the program of a release', () => {
  test('names no place of the machine that it was built on', async () => {
    const { files } = await listTree(join(release.dir, SERVER_FOLDER));
    expect(files).toContain('entry.mjs');
    for (const path of files) {
      const text = await readFile(join(release.dir, SERVER_FOLDER, path), 'utf8');
      for (const place of [inject('sharedFolder'), PROJECT])
        expect(text.includes(place), `${path} names ${place}`).toBe(false);
    }
  });

  test('says nothing of how it was started', async () => {
    const text = await readFile(join(release.dir, SERVER_FOLDER, 'entry.mjs'), 'utf8');
    // Astro writes the members of the environment that a module seems to name: `_` is the shell's last command.
    expect(text).not.toMatch(/\{\s*_: "/);
  });

  test('is the same when it is built again elsewhere', async () => {
    const [one, two] = [join(release.dir, SERVER_FOLDER), serverFolder((await buildUnprinted()).cache)];
    const { files } = await listTree(one);
    expect((await listTree(two)).files).toEqual(files);
    for (const path of files)
      expect((await readFile(join(two, path))).equals(await readFile(join(one, path))), path).toBe(true);
  });

  test('is not run where a byte of it is another', async () => {
    const place = join(release.dir, SERVER_FOLDER, 'entry.mjs');
    const text = await readFile(place);
    const other = createPagesOnDemand({ documents: DOCUMENTS });
    try {
      await writeFile(place, Buffer.concat([text, Buffer.from('\n')]));
      await expect(
        other.answer({ method: 'GET', headers: {} }, 'charts/supply/', 'scale=log', release),
      ).rejects.toThrow(/entry\.mjs: expected sha256/);
    } finally {
      await writeFile(place, text);
      await other.close();
    }
  });
});

describe('the page of a chart with a state in its query', () => {
  test('has title, sentences, table, picture and form of that state, without a script', async () => {
    const { status, headers, text } = await get('charts/supply/', 'series=burned&scale=log');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
    expect(text).toContain('<h1 data-part="title">MIC supply over time: burned</h1>');
    const [head = ''] = /<thead>.*?<\/thead>/s.exec(text) ?? [];
    expect(head).toContain('Burned');
    expect(head).not.toContain('Circulating');
    expect(text).toContain('<meta name="robots" content="noindex"');
    const boxes = [...text.matchAll(/<input type="checkbox"[^>]*>/g)].map(([tag]) => tag);
    expect(boxes.filter((tag) => / checked/.test(tag))).toHaveLength(1);
    expect(text).toContain(`${BASE_URL}/charts/supply/?series=burned&amp;scale=log`);
    expect(text).toContain(`href="/embed/supply/frozen.txt?series=burned&amp;scale=log"`);
  });

  test('loads only files that the release has', async () => {
    const { text } = await get('charts/supply/', 'scale=log');
    const assets = [...text.matchAll(/(?:href|src|data-tools)="\/(_astro\/[^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) expect(release.files.has(path), path).toBe(true);
  });

  test('takes what a form sends: empty fields, and every series', async () => {
    const { status, text } = await get(
      'charts/supply/',
      'series=circulating&series=locked&series=burned&from=&to=&scale=log',
    );
    expect(status).toBe(200);
    expect(text).toContain('data-query="scale=log"');
  });

  test('is that of a link as networks pass it on', async () => {
    const { status, text } = await get('charts/supply/', 'series=burned&utm_source=feed&fbclid=abc');
    expect(status).toBe(200);
    expect(text).toContain('data-query="series=burned"');
  });

  test.each(['series=nothing', 'scale=cubic', 'from=2026-02-30', 'colour=red'])(
    'says of ?%s what is wrong, with the default view: 400, not to be kept',
    async (query) => {
      const { status, headers, text } = await get('charts/supply/', query);
      expect(status).toBe(400);
      expect(headers['Cache-Control']).toBe('no-store');
      expect(text).toContain('The address asks for a view that this chart does not have');
      expect(text).toContain('MIC supply over time: circulating, locked and burned</h1>');
    },
  );

  test('is compressed for who takes that, and not sent again to who has it', async () => {
    const { headers, body } = await get('charts/supply/', 'scale=log', { 'accept-encoding': 'br' });
    expect(headers['Content-Encoding']).toBe('br');
    expect(brotliDecompressSync(body as Buffer).toString()).toContain('<h1 data-part="title">');
    const again = await get('charts/supply/', 'scale=log', {
      'accept-encoding': 'br',
      'if-none-match': headers.ETag!,
    });
    expect(again.status).toBe(304);
  });

  test('is an embed, and the code of a frozen chart, in the same way', async () => {
    const embed = await get('embed/supply/', 'series=burned');
    expect(embed.text).toContain('MIC supply over time: burned</h1>');
    expect(embed.headers['Content-Security-Policy']).toContain('frame-ancestors *');
    const frozen = await get('embed/supply/frozen.txt', 'series=burned');
    expect(frozen.headers['Content-Type']).toBe('text/plain; charset=utf-8');
    expect(frozen.text).toMatch(/^<figure /);
    expect(frozen.text).toContain('charts/supply/?series=burned');
  });

  test.each([
    ['economy/', 'series=burned'],
    ['charts/', 'series=burned'],
    ['charts/no-such-chart/', 'series=burned'],
    ['charts/on-demand/supply/', 'series=burned'],
    ['charts/supply/', ''],
    ['charts/supply/', 'utm_source=feed&fbclid=abc'],
    ['charts/supply/', `series=${'x'.repeat(5000)}`],
  ])('is nothing for /%s?%.20s: the release’s own file is the answer', (path, query) => {
    expect(pages.answer({ method: 'GET', headers: {} }, path, query, release)).toBeNull();
  });
});
