import { type DatasetCitation, formatBibtexEntry } from '../../forms/catalogue/citation.ts';
import type { ShownChart } from './chart-formats.ts';
import { chartPath } from './chart-formats.ts';

/** The citation of a chart: its page, with the time of its data. Null while it has no data. */
export function citeChart(
  { chart, data, baseUrl }: Pick<ShownChart, 'chart' | 'data' | 'baseUrl'>,
  author: string,
): DatasetCitation | null {
  const asOf = chart.asOf(data);
  if (asOf === '') return null;
  return {
    key: `cathedral_chart_${chart.id.replaceAll('-', '_')}`,
    author,
    title: chart.name,
    year: asOf.slice(0, 4),
    url: `${baseUrl}/${chartPath(chart.id, { ending: '/' })}`,
    note: `Chart of ${chart.sources.join(', ')}. State of the ledger at ${asOf}. CC BY 4.0.`,
    asOf,
  };
}

/** As text, and as BibTeX. */
export function formatCitations(citation: DatasetCitation): string {
  const { author, year, title, note, url } = citation;
  return `${author} (${year}). ${title} [chart]. ${note} ${url}\n\n${formatBibtexEntry(citation)}`;
}
