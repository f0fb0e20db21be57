import { expect, test } from 'vitest';
import { DEFAULT_STATE } from '../../../pipeline/charts/chart-state.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import type { ChartQuery } from '../../../src/api/routes/charts.ts';
import { queryOf, routeAt } from '../../../src/api/routes/table.ts';
import { canonicalQuery } from '../../../src/sidecar/charts/charts-in-states.ts';

const parseChartQuery = (path: string, text: string) => {
  const query = readQuery(queryOf(routeAt(path))!, text) as unknown as ChartQuery;
  return { ...query, canonical: canonicalQuery(path, query) };
};

test('spellings of one state have one canonical form', () => {
  const spellings = [
    'series=locked&series=burned&from=2026-01-01',
    'from=2026-01-01&series=burned&series=locked&scale=linear',
    'tab=table&series=burned&from=2026%2D01-01&series=locked',
  ];
  for (const query of spellings) {
    const { state, canonical } = parseChartQuery('charts/supply.png', query);
    expect(canonical).toBe('series=burned&series=locked&from=2026-01-01');
    expect(state).toEqual({ ...DEFAULT_STATE, series: ['burned', 'locked'], from: '2026-01-01' });
  }
  expect(parseChartQuery('charts/supply.svg', 'scale=linear&tab=table&theme=light').canonical).toBe('');
  expect(parseChartQuery('charts/supply.svg', 'theme=dark&from=2026-01-01')).toMatchObject({
    canonical: 'from=2026-01-01&theme=dark',
    theme: 'dark',
  });
});
