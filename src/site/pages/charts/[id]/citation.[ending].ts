import type { APIRoute } from 'astro';
import { CHARTS } from '../../../../../pipeline/charts/table.ts';
import { CHART_CITATION_FORMS, chartFacts, citeChart } from '../../../components/charts/chart-facts.ts';
import { openChart } from '../../../components/charts/open-chart.ts';
import { openRelease } from '../../../components/release.ts';

/** The citation of each chart in each format. */
export function getStaticPaths() {
  const release = openRelease();
  return CHARTS.flatMap((chart) => {
    const citation = citeChart(openChart(release, chart.id), chartFacts(release, chart), '');
    return CHART_CITATION_FORMS.flatMap(({ ending, format }) =>
      citation ? [{ params: { id: chart.id, ending }, props: { text: format(citation) } }] : [],
    );
  });
}

export const GET: APIRoute<{ text: string }> = ({ props }) => new Response(props.text);
