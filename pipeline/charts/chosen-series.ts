import type { Series } from './chart.ts';
import type { ChartState } from './chart-state.ts';

/** Those that the state names, in the chart's own order; all, or the chart's own choice, where it names none. */
export function chosenSeries<S extends Series>(
  all: readonly S[],
  { series }: ChartState,
  byDefault = all,
): readonly S[] {
  return series === null ? byDefault : all.filter(({ name }) => series.includes(name));
}
