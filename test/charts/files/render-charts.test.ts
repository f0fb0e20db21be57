import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHART_PATHS } from '../../../pipeline/charts/files/chart-formats.ts';
import type { ChartPrint } from '../../../pipeline/charts/files/print-charts.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { buildSmall } from '../../formats/small-release.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

test('without a browser charts have no PDF, and the next run with one prints each once, with its title and the time of its data', async () => {
  const folder = await temporaryFolder();
  await writeSample({ out: join(folder, 'ledger'), from: '2025-12-31', to: '2026-01-02', seed: 3 });
  const printed: ChartPrint[] = [];
  const printCharts = async (charts: readonly ChartPrint[]) => {
    printed.push(...charts);
    return charts.map(() => Buffer.from('%PDF'));
  };
  const run = async (print: typeof printCharts | null) => {
    const { manifest } = await buildSmall(folder, 'out', {
      ...{ extras: false, charts: true, printCharts: print },
    });
    return manifest.files.map(({ path }) => path).filter((path) => path.startsWith('charts/'));
  };
  const all = [...CHART_PATHS.keys()].sort();
  expect(await run(null)).toEqual(all.filter((path) => !path.endsWith('.pdf')));
  expect(await run(printCharts)).toEqual(all);
  expect(printed.map(({ path }) => path)).toEqual(CHARTS.map(({ id }) => `charts/${id}.pdf`));
  const { title, asOf, drawing } = printed.find(({ path }) => path === 'charts/mii.pdf')!;
  expect([title, asOf]).toEqual([
    'Integrity index against the threshold below which minting stops',
    '2026-01-01',
  ]);
  expect(drawing).toContain('fill="#ffffff"');
  expect(await run(printCharts)).toEqual(all);
  expect(printed).toHaveLength(CHARTS.length);
});
