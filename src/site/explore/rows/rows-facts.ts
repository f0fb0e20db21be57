import type { Row } from '../../../../pipeline/formats/columns.ts';
import { readPiece, readTable } from '../../../../pipeline/formats/read-rows.ts';
import { TABLES, type Table, timeColumn } from '../../../../pipeline/formats/tables.ts';
import { ROW_TABLES } from '../../../../pipeline/verify/rows/history-tables.ts';
import { otherFormats } from '../../files/other-formats.ts';
import type { SiteRelease } from '../../layout/release.ts';
import { decisionRecords } from '../../records/decisions.ts';
import { deliberationRecords } from '../../records/deliberations.ts';
import { sentinelEntries } from '../../records/sentinels.ts';
import { linesOf, shownRow } from './row-source.ts';
import { ROWS_A_PAGE } from './selection.ts';
import { type EntityFolder, entityHref, type ShownRow, type TableAbout } from './table-about.ts';

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
export function rowsHref({ artifact: { path }, name }: Pick<Table, 'artifact' | 'name'>): string {
  const isFirst = BROWSED.get(path)?.[0]?.name === name;
  return `/files/${path}/rows/${isFirst ? '' : `${name}/`}`;
}

/** The addresses of the first table of each file, or of the others. */
export function rowsPaths(which: 'first' | 'others'): string[] {
  const isFirst = (table: Table) => BROWSED.get(table.artifact.path)![0] === table;
  return [...BROWSED.values()]
    .flat()
    .filter((table) => isFirst(table) === (which === 'first'))
    .map(rowsHref);
}

export interface RowsFacts {
  table: Table;
  /** All tables of the file. */
  tables: readonly Table[];
  about: TableAbout;
  /** The first rows of the file. */
  rows: ShownRow[];
}

/** `name`: of one of the file's tables; the first by default. */
export function rowsFacts(release: SiteRelease, path: string, name?: string): RowsFacts {
  const tables = BROWSED.get(path)!;
  const table = tables.find((one) => one.name === (name ?? tables[0]!.name))!;
  const about = aboutOf(release, table);
  return { table, tables, about, rows: firstRows(release, table, about) };
}

function aboutOf(release: SiteRelease, table: Table): TableAbout {
  const { artifact, name, from, named, parent, columns } = table;
  const file = release.find(artifact.path)!;
  const forms = otherFormats(artifact, release).find((formats) => formats.table === table)?.forms ?? [];
  const parts = forms.filter((form) => form.name === 'Parquet').map((form) => form.file);
  const links = linksOf(table);
  return {
    name,
    path: artifact.path,
    mediaType: artifact.mediaType,
    from,
    named,
    parent: parent ?? null,
    bytes: file.bytes,
    columns: columns.map(({ name, type, nullable }) => ({ name, type, nullable })),
    rows: rowsIn(release, table),
    mostWhole: MOST_WHOLE,
    parts: parts.map(({ path, bytes }) => ({ path, bytes })),
    day: dayOrder(table),
    proof: proofOf(table),
    links,
    renamed: renamedIn(release, links),
  };
}

function rowsIn(release: SiteRelease, table: Table): number {
  const { rows } = release.find(table.artifact.path)!;
  return table.grows && rows !== null ? rows : readTable(table, release.text(table.artifact.path)).length;
}

/** The rows of a day stand in the file in the order in which they were added, while its days are newest first. */
function dayOrder(table: Table): string | null {
  const { artifact, columns } = table;
  const time = columns[timeColumn(table)];
  return artifact.kind === 'history' && artifact.dayRows !== undefined && time?.type === 'date'
    ? time.name
    : null;
}

/** A row of a table that has one place in its file. */
function proofOf({ artifact, from }: Table): TableAbout['proof'] {
  const provable = ROW_TABLES.find(({ path }) => path === artifact.path);
  if (!provable || provable.row.from === 'everything') return null;
  if (provable.isCsv) return 'csv';
  return from.split('[]').length === 2 ? 'json' : null;
}

function linksOf({ name: table, columns, references }: Table): Record<string, EntityFolder> {
  const own: Readonly<Record<string, EntityFolder>> = {
    sentinel_status: 'sentinels',
    decisions: 'decisions',
    deliberations: 'deliberations',
    deliberation_archive: 'deliberations',
  };
  const folderOf = (column: string): EntityFolder | undefined => {
    if (references[column] === 'sentinel_status') return 'sentinels';
    if (column === 'deliberation') return 'deliberations';
    return column === 'id' ? own[table] : undefined;
  };
  return Object.fromEntries(
    columns.flatMap(({ name }) => {
      const folder = folderOf(name);
      return folder ? [[name, folder]] : [];
    }),
  );
}

/** Ids whose page has another name than the id in lower case, which few have. */
function renamedIn(
  release: SiteRelease,
  links: Readonly<Record<string, EntityFolder>>,
): Record<string, string> {
  const folders = new Set(Object.values(links));
  const idsOf: Readonly<Record<EntityFolder, () => Iterable<readonly [string, string]>>> = {
    sentinels: () => sentinelEntries(release).map(({ id, href }) => [id, href]),
    decisions: () => [...decisionRecords(release).ids].map(([id, { href }]) => [id, href]),
    deliberations: () => [...deliberationRecords(release).ids].map(([id, { href }]) => [id, href]),
  };
  const renamed: Record<string, string> = {};
  for (const folder of folders)
    for (const [id, href] of idsOf[folder]())
      if (entityHref({ links: { id: folder }, renamed: {} }, 'id', id) !== href)
        renamed[`${folder} ${id}`] = href;
  return renamed;
}

function firstRows(release: SiteRelease, table: Table, about: TableAbout): ShownRow[] {
  const { path } = table.artifact;
  if (!table.grows)
    return readTable(table, release.text(path))
      .slice(0, ROWS_A_PAGE)
      .map((row) => shownRow(about, row));
  const head = release.head(path, HEAD_BYTES);
  if (about.mediaType !== 'application/json') {
    const rows: Row[] = readPiece(table, afterHeader(wholeLines(head)), ROWS_A_PAGE);
    return rows.map((row) => shownRow(about, row));
  }
  return linesOf(wholeLines(head))
    .slice(0, ROWS_A_PAGE)
    .map((line) => ({
      ...shownRow(about, readPiece(table, line)[0]!),
      line: about.proof === 'json' ? line : null,
    }));
}

/** Without what was cut off at the end. */
function wholeLines(head: string): string {
  return head.slice(0, head.lastIndexOf('\n') + 1);
}

function afterHeader(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
