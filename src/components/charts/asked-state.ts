import { CathedralError } from '../../../pipeline/errors.ts';
import { type ChartState, DEFAULT_STATE } from '../../charts/chart-state.ts';
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
    if (!(error instanceof CathedralError) || error.code !== 'usage') throw error;
    const name = error.place.slice(error.place.lastIndexOf(' ') + 1);
    return {
      state: DEFAULT_STATE,
      fault: `${name}: expected ${error.expected}, found ${JSON.stringify(error.found)}`,
    };
  }
}
