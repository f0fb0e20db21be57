import { appendFile, cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check } from '../../../pipeline/build/check.ts';
import { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';
import { CHART_FORMATS, CHART_PATHS } from '../../../pipeline/charts/files/chart-formats.ts';
import type { PrintCharts } from '../../../pipeline/charts/files/print-charts.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { openDirectory } from '../../../pipeline/ledger/directory.ts';
import { type Manifest, sha256 } from '../../../pipeline/release/format/manifest.ts';
import type { BuildParts } from '../../build/run-build.ts';
import { buildSmall, smallOptions, writeSmallLedger } from '../../forms/small-release.ts';
import { plantKey } from '../../release/plant-key.ts';

let folder: string;
let snapshots: string[];
/** Of the whole ledger, from nothing. */
let release: Release;

/** In the place of a browser: what it was asked for. */
const printed: string[] = [];
const printCharts: PrintCharts = async (charts) =>
  charts.map(({ path, title, asOf, drawing }) => {
    printed.push(path);
    return Buffer.from(`%PDF ${JSON.stringify({ path, title, asOf })} ${drawing}`);
  });
const WITH_CHARTS: Partial<BuildParts> = { extras: false, charts: true, printCharts };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-charts-'));
  await writeSmallLedger(folder);
  snapshots = (await openDirectory(join(folder, 'ledger')).snapshots(null)).map(({ id }) => id);
  release = await buildSmall(folder, 'whole', WITH_CHARTS);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Release = Awaited<ReturnType<typeof buildSmall>>;
const at = ({ dir }: { dir: string }, path: string) => join(dir, 'public', path);
const read = (release: Release, path: string) => readFile(at(release, path));
const chartFiles = ({ manifest }: Release) => manifest.files.filter(({ path }) => path.startsWith('charts/'));
const hashes = ({ files }: Manifest) => Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]));

describe('a release with charts', () => {
  test('has every chart in every form, open to every page and counted against no limit', async () => {
    const files = chartFiles(release);
    expect(files.map(({ path }) => path)).toEqual([...CHART_PATHS.keys()].sort());
    for (const { path, kind, restricted, immutable } of files)
      expect([path, kind, restricted, immutable]).toEqual([path, 'schema', false, false]);
    const types = Object.fromEntries(
      files.map(({ path, media_type }) => [path.replace(/^.*\./, ''), media_type]),
    );
    expect(types).toEqual({
      svg: 'image/svg+xml',
      png: 'image/png',
      pdf: 'application/pdf',
      csv: 'text/csv; charset=utf-8; header=present',
      json: 'application/json',
    });
  });

  test('gives a static host one rule for each ending, however many charts there are', async () => {
    const rules = await readFile(at(release, '_headers'), 'utf8');
    expect(rules.match(/^\/charts\/.*$/gm)).toEqual(
      ['csv', 'json', 'pdf', 'png', 'svg'].map((ending) => `/charts/*.${ending}`),
    );
    expect(rules).toContain(
      '/charts/*.png\n  Content-Type: image/png\n  Cache-Control: public, max-age=300, stale-while-revalidate=3600\n  Access-Control-Allow-Origin: *\n',
    );
  });

  test.each(CHARTS.map(({ id }) => id))(
    'says the same of %s in its CSV, its JSON and its picture',
    async (id) => {
      const document = ChartDocument.parse(JSON.parse((await read(release, `charts/${id}.json`)).toString()));
      const [header = [], ...rows] = parseCsv(await read(release, `charts/${id}.csv`)) as string[][];
      expect(header).toEqual(document.columns.map(({ name }) => name));
      const values = rows.map((row, index) =>
        row.map((cell, at) => (typeof document.rows[index]?.[at] === 'number' ? Number(cell) : cell)),
      );
      expect(values).toEqual(document.rows.map((row) => row.map((cell) => cell ?? '')));
      expect(release.manifest.files.find(({ path }) => path === `charts/${id}.csv`)?.rows).toBe(rows.length);
      const drawing = (await read(release, `charts/${id}.svg`)).toString();
      const escaped = document.title.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
      expect(drawing).toContain(`<title id="chart-${id}-820-light-title">${escaped}</title>`);
      expect(document.sources.map(({ path, sha256 }) => [path, sha256])).toEqual(
        document.sources.map(({ path }) => [path, hashes(release.manifest)[path]]),
      );
      expect(document.links).toMatchObject({
        page: `https://data.example.org/charts/${id}/`,
        'dark.png': `https://data.example.org/charts/${id}-dark.png`,
      });
    },
  );

  test('has drawings that need nothing from anywhere, in the colours of light and of dark', async () => {
    for (const { id } of CHARTS) {
      const [light, dark] = await Promise.all([
        read(release, `charts/${id}.svg`),
        read(release, `charts/${id}-dark.svg`),
      ]);
      for (const drawing of [light, dark].map(String)) {
        expect(drawing).not.toMatch(
          /var\(|<style|\sstyle=|<script|\son\w+=|<image|href="(?!#)|url\((?!#)|@import/,
        );
        expect(drawing).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*<\/svg>\n$/);
      }
      expect([String(light).includes('fill="#fcfaf5"'), String(dark).includes('fill="#171614"')]).toEqual([
        true,
        true,
      ]);
    }
  });

  test('prints each chart once, on white, with its title and the time of its data', async () => {
    expect(new Set(printed).size).toBe(CHARTS.length);
    const pdf = (await read(release, 'charts/mii.pdf')).toString();
    const { title, as_of: asOf } = JSON.parse((await read(release, 'charts/mii.json')).toString());
    const facts = JSON.stringify({ path: 'charts/mii.pdf', title, asOf: asOf.slice(0, 10) });
    expect(pdf.startsWith(`%PDF ${facts} <svg`)).toBe(true);
    expect(pdf).toContain('fill="#ffffff"');
  });

  test('is what a check makes again from the ledger', async () => {
    const { ledger, out, ...options } = smallOptions(folder, 'whole');
    expect(await check({ ...options, ledger: null, out })).toEqual([]);
    expect(await check({ ...options, ledger, out })).toEqual([]);
  });

  test('is checked in its charts, too', async () => {
    const { ledger: _, out, ...options } = smallOptions(folder, 'damaged');
    await cp(join(folder, 'whole'), out, { recursive: true, verbatimSymlinks: true });
    await appendFile(join(out, 'current/public/charts/supply-dark.png'), 'x');
    const problems = await check({ ...options, ledger: null, out });
    expect(problems.map(({ place }) => place)).toEqual([expect.stringContaining('charts/supply-dark.png')]);
  });
});

describe('without a browser', () => {
  test('charts have no PDF, and a later run with one makes them', async () => {
    const without = await buildSmall(folder, 'printed-later', { ...WITH_CHARTS, printCharts: null });
    const paths = chartFiles(without).map(({ path }) => path);
    expect(paths).toEqual([...CHART_PATHS.keys()].filter((path) => !path.endsWith('.pdf')).sort());
    const later = await buildSmall(folder, 'printed-later', WITH_CHARTS);
    expect(hashes(later.manifest)).toEqual(hashes(release.manifest));
  });
});

describe('a run after another', () => {
  let before: Release;

  beforeAll(async () => {
    before = await buildSmall(folder, 'grown', { ...WITH_CHARTS, until: snapshots.at(-2)! });
    await cp(join(folder, 'grown'), join(folder, 'planted'), { recursive: true, verbatimSymlinks: true });
  });

  test('makes again only the files of charts that follow from what changed', async () => {
    printed.length = 0;
    const after = await buildSmall(folder, 'grown', WITH_CHARTS);
    const [then, now] = [hashes(before.manifest), hashes(after.manifest)];
    const inode = async (release: Release, path: string) => (await stat(at(release, path))).ino;
    const isKept = async (path: string) => (await inode(after, path)) === (await inode(before, path));
    const groups = Object.groupBy(CHARTS, ({ id, sources }) =>
      sources.every((path) => then[path] === now[path])
        ? 'untouched'
        : ['.svg', '-dark.svg'].every(
              (ending) => then[`charts/${id}${ending}`] === now[`charts/${id}${ending}`],
            )
          ? 'same picture'
          : 'drawn',
    );
    for (const { id } of groups.untouched!)
      for (const { ending } of CHART_FORMATS)
        expect([id, ending, await isKept(`charts/${id}${ending}`)]).toEqual([id, ending, true]);
    // Its sources have another time in them, and nothing else that it shows.
    for (const { id } of groups['same picture']!)
      for (const ending of ['.svg', '.png', '-dark.png', '.pdf', '.csv'])
        expect([id, ending, await isKept(`charts/${id}${ending}`)]).toEqual([id, ending, true]);
    expect(printed).toEqual(groups.drawn!.map(({ id }) => `charts/${id}.pdf`));
    expect(after.manifest.release).toBe(release.manifest.release);
  });

  test('with a wrong key publishes an old picture, which a check finds', async () => {
    const path = 'charts/supply-dark.png';
    expect(hashes(before.manifest)[path]).not.toBe(hashes(release.manifest)[path]);
    const { ledger, out, ...options } = smallOptions(folder, 'planted');
    await plantKey(out, `public/${path}`, release);
    const after = await buildSmall(folder, 'planted', WITH_CHARTS);
    expect(hashes(after.manifest)[path]).toBe(hashes(before.manifest)[path]);
    const findings = await check({ ...options, ledger, out });
    expect(findings.map(({ place }) => place)).toContain(`${path} sha256`);
  });

  test('draws all of them for another address, which stands in them', async () => {
    const moved = await buildSmall(folder, 'grown', { ...WITH_CHARTS, baseUrl: 'https://other.example.org' });
    for (const { id } of CHARTS) {
      const text = (await read(moved, `charts/${id}.json`)).toString();
      expect(text).not.toContain('https://data.example.org');
      expect(sha256(text)).toBe(hashes(moved.manifest)[`charts/${id}.json`]);
    }
  });
});
