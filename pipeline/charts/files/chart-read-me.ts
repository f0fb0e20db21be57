import { LICENCE } from '../../forms/catalogue/facts.ts';
import { pagePath, stateName } from '../chart-address.ts';
import { formatChartState } from '../chart-state.ts';
import { CHART_FORMATS, chartPath, type ShownChart } from './chart-formats.ts';
import { citeChart, formatCitations } from './cite-chart.ts';

/** Line width of the plain text, characters. */
const LINE = 78;

interface ReadMe {
  /** The publishing organisation. */
  author: string;
  /** Endings of the files in the archive. */
  endings: readonly string[];
}

/** `readme.txt` of a chart's archive: contents, source and citation. */
export function formatReadMe(shown: ShownChart, { author, endings }: ReadMe): string {
  const { chart, data, state, sources, baseUrl } = shown;
  const { id } = chart;
  const forms = CHART_FORMATS.filter(({ ending }) => endings.includes(ending));
  const widest = Math.max(...forms.map(({ ending }) => ending.length));
  const query = formatChartState(chart, { ...state, tab: 'chart' });
  const name = stateName(id, query);
  const view = baseUrl + pagePath(id, query);
  const cited = citeChart(shown, author);
  const citation = cited && { ...cited, url: view };
  const finding = chart.finding(data, state);
  const said = [
    finding === null ? '' : `${finding}.`,
    chart.unit(data, state),
    chart.summary(data, state).join(' '),
    chart.note(data, state),
  ];
  const sections = [
    underlined(chart.title(data, state), '='),
    ...(query === ''
      ? []
      : [
          `A view of the chart “${chart.name}”: ${decodeURIComponent(query).replaceAll('&', ', ').replaceAll('+', ' ')}`,
        ]),
    ...said.filter((text) => text !== '').map(wrapped),
    underlined('Files', '-'),
    forms.map(({ ending, title }) => `${(name + ending).padEnd(name.length + widest)}  ${title}`).join('\n'),
    underlined(`Columns of ${name}.csv`, '-'),
    columnLines(shown),
    underlined('How to cite', '-'),
    citation ? formatCitations(citation).trimEnd() : 'There is nothing to cite yet.',
    underlined('Source', '-'),
    wrapped(chart.source(data)),
    ...(query === '' ? [] : [`This view, of the current data: ${view}`]),
    `The current chart: ${baseUrl}/${chartPath(id, { ending: '/' })}`,
    sources.map(({ path, sha256 }) => `${baseUrl}/${path}\n  SHA-256 ${sha256}`).join('\n'),
    underlined('Licence', '-'),
    `${LICENCE.title} (${LICENCE.name})\n${LICENCE.path}`,
  ];
  return `${sections.join('\n\n')}\n`.replaceAll(/^(=+|-+)\n\n/gm, '$1\n');
}

function columnLines({ chart, data, state }: ShownChart): string {
  const { columns } = chart.table(data, state);
  return columns
    .map(({ name, title, unit }) => `${name}: ${title}${unit === '' ? '' : `, in ${unit}`}`)
    .join('\n');
}

function underlined(text: string, character: '=' | '-'): string {
  return `${text}\n${character.repeat(Math.min(text.length, LINE))}`;
}

/** Breaks at spaces; a word that is longer than a line has its own. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && longer.length <= LINE) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}
