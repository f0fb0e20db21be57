import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { formPath, TABLES, type Table, yearIn } from '../../../pipeline/formats/tables.ts';
import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';

interface Form {
  name: 'NDJSON' | 'XLSX' | 'Parquet';
  /** Its use, or the years that it covers. */
  use: string;
  file: DraftFile;
}

/** What lists the files of a release. */
type Listed = Pick<SiteRelease, 'find' | 'paths'>;

/** Every table of an artifact that the release has in another format. */
export function otherFormats(artifact: Artifact, release: Listed): { table: Table; forms: Form[] }[] {
  return TABLES.filter((table) => table.artifact.path === artifact.path)
    .map((table) => ({ table, forms: formsOf(table, release) }))
    .filter(({ forms }) => forms.length > 0);
}

function formsOf(table: Table, release: Listed): Form[] {
  const form = (path: string, name: Form['name'], use: string): Form[] => {
    const file = release.find(path);
    return file && !file.restricted ? [{ name, use, file }] : [];
  };
  const years = release.paths(formPath(table, '-')).flatMap((path) => {
    const year = yearIn(table, path);
    return year === undefined ? [] : [{ year, path }];
  });
  const inYears = (ending: string, name: Form['name'], use: string) =>
    years
      .filter(({ path }) => path.endsWith(ending))
      .flatMap(({ year, path }) => form(path, name, `the rows of ${year}, ${use}`));
  return [
    ...form(formPath(table, '.ndjson'), 'NDJSON', 'one row per line, for streaming'),
    ...form(formPath(table, '.xlsx'), 'XLSX', 'data and dictionary sheets'),
    ...inYears('.xlsx', 'XLSX', 'and a dictionary sheet'),
    ...inYears('.parquet', 'Parquet', 'with types'),
  ];
}

/** `CSV, NDJSON, XLSX and Parquet`: the formats of a file. */
export function formatNames(artifact: Artifact, release: Listed): string {
  const names = otherFormats(artifact, release).flatMap(({ forms }) => forms.map(({ name }) => name));
  return formatList([...new Set([OWN_NAMES[artifact.mediaType], ...names])]);
}

/** The name of each media type. */
export const OWN_NAMES: Readonly<Record<Artifact['mediaType'], string>> = {
  'application/json': 'JSON',
  'text/csv; charset=utf-8; header=present': 'CSV',
  'application/x-bibtex; charset=utf-8': 'BibTeX',
  'application/pdf': 'PDF',
};
