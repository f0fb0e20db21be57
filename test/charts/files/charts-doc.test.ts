import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTROLS } from '../../../pipeline/charts/chart-state.ts';
import { CHART_FORMATS } from '../../../pipeline/charts/files/chart-formats.ts';

const TEXT = await readFile(join(import.meta.dirname, '../../../docs/charts.md'), 'utf8');

test('the documentation of charts has every form and every parameter', () => {
  for (const { ending } of CHART_FORMATS) expect(TEXT).toContain(`| \`/charts/<id>${ending}\` |`);
  for (const name of Object.keys(CONTROLS)) expect(TEXT).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|`, 'm'));
});
