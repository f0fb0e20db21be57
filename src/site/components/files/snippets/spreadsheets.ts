import { lines, type Snippet } from './snippet.ts';
import type { Shape, Source } from './source.ts';

const WHERE = 'Data ▸ Get Data ▸ From Other Sources ▸ Blank Query ▸ Advanced Editor.';

/** A query that Excel can refresh, and what Google Sheets can do; none for what is no table and no JSON. */
export function spreadsheets(source: Source): Snippet[] {
  const { shape, restricted, xlsx } = source;
  if (shape.kind === 'bibtex' || shape.kind === 'pdf') return [];
  const asks = restricted ? ' When asked how to sign in, choose Anonymous: the key is in the query.' : '';
  const book = xlsx ? ' Or open the workbook, see the other forms.' : '';
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

/** Its functions send no key and read no JSON. */
function sheets({ shape, url, restricted, xlsx }: Source): Snippet[] {
  const tool = 'Google Sheets';
  if (shape.kind === 'csv' && !restricted) {
    return [
      {
        tool,
        note: 'In a cell. Large files are refused: upload the workbook then.',
        code: `=IMPORTDATA("${url}")`,
      },
    ];
  }
  if (xlsx)
    return [{ tool, note: 'It reads no JSON by itself: File ▸ Import ▸ Upload this workbook.', code: xlsx }];
  return [];
}
