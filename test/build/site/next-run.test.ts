import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  type OpenedSite,
  openProgram,
  type PageList,
  pageListsUrl,
  programIn,
} from '../../../pipeline/build/site/open-program.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { type Published, readCurrent } from '../../../pipeline/release/format/release.ts';
import { type PublishedPages, publishedPages } from '../../contract/http/published.ts';
import { useFolder } from '../../setups/use-folder.ts';

const folder = useFolder();
let made: PublishedPages;
/** The last of two runs. */
let release: Published;
let site: OpenedSite;
/** Kinds of which a run may take pages over from an earlier release. */
let lists: PageList[];
beforeAll(async () => {
  made = await publishedPages();
  release = (await readCurrent(made.out))!;
  site = await openSite(release.dir);
  const { body } = await site.render(pageListsUrl(release.manifest.timestamp));
  lists = (JSON.parse(String(body)) as PageList[]).filter(({ touched }) => touched !== null);
});

/** The release's own program, over the files below `dir`. */
async function openSite(dir: string): Promise<OpenedSite> {
  const { files, facts } = await programIn(release);
  return openProgram(dir, files, facts, release.dir);
}

const publishedFile = (path: string) => join(release.dir, 'public', path);
const fileOf = (path: string) =>
  path === '/404/' ? '404.html' : path.slice(1).replace(/\/$/, '/index.html');

test('a run that continues another publishes the pages that its release gives', async () => {
  for (const { kind, paths } of lists) {
    const files = paths.map(fileOf);
    const old = files.filter((file) => made.before.includes(file));
    expect([kind, old.length]).not.toEqual([kind, 0]);
    for (const [index, path] of paths.entries()) {
      const { body } = await site.render(path);
      expect(await readFile(publishedFile(files[index]!), 'utf8'), path).toBe(String(body));
    }
  }
  for (const archive of ['decisions', 'deliberations']) {
    const { paths } = lists.find(({ kind }) => kind === `/${archive}/[id]`)!;
    const old = paths.filter((path) => made.before.includes(fileOf(path)));
    expect(old.length).toBeGreaterThan(2);
    expect(paths.length).toBeGreaterThan(old.length);
  }
});

/** Archives are looked at in archive-pages.sweep.test.ts: only some of their pages may be taken over. */
const ARCHIVES = /^\/(decisions|deliberations|search)\//;

test('a page that is taken over while its sources stay the same follows from nothing else of a release', async () => {
  const pages = lists
    .filter(({ kind }) => !ARCHIVES.test(kind))
    .flatMap(({ paths, touched, sources }) =>
      paths
        .filter((path) => !touched!.includes(path))
        .map((path) => ({ path, sources: sources[path] ?? [] })),
    );
  expect(pages.length).toBeGreaterThan(120);
  const groups = Map.groupBy(pages, ({ sources }) => sources.join());
  for (const [index, group] of [...groups.values()].entries()) {
    const dir = join(folder, String(index));
    await makeOther(dir, group[0]!.sources);
    const other = await openSite(dir);
    for (const { path } of group) {
      const { body } = await other.render(path);
      expect(String(body), path).toBe(await readFile(publishedFile(fileOf(path)), 'utf8'));
    }
  }
});

test('a page with a citation of that year is made anew in the first run of a year', async () => {
  const { body } = await site.render(pageListsUrl('2025-12-31T23:59:59Z'));
  const { paths, touched } = (JSON.parse(String(body)) as PageList[]).find(
    ({ kind }) => kind === '/files/[...path]/rows',
  )!;
  expect(touched).toEqual(paths);
});

/** A release of another time in the same year that has these files as they are, and of all others only what its manifest says, which is something else. */
async function makeOther(dir: string, sources: readonly string[]): Promise<void> {
  const { manifest } = release;
  const change = (file: ManifestFile): ManifestFile =>
    sources.includes(file.path)
      ? file
      : { ...file, bytes: 1, sha256: 'f'.repeat(64), rows: file.rows && 1, encodings: {} };
  const ledger = { ...manifest.ledger, snapshot: '2026-12-31T00Z', size: 7, root: 'f'.repeat(64) };
  const other = { ...manifest, timestamp: '2026-12-31T00:00:00Z', ledger, files: manifest.files.map(change) };
  await mkdir(join(dir, 'public'), { recursive: true });
  await writeFile(join(dir, 'manifest.json'), JSON.stringify(other));
  for (const path of sources) {
    await mkdir(dirname(join(dir, 'public', path)), { recursive: true });
    await cp(publishedFile(path), join(dir, 'public', path));
  }
}
