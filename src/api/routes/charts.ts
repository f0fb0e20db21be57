import { z } from 'zod';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { embedFrame } from '../../../pipeline/charts/chart-address.ts';
import {
  allowedControls,
  type ChartState,
  CONTROLS,
  type ControlName,
  faultOf,
  parseChartState,
} from '../../../pipeline/charts/chart-state.ts';
import { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';
import { CHART_FORMATS, type ChartFormat } from '../../../pipeline/charts/files/chart-formats.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { OembedDocument } from '../oembed-document.ts';
import { NONE, type Query, quoted } from '../query/query.ts';
import { type ApiFacts, type Content, ok, type Route, route } from './route.ts';

/** What a chart's file is to show. */
export interface ChartQuery {
  state: ChartState;
  theme: (typeof THEMES)[number];
}

/** That of the release's files first. */
export const THEMES = ['light', 'dark'] as const;

const CONTROL_WORDS: Readonly<Record<ControlName, [text: string, example: string]>> = {
  tab: ['The tab of the chart’s page; it makes no difference to a file.', 'table'],
  series: ['The series to show, by the names on the chart’s page. Default: all.', 'burned'],
  from: ['First day to show.', '2026-01-01'],
  to: ['Last day to show.', '2026-06-30'],
  scale: ['The scale of the value axis.', 'log'],
  s: ['A point to mark on the reward curve: its coordination score.', '60'],
  multiplier: ['A point to mark on the reward curve: its multiplier.', '1.5'],
};

const NAMES = Object.keys(CONTROLS) as ControlName[];
const PARAMETERS = Object.fromEntries(NAMES.map((name) => [name, controlParameter(name)])) as Record<
  ControlName,
  z.ZodType
>;

function controlParameter(name: ControlName): z.ZodType {
  const [text, example] = CONTROL_WORDS[name];
  const charts = CHARTS.filter(({ controls }) => allowedControls(controls).includes(name));
  const which = charts.length === CHARTS.length ? '' : ` Charts: ${charts.map(({ id }) => id).join(', ')}.`;
  const description = `${text} Expected: ${CONTROLS[name].expected}.${which}`;
  const type = name === 'series' ? z.array(z.string()) : z.string();
  return type.optional().meta({ description, example });
}

/** The parameters of a picture. The page has the reader's own theme. */
const THEME = {
  theme: z
    .enum(THEMES)
    .default('light')
    .meta({ description: 'The background. Expected: light or dark. Default: light.', example: 'dark' }),
};

/** What a chart's file in a format takes; without a chart, what those of any chart take. */
function chartQuery({ kind }: ChartFormat, chart?: Chart): Query {
  if (kind === 'print') return NONE;
  const names = chart ? allowedControls(chart.controls) : NAMES;
  const controls = Object.fromEntries(names.map((name) => [name, PARAMETERS[name]]));
  const query = z.strictObject({ ...controls, ...((kind === 'vector' || kind === 'pixels') && THEME) });
  if (!chart) return query;
  return query.transform(({ theme = 'light', ...given }, { issues, value }): ChartQuery => {
    try {
      const parameters = new URLSearchParams(
        Object.entries(given).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
      );
      // The tab of the page makes no difference to a file.
      const state: ChartState = { ...parseChartState(chart, parameters), tab: 'chart' };
      return { state, theme: theme as ChartQuery['theme'] };
    } catch (error) {
      const { name, expected, found } = faultOf(error);
      const params = { found: quoted(found) };
      issues.push({ code: 'custom', path: [name], message: expected, input: value, params });
      return z.NEVER;
    }
  });
}

const TEXT = { type: 'text', exampleOf: 'Invented' } as const;

/** One row for each ending. */
export const CHART_ROUTES: readonly Route[] = CHART_FORMATS.map((form) => {
  const { ending, title, kind } = form;
  const name = ending.slice(1).toUpperCase();
  const hasStates = kind !== 'print';
  const state = hasStates
    ? 'It shows the state that the parameters describe. Without parameters, it is the file of the release.'
    : 'It shows the chart as it opens, and takes no parameters.';
  const queries = new Map(CHARTS.map((chart) => [chart.id, chartQuery(form, chart)]));
  return route({
    path: `/charts/{id}${ending}`,
    id: `getChart${name.charAt(0)}${name.slice(1).toLowerCase()}`,
    group: 'charts',
    handler: 'chart',
    parameters: {
      id: z
        .enum(CHARTS.map(({ id }) => id) as [string, ...string[]])
        .meta({ description: 'Name of the chart.', example: 'supply' }),
    },
    query: chartQuery(form),
    queryAt: ({ id }) => queries.get(id!)!,
    summary: `A chart as ${name}`,
    description: `${title.charAt(0).toUpperCase()}${title.slice(1)}. ${state}\n\nPublic. Changes with the files that the chart shows.`,
    answer: ok(`The chart, ${ending.slice(1)}.`, mediaTypeOf(`chart${ending}`), contentOf(form)),
    problems: ['not_found'],
    about: { path: '/charts/', description: 'All charts' },
  });
});

function contentOf({ kind }: ChartFormat): Content {
  if (kind === 'document')
    return { type: ChartDocument, named: { name: 'ChartDocument' }, example: () => CHART_DOCUMENT };
  return kind === 'rows' ? { ...TEXT, example: () => CHART_CSV } : { type: null };
}

const MIN_PX = 1;
const MAX_PX = 100_000;

const pixels = (description: string, example: string) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,6}$/.test(text) && Number(text) >= MIN_PX && Number(text) <= MAX_PX,
      `a number of pixels from ${MIN_PX} to ${MAX_PX}`,
    )
    .transform(Number)
    .optional()
    .meta({ description, example });

/** oEmbed 1.0, 2.2. Consumers add parameters of their own. A format that is not offered has a status of its own, so any is read. */
export const OembedQuery = z.object({
  url: z.string('the address of a chart').meta({
    description: 'Address of a chart’s page or embed.',
    example: '{baseUrl}/charts/supply/',
  }),
  maxwidth: pixels('Maximum width of the frame, pixels.', '600'),
  maxheight: pixels('Maximum height of the frame, pixels.', '500'),
  format: z.string().default('json').meta({ description: 'Format of the response: json.', example: 'json' }),
});
export type OembedQuery = z.infer<typeof OembedQuery>;

export const OEMBED_ROUTE: Route = route({
  path: '/oembed',
  id: 'getOembed',
  group: 'charts',
  kind: 'made',
  handler: 'oembed',
  query: OembedQuery,
  summary: 'A chart as an embed',
  description:
    'Turns the address of a chart’s page or embed, in any state, into a frame, as an [oEmbed](https://oembed.com) 1.0 document. Unknown parameters are ignored, since consumers add their own. A static host has `/oembed/<id>.json` for each chart.',
  answer: ok('The frame, with its size.', 'application/json', {
    type: OembedDocument,
    example: oembedExample,
    exampleOf: 'Example',
  }),
  problems: ['not_found', 'format_not_offered'],
});

function oembedExample({ baseUrl, organisation }: ApiFacts): OembedDocument {
  const [title, width, height] = ['MIC supply over time: circulating, locked and burned', 600, 500];
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: organisation.name,
    provider_url: `${baseUrl}/`,
    cache_age: 21_600,
    width,
    height,
    html: embedFrame({ baseUrl, id: 'supply', query: '', title, width, height }),
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
