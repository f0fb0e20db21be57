import { eventsByDay } from '../../pipeline/artifacts/academics/events-by-day.ts';
import { papers } from '../../pipeline/artifacts/academics/papers.ts';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { paperPage } from '../../pipeline/artifacts/documents/papers-bib.ts';
import { transparency } from '../../pipeline/artifacts/government/transparency.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { yearText } from '../../pipeline/model/period.ts';
import { PROBLEMS } from '../api/problem.ts';
import { GROUPS } from '../api/routes/table.ts';
import { browsedTables, leadsToRecords, rowsHref } from './explore/rows/rows-facts.ts';
import { otherFormats } from './files/other-formats.ts';
import type { SiteRelease } from './layout/release.ts';
import { closedYears } from './portals/report/closed-years.ts';
import { type ArchiveFolder, archivePages, touchedPages } from './records/archives.ts';
import { sentinelEntries } from './records/sentinels.ts';
import { groupAddress } from './reference/api/api-facts.ts';
import { recordYears } from './reference/search/search-entries.ts';

/** The addresses of one kind of page in a release, each once. */
type PagePaths = (release: SiteRelease) => readonly string[];

/** Pages that mostly stay as they are from release to release. */
interface KeptKind {
  /** Left out for a page without a parameter, and only there. */
  paths?: PagePaths;
  /**
   * Which of them may differ from those of the same program over an earlier release of the same ledger; `since` is that release's time.
   * The others are not even looked at, so such a page may depend on nothing else that a new event changes but its sources.
   */
  touched(release: SiteRelease, since: string): readonly string[];
  /** The files of the release that a page follows from: where one is new, the page is made anew. Absent: none. */
  sources?(path: string, release: SiteRelease): readonly string[];
}

export type PageKind = PagePaths | KeptKind;

const archive = (folder: ArchiveFolder): KeptKind => ({
  paths: archivePages(folder),
  touched: (release, since) => touchedPages(release, folder, since),
});

/** Pages that follow from the program and its settings alone. */
const STEADY: KeptKind = { touched: () => [] };

const recordsPath = (year: string) => `/search/index/records-${year}.json`;

const perChart = (folder: string, end: string): KeptKind => {
  const charts = new Map(CHARTS.map(({ id, sources }) => [`/${folder}/${id}${end}`, sources]));
  return { ...STEADY, paths: () => [...charts.keys()], sources: (path) => charts.get(path)! };
};

/** The rows of tables, with the sizes of the Parquet files. Citations of files without a time state the year of the release. */
const rows = (which: 'first' | 'others'): KeptKind => {
  const tables = new Map(browsedTables(which).map((table) => [rowsHref(table), table]));
  return {
    paths: () => [...tables.keys()],
    touched(release, since) {
      const isNewYear = !release.draft.timestamp.startsWith(since.slice(0, 4));
      return [...tables.keys()].filter((path) => isNewYear || leadsToRecords(tables.get(path)!));
    },
    sources(path, release) {
      const { artifact } = tables.get(path)!;
      const forms = otherFormats(artifact, release).flatMap((table) => table.forms);
      return [artifact.path, ...forms.map(({ file }) => file.path)];
    },
  };
};

/**
 * The addresses of each kind of page, by its file below `pages`: `/charts/[id]` → `/charts/supply/`, … A page without a parameter has
 * the address of its file, and is listed only if a release may have it from the one before.
 */
export const PAGES_TO_RENDER: Readonly<Record<string, PageKind>> = {
  '/.well-known/api-catalog': STEADY,
  '/404': STEADY,
  '/[area]': () => AREAS.map((area) => `/${area}/`),
  '/about': { ...STEADY, sources: () => ['publisher.vkey'] },
  '/academics/papers/[id]': (release) => release.read(papers).papers.map(({ id }) => paperPage(id)),
  '/accessibility': STEADY,
  '/api': STEADY,
  '/api/[group]': {
    paths: () => GROUPS.map(groupAddress),
    // It has an example of `/live`, whose value is that of a file of another group.
    touched: () => [groupAddress('service')],
    // Of the other examples, those that are not invented are excerpts of the group's own files.
    sources: (path) =>
      ARTIFACTS.filter(({ kind, restricted }) => kind !== 'printed' && !restricted)
        .filter(({ area }) => groupAddress(area) === path)
        .map((one) => one.path),
  },
  '/asyncapi.json': STEADY,
  '/attestations/implementers': STEADY,
  '/charts/[id]': perChart('charts', '/'),
  '/decisions/[id]': archive('decisions'),
  '/deliberations/[id]': archive('deliberations'),
  '/embed/[id]': perChart('embed', '/'),
  '/embedding': STEADY,
  '/events': { ...STEADY, sources: () => [eventsByDay.path] },
  '/files/[...path]': () => ARTIFACTS.map(({ path }) => `/files/${path}/`),
  '/files/[...path]/rows': rows('first'),
  '/files/[...path]/rows/[table]': rows('others'),
  '/glossary': STEADY,
  '/government/transparency/[year]': {
    ...STEADY,
    paths: (release) => closedYears(release).map((year) => `/government/transparency/${yearText(year)}/`),
    sources: (path) => [transparency.closedPath(Number(path.split('/').at(-2)))],
  },
  '/licence': STEADY,
  '/mirrors': { ...STEADY, sources: () => ['publisher.vkey'] },
  '/oembed/[id].json': perChart('oembed', '.json'),
  '/philosophy/simulation/model': STEADY,
  '/philosophy/simulation/protocol': STEADY,
  '/philosophy/simulation/reference': STEADY,
  '/problems': STEADY,
  '/problems/[code]': {
    ...STEADY,
    paths: () => Object.keys(PROBLEMS).map((code) => `/problems/${code}/`),
  },
  '/site.webmanifest': STEADY,
  // Beside the releases: a run renders it with the list that it is about to publish.
  '/snapshots': () => [],
  '/search/index/records-[year].json': {
    paths: (release) => recordYears(release).map(recordsPath),
    // Records are dated by their day, and what is new has the day of the earlier release or a later one.
    touched: (release, since) =>
      recordYears(release)
        .filter((year) => year >= since.slice(0, 4))
        .map(recordsPath),
  },
  '/sentinels/[id]': (release) => sentinelEntries(release).map(({ href }) => href),
  '/sql': STEADY,
  '/versions': STEADY,
};
