import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { chartCsv } from '../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import {
  cellWords,
  decimalsOf,
  newestFirst,
  tableHtml,
} from '../../src/site/components/charts/view-chart.ts';
import { ORGANISATION } from '../organisation.ts';
import { type Built, buildFixture } from './build-fixture.ts';

let built: Built;
const read = (path: string) => readFile(join(built.out, path), 'utf8');

beforeAll(async () => {
  built = await buildFixture();
});

function dataOf({ prepare }: (typeof CHARTS)[number]) {
  return prepare(new PublishedFiles((path) => readFileSync(join(built.release, 'public', path), 'utf8')));
}

const plain = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('the page of the chart %s', (id, chart) => {
  test('says in words and in a table all that its picture shows', async () => {
    const [html, data] = [await read(`charts/${id}/index.html`), dataOf(chart)];
    const text = plain(html);
    for (const words of [
      chart.title(data, DEFAULT_STATE),
      chart.unit(data, DEFAULT_STATE),
      chart.creditedTo(ORGANISATION).source(data),
    ])
      expect(text).toContain(words);
    for (const sentence of chart.summary(data, DEFAULT_STATE)) expect(text).toContain(sentence);
    const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? [];
    const shown = [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
      [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell!)),
    );
    const { rows } = chart.table(data, DEFAULT_STATE);
    const decimals = rows[0]?.map((_, index) => decimalsOf(rows.map((row) => row[index]!))) ?? [];
    expect(shown).toEqual(
      newestFirst(rows).map((row) => row.map((cell, index) => cellWords(cell, decimals[index]!))),
    );
  });

  test('is described to search engines as a data set made from its files, if it has data', async () => {
    const html = await read(`charts/${id}/index.html`);
    const [, text] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
    const asOf = chart.asOf(dataOf(chart));
    if (asOf === '') return expect(text).toBeUndefined();
    expect(JSON.parse(text!)).toMatchObject({
      '@type': 'Dataset',
      url: `https://data.example.org/charts/${id}/`,
      dateModified: asOf,
      isBasedOn: chart.sources.map((path) => `https://data.example.org/${path}#dataset`),
    });
  });

  test('draws it for a wide and for a narrow window, each with its own text alternative', async () => {
    const html = await read(`charts/${id}/index.html`);
    const svgs = html.match(/<svg [^>]*role="img"[^>]*>/g) ?? [];
    expect(svgs).toHaveLength(2);
    const ids = svgs.flatMap((svg) => /aria-labelledby="([^"]+)"/.exec(svg)![1]!.split(' '));
    expect(new Set(ids).size).toBe(4);
    for (const one of ids) expect(html.split(`id="${one}"`)).toHaveLength(2);
  });

  test('is cited with the address of its page, and the permanent ones of its data', async () => {
    for (const ending of ['txt', 'bib', 'ris', 'json']) {
      const citation = await read(`charts/${id}/citation.${ending}`);
      expect(citation).toContain(`https://data.example.org/charts/${id}/`);
      for (const path of chart.sources)
        expect(citation).toMatch(new RegExp(`https://data\\.example\\.org/snapshots/[^/]+/${path}`));
    }
  });
});

describe('the list of charts', () => {
  test('leads to each of them, by area', async () => {
    const html = await read('charts/index.html');
    for (const { id, area } of CHARTS) {
      const section = html.slice(html.indexOf(`<section data-area="${area}"`)).split('</section>')[0];
      expect(section).toContain(`href="/charts/${id}/"`);
    }
    expect(brotliCompressSync(html).length).toBeLessThan(50 * 1024);
  });
});

describe('a table of a chart as HTML', () => {
  const columns = [
    { name: 'day', title: 'Day', unit: '' },
    { name: 'change', title: 'Change <of> it', unit: 'MIC' },
  ];

  test('has a heading for each row, numbers as they are in the CSV with commas to read them by, and no markup of the data', () => {
    const table = { columns, rows: [['a<b', -1234567.000001] as const, ['c&d', null] as const] };
    expect(tableHtml(table)).toBe(
      '<thead><tr><th scope="col" data-column="day">Day</th><th scope="col" class="number" data-column="change">Change &lt;of&gt; it <span class="column-unit">MIC</span></th></tr></thead>' +
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
