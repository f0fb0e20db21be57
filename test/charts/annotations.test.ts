import { describe, expect, test } from 'vitest';
import { miiByDay } from '../../pipeline/artifacts/economy/mii-by-day.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { MOST_ANNOTATIONS } from '../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { addDays } from '../../pipeline/words/day.ts';
import { chartFiles } from './chart-files.ts';
import { textsOf } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

const FILES = PublishedFiles.of(chartFiles(smallLedger(75).leaves));
const EXPLAINED = ['minting', 'mii', 'multipliers', 'coordination-history'];

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('the annotations of %s', (id, chart) => {
  const opened = chart.open(FILES);

  test('are a few days of those shown, in order, and stand in the picture', () => {
    const { annotations: all, draw } = opened.show(DEFAULT_STATE);
    expect(all.length > 0).toBe(EXPLAINED.includes(id));
    expect(all.length).toBeLessThanOrEqual(MOST_ANNOTATIONS);
    expect(all.map(({ day }) => day)).toEqual(all.map(({ day }) => day).sort());
    const wordsAt = (width: number) =>
      textsOf(draw({ width, theme: 'light' }))
        .map(({ text }) => text)
        .join(' ');
    for (const { day, end = day, label } of all) {
      expect(end >= day).toBe(true);
      for (const width of [340, 1000]) expect(wordsAt(width)).toContain(label);
    }
    if (!chart.controls.includes('from')) return;
    const later = { ...DEFAULT_STATE, from: '2026-01-20' };
    for (const { day } of opened.show(later).annotations) expect(day >= '2026-01-20').toBe(true);
  });
});

test('minting was off on each day of an annotation of the index, and on neither side of it', () => {
  const chart = CHARTS.find(({ id }) => id === 'mii')!;
  const off = new Set(
    FILES.read(miiByDay)
      .filter(({ minting_active }) => !minting_active)
      .map(({ date }) => date),
  );
  for (const { day, end = day } of chart.open(FILES).show(DEFAULT_STATE).annotations) {
    for (let date = day; date <= end; date = addDays(date, 1)) expect(off).toContain(date);
    expect(off).not.toContain(addDays(day, -1));
    expect(off).not.toContain(addDays(end, 1));
  }
});
