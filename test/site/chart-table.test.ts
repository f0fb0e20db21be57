import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { chartCsv } from '../../pipeline/charts/chart-table.ts';
import { tableHtml } from '../../src/site/charts/view-chart.ts';

describe('a table of a chart as HTML', () => {
  const columns = [
    { name: 'day', title: 'Day', unit: '' },
    { name: 'change', title: 'Change <of> it', unit: 'MIC' },
  ];

  test('has a heading for each row, numbers as they are in the CSV with commas to read them by, and no markup of the data', () => {
    const table = { columns, rows: [['a<b', -1234567.000001] as const, ['c&d', null] as const] };
    expect(tableHtml(table)).toBe(
      '<thead><tr><th scope="col" data-column="day">Day</th><th scope="col" class="number" data-column="change">Change &lt;of&gt; it <span class="column-unit subline">MIC</span></th></tr></thead>' +
        '<tbody><tr><th scope="row" class="tight">a&lt;b</th><td class="number">−1,234,567.000001</td></tr>' +
        '<tr><th scope="row" class="tight">c&amp;d</th><td class="number"></td></tr></tbody>',
    );
    expect(parse(chartCsv(table))).toEqual([
      ['day', 'change'],
      ['a<b', '-1234567.000001'],
      ['c&d', ''],
    ]);
  });

  test('has the newest day first, as the files, and as many decimals in a column as its number with most', () => {
    const rows = [
      ['2026-01-01', 0.94681],
      ['2026-01-02', 0.9],
    ];
    expect(tableHtml({ columns, rows }).match(/<td[^>]*>[^<]*/g)).toEqual([
      '<td class="number">0.90000',
      '<td class="number">0.94681',
    ]);
  });
});
