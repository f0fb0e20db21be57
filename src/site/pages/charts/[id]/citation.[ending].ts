import type { APIRoute } from 'astro';
import { CHART_CITATION_FORMS, chartFacts, citeChart } from '../../../charts/chart-facts.ts';
import { openChart } from '../../../charts/open-chart.ts';
import { openRelease } from '../../../layout/release.ts';

/** The citation of each chart in each format. */
export const GET: APIRoute = ({ params }) => {
  const release = openRelease();
  const open = openChart(release, params.id!);
  // The page table has no such path for a chart without data, which cannot be cited.
  const citation = citeChart(open, chartFacts(release, open.chart), '')!;
  const { format } = CHART_CITATION_FORMS.find(({ ending }) => ending === params.ending)!;
  return new Response(format(citation));
};
