import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { formPath, TABLES, type Table, yearIn } from '../../../pipeline/formats/tables.ts';
import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';

/** One table of a file in the other formats of a release. */
export interface TableFormats {
  /** The table's name in SQLite. */
  name: string;
  title: string;
  columns: number;
  forms: Form[];
}

interface Form {
  name: 'JSON lines' | 'Excel workbook' | 'Parquet';
  /** Its use, or the years that it covers. */
  use: string;
  file: DraftFile;
}

/** What lists the files of a release. */
type Listed = Pick<SiteRelease, 'find' | 'paths'>;

/** Every table of an artifact that the release has in another format. */
export function otherFormats(artifact: Artifact, release: Listed): TableFormats[] {
  return TABLES.filter((table) => table.artifact.path === artifact.path)
    .map((table) => ({
      name: table.name,
      title: table.title,
      columns: table.allColumns.length,
      forms: formsOf(table, release),
    }))
    .filter(({ forms }) => forms.length > 0);
}

function formsOf(table: Table, release: Listed): Form[] {
  const at = (path: string) => {
    const file = release.find(path);
    return file && !file.restricted ? [file] : [];
  };
  const ofYears = release.paths(formPath(table, '-')).flatMap((path) => {
    const year = yearIn(table, path);
    return year === undefined ? [] : at(path).map((file) => ({ year, file }));
  });
  const inYears = (ending: string) => ofYears.filter(({ file }) => file.path.endsWith(ending));
  return [
    ...at(formPath(table, '.ndjson')).map((file) =>
      form('JSON lines', 'one row per line, for streaming', file),
    ),
    ...at(formPath(table, '.xlsx')).map((file) => form('Excel workbook', 'data and dictionary sheets', file)),
    ...inYears('.xlsx').map(({ year, file }) =>
      form('Excel workbook', `the rows of ${year}, and a dictionary sheet`, file),
    ),
    ...inYears('.parquet').map(({ year, file }) => form('Parquet', `the rows of ${year}, with types`, file)),
  ];
}

function form(name: Form['name'], use: string, file: DraftFile): Form {
  return { name, use, file };
}

/** `CSV, NDJSON, XLSX and Parquet`: the formats of a file. */
export function formatNames(artifact: Artifact, tables: readonly TableFormats[]): string {
  const own = OWN_NAMES[artifact.mediaType];
  const names = tables.flatMap(({ forms }) => forms.map(({ name }) => SHORT_NAMES[name]));
  return formatList([...new Set([own, ...names])]);
}

/** The name of each media type. */
export const OWN_NAMES: Readonly<Record<Artifact['mediaType'], string>> = {
  'application/json': 'JSON',
  'text/csv; charset=utf-8; header=present': 'CSV',
  'application/x-bibtex; charset=utf-8': 'BibTeX',
  'application/pdf': 'PDF',
};

const SHORT_NAMES: Readonly<Record<Form['name'], string>> = {
  'JSON lines': 'NDJSON',
  'Excel workbook': 'XLSX',
  Parquet: 'Parquet',
};
