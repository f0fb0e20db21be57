import { embedFrame } from '../../../pipeline/charts/chart-address.ts';
import { allowedControls, CONTROLS, type ControlName } from '../../../pipeline/charts/chart-state.ts';
import type { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';
import { CHART_FORMATS, type ChartFormat } from '../../../pipeline/charts/files/chart-formats.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { OembedDocument } from '../oembed-document.ts';
import { FILE_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import { type Content, type Operation, type Parameter, type PathOperation, refer } from './operation.ts';
import { problemsByStatus, STATE_RESPONSES } from './responses.ts';

const IDS = CHARTS.map(({ id }) => id);
const TEXT = { type: 'string' };

const CONTROL_WORDS: Readonly<Record<ControlName, [text: string, example: string]>> = {
  tab: ['The tab of the chart’s page; it makes no difference to a file.', 'table'],
  series: ['The series to show, by the names on the chart’s page. Default: all.', 'burned'],
  from: ['First day to show.', '2026-01-01'],
  to: ['Last day to show.', '2026-06-30'],
  scale: ['The scale of the value axis.', 'log'],
  s: ['A point to mark on the reward curve: its coordination score.', '60'],
  multiplier: ['A point to mark on the reward curve: its multiplier.', '1.5'],
};

/** One path for each ending. */
export function chartOperations(baseUrl: string): PathOperation[] {
  return CHART_FORMATS.map((form) => [`/charts/{id}${form.ending}`, operationOf(form, baseUrl)]);
}

function operationOf(form: ChartFormat, baseUrl: string): Operation {
  const { ending, title, content } = form;
  const name = ending.slice(1).toUpperCase();
  const hasStates = content.kind !== 'print';
  const state = hasStates
    ? 'In the state that the parameters describe; without parameters, the file of the release.'
    : 'As the chart opens; it takes no parameters.';
  return {
    operationId: `getChart${name.charAt(0)}${name.slice(1).toLowerCase()}`,
    tags: ['charts'],
    summary: `A chart as ${name}`,
    description: `${title.charAt(0).toUpperCase()}${title.slice(1)}. ${state}\n\nPublic. Changes with the files that the chart shows.`,
    externalDocs: { description: 'All charts', url: `${baseUrl}/charts/` },
    parameters: [
      ID,
      ...(hasStates ? stateParameters() : []),
      ...('theme' in content ? [THEME] : []),
      ...referToRequestHeaders(),
    ],
    responses: {
      '200': wholeFile(form),
      ...STATE_RESPONSES,
      ...(!hasStates && problemsByStatus(['BadRequest'])),
    },
    security: [{}],
  };
}

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Name of the chart.',
  schema: { type: 'string', enum: IDS },
  example: 'supply',
};

const THEME: Parameter = {
  name: 'theme',
  in: 'query',
  required: false,
  description: 'The background. Expected: light or dark. Default: light.',
  schema: { type: 'string', enum: ['light', 'dark'] },
  example: 'dark',
};

function stateParameters(): Parameter[] {
  return (Object.keys(CONTROLS) as ControlName[]).map((name) => {
    const [text, example] = CONTROL_WORDS[name];
    const charts = CHARTS.filter(({ controls }) => allowedControls(controls).includes(name));
    const which = charts.length === CHARTS.length ? '' : ` Charts: ${charts.map(({ id }) => id).join(', ')}.`;
    const { expected } = CONTROLS[name];
    const description = `${text} Expected: ${expected}.${which}`;
    // Repeated for each name; a single name is also valid.
    const schema = name === 'series' ? { type: ['array', 'string'], items: TEXT } : TEXT;
    return { name, in: 'query', required: false, description, schema, example };
  });
}

function wholeFile(form: ChartFormat) {
  const mediaType = mediaTypeOf(`chart${form.ending}`);
  return {
    description: `The chart, ${form.ending.slice(1)}.`,
    headers: referToHeaders(FILE_HEADERS),
    content: { [mediaType]: contentOf(form) },
  };
}

function contentOf({ content }: ChartFormat): Content {
  const invented = (value: unknown) => ({ invented: { summary: 'Invented', value } });
  if (content.kind === 'document')
    return { schema: refer('schemas', 'ChartDocument'), examples: invented(CHART_DOCUMENT) };
  if (content.kind === 'rows') return { schema: TEXT, examples: invented(CHART_CSV) };
  return { schema: {} };
}

const OEMBED_DESCRIPTION = `Turns the address of a chart’s page or embed, in any state, into a frame, as an [oEmbed](https://oembed.com) 1.0 document. Unknown parameters are ignored, since consumers add their own. A static host has \`/oembed/<id>.json\` for each chart.`;

const PIXELS = { type: 'integer', minimum: 1, maximum: 100_000 };

function oembedParameters(baseUrl: string): Parameter[] {
  const query = { in: 'query', required: false } as const;
  return [
    {
      ...query,
      name: 'url',
      required: true,
      description: 'Address of a chart’s page or embed.',
      schema: { type: 'string', format: 'uri' },
      example: `${baseUrl}/charts/supply/`,
    },
    {
      ...query,
      name: 'maxwidth',
      description: 'Maximum width of the frame, pixels.',
      schema: PIXELS,
      example: 600,
    },
    {
      ...query,
      name: 'maxheight',
      description: 'Maximum height of the frame, pixels.',
      schema: PIXELS,
      example: 500,
    },
    {
      ...query,
      name: 'format',
      description: 'Format of the response.',
      schema: { type: 'string', enum: ['json'] },
      example: 'json',
    },
  ];
}

function oembedExample(baseUrl: string, provider: string): OembedDocument {
  const [title, width, height] = ['MIC supply over time: circulating, locked and burned', 600, 500];
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: provider,
    provider_url: `${baseUrl}/`,
    cache_age: 21_600,
    width,
    height,
    html: embedFrame({ baseUrl, id: 'supply', query: '', title, width, height }),
  };
}

export function oembedOperation(baseUrl: string, provider: string): Operation {
  return {
    operationId: 'getOembed',
    tags: ['charts'],
    summary: 'A chart as an embed',
    description: OEMBED_DESCRIPTION,
    parameters: oembedParameters(baseUrl),
    responses: {
      '200': {
        description: 'The frame, with its size.',
        headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
        content: {
          'application/json': {
            schema: toJsonSchema(OembedDocument),
            examples: { example: { value: oembedExample(baseUrl, provider) } },
          },
        },
      },
      ...problemsByStatus(['BadState', 'InvalidKey', 'NotFound', 'MethodNotAllowed', 'FormatNotOffered']),
    },
    security: [{}],
  };
}

const BASE_URL = 'https://data.example.org';
const QUERY = 'series=burned&from=2026-01-01';
const link = (ending: string) => `${BASE_URL}/charts/supply${ending}?${QUERY}`;

/** Invented: the description is built before the charts of a release are known. */
const CHART_DOCUMENT: ChartDocument = {
  id: 'supply',
  area: 'economy',
  name: 'MIC supply',
  title: 'MIC supply over time: burned',
  finding: 'Burned MIC rose by a quarter in two days',
  unit: 'MIC, at the end of each day; the parts add up to the total supply',
  note: '',
  summary: ['On 2 January 2026, 1,250 MIC had been burned, of 98,000 MIC in all.'],
  annotations: [],
  as_of: '2026-01-02T05:58:12Z',
  source: 'Source: economy/supply-by-day.csv and economy/supply. As of 2 January 2026, 05:58 UTC. CC BY 4.0.',
  sources: [
    {
      path: 'economy/supply-by-day.csv',
      url: `${BASE_URL}/economy/supply-by-day.csv`,
      sha256: '0123456789abcdef'.repeat(4),
    },
    { path: 'economy/supply', url: `${BASE_URL}/economy/supply`, sha256: 'fedcba9876543210'.repeat(4) },
  ],
  state: { series: ['burned'], from: '2026-01-01', to: null, scale: 'linear' },
  columns: [
    { name: 'date', title: 'Day', unit: '' },
    { name: 'burned', title: 'Burned', unit: 'MIC' },
    { name: 'total_supply', title: 'Total supply', unit: 'MIC' },
  ],
  rows: [
    ['2026-01-01', 1000, 97200],
    ['2026-01-02', 1250, 98000],
  ],
  licence: { name: 'CC-BY-4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  links: {
    page: link('/'),
    svg: link('.svg'),
    png: link('.png'),
    csv: link('.csv'),
    json: link('.json'),
  },
};

/** The same as CSV. */
const CHART_CSV = 'date,burned,total_supply\n2026-01-01,1000,97200\n2026-01-02,1250,98000\n';
