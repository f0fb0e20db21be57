import type { Chart } from '../../../pipeline/charts/chart.ts';
import {
  allowedControls,
  type ChartState,
  formatChartState,
  parseChartState,
} from '../../../pipeline/charts/chart-state.ts';
import {
  CHART_PATHS,
  type DrawnContent,
  isDrawnAlone,
} from '../../../pipeline/charts/files/chart-formats.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { Problem } from '../../api/problem.ts';
import { invalidParameter, quoted } from '../../api/query/parameters.ts';

/** A chart's file in the state that an address describes. */
export interface ChartRequest {
  chart: Chart;
  content: DrawnContent;
  state: ChartState;
  /** The parameters of state and theme, spelled in one way; empty for the release's own file. */
  canonical: string;
}

/**
 * Parses the query of a chart's file, without its question mark. Throws a Problem unknown_parameter or
 * invalid_parameter.
 */
export function parseChartQuery(path: string, query: string): ChartRequest {
  const { id, form } = CHART_PATHS.get(path)!;
  const { content } = form;
  if (!isDrawnAlone(content))
    throw new Problem(
      'unknown_parameter',
      'The PDF of a chart takes no parameters: it shows the chart as it opens. The SVG takes them.',
    );
  const chart = findChart(id)!;
  const parameters = new URLSearchParams(query);
  assertKnown(chart, parameters, content);
  const theme = parseTheme(parameters);
  parameters.delete(THEME);
  const state = parseState(chart, parameters);
  const canonical = new URLSearchParams(formatChartState(chart, state));
  if (theme !== THEMES[0]) canonical.set(THEME, theme);
  const themed = 'theme' in content ? { ...content, theme } : content;
  return { chart, content: themed, state, canonical: canonical.toString() };
}

/** A parameter of pictures. The page has the reader's own theme. */
const THEME = 'theme';
/** That of the release's files first. */
const THEMES = ['light', 'dark'] as const;

function parseTheme(parameters: URLSearchParams): (typeof THEMES)[number] {
  const [given, ...more] = parameters.getAll(THEME);
  if (given === undefined) return THEMES[0];
  const theme = more.length === 0 && THEMES.find((one) => one === given);
  if (!theme) throw invalidParameter(THEME, THEMES.join(' or '), quoted([given, ...more].join(', ')));
  return theme;
}

/** The tab of the page makes no difference to a file. */
function parseState(chart: Chart, parameters: URLSearchParams): ChartState {
  try {
    return { ...parseChartState(chart, parameters), tab: 'chart' };
  } catch (error) {
    throw asProblem(error);
  }
}

/** An error at `chart supply, from` is a problem with the parameter `from`. Other errors are returned unchanged. */
export function asProblem(error: unknown): unknown {
  if (!(error instanceof CathedralError) || error.code !== 'usage') return error;
  const name = error.place.slice(error.place.lastIndexOf(' ') + 1);
  return invalidParameter(name, error.expected, quoted(error.found));
}

function assertKnown({ controls }: Chart, parameters: URLSearchParams, content: DrawnContent): void {
  const allowed: readonly string[] = [...allowedControls(controls), ...('theme' in content ? [THEME] : [])];
  const unknown = [...parameters.keys()].find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const expected = allowed.join(', ');
  throw new Problem(
    'unknown_parameter',
    `This chart takes the parameters ${expected}, found ${quoted(unknown)}.`,
  );
}
