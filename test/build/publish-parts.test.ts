import { describe, expect, test } from 'vitest';
import type { BuildReport } from '../../pipeline/build/build.ts';
import { type Contents, partsAsked } from '../../pipeline/build/plan.ts';
import { publishInParts } from '../../pipeline/build/publish-parts.ts';
import { CHART_FORMATS, chartPath } from '../../pipeline/charts/files/chart-formats.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { DATABASE } from '../../pipeline/formats/catalogue/catalogue.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

/** What decides which parts a release has. */
const FILES = {
  formats: { path: DATABASE.path, kind: 'data' },
  charts: { path: chartPath(CHARTS[0]!.id, CHART_FORMATS[0]!), kind: 'data' },
  pages: { path: 'index.html', kind: 'page' },
  pdfs: { path: 'government/transparency.pdf', kind: 'data' },
};
const fault = (place: string, code: CathedralError['code'] = 'site_failed') =>
  new CathedralError(code, { place, expected: 'a page', found: 'exit SIGKILL' });

const namesOf = (contents: Contents) => partsAsked(contents).join(' ');

/** Runs in a folder with a release, or without: what was tried, what the report says, and what was told meanwhile. */
async function run({
  broken = [],
  isFirst = false,
  begins = false,
  cannotPrint = null,
}: {
  broken?: ('compiler' | 'print' | 'pages' | 'data')[];
  isFirst?: boolean;
  begins?: boolean;
  cannotPrint?: CathedralError | null;
}) {
  const out = await temporaryFolder();
  if (!isFirst) await publishTiny(out, { events: 3 });
  const tried: string[] = [];
  const told: string[] = [];
  const print = async () => {
    if (broken.includes('print')) throw fault('Chromium', 'print_failed');
    return Buffer.from('');
  };
  const wanted: Contents = { upTo: 'pages', printing: { charts: async () => [], page: print } };
  const publish = async (contents: Contents, asSnapshot: boolean): Promise<BuildReport> => {
    tried.push(`${namesOf(contents)}${asSnapshot ? '' : ', no snapshot'}`);
    if (broken.includes('data')) throw fault('out', 'disk_full');
    await contents.printing?.page(null as never);
    if (namesOf(contents).includes('pages') && broken.includes('pages')) throw fault('astro build');
    const files = Object.entries(FILES).filter(([name]) => namesOf(contents).includes(name));
    const manifest = { files: files.map(([, file]) => file) } as unknown as Manifest;
    return {
      outcome: 'published',
      manifest,
      snapshots: 1,
      events: 5,
      findings: [],
      findingCount: 7,
      migrated: null,
    };
  };
  const report = await publishInParts(wanted, {
    out,
    publish,
    cannotPrint,
    isShared: false,
    begins,
    runs: {
      begins: async (parts) => void told.push(`makes ${parts.join(' ')}`),
      hasPublished: async ({ lacks }) => void told.push(`lacks ${lacks?.join(' ')}`),
    },
    keepSite: async () => {
      told.push('compiles');
      if (broken.includes('compiler')) throw fault('astro build');
    },
    log: () => {},
  });
  const { lacks, failure, events, findingCount } = report;
  return { tried, told, lacks, failure: failure?.place ?? null, events, findingCount };
}

const ALL = 'data formats charts pages pdfs';

describe('a run', () => {
  test('makes everything at once where there is a release', async () => {
    expect(await run({})).toEqual({
      tried: [ALL],
      told: [`makes ${ALL}`],
      lacks: [],
      failure: null,
      events: 5,
      findingCount: 7,
    });
  });

  test('publishes without PDFs what cannot be printed, and says what failed', async () => {
    expect(await run({ broken: ['print'] })).toMatchObject({
      tried: [ALL, 'data formats charts pages'],
      lacks: ['pdfs'],
      failure: 'Chromium',
    });
  });

  test('publishes the data although the site fails, also where the browser fails first', async () => {
    expect(await run({ broken: ['pages'] })).toMatchObject({
      tried: [ALL, 'data formats charts'],
      lacks: ['pages', 'pdfs'],
      failure: 'astro build',
    });
    expect(await run({ broken: ['print', 'pages'] })).toMatchObject({
      tried: [ALL, 'data formats charts pages', 'data formats charts'],
      lacks: ['pages', 'pdfs'],
      failure: 'Chromium',
    });
  });

  test('does not try to print without a browser', async () => {
    const cannotPrint = fault('PATH', 'browser_missing');
    expect(await run({ cannotPrint })).toMatchObject({
      tried: ['data formats charts pages'],
      lacks: ['pdfs'],
      failure: 'PATH',
    });
  });

  test('publishes nothing where the data fail', async () => {
    expect(await failureOf(() => run({ broken: ['data'] }))).toMatchObject({ code: 'disk_full' });
  });
});

describe('the first run', () => {
  const LACKS = 'formats charts pages pdfs';

  test('publishes the data first, without a snapshot, which would lack the reports', async () => {
    expect(await run({ isFirst: true })).toEqual({
      tried: ['data, no snapshot', ALL],
      told: [`makes ${ALL}`, `lacks ${LACKS}`, `makes ${LACKS}`, 'compiles'],
      lacks: [],
      failure: null,
      events: 10,
      findingCount: 14,
    });
  });

  test('does not compile a second time what could not be compiled', async () => {
    expect(await run({ isFirst: true, broken: ['compiler'] })).toMatchObject({
      tried: ['data, no snapshot', 'data formats charts'],
      told: [`makes ${ALL}`, `lacks ${LACKS}`, `makes ${LACKS}`, 'compiles'],
      lacks: ['pages', 'pdfs'],
      failure: 'astro build',
    });
  });

  test('ends there where it only begins, and where everything is there it is a run like others', async () => {
    expect(await run({ isFirst: true, begins: true })).toMatchObject({
      tried: ['data, no snapshot'],
      told: [`makes ${ALL}`, `lacks ${LACKS}`],
      lacks: LACKS.split(' '),
      failure: null,
    });
    expect((await run({ begins: true })).tried).toEqual([ALL]);
  });
});
