import { expect, test } from 'vitest';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { ORGANISATION } from '../organisation.ts';
import { chartFiles } from './chart-files.ts';
import { smallLedger } from './small-ledger.ts';

const FILES = chartFiles(smallLedger(40).leaves);
const PICTURES = [
  { theme: 'light', width: 780 },
  { theme: 'dark', width: 340 },
] as const;

/** A picture each: what a change of the drawing looks like is seen in its diff. `vitest run -u` draws them anew. */
test.each(
  CHARTS.flatMap((chart) => PICTURES.map((picture) => [chart.id, picture.theme, chart, picture] as const)),
)('%s is drawn as its picture in %s', async (id, theme, chart, picture) => {
  const svg = chart
    .creditedTo(ORGANISATION)
    .draw(chart.prepare(PublishedFiles.of(FILES)), DEFAULT_STATE, picture);
  await expect(`${svg.replaceAll('><', '>\n<')}\n`).toMatchFileSnapshot(
    `../golden/charts/${id}-${theme}.svg`,
  );
});
