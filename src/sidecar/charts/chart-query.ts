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
  /** The state's parameters, spelled in one way; empty for the default state. */
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
  assertKnown(chart, parameters);
  const state = parseState(chart, parameters);
  return { chart, content, state, canonical: formatChartState(chart, state) };
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

function assertKnown({ controls }: Chart, parameters: URLSearchParams): void {
  const allowed: readonly string[] = allowedControls(controls);
  const unknown = [...parameters.keys()].find((name) => !allowed.includes(name));
  if (unknown === undefined) return;
  const expected = allowed.join(', ');
  throw new Problem(
    'unknown_parameter',
    `This chart takes the parameters ${expected}, found ${quoted(unknown)}.`,
  );
}
