import { describe, expect, test } from 'vitest';
import { DEFAULT_STATE } from '../../../pipeline/charts/chart-state.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import type { ChartQuery } from '../../../src/api/routes/charts.ts';
import { queryOf, routeAt } from '../../../src/api/routes/table.ts';
import { canonicalQuery } from '../../../src/sidecar/charts/charts.ts';
import { failureOf } from '../../release/temporary-folder.ts';

const parseChartQuery = (path: string, text: string) => {
  const query = readQuery(queryOf(routeAt(path))!, text) as unknown as ChartQuery;
  return { ...query, canonical: canonicalQuery(path, query) };
};
const refusal = (path: string, query: string) => failureOf(async () => parseChartQuery(path, query));

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

describe('a query is refused', () => {
  test.each([
    ['charts/supply.svg', 'serie=burned', 'unknown_parameter', '"serie"'],
    ['charts/supply.svg', 'multiplier=1.5', 'unknown_parameter', 'tab, series, from, to, scale, theme'],
    ['charts/supply.svg', '=', 'unknown_parameter', 'an empty one'],
    ['charts/supply.png', 'width=90000', 'unknown_parameter', '"width"'],
    ['charts/supply.pdf', 'series=burned', 'unknown_parameter', 'takes no parameters'],
    ['charts/supply.json', 'scale=cubic', 'invalid_parameter', 'linear or log'],
    ['charts/supply.csv', 'from=2026-02-30', 'invalid_parameter', 'parameter from: expected a day'],
    [
      'charts/supply.csv',
      'from=2026-02-02&to=2026-02-01',
      'invalid_parameter',
      'parameter to: expected a day from',
    ],
    ['charts/supply.csv', 'scale=log&scale=log', 'invalid_parameter', 'parameter scale'],
    ['charts/supply.csv', 'scale=', 'invalid_parameter', 'parameter scale'],
    ['charts/reward-curve.json', 's=1e3', 'invalid_parameter', 'parameter s: expected a number'],
    ['charts/reward-curve.json', 'multiplier=3', 'invalid_parameter', 'parameter multiplier'],
  ])('%s?%s', async (path, query, code, words) => {
    expect(await refusal(path, query)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test('with a short message, however long the value', async () => {
    const { message } = await refusal('charts/supply.svg', `from=${'x'.repeat(10_000)}`);
    expect(String(message).length).toBeLessThan(200);
  });
});
