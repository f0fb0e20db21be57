import { DATABASE } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { formPath, TABLES, type Table } from '../../../pipeline/formats/tables.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { otherFileResponses } from './artifact-operations.ts';
import { FILE_HEADERS, LIMIT_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import { type Operation, type Parameter, type PathOperation, refer } from './operation.ts';
import { statusOf } from './responses.ts';

const GROWING = TABLES.filter(({ grows }) => grows);
const SMALL = TABLES.filter(({ grows }) => !grows);
const NOT_FOUND = { [statusOf('NotFound')]: refer('responses', 'NotFound') };
/** Public, in an area whose keys raise the quota, like most tables. */
const COUNTED = { kind: 'document', area: 'economy', restricted: false } as const;

/** The public tables in other formats, and all of them as one database. */
export function formatOperations(baseUrl: string): PathOperation[] {
  const about = (operationId: string, summary: string, description: string) => ({
    operationId,
    summary,
    description: `${description}\n\nPublic. The page of each file lists its formats with their sizes.`,
    tags: ['forms'],
    externalDocs: { description: 'All files', url: `${baseUrl}/files/` },
  });
  return [
    [
      '/{area}/{table}.ndjson',
      {
        ...about('getTable', 'A table as JSON lines', 'One row per line.'),
        ...tableForm(TABLES, 'mic-history', ['ndjson'], []),
      },
    ],
    [
      '/{area}/{table}.xlsx',
      {
        ...about(
          'getWorkbook',
          'A table that does not grow as Excel workbook',
          'One sheet with the data and one that describes the columns.',
        ),
        ...tableForm(SMALL, 'supply', ['xlsx'], []),
      },
    ],
    [
      '/{area}/{table}-{year}.{form}',
      {
        ...about(
          'getTableOfYear',
          'A year of a growing table as Parquet or Excel workbook',
          'Parquet with column types, or a sheet with the data and one that describes the columns. The rows of a closed year never change.',
        ),
        ...tableForm(
          GROWING,
          'mic-history',
          ['parquet', 'xlsx'],
          [YEAR, choice('form', ['parquet', 'xlsx'], 'parquet', 'Parquet, or an Excel workbook.')],
        ),
      },
    ],
    [
      `/${DATABASE.path}`,
      {
        ...about('getDatabase', 'All public tables as one SQLite file', 'In no area, so not counted.'),
        parameters: referToRequestHeaders(),
        responses: {
          '200': whole(['sqlite'], false),
          ...otherFileResponses({ ...COUNTED, area: 'diplomacy' }),
          ...NOT_FOUND,
        },
        security: [{}],
      },
    ],
  ];
}

const YEAR: Parameter = {
  name: 'year',
  in: 'path',
  required: true,
  description: 'A year with rows in the table.',
  schema: { type: 'string', pattern: '^\\d{4}$' },
  example: '2025',
};

function choice(name: string, options: string[], example: string, description: string): Parameter {
  return {
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', enum: options },
    example,
  };
}

type TableForm = Required<Pick<Operation, 'parameters' | 'responses' | 'security'>>;

function tableForm(
  tables: readonly Table[],
  example: string,
  endings: string[],
  own: Parameter[],
): TableForm {
  const areas = [...new Set(tables.map(({ artifact }) => artifact.area))];
  const names = tables.map((table) => formPath(table, '').split('/')[1]!);
  return {
    parameters: [
      choice('area', areas, 'economy', 'The area of the table.'),
      choice('table', names, example, 'Name of the table within its area.'),
      ...own,
      ...referToRequestHeaders(),
    ],
    responses: { '200': whole(endings, true), ...otherFileResponses(COUNTED), ...NOT_FOUND },
    security: [{}, { key: areas }],
  };
}

function whole(endings: readonly string[], isCounted: boolean) {
  const contents = endings.map((ending) => [mediaTypeOf(`table.${ending}`), { schema: {} }]);
  return {
    description: 'The file.',
    headers: referToHeaders([...FILE_HEADERS, ...(isCounted ? LIMIT_HEADERS : [])]),
    content: Object.fromEntries(contents),
  };
}
