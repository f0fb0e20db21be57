import { z } from 'zod';
import type { Area, Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { DATABASE } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { formPath, TABLES, type Table } from '../../../pipeline/formats/tables.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { EXPORT_MEDIA_TYPES, ExportQuery } from '../query/export-query.ts';
import { NONE } from '../query/query.ts';
import { VersionQuery } from '../query/version-query.ts';
import { exampleTable } from './examples.ts';
import { type Content, type Route, route } from './route.ts';

const year = (description: string) =>
  z
    .string()
    .regex(/^\d{4}$/)
    .meta({ description, example: '2025' });

const REFRESH: Readonly<Record<Artifact['refresh'], string>> = {
  'real-time': 'Changes with every event; mirrors have the state of the last release.',
  release: 'Changes with every release, every six hours.',
};

const [ROW] = ledgerExport.example;
const EVENT = { ...ROW, data: JSON.parse(ROW!.data) as object };

/** The export as JSON. `complete` is the last member, so that a client recognizes an incomplete download. */
export const LedgerExport = z.strictObject({
  from: z.string().nullable().meta({ description: 'As requested; null: from genesis' }),
  to: z.string().nullable().meta({ description: 'As requested; null: to the end' }),
  filter: z.string().nullable().meta({ description: 'As requested; null: all events' }),
  events: z
    .array(
      z.strictObject({
        ...ledgerExport.schema.shape,
        data: z.record(z.string(), z.unknown()).meta({ description: 'The event’s data' }),
      }),
    )
    .meta({ description: 'Newest first' }),
  count: z.int().min(0).meta({ description: 'Number of events in this response', unit: 'count' }),
  complete: z.literal(true).meta({ description: 'The last member; without it the response is incomplete' }),
});

/** The published files in the order of their table; a yearly one also for its closed years. The audited export has rows of its own. */
export const FILE_ROUTES: readonly Route[] = ARTIFACTS.flatMap((artifact) => {
  if (artifact === ledgerExport) return exportRoutes();
  const current = fileRoute(artifact);
  return 'closedPath' in artifact ? [current, closedYear(artifact, current)] : [current];
});

function fileRoute(artifact: Artifact): Route {
  const { path, area, title, description, refresh, restricted, kind, mediaType } = artifact;
  const access = restricted ? `Needs a ${area} key; every access is logged.` : 'Public.';
  return route({
    path: `/${path}`,
    id: operationId(artifact),
    group: area,
    area,
    access: restricted ? 'key' : 'counted',
    query: restricted ? NONE : VersionQuery,
    summary: title,
    description: `${description}\n\n${access} ${REFRESH[refresh]}`,
    answer: { 200: { description: title, content: { [mediaType]: contentOf(artifact) } } },
    problems: [
      ...(restricted ? [] : (['not_found', 'before_first_snapshot', 'version_not_kept'] as const)),
      // A release built without a browser has no PDFs.
      ...(kind === 'printed' ? (['not_found'] as const) : []),
    ],
    about: { path: `/files/${path}/`, description: 'Fields, units and formulas' },
  });
}

function closedYear(artifact: Extract<Artifact, { kind: 'yearly' | 'printed' }>, current: Route): Route {
  const content = contentOf(artifact);
  const { example } = content;
  return {
    ...current,
    path: `/${artifact.closedPath(2025).replace('2025', '{year}')}`,
    id: `${current.id}OfYear`,
    summary: `${current.summary} of a closed year`,
    description: `The same as \`/${artifact.path}\`, of a year that is over.\n\nPublic. Final: this file never changes.`,
    answer: {
      200: {
        description: artifact.title,
        content: {
          [artifact.mediaType]: {
            ...content,
            ...(example && { exampleOf: 'Shortened, of the year so far' }),
          },
        },
      },
    },
    parameters: { year: year('A closed year with events in the ledger.') },
  };
}

function contentOf(artifact: Artifact): Content {
  if (artifact.kind === 'printed') return { type: null };
  const example = {
    example: ({ example }) => example(artifact),
    ...(!artifact.restricted && { exampleOf: 'Shortened' }),
  } satisfies Partial<Content>;
  if (artifact.mediaType !== 'application/json') return { type: 'text', ...example };
  const { title, description } = artifact;
  return { type: artifact.schema, named: { name: componentName(artifact), title, description }, ...example };
}

type Named = Pick<Artifact, 'path' | 'area' | 'mediaType'>;

/** `economy/sentinel-roi.json` → `SentinelRoi`, `economy/mic-history.csv` → `MicHistoryCsv`: a name for a schema or a class. */
function componentName({ path, area, mediaType }: Named): string {
  const name = path.slice(area.length + 1);
  const words = (mediaType === 'application/json' ? name.replace(/\.json$/, '') : name).split(/[^a-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `getMicHistoryCsv`: what generated clients call the function. */
export function operationId(artifact: Named): string {
  return artifact === ledgerExport ? 'exportLedger' : `get${componentName(artifact)}`;
}

/** The audited export; the second path is for a host of its own, at its root. */
function exportRoutes(): Route[] {
  const { path, area, title, description } = ledgerExport;
  const json = { from: '2025-12-01', to: null, filter: 'event_type==mic_mint', events: [EVENT] };
  const text = (value: string): Content => ({ type: 'text', example: () => value });
  const first = route({
    path: `/${path}`,
    id: 'exportLedger',
    group: area,
    kind: 'made',
    handler: 'export',
    area,
    access: 'key',
    query: ExportQuery,
    summary: title,
    description: `${description} The [types of events](/events/) have a page. From the current release; the hash of each row is its leaf in the ledger’s Merkle tree.\n\nNeeds a ${area} key; every access is logged. An incomplete JSON response has no \`"complete":true\` at its end; in any format, the connection then ends with an error.`,
    answer: {
      200: {
        description: 'The requested events, newest first; streamed, so without a length.',
        content: {
          [EXPORT_MEDIA_TYPES.json]: {
            type: LedgerExport,
            named: { name: 'LedgerExport' },
            example: () => ({ ...json, count: 1, complete: true }),
          },
          [EXPORT_MEDIA_TYPES.csv]: text(exampleTable(ledgerExport)),
          [EXPORT_MEDIA_TYPES.ndjson]: text(`${JSON.stringify(EVENT)}\n`),
        },
      },
    },
    headers: ['Content-Disposition'],
    problems: ['invalid_filter'],
    about: { path: `/files/${path}/#fields`, description: 'Columns' },
  });
  const summary = `${title}, at the root of a ledger’s own host`;
  return [first, { ...first, path: '/export', id: 'exportLedgerAtRoot', summary }];
}

/** The public tables in other formats, and all of them as one database. */
export const FORM_ROUTES: readonly Route[] = [
  tableRoute(TABLES, ['ndjson'], {
    path: '/{area}/{table}.ndjson',
    id: 'getTable',
    summary: 'A table as JSON lines',
    description: 'One row per line.',
  }),
  tableRoute(
    TABLES.filter(({ grows }) => !grows),
    ['xlsx'],
    {
      path: '/{area}/{table}.xlsx',
      id: 'getWorkbook',
      summary: 'A table that does not grow, as an Excel workbook',
      description: 'One sheet with the data and one that describes the columns.',
    },
  ),
  tableRoute(
    TABLES.filter(({ grows }) => grows),
    ['parquet', 'xlsx'],
    {
      path: '/{area}/{table}-{year}.{form}',
      id: 'getTableOfYear',
      summary: 'A year of a growing table, as Parquet or an Excel workbook',
      description:
        'Parquet with column types, or a sheet with the data and one that describes the columns. The rows of a closed year never change.',
    },
  ),
  formRoute(['sqlite'], {
    path: `/${DATABASE.path}`,
    id: 'getDatabase',
    summary: 'All public tables as one SQLite file',
    description: 'In no area, so not counted.',
  }),
];

type About = Pick<Route, 'path' | 'id' | 'summary' | 'description'> & Partial<Route>;

function tableRoute(tables: readonly Table[], endings: readonly string[], about: About): Route {
  const areas = [...new Set(tables.map(({ artifact }) => artifact.area))];
  const names = [...new Set(tables.map((table) => formPath(table, '').split('/')[1]!))];
  const example = names.includes('mic-history') ? 'mic-history' : 'supply';
  const own: [string, z.ZodType][] = [
    ['area', choice(areas, 'economy', 'The area of the table.')],
    ['table', choice(names, example, 'Name of the table within its area.')],
    ['year', year('A year with rows in the table.')],
    ['form', choice(endings, 'parquet', 'Parquet, or an Excel workbook.')],
  ];
  const parameters = Object.fromEntries(own.filter(([name]) => about.path.includes(`{${name}}`)));
  return formRoute(endings, { ...about, access: 'counted', areas: areas as Area[], parameters });
}

function formRoute(endings: readonly string[], about: About): Route {
  const contents = endings.map((ending) => [mediaTypeOf(`table.${ending}`), { type: null }]);
  return route({
    group: 'forms',
    query: VersionQuery,
    answer: { 200: { description: 'The file.', content: Object.fromEntries(contents) } },
    problems: ['not_found', 'before_first_snapshot', 'version_not_kept'],
    about: { path: '/files/', description: 'All files' },
    ...about,
    description: `${about.description}\n\nPublic. The page of each file lists its formats with their sizes.`,
  });
}

function choice(options: readonly string[], example: string, description: string): z.ZodType {
  return z.enum(options as [string, ...string[]]).meta({ description, example });
}
