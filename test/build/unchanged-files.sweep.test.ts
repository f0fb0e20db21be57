import { mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { check } from '../../pipeline/build/check.ts';
import { CHARTS, findChart } from '../../pipeline/charts/table.ts';
import { formPath, TABLES } from '../../pipeline/formats/tables.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { releaseFiles } from '../../pipeline/release/format/release-files.ts';
import { parseSnapshotIndex } from '../../pipeline/release/format/snapshot-index.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { useFolder } from '../setups/use-folder.ts';
import { build } from './run-build.ts';

/** What a run added: events of the same day, or the first ones of the next day. */
type Step = 'same day' | 'next day';

/** When a path may have other bytes, given its name in the pattern: at each of these steps, or together with other paths. */
type Rule = [path: RegExp, may: Step[] | ((name: string) => (changed: string) => boolean)];

const EACH: Step[] = ['same day', 'next day'];
const NEXT_DAY: Step[] = ['next day'];
const AREA = '(government|economy|academics|philosophy|diplomacy)';
const BY_DAY = /-by-day(-\d{4})?\.(csv|ndjson|xlsx|parquet)$/;

/** Everything that may change without being new. What no rule names keeps its bytes. */
const RULES: readonly Rule[] = [
  // Data: a table by day gets its rows when the day is over; texts of data/documents follow no event.
  [BY_DAY, NEXT_DAY],
  [new RegExp(`^(?!academics/papers|diplomacy/|.*-by-day|.*/index\\.html$)${AREA}/[^/]+$`), EACH],
  [/^cathedral\.sqlite$/, EACH],
  // Figures of the release, each page with its time.
  [/^index\.html$/, EACH],
  [new RegExp(`^${AREA}/index\\.html$`), EACH],
  [/^(attestations|charts|files|verification(\/log)?|government\/transparency)\/index\.html$/, EACH],
  [/^sentinels\/([^/]+\/)?index\.html$/, EACH],
  [/^events\/index\.html$/, NEXT_DAY],
  // Lists, and what lists or shows the newest records.
  [/^(decisions|deliberations)\/(in-\d{4}\/)?index\.html$/, EACH],
  [/^decisions\/(?!in-)[^/]+\/index\.html$/, () => isPath('philosophy/decisions.ndjson')],
  // An open one gets positions, and a closed one the decision that followed.
  [/^deliberations\/(?!in-)[^/]+\/index\.html$/, () => isDeliberated],
  // A new record, or one that is over.
  [/^search\/index\/(entries|records-\d{4})\.json$/, EACH],
  // A file's page shows its formats and charts too, and those of its rows the newest ones; its citation names nothing but the file.
  [/^files\/(.+?)\/(?:rows\/(?:\w+\/)?)?index\.html$/, shownOn],
  // A chart changes with its sources, and what shows it with the chart. Its pictures have no hash and no time of day; its pages and its
  // embed have the hashes of its sources, as its description has.
  [/^charts\/([a-z-]+)\.(svg|png|csv|json)$/, sourceOf],
  [/^(?:charts|embed)\/([a-z-]+)\/[^/]+$/, (id) => isPath(`charts/${id}.json`)],
  // It cites the state of the data.
  [/^CITATION\.cff$/, EACH],
  // Lists of all files with their hashes or times, and examples from them.
  [/^(datapackage\.json|catalog\.jsonld|croissant\.json|citations\.(ris|csl\.json)|sitemap\.xml)$/, EACH],
  [/^(openapi\.json|api\/([a-z]+\/)?index\.html)$/, EACH],
  [new RegExp(`^(${AREA}/)?feed\\.(atom|json)$`), EACH],
  // Where the events of the month are in the log.
  [/^events\/days\/\d{4}-\d{2}\.json$/, EACH],
];

function isPath(path: string) {
  return (changed: string) => changed === path;
}

function isDeliberated(changed: string): boolean {
  return /^philosophy\/(deliberations|positions|decisions)\.ndjson$/.test(changed);
}

function shownOn(path: string): (changed: string) => boolean {
  if (isAssembled(path)) return () => true;
  const stems = TABLES.filter(({ artifact }) => artifact.path === path).map((table) => formPath(table, ''));
  const isForm = (changed: string) =>
    stems.some((stem) => changed.startsWith(stem) && /\.\w+$/.test(changed));
  const charts = CHARTS.filter(({ sources }) => sources.includes(path)).map(({ id }) => `charts/${id}.json`);
  return (changed) => changed === path || isForm(changed) || charts.includes(changed);
}

/** Printed after the pages, or assembled for each request: not among the files of this release. */
function isAssembled(path: string): boolean {
  const artifact = ARTIFACTS.find((one) => one.path === path)!;
  return artifact.kind === 'printed' || (artifact.kind === 'history' && !artifact.assembled);
}

function sourceOf(id: string): (changed: string) => boolean {
  const { sources } = findChart(id)!;
  return (changed) => sources.includes(changed);
}

/** What happens to files of a release before the next run: of each pattern, to the first one that matches. */
const DAMAGES: readonly [RegExp, (place: string) => Promise<unknown>][] = [
  [/^public\/deliberations\/(?!in-)[^/]+\/index\.html$/, flip],
  [/^public\/files\/economy\/[^/]+\/index\.html\.br$/, (place) => truncate(place, 9)],
  [/^public\/licence\/index\.html$/, (place) => rm(place)],
  // Snapshots have the same file by a link, so it is replaced and not written into.
  [/^public\/schemas\/events\//, (place) => rm(place).then(() => writeFile(place, '{}'))],
  [/^public\/schemas\/economy\//, (place) => rm(place)],
  [/^public\/charts\/reward-curve\.png$/, flip],
  [/^public\/charts\/reward-curve\.svg\.gz$/, flip],
  [/^public\/charts\/supply\.png$/, (place) => rm(place).then(() => mkdir(place))],
  [/^public\/charts\/mii\.png$/, link],
  [/^public\/search\/index\/records-2025\.json$/, flip],
  [/^public\/_astro\/[^/]+\.css$/, flip],
  [/^server\/entry\.mjs$/, flip],
];

async function flip(place: string): Promise<void> {
  const bytes = await readFile(place);
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(place, bytes);
}

async function link(place: string): Promise<void> {
  await rename(place, join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), place);
}

const folder = useFolder();
let evening: Manifest;
/** The last release. */
let increments: Manifest;
/** What the runs told their operator. */
const said: string[] = [];
/** By step: the paths that changed in place, and the new ones. */
const steps = new Map<Step, { changed: string[]; added: string[] }>();

/** A whole site takes most of a minute of a core, and a busy machine many times as long. */
const SITES_MS = 30 * 60_000;

const ledger = () => join(folder, 'ledger');
const out = () => join(folder, 'out');

/** What every run of this file has in common. */
const optionsOf = () => ({
  ledger: ledger(),
  out: out(),
  verifiers: [demoSigner().verifier],
  documents: 'data/documents',
  companions: 'data/keys/companions.json',
  baseUrl: 'https://data.example.org',
  software: 'cathedral-data-service/test',
  waitMs: 0,
  log: (line: string) => void said.push(line),
});

/** With the PDF of the closed year. */
async function releaseUntil(until: string): Promise<Manifest> {
  const print = async ({ page }: { page: string }) => Buffer.from(`%PDF of ${page}`);
  const pages = { site: true, print, prints: (path: string) => path.includes('2025') };
  return (await build({ ...optionsOf(), ...pages, until, snapshots: { days: 366 } })).manifest;
}

beforeAll(async () => {
  await writeSample({ out: ledger(), from: '2025-12-29', to: '2026-01-04', seed: 1 });
  const morning = await releaseUntil('2026-01-02T12Z');
  evening = await releaseUntil('2026-01-02T18Z');
  await damage();
  increments = await releaseUntil('2026-01-03T06Z');
  steps.set('same day', difference(morning, evening));
  steps.set('next day', difference(evening, increments));
}, SITES_MS);

async function damage(): Promise<void> {
  const { dir, manifest } = (await readCurrent(out()))!;
  const files = [...releaseFiles(manifest).keys()];
  for (const [pattern, happens] of DAMAGES) {
    const file = files.find((path) => pattern.test(path));
    if (file === undefined) throw new Error(`no file of the release matches ${pattern}`);
    await happens(join(dir, file));
  }
}

function difference(before: Manifest, after: Manifest): { changed: string[]; added: string[] } {
  const known = new Map(before.files.map(({ path, sha256 }) => [path, sha256]));
  const differing = after.files.filter(({ path, sha256 }) => known.get(path) !== sha256);
  const paths = differing.map(({ path }) => path);
  return {
    changed: paths.filter((path) => known.has(path)),
    added: paths.filter((path) => !known.has(path)),
  };
}

function mayChange(path: string, step: Step): boolean {
  const { changed, added } = steps.get(step)!;
  return RULES.some(([pattern, may]) => {
    const match = pattern.exec(path);
    if (!match) return false;
    return Array.isArray(may) ? may.includes(step) : [...changed, ...added].some(may(match[1] ?? match[0]));
  });
}

describe.each(EACH)('a release with more events of the %s', (step) => {
  test('changes only files that have new content', () => {
    expect(steps.get(step)!.changed.filter((path) => !mayChange(path, step))).toEqual([]);
  });
});

test(
  'releases that take files over from each other are what one run makes',
  async () => {
    const files = [...releaseFiles(increments).keys()];
    expect(files).toEqual(expect.arrayContaining(['public/index.html', 'server/entry.mjs']));
    // The check makes everything again, the program elsewhere, and takes the PDF as it is.
    expect(files.filter((file) => file.endsWith('.pdf') && !file.includes('/charts/'))).toEqual([
      'public/government/transparency-2025.pdf',
    ]);
    expect(await check(optionsOf())).toEqual([]);
  },
  SITES_MS,
);

test('a damaged file of the previous release is made again, and the operator is told', async () => {
  expect(await verifyRelease((await readCurrent(out()))!.dir)).toEqual([]);
  expect(said.filter((line) => line.includes('damaged or missing in the previous release'))).toHaveLength(1);
});

test('the page about the log lists the checkpoints of the ledger, newest first', async () => {
  const page = await readFile(join(out(), 'current/public/verification/log/index.html'), 'utf8');
  const { size, root } = increments.ledger;
  expect(page).toContain(`<dd>${size.toLocaleString('en-GB')}</dd>`);
  expect(page).toContain(`<code title="${root}">`);
  const listed = page.match(/(?<=<th scope="row" class="tight">\s*)\d{4}-\d{2}-\d{2}T\d{2}Z/g);
  expect(listed!.slice(0, 3)).toEqual(['2026-01-03T06Z', '2026-01-03T00Z', '2026-01-02T18Z']);
});

test('the page of the snapshots lists those of missed slots too, as the list does', async () => {
  const page = await readFile(join(out(), 'snapshots/index.html'), 'utf8');
  const list = parseSnapshotIndex(await readFile(join(out(), 'snapshots/index.json'), 'utf8'));
  const named = page.match(/(?<=href="\/snapshots\/)[^"/]+(?=\/index\.json")/g);
  expect(named).toEqual(list.map(({ id }) => id));
  expect(named).toEqual(['2026-01-03T06Z', '2026-01-03T00Z', '2026-01-02T18Z', '2026-01-02T12Z']);
});

test('every rule has a file that changes, so none is left over', () => {
  const unused = RULES.filter(
    ([pattern]) => ![...steps.values()].some(({ changed }) => changed.some((path) => pattern.test(path))),
  );
  expect(unused.map(([pattern]) => String(pattern))).toEqual([]);
});
