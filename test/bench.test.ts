import { expect, test } from 'vitest';
import { compare, type Report, runBenchmarks } from './bench/figure.ts';

const figure = (what: string, value: number) => compare(what, value, 10, 'ms', 1.5);

test('a benchmark prints each figure as soon as it is measured, and one that fails discards no other', async () => {
  const printed: string[] = [];
  const last = () => printed.at(-1);
  const benchmarks = {
    broken: async (report: Report) => {
      report(figure('before it broke', 10));
      expect(last()).toBe('  met     before it broke: 10.0 ms, beside 10.0 ms: 1.00 (≤ 1.5)');
      throw new Error('no room');
    },
    slow: async (report: Report) => report(figure('slow', 20)),
    good: async (report: Report) => report(figure('good', 12)),
  };
  expect(await runBenchmarks(benchmarks, (line) => printed.push(line))).toBe(1);
  expect(printed.join('\n')).toMatch(/broken FAILED: Error: no room[\s\S]*MISSED {2}slow[\s\S]*met {5}good/);
  expect(printed.slice(-2)).toEqual(['bounds that were missed: slow', 'benchmarks that failed: broken']);
  expect(await runBenchmarks({ good: benchmarks.good }, () => {})).toBe(0);
  const { broken } = benchmarks;
  expect(await runBenchmarks({ broken }, () => {})).toBe(1);
});
