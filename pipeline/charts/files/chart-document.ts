import { z } from 'zod';
import { AREAS } from '../../artifacts/artifact.ts';
import { formatJson } from '../../artifacts/format/json.ts';
import { LICENCE } from '../../forms/catalogue/facts.ts';
import { allowedControls, formatChartState } from '../chart-state.ts';
import type { ShownChart } from './chart-forms.ts';
import { CHART_FORMS, chartPath, isAnyState } from './chart-forms.ts';

const text = (description: string) => z.string().meta({ description });
const url = (description: string) => z.url().meta({ description });

/** `/charts/<id>.json`: what a chart shows and all that is said of it, so that it can be drawn and cited elsewhere. */
export const ChartDocument = z.strictObject({
  id: text('Name of the chart, which never changes'),
  area: z.enum(AREAS).meta({ description: 'The area that it belongs to' }),
  name: text('Its name in a list of charts'),
  title: text('What it shows in this state'),
  unit: text('What is measured, in which unit, and how it was added up'),
  note: text('What a reader must know who sees only the picture; may be empty'),
  summary: z.array(z.string()).meta({ description: 'What it shows, in sentences' }),
  as_of: text('Time of the last event counted, or the last day that is; empty where there is no data'),
  source: text('The line that stands below the picture'),
  sources: z
    .array(
      z.strictObject({
        path: text('Path of a published file'),
        url: url('Its address'),
        sha256: text('SHA-256 of the bytes that the chart was made of'),
      }),
    )
    .meta({ description: 'The files that it is made of, and of nothing else' }),
  state: z
    .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()), z.null()]))
    .meta({ description: 'What was chosen, by parameter of the address; null: the chart’s own choice' }),
  columns: z
    .array(
      z.strictObject({
        name: text('Name of the column, as in the CSV'),
        title: text('Name for readers'),
        unit: text('Unit; empty where there is none'),
      }),
    )
    .meta({ description: 'Columns of the table, in order' }),
  rows: z
    .array(z.array(z.union([z.string(), z.number(), z.null()])))
    .meta({ description: 'Rows of the table: a cell for each column, null where it is empty' }),
  licence: z.strictObject({ name: text('SPDX identifier'), url: url('Its text') }),
  links: z
    .record(z.string(), z.url())
    .meta({ description: 'The same in this state as a page (`page`) and as files, by ending' }),
});
export type ChartDocument = z.infer<typeof ChartDocument>;

/** Throws artifact_invalid where it does not fit its schema, usage where the state does not fit the chart. */
export function formatChartDocument(shown: ShownChart): string {
  const { chart, data, state, sources, baseUrl } = shown;
  const { id, area, name } = chart;
  const { columns, rows } = chart.table(data, state);
  const document: ChartDocument = {
    id,
    area,
    name,
    title: chart.title(data, state),
    unit: chart.unit(data, state),
    note: chart.note(data, state),
    summary: chart.summary(data, state),
    as_of: chart.asOf(data),
    source: chart.source(data),
    sources: sources.map(({ path, sha256 }) => ({ path, url: `${baseUrl}/${path}`, sha256 })),
    state: stateOf(shown),
    columns: columns.map(({ name, title, unit }) => ({ name, title, unit })),
    rows: rows.map((row) => [...row]),
    licence: { name: LICENCE.name, url: LICENCE.path },
    links: linksOf(shown),
  };
  return formatJson(ChartDocument, document, chartPath(id, { ending: '.json' }));
}

/** The page's tab is not in it: a file is the same under either. */
function stateOf({ chart, state }: ShownChart): ChartDocument['state'] {
  const names = allowedControls(chart.controls).filter((name) => name !== 'tab');
  return Object.fromEntries(
    names.map((name) => [name, Array.isArray(state[name]) ? [...state[name]] : (state[name] as string)]),
  );
}

function linksOf({ chart, state, baseUrl }: ShownChart): Record<string, string> {
  const query = formatChartState(chart, state);
  const address = (path: string) => `${baseUrl}/${path}${query && `?${query}`}`;
  const files = CHART_FORMS.filter(({ content }) => isAnyState(content));
  return {
    page: address(`charts/${chart.id}/`),
    ...Object.fromEntries(
      files.map((form) => [form.ending.replace(/^[.-]/, ''), address(chartPath(chart.id, form))]),
    ),
  };
}
