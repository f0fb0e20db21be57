import { python } from './python.ts';
import { r } from './r.ts';
import { lines, type Shape, type Snippet, type Source } from './source.ts';
import { stata } from './stata.ts';

const WHERE = 'Data ▸ Get Data ▸ From Other Sources ▸ Blank Query ▸ Advanced Editor.';

/** A refreshable Excel query and a Google Sheets formula; none for a file that is neither a table nor JSON. */
function spreadsheets(source: Source): Snippet[] {
  const { shape, restricted, xlsx } = source;
  if (shape.kind === 'bibtex' || shape.kind === 'pdf') return [];
  const asks = restricted ? ' When asked how to sign in, choose Anonymous: the key is in the query.' : '';
  const book = xlsx ? ' Or open the workbook, see the other formats.' : '';
  const excel = { tool: 'Excel', note: `${WHERE}${asks}${book}`, code: query(source) };
  return [excel, ...sheets(source)];
}

function query(source: Source): string {
  const { shape } = source;
  const isCsv = shape.kind === 'csv';
  const read = isCsv
    ? `Csv.Document(${contents(source)},\n    [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv])`
    : `Json.Document(${contents(source)})`;
  return lines('let', `  File = ${read},`, `  Rows = ${rows(shape, source)}`, 'in', '  Rows');
}

function contents({ url, restricted }: Source): string {
  if (!restricted) return `Web.Contents("${url}")`;
  return `Web.Contents("${url}",\n    [Headers = [Authorization = "Bearer YOUR_KEY"]])`;
}

function rows(shape: Shape, { columns }: Source): string {
  switch (shape.kind) {
    case 'csv':
      return 'Table.PromoteHeaders(File)';
    case 'list':
      return `Table.FromRecords(File[${shape.member}])`;
    case 'map': {
      const members = columns.slice(1).map((name) => `"${name}"`);
      return `Table.ExpandRecordColumn(Record.ToTable(File[${shape.member}]), "Value",\n    {${members.join(', ')}})`;
    }
    default:
      return 'Record.ToTable(File)';
  }
}

/** The import functions of Google Sheets send no key and read no JSON. */
function sheets({ shape, url, restricted, xlsx, isNewestFirst }: Source): Snippet[] {
  const tool = 'Google Sheets';
  if (shape.kind === 'csv' && !restricted) {
    return [
      {
        tool,
        note: `Paste it into a cell.${xlsx ? ' Google rejects large files; upload the workbook instead.' : ''}`,
        code: `=IMPORTDATA("${url}")`,
      },
    ];
  }
  if (xlsx) {
    const which = isNewestFirst ? 'this workbook of the newest year' : 'this workbook';
    return [{ tool, note: `It cannot read JSON. Import ${which}: File ▸ Import ▸ Upload.`, code: xlsx }];
  }
  return [];
}

/** An example for each tool that can read the file. */
export function snippetsOf(source: Source): Snippet[] {
  const perhaps = [curl, python, r, stata, duckdb, latex].map((snippet) => snippet(source));
  return [...perhaps.filter((snippet) => snippet !== null), ...spreadsheets(source)];
}

/** Downloads the file; for a public one, also shows how to download it again only if it has changed. */
export function curl({ url, fileName, restricted, pinned }: Source): Snippet {
  const target = `--output ${fileName} '${url}'`;
  if (restricted) {
    return {
      tool: 'curl',
      note: 'The key comes from the variable API_KEY, so that it does not appear in the command.',
      code: `curl --fail --header "Authorization: Bearer $API_KEY" \\\n  ${target}`,
    };
  }
  const etag = `${fileName}.etag`;
  return {
    tool: 'curl',
    note: 'A second run downloads the file only if it has changed.',
    code: lines(`curl --fail --etag-save ${etag} --etag-compare ${etag} \\`, `  ${target}`),
    ...(pinned && {
      pinned: lines(
        `curl --fail --output ${fileName} \\`,
        `  '${pinned.url}'`,
        `echo '${pinned.sha256}  ${fileName}' | sha256sum --check`,
      ),
    }),
  };
}

/** A query on the remote file; null for a file that is neither a table nor JSON. */
export function duckdb(source: Source): Snippet | null {
  const query = queryOf(source);
  if (query === null) return null;
  const { restricted, url } = source;
  const secret = restricted
    ? `CREATE SECRET (TYPE http, BEARER_TOKEN 'YOUR_KEY', SCOPE '${new URL(url).origin}');\n`
    : null;
  const note = 'A query requests the file in parts. To request it once: CREATE TABLE data AS FROM …';
  return { tool: 'DuckDB', note, code: lines(secret, query) };
}

function queryOf({ shape, url, parquet, ndjson, isNewestFirst }: Source): string | null {
  switch (shape.kind) {
    case 'csv':
      return lines(
        inOrder(`FROM read_csv('${url}')`, shape, isNewestFirst),
        parquet.length > 0 ? ofYears(parquet) : null,
      );
    case 'list':
      return `SELECT unnest(${shape.member}, max_depth := 2)\nFROM read_json('${url}');`;
    case 'map':
      return `FROM read_json('${ndjson ?? url}');`;
    case 'record':
    case 'tree':
      return `FROM read_json('${url}');`;
    default:
      return null;
  }
}

function inOrder(query: string, { time }: Extract<Shape, { kind: 'csv' }>, isNewestFirst: boolean): string {
  return time && isNewestFirst ? `${query}\nORDER BY ${time.name};` : `${query};`;
}

function ofYears(urls: readonly string[]): string {
  const list = urls.map((url) => `  '${url}'`).join(',\n');
  return `\n-- Parquet, one file a year: types, and only the columns that are asked for.\nFROM read_parquet([\n${list}\n]);`;
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
