import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../../pipeline/artifacts/data-dictionary.ts';
import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
import type { ChartColumn } from '../../../pipeline/charts/chart-table.ts';
import type { Column, ColumnType } from '../../../pipeline/formats/columns.ts';
import { TABLES, type Table } from '../../../pipeline/formats/tables.ts';
import type { SiteRelease } from '../layout/release.ts';
import { otherFormats } from './other-formats.ts';

/** How a file is read: a table of CSV; a table of JSON, from the file of its rows as JSON lines; JSON by itself, whose rows are in `list`. */
type Shape =
  | { kind: 'csv'; time: Pick<Column, 'name' | 'type'> | null }
  | { kind: 'lines'; url: string }
  | { kind: 'json'; list: string | null }
  | { kind: 'bibtex' | 'pdf' };

/** What the examples need to know about a file. */
export interface Source {
  url: string;
  /** The file name for downloads, with an ending: `supply.json`. */
  fileName: string;
  /** Requests need a key, which only the example for curl sends: the others read the file that it saved. */
  restricted: boolean;
  shape: Shape;
  columns: readonly string[];
  /** Numbers, from 1, of the columns of a CSV that are not numbers. */
  texts: readonly number[];
  /** Columns of a CSV that say true or false. */
  booleans: readonly string[];
  /** The column that holds exact amounts, for which a double may be too short; null if none does. */
  exact: string | null;
  /** Rows are newest first, so differences between rows need them sorted. */
  isNewestFirst: boolean;
  /** Of a table that grows, the workbook of the newest year. */
  xlsx: string | null;
  parquet: readonly string[];
}

const TIMES: readonly ColumnType[] = ['date', 'datetime'];
const NUMBERS: readonly ColumnType[] = ['integer', 'number', 'decimal'];

export function sourceOf(release: SiteRelease, artifact: Artifact): Source {
  const table = TABLES.find((one) => one.artifact.path === artifact.path) ?? null;
  const [{ forms } = { forms: [] }] = otherFormats(artifact, release);
  const urls = (ending: string) =>
    forms.flatMap(({ file: { path } }) => (path.endsWith(ending) ? [`${release.baseUrl}/${path}`] : []));
  const columns = table?.columns ?? [];
  return {
    url: `${release.baseUrl}/${artifact.path}${isExport(artifact) ? exportQuery(release) : ''}`,
    fileName: fileNameOf(artifact),
    restricted: artifact.restricted,
    shape: shapeOf(artifact, table, urls('.ndjson')[0]),
    columns: columns.map(({ name }) => name),
    texts: columns.flatMap(({ type }, index) => (NUMBERS.includes(type) ? [] : [index + 1])),
    booleans: columns.flatMap(({ name, type }) => (type === 'boolean' ? [name] : [])),
    exact: columns.find(({ type }) => type === 'decimal')?.name ?? null,
    isNewestFirst: artifact.kind === 'history',
    xlsx: urls('.xlsx').at(-1) ?? null,
    parquet: urls('.parquet'),
  };
}

/** The columns of charts that hold times. */
const TIME_TYPES: Readonly<Record<string, ColumnType>> = {
  date: 'date',
  from: 'date',
  timestamp: 'datetime',
};

/** The numbers of a chart as a file, `/charts/supply.csv`. */
export function chartSource(
  release: SiteRelease,
  id: string,
  { columns }: { columns: readonly Pick<ChartColumn, 'name' | 'unit'>[] },
): Source {
  const time = columns.find(({ name }) => name in TIME_TYPES);
  return {
    url: `${release.baseUrl}/charts/${id}.csv`,
    fileName: `${id}.csv`,
    restricted: false,
    shape: { kind: 'csv', time: time ? { name: time.name, type: TIME_TYPES[time.name]! } : null },
    columns: columns.map(({ name }) => name),
    texts: columns.flatMap(({ unit }, index) => (unit === '' ? [index + 1] : [])),
    booleans: [],
    exact: null,
    isNewestFirst: false,
    xlsx: null,
    parquet: [],
  };
}

/** `economy/supply` → `supply.json`, `government/ledger/export` → `export.csv`. */
export function fileNameOf({ path, mediaType }: Pick<Artifact, 'path' | 'mediaType'>): string {
  const name = path.split('/').at(-1)!;
  if (name.includes('.')) return name;
  return `${name}${mediaType === 'application/json' ? '.json' : '.csv'}`;
}

/** Whether the file is assembled per request. */
export function isExport({ path }: Artifact): boolean {
  return HISTORIES.some((history) => history.path === path && !history.assembled);
}

/** The query for the last day as CSV, because the whole audit trail is long. */
function exportQuery({ draft }: SiteRelease): string {
  return `?format=csv&from=${draft.timestamp.slice(0, 10)}`;
}

function shapeOf(artifact: Artifact, table: Table | null, lines: string | undefined): Shape {
  const { mediaType } = artifact;
  if (mediaType === 'application/pdf') return { kind: 'pdf' };
  if (mediaType.startsWith('application/x-bibtex')) return { kind: 'bibtex' };
  if (mediaType.startsWith('text/csv'))
    return {
      kind: 'csv',
      time: table?.columns.find(({ type }) => TIMES.includes(type)) ?? exportTime(artifact),
    };
  if (lines !== undefined) return { kind: 'lines', url: lines };
  const list = fieldsOf(artifact).find(({ name, type }) => type === 'array of object' && !/[.[]/.test(name));
  return { kind: 'json', list: list?.name ?? null };
}

/** The columns of the audit trail, which is not among the public tables. */
function exportTime(artifact: Artifact): Pick<Column, 'name' | 'type'> | null {
  const field = fieldsOf(artifact).find(({ unit }) => unit === 'ISO 8601 date-time');
  return field ? { name: field.name, type: 'datetime' } : null;
}

/** One complete example to paste and run. */
export interface Snippet {
  /** `Python (pandas)`. */
  tool: string;
  /** What a reader must know before running it. */
  note?: string;
  code: string;
}

/** An example for each tool that can read the file. */
export function snippetsOf(source: Source): Snippet[] {
  const all = [curl, python, r, stata, duckdb, latex, excel, sheets].map((snippet) => snippet(source));
  return all.filter((snippet) => snippet !== null);
}

/** Joins the lines of an example and drops null ones. */
function lines(...all: (string | null)[]): string {
  return all.filter((line) => line !== null).join('\n');
}

/** What a tool opens: the address, or the file that curl saved. */
function placeOf({ restricted, url, fileName }: Source): string {
  return restricted ? fileName : url;
}

/** Puts what a file behind a key needs first before what the tool says itself. */
function noteOf({ restricted }: Source, note = ''): Pick<Snippet, 'note'> {
  const words = [restricted ? 'First save the file with curl.' : '', note].filter(Boolean).join(' ');
  return words === '' ? {} : { note: words };
}

/** Downloads the file; for a public one, a second run downloads it only if it has changed. */
export function curl({ url, fileName, restricted }: Source): Snippet {
  const target = `  --output ${fileName} '${url}'`;
  if (restricted)
    return {
      tool: 'curl',
      note: 'The key comes from the variable API_KEY, so that it does not appear in the command.',
      code: lines('curl --fail --header "Authorization: Bearer $API_KEY" \\', target),
    };
  const etag = `${fileName}.etag`;
  return {
    tool: 'curl',
    note: 'A second run downloads the file only if it has changed.',
    code: lines(`curl --fail --etag-save ${etag} --etag-compare ${etag} \\`, target),
  };
}

/** Downloads exactly one version of a public file, and says so if the bytes are others. */
export function curlOfVersion(url: string, fileName: string, sha256: string): string {
  return lines(
    `curl --fail --output ${fileName} \\`,
    `  '${url}?sha256=${sha256}'`,
    `echo '${sha256}  ${fileName}' | sha256sum --check`,
  );
}

/** Loads a data frame. Only an empty cell is missing: pandas also takes the texts `NA`, `None` and others for that, and they may be ids. */
export function python(source: Source): Snippet {
  const { shape, url, fileName, exact, isNewestFirst } = source;
  const place = placeOf(source);
  const tool = 'Python (pandas)';
  switch (shape.kind) {
    case 'csv': {
      const { time } = shape;
      // A double holds fifteen digits.
      const digits = `Amounts become doubles. To keep every digit, add dtype={"${exact}": "string"} and use decimal.Decimal.`;
      const code = lines(
        'import pandas as pd',
        '',
        `df = pd.read_csv("${place}",`,
        `                 keep_default_na=False, na_values=[""]${time ? `, parse_dates=["${time.name}"]` : ''})`,
        time && isNewestFirst
          ? `df = df.sort_values("${time.name}", kind="stable", ignore_index=True)`
          : null,
        'print(df.tail())',
      );
      return { tool, ...noteOf(source, exact === null ? '' : digits), code };
    }
    case 'lines': {
      // Without these, an id of digits becomes a number.
      const read = `df = pd.read_json("${shape.url}", lines=True,\n                  dtype=False, convert_dates=False)`;
      return { tool, code: lines('import pandas as pd', '', read, 'print(df)') };
    }
    case 'json': {
      const { restricted } = source;
      const code = lines(
        'import json',
        restricted ? null : 'from urllib.request import urlopen',
        'import pandas as pd',
        '',
        `with ${restricted ? 'open' : 'urlopen'}("${place}") as file:`,
        '    data = json.load(file)',
        `df = pd.json_normalize(data${shape.list === null ? '' : `["${shape.list}"]`})`,
        'print(df)',
      );
      return { tool, ...noteOf(source), code };
    }
    default:
      return {
        tool: 'Python',
        code: lines('from urllib.request import urlretrieve', '', `urlretrieve("${url}", "${fileName}")`),
      };
  }
}

/** Loads a data frame with base R, and jsonlite for JSON. Only an empty cell is missing: an id may be `NA`. */
export function r(source: Source): Snippet {
  const { shape, url, fileName, booleans, exact, isNewestFirst } = source;
  const place = placeOf(source);
  const tool = 'R';
  switch (shape.kind) {
    case 'csv': {
      const { time } = shape;
      const digits = `Amounts become doubles. To keep every digit, add colClasses = c(${exact} = "character").`;
      const parsed =
        time?.type === 'date'
          ? `as.Date(df$${time.name})`
          : `as.POSIXct(df$${time?.name}, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")`;
      const code = lines(
        `df <- read.csv("${place}", na.strings = "")`,
        time && `df$${time.name} <- ${parsed}`,
        // R takes TRUE for a truth value, and leaves true a text.
        ...booleans.map((name) => `df$${name} <- as.logical(df$${name})`),
        time && isNewestFirst ? `df <- df[order(df$${time.name}), ]` : null,
        'str(df)',
      );
      return { tool, ...noteOf(source, exact === null ? '' : digits), code };
    }
    case 'lines': {
      const read = `df <- stream_in(url("${shape.url}"), verbose = FALSE)`;
      return { tool, code: lines('library(jsonlite)', '', read, 'str(df)') };
    }
    case 'json': {
      const rows = shape.list === null ? null : `df <- data$${shape.list}`;
      const code = lines(
        'library(jsonlite)',
        '',
        `data <- fromJSON("${place}")`,
        rows,
        rows ? 'str(df)' : 'str(data, max.level = 2)',
      );
      return { tool, ...noteOf(source), code };
    }
    default:
      return { tool, code: `download.file("${url}", "${fileName}", mode = "wb")` };
  }
}

/** Loads the data set of a table; null for a file that is none. Stata reads no JSON, so such a file comes from its workbook. */
export function stata(source: Source): Snippet | null {
  const { shape, xlsx, texts, columns, isNewestFirst } = source;
  const tool = 'Stata';
  if (shape.kind !== 'csv') {
    if (xlsx === null) return null;
    const file = xlsx.split('/').at(-1)!;
    return {
      tool,
      note: `Stata reads no JSON, so this reads the workbook${isNewestFirst ? ' of the newest year' : ''}.`,
      code: lines(
        `copy "${xlsx}" "${file}", replace`,
        `import excel using "${file}", firstrow case(preserve) clear`,
        'describe',
      ),
    };
  }
  // Numbers as doubles: a float has seven digits. Identifiers as text, whatever they look like.
  const types = `asdouble${texts.length > 0 ? ` stringcols(${texts.join(' ')})` : ''}`;
  const code = lines(
    `import delimited using "${placeOf(source)}", ///`,
    `    clear varnames(1) case(preserve) encoding("UTF-8") bindquote(strict) ${types}`,
    ...(shape.time ? stataTime(shape.time, columns) : []),
    'describe',
  );
  return { tool, ...noteOf(source), code };
}

/** A day is a whole number of days, a time a double of milliseconds, both since 1960. `#` stands for the T and the Z. */
function stataTime({ name, type }: Pick<Column, 'name' | 'type'>, columns: readonly string[]): string[] {
  const wanted = type === 'date' ? 'day' : 'time';
  const made = columns.includes(wanted) ? `${wanted}_of_row` : wanted;
  return [
    type === 'date'
      ? `generate long ${made} = daily(${name}, "YMD")`
      : `generate double ${made} = clock(${name}, "YMD#hms#")`,
    `format ${made} ${type === 'date' ? '%td' : '%tc'}`,
    `sort ${made}, stable`,
  ];
}

/** A query on the remote file; null for a file that is neither a table nor JSON. */
export function duckdb(source: Source): Snippet | null {
  const { shape, parquet, isNewestFirst } = source;
  const place = placeOf(source);
  const note = 'A query requests the file in parts. To request it once: CREATE TABLE data AS FROM …';
  const about = { tool: 'DuckDB', ...(source.restricted ? noteOf(source) : { note }) };
  if (shape.kind === 'lines') return { ...about, code: `FROM read_json('${shape.url}');` };
  if (shape.kind === 'json') {
    const rows = shape.list === null ? '' : `SELECT unnest(${shape.list}, max_depth := 2)\n`;
    return { ...about, code: `${rows}FROM read_json('${place}');` };
  }
  if (shape.kind !== 'csv') return null;
  const order = shape.time && isNewestFirst ? `\nORDER BY ${shape.time.name}` : '';
  const list = parquet.map((url) => `  '${url}'`).join(',\n');
  const years = `\n-- Parquet, one file a year: types, and only the columns that are asked for.\nFROM read_parquet([\n${list}\n]);`;
  return { ...about, code: lines(`FROM read_csv('${place}')${order};`, parquet.length > 0 ? years : null) };
}

/** For the citation database only. */
function latex({ shape, fileName }: Source): Snippet | null {
  if (shape.kind !== 'bibtex') return null;
  const code = lines(
    '\\usepackage[backend=biber]{biblatex}',
    `\\addbibresource{${fileName}}`,
    '% in the text, and where the list stands:',
    '\\cite{cathedral_data_service}',
    '\\printbibliography',
  );
  return { tool: 'LaTeX', code };
}

/** A refreshable query: of a CSV file, or of the workbook. A file behind a key is opened as it was saved, so that no key is in a workbook. */
function excel({ shape, url, restricted, xlsx, isNewestFirst }: Source): Snippet | null {
  if (restricted || (shape.kind !== 'csv' && xlsx === null)) return null;
  const read =
    shape.kind === 'csv'
      ? `Table.PromoteHeaders(Csv.Document(Web.Contents("${url}"),\n    [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]))`
      : `Excel.Workbook(Web.Contents("${xlsx}"),\n    true){0}[Data]`;
  const year = shape.kind !== 'csv' && isNewestFirst ? ' It reads the workbook of the newest year.' : '';
  return {
    tool: 'Excel',
    note: `Data ▸ Get Data ▸ From Other Sources ▸ Blank Query ▸ Advanced Editor.${year}`,
    code: lines('let', `  Rows = ${read}`, 'in', '  Rows'),
  };
}

/** The import functions of Google Sheets send no key and read no JSON. */
function sheets({ shape, url, restricted, xlsx, isNewestFirst }: Source): Snippet | null {
  const tool = 'Google Sheets';
  if (shape.kind === 'csv' && !restricted) {
    const large = xlsx ? ' Google rejects large files; upload the workbook instead.' : '';
    return { tool, note: `Paste it into a cell.${large}`, code: `=IMPORTDATA("${url}")` };
  }
  if (xlsx === null) return null;
  const which = isNewestFirst ? 'this workbook of the newest year' : 'this workbook';
  return { tool, note: `It cannot read JSON. Import ${which}: File ▸ Import ▸ Upload.`, code: xlsx };
}
