import { z } from 'zod';
import { AREAS } from '../../artifacts/artifact.ts';
import { formatJson } from '../../artifacts/format/json.ts';
import { allowedControls, formatChartState } from '../chart-state.ts';
import { CHART_FORMATS, chartPath, type ShownChart } from './chart-formats.ts';

const text = (description: string) => z.string().meta({ description });
const url = (description: string) => z.url().meta({ description });

/** `/charts/<id>.json`: the data and texts of a chart, enough to draw and cite it elsewhere. */
export const ChartDocument = z.strictObject({
  id: text('Name of the chart, which never changes'),
  area: z.enum(AREAS).meta({ description: 'Area of the chart' }),
  name: text('Its name in a list of charts'),
  title: text('What it shows in this state'),
  finding: text('What the data shown say; null where they support no such sentence').nullable(),
  unit: text('What is measured, in which unit, and how it is aggregated'),
  note: text('A caveat for readers who see only the picture; may be empty'),
  summary: z.array(z.string()).meta({ description: 'What it shows, in sentences' }),
  annotations: z
    .array(
      z.strictObject({
        day: text('Day, or first day'),
        end: text('Last day; the same for a single day'),
        label: text('What the ledger has of these days, in a few words'),
      }),
    )
    .meta({ description: 'Days that explain what the picture shows, numbered in it in this order' }),
  as_of: text('Time of the last event counted, or the last day counted; empty without data'),
  source: text('The line below the picture'),
  sources: z
    .array(
      z.strictObject({
        path: text('Path of a published file'),
        url: url('The address of these bytes; without the query, of its newest version'),
        sha256: text('SHA-256 of the bytes that the chart was drawn from'),
      }),
    )
    .meta({ description: 'The files that it is drawn from; it uses nothing else' }),
  state: z
    .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()), z.null()]))
    .meta({ description: 'The chart state, by parameter of the address; null is the chart’s default' }),
  columns: z
    .array(
      z.strictObject({
        name: text('Name of the column, as in the CSV'),
        title: text('Name for readers'),
        unit: text('Unit; empty if there is none'),
      }),
    )
    .meta({ description: 'Columns of the table, in order' }),
  rows: z
    .array(z.array(z.union([z.string(), z.number(), z.null()])))
    .meta({ description: 'Rows of the table: one cell per column, null for an empty cell' }),
  licence: z.strictObject({ name: text('SPDX identifier'), url: url('Its text') }),
  links: z
    .record(z.string(), z.url())
    .meta({ description: 'The chart in this state as a page (`page`) and as files, by ending' }),
});
export type ChartDocument = z.infer<typeof ChartDocument>;

/** Throws artifact_invalid if it does not fit its schema, usage if the state does not fit the chart. */
export function formatChartDocument(shown: ShownChart): string {
  const { chart, state, sources, baseUrl, licence } = shown;
  const { id, area, name, asOf, source } = chart;
  const { title, finding, unit, note, summary, annotations, columns, rows } = chart.show(state);
  const document: ChartDocument = {
    id,
    area,
    name,
    title,
    finding,
    unit,
    note,
    summary: [...summary],
    annotations: annotations.map(({ day, end = day, label }) => ({ day, end, label })),
    as_of: asOf,
    source,
    sources: sources.map(({ path, sha256 }) => ({
      path,
      url: `${baseUrl}/${path}?sha256=${sha256}`,
      sha256,
    })),
    state: stateOf(shown),
    columns: [...columns],
    rows: rows.map((row) => [...row]),
    licence: { name: licence.id, url: licence.url },
    links: linksOf(shown),
  };
  return formatJson(ChartDocument, document, chartPath(id, { ending: '.json' }));
}

/** Without the page's tab, which does not affect files. */
function stateOf({ chart, state }: ShownChart): ChartDocument['state'] {
  const names = allowedControls(chart.controls).filter((name) => name !== 'tab');
  return Object.fromEntries(
    names.map((name) => [name, Array.isArray(state[name]) ? [...state[name]] : (state[name] as string)]),
  );
}

function linksOf({ chart, state, baseUrl }: ShownChart): Record<string, string> {
  const query = formatChartState(chart, state);
  const address = (path: string) => `${baseUrl}/${path}${query && `?${query}`}`;
  const files = CHART_FORMATS.filter(({ kind }) => kind !== 'print');
  return {
    page: address(`charts/${chart.id}/`),
    ...Object.fromEntries(
      files.map((form) => [form.ending.replace(/^[.-]/, ''), address(chartPath(chart.id, form))]),
    ),
  };
}
