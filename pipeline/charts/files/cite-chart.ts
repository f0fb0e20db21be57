import { citedData } from '../../artifacts/academics/citations.ts';
import { permanentPathOfSource } from '../../artifacts/as-of.ts';
import { licenceWords, type Organisation } from '../../artifacts/documents/organisation.ts';
import type { Citation } from '../../artifacts/format/bibtex.ts';
import { chartPath, type ShownChart } from './chart-formats.ts';

/**
 * The citation of a chart: its page, with the time of its data and their permanent addresses, from which the same chart can be drawn.
 * Null while it has no data.
 */
export function citeChart(
  { chart, baseUrl }: Pick<ShownChart, 'chart' | 'baseUrl'>,
  organisation: Organisation,
): Citation | null {
  const { asOf } = chart;
  if (asOf === '') return null;
  const addresses = chart.sources.map((path) => `${baseUrl}/${permanentPathOfSource(path, asOf)}`);
  return {
    key: `cathedral_chart_${chart.id.replaceAll('-', '_')}`,
    ...citedData(organisation),
    kind: 'chart',
    title: chart.name,
    year: asOf.slice(0, 4),
    url: `${baseUrl}/${chartPath(chart.id, { ending: '/' })}`,
    note: `Chart of ${chart.sources.join(', ')}. State of the ledger at ${asOf}. ${licenceWords(organisation)}.`,
    permanent: `Permanent address of its data: ${addresses.join(' and ')}`,
    asOf,
  };
}
