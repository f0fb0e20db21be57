import { citedData } from '../../../pipeline/artifacts/academics/citations.ts';
import { permanentPathOfSource } from '../../../pipeline/artifacts/as-of.ts';
import { type Field, fieldsOf } from '../../../pipeline/artifacts/data-dictionary.ts';
import { licenceWords, type Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import type { Citation } from '../../../pipeline/artifacts/format/bibtex.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import type { Chart, OpenChart } from '../../../pipeline/charts/chart.ts';
import { pagePath } from '../../../pipeline/charts/chart-address.ts';
import type { ChartTable } from '../../../pipeline/charts/chart-table.ts';
import { CHART_FORMATS, chartPath } from '../../../pipeline/charts/files/chart-formats.ts';
import { creatorsOf, organisationJsonLd } from '../../../pipeline/formats/catalogue/dataset-json-ld.ts';
import type { SiteRelease } from '../layout/release.ts';

interface SourceField extends Field {
  path: string;
}

/** Fields that every table has and that need no explanation. */
const PLAIN = new Set(['date', 'timestamp', 'from', 'to', 'what']);

/** The fields of a chart's files that its table shows or that have a formula. They explain the chart's numbers. */
export function sourceFields({ sources }: Pick<Chart, 'sources'>, { columns }: ChartTable): SourceField[] {
  const shown = new Set(columns.map(({ name }) => name).filter((name) => !PLAIN.has(name)));
  const known = new Set<string>();
  return sources.flatMap((path) => {
    const artifact = ARTIFACTS.find((one) => one.path === path)!;
    return fieldsOf(artifact).flatMap((field) => {
      const own = field.name.slice(field.name.search(/[^.\]]+$/));
      if (!shown.has(own) || known.has(own)) return [];
      known.add(own);
      return [{ path, ...field }];
    });
  });
}

/** The files of a chart that a release has. */
export function downloadsOf(release: SiteRelease, id: string) {
  return CHART_FORMATS.filter((form) => release.willHave(chartPath(id, form))).map((form) => ({
    /** `/charts/supply.svg` */
    path: `/${chartPath(id, form)}`,
    name: form.ending.slice(1).toUpperCase(),
    /** Its use. */
    use: form.title,
    coversAllStates: form.kind !== 'print',
  }));
}

/**
 * The citation of a chart: its page, with the time of its data and their permanent addresses, from which the same chart can be drawn. In
 * every state it is the same but for the address. Null while the chart has no data.
 */
export function citeChart(
  { id, name, sources, asOf }: OpenChart,
  { baseUrl, organisation }: ChartFacts,
  query: string,
): Citation | null {
  if (asOf === '') return null;
  const addresses = sources.map((path) => `${baseUrl}/${permanentPathOfSource(path, asOf)}`);
  return {
    key: `cathedral_chart_${id.replaceAll('-', '_')}`,
    ...citedData(organisation),
    kind: 'chart',
    title: name,
    year: asOf.slice(0, 4),
    url: baseUrl + pagePath(id, query),
    note: `Chart of ${sources.join(', ')}. State of the ledger at ${asOf}. ${licenceWords(organisation)}.`,
    permanent: `Permanent address of its data: ${addresses.join(' and ')}`,
    asOf,
  };
}

/** Facts about a chart beyond its data. */
export interface ChartFacts {
  id: string;
  /** The files that it is drawn from, as this release has them. */
  sources: { path: string; sha256: string }[];
  /** Without a slash at the end. */
  baseUrl: string;
  organisation: Organisation;
}

export function chartFacts(release: SiteRelease, { id, sources }: Pick<Chart, 'id' | 'sources'>): ChartFacts {
  const hashed = sources.map((path) => ({ path, sha256: release.find(path)!.sha256 }));
  return { id, sources: hashed, baseUrl: release.baseUrl, organisation: release.organisation };
}

/** schema.org/Dataset for the numbers of a chart, as its page shows them without a choice of the reader. Empty without data. */
export function chartJsonLd(
  release: SiteRelease,
  chart: OpenChart,
  { title, summary }: { title: string; summary: readonly string[] },
): object[] {
  const { asOf } = chart;
  if (asOf === '') return [];
  const { baseUrl, organisation } = chartFacts(release, chart);
  const files = downloadsOf(release, chart.id);
  const numbers = files
    .filter(({ name }) => name === 'CSV' || name === 'JSON')
    .map(({ path, name }) => ({
      '@type': 'DataDownload',
      name,
      encodingFormat: name === 'CSV' ? 'text/csv' : 'application/json',
      contentUrl: baseUrl + path,
    }));
  const picture = files.find(({ path }) => path === `/charts/${chart.id}.png`);
  return [
    {
      '@context': 'https://schema.org/',
      '@type': 'Dataset',
      '@id': `${baseUrl}/charts/${chart.id}/#data`,
      name: title,
      description: summary.join(' ').slice(0, 5000),
      url: `${baseUrl}/charts/${chart.id}/`,
      license: organisation.licence.url,
      isAccessibleForFree: true,
      creator: creatorsOf(organisation, baseUrl),
      publisher: organisationJsonLd(organisation, baseUrl),
      dateModified: asOf,
      isBasedOn: chart.sources.map((path) => `${baseUrl}/${path}#dataset`),
      ...(picture && { image: `${baseUrl}${picture.path}` }),
      ...(numbers.length > 0 && { distribution: numbers }),
    },
  ];
}

/**
 * A figure with its citation, as it is pasted into a LaTeX text beside which `<id>.pdf` and `<key>.bib` lie. The picture has title
 * and source, so the caption repeats neither: it gives the figure its number and its reference.
 */
export function latexFigure(id: string, key: string): string {
  return [
    '% preamble: \\usepackage{graphicx}',
    '\\begin{figure}',
    '  \\centering',
    `  \\includegraphics[width=\\linewidth]{${id}.pdf}`,
    '  % Title, unit and source are in the picture.',
    `  \\caption{Chart and data:~\\cite{${key}}.}`,
    `  \\label{fig:${id}}`,
    '\\end{figure}',
  ].join('\n');
}
