import { readPiece, readTable } from '../../../../pipeline/formats/read-rows.ts';
import { TABLES, type Table, timeColumn } from '../../../../pipeline/formats/tables.ts';
import { ROW_TABLES } from '../../../../pipeline/verify/rows/history-tables.ts';
import { otherFormats } from '../../files/other-formats.ts';
import type { SiteRelease } from '../../layout/release.ts';
import { decisionRecords } from '../../records/decisions.ts';
import { deliberationRecords } from '../../records/deliberations.ts';
import { sentinelEntries } from '../../records/sentinels.ts';
import { ROWS_A_PAGE } from './selection.ts';
import { type EntityFolder, entityHref, readable, type ShownRow, type TableAbout } from './table-about.ts';
import { linesOf, shownRow } from './table-rows.ts';

/** Longer files are read in parts. */
const MOST_WHOLE = 8 << 20;
/** Enough for a page of the longest rows. */
const HEAD_BYTES = 1 << 20;

/** The public tables of files that have any, by the file's path. */
export const BROWSED: ReadonlyMap<string, readonly Table[]> = Map.groupBy(
  TABLES.filter(({ artifact }) => !artifact.restricted),
  ({ artifact }) => artifact.path,
);

/** The page of a table's rows: that of the file for its first table, `/files/economy/mic-history.csv/rows/`, below it for the others. */
export function rowsHref(table: Table): string {
  const { path } = table.artifact;
  return `/files/${path}/rows/${BROWSED.get(path)?.[0] === table ? '' : `${table.name}/`}`;
}

/** The first table of each file, or the others. */
export function browsedTables(which: 'first' | 'others'): Table[] {
  return [...BROWSED.values()].flatMap((all) => (which === 'first' ? all.slice(0, 1) : all.slice(1)));
}

/** Whether cells of a table lead to pages of records, whose addresses follow from all records. */
export function leadsToRecords(table: Table): boolean {
  return Object.keys(linksOf(table)).length > 0;
}

/** A table with its first rows, and all tables of its file. `name`: of one of these; the first by default. */
export function rowsFacts(release: SiteRelease, path: string, name?: string) {
  const tables = BROWSED.get(path)!;
  const table = tables.find((one) => one.name === name) ?? tables[0]!;
  const about = aboutOf(release, table);
  return { table, tables, about, rows: firstRows(release, table, about) };
}

function aboutOf(release: SiteRelease, table: Table): TableAbout {
  const { artifact, name, columns, grows } = table;
  const file = release.find(artifact.path)!;
  const { forms = [] } = otherFormats(artifact, release).find((one) => one.table === table) ?? {};
  const time = columns[timeColumn(table)];
  // The rows of a day stand in the file in the order in which they were added, while its days are newest first.
  const isByDay = artifact.kind === 'history' && artifact.dayRows !== undefined && time?.type === 'date';
  const links = linksOf(table);
  return {
    ...readable(table),
    name,
    bytes: file.bytes,
    sha256: file.sha256,
    rows: grows && file.rows !== null ? file.rows : readTable(table, release.text(artifact.path)).length,
    mostWhole: MOST_WHOLE,
    parts: forms.flatMap(({ name, file: { path, bytes } }) => (name === 'Parquet' ? [{ path, bytes }] : [])),
    day: isByDay ? time.name : null,
    proof: proofOf(table),
    links,
    renamed: renamedIn(release, links),
  };
}

/** A row of a table that has one place in its file. */
function proofOf({ artifact, from }: Table): TableAbout['proof'] {
  const provable = ROW_TABLES.find(({ path }) => path === artifact.path);
  if (!provable || provable.row.from === 'everything') return null;
  if (provable.isCsv) return 'csv';
  return from.split('[]').length === 2 ? 'json' : null;
}

/** Tables of which each row has a page. */
const OWN_PAGES: Readonly<Record<string, EntityFolder>> = {
  sentinel_status: 'sentinels',
  decisions: 'decisions',
  deliberations: 'deliberations',
  deliberation_archive: 'deliberations',
};

function linksOf({ name: table, columns, references }: Table): Record<string, EntityFolder> {
  const folderOf = (column: string): EntityFolder | undefined => {
    if (references[column] === 'sentinel_status') return 'sentinels';
    if (column === 'deliberation') return 'deliberations';
    return column === 'id' ? OWN_PAGES[table] : undefined;
  };
  return Object.fromEntries(
    columns.flatMap(({ name }) => {
      const folder = folderOf(name);
      return folder ? [[name, folder]] : [];
    }),
  );
}

const PAGES: Readonly<
  Record<EntityFolder, (release: SiteRelease) => Iterable<readonly [string, { href: string }]>>
> = {
  sentinels: (release) => sentinelEntries(release).map((one) => [one.id, one]),
  decisions: (release) => decisionRecords(release).ids,
  deliberations: (release) => deliberationRecords(release).ids,
};

/** Ids whose page has another name than the id in lower case, which few have. */
function renamedIn(release: SiteRelease, links: TableAbout['links']): Record<string, string> {
  const renamed: Record<string, string> = {};
  for (const folder of new Set(Object.values(links)))
    for (const [id, { href }] of PAGES[folder](release))
      if (entityHref({ links: { id: folder }, renamed: {} }, 'id', id) !== href)
        renamed[`${folder} ${id}`] = href;
  return renamed;
}

function firstRows(release: SiteRelease, table: Table, about: TableAbout): ShownRow[] {
  const { path, mediaType } = table.artifact;
  if (!table.grows)
    return readTable(table, release.text(path))
      .slice(0, ROWS_A_PAGE)
      .map((row) => shownRow(about, row));
  const head = release.head(path, HEAD_BYTES);
  // Without what was cut off at the end.
  const lines = head.slice(0, head.lastIndexOf('\n') + 1);
  if (mediaType === 'application/json')
    return linesOf(lines)
      .slice(0, ROWS_A_PAGE)
      .map((line) => shownRow(about, readPiece(table, line)[0]!, about.proof && line));
  return readPiece(table, lines.slice(lines.indexOf('\n') + 1), ROWS_A_PAGE).map((row) =>
    shownRow(about, row),
  );
}
