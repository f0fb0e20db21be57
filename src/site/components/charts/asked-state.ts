import { type ChartState, DEFAULT_STATE, stateFault } from '../../../../pipeline/charts/chart-state.ts';
import type { OpenChart } from './open-chart.ts';
import { readState } from './read-state.ts';

/** The state in an address; or what is wrong with it, in words, and the chart as it is by itself. */
export function askedState(
  { chart, data }: OpenChart,
  search: string,
): { state: ChartState; fault: string | null } {
  try {
    return { state: readState(chart, data, search), fault: null };
  } catch (error) {
    return { state: DEFAULT_STATE, fault: stateFault(error) };
  }
}
