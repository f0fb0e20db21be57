import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';
import { citeChart as citeChartFile } from '../../../../pipeline/charts/files/cite-chart.ts';
import type { DatasetCitation } from '../../../../pipeline/forms/catalogue/citation/cite.ts';
import { CITATION_FORMS, type CitationForm } from '../../../../pipeline/forms/catalogue/citation/forms.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { OpenChart } from './open-chart.ts';

/**
 * A chart as it is cited: the same key and title in every state, so that only the address tells which one is meant. Null
 * where it has no data yet.
 */
export function citeChart(
  { chart, data }: OpenChart,
  facts: ChartFacts,
  query: string,
): DatasetCitation | null {
  const { baseUrl, author, sources } = facts;
  const citation = citeChartFile({ chart, data, state: DEFAULT_STATE, baseUrl, sources }, author);
  return citation && { ...citation, url: baseUrl + pagePath(chart.id, query) };
}

/** The forms of the files' citations; in running text a chart is called what it is. */
export const CHART_CITATION_FORMS: readonly CitationForm[] = CITATION_FORMS.map((form) =>
  form.ending === 'txt' ? { ...form, format: formatText } : form,
);

function formatText({ author, year, title, note, url }: DatasetCitation): string {
  return `${author} (${year}). ${title} [chart]. ${note} ${url}\n`;
}
