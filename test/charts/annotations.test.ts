import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { miiByDay } from '../../pipeline/artifacts/economy/mii-by-day.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { type Annotation, MOST_ANNOTATIONS } from '../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { THEMES } from '../../pipeline/charts/drawing/theme.ts';
import { timeFrame } from '../../pipeline/charts/drawing/time-frame.ts';
import { CHARTS, findChart } from '../../pipeline/charts/table.ts';
import { addDays } from '../../pipeline/words/day.ts';
import { chartFiles } from './chart-files.ts';
import { textsOf } from './drawing.ts';
import { smallLedger } from './small-ledger.ts';

const FILES = PublishedFiles.of(chartFiles(smallLedger(75).leaves));
const EXPLAINED = ['minting', 'mii', 'multipliers', 'coordination-history'];

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('the annotations of %s', (id, chart) => {
  const data = chart.prepare(FILES);

  test('are a few days of those shown, in order, and stand in the picture', () => {
    const all = chart.annotations(data, DEFAULT_STATE);
    expect(all.length > 0).toBe(EXPLAINED.includes(id));
    expect(all.length).toBeLessThanOrEqual(MOST_ANNOTATIONS);
    expect(all.map(({ day }) => day)).toEqual(all.map(({ day }) => day).sort());
    const wordsAt = (width: number) =>
      textsOf(chart.draw(data, DEFAULT_STATE, { width, theme: 'light' }))
        .map(({ text }) => text)
        .join(' ');
    for (const { day, end = day, label } of all) {
      expect(end >= day).toBe(true);
      for (const width of [340, 1000]) expect(wordsAt(width)).toContain(label);
    }
    if (!chart.controls.includes('from')) return;
    const later = { ...DEFAULT_STATE, from: '2026-01-20' };
    for (const { day } of chart.annotations(data, later)) expect(day >= '2026-01-20').toBe(true);
  });
});

test('a page that lists the annotations itself has a lower picture with their numbers, without their words', () => {
  const chart = findChart('mii')!;
  const data = chart.prepare(FILES);
  const { label } = chart.annotations(data, DEFAULT_STATE)[0]!;
  const drawn = (withoutList: boolean) =>
    chart.draw(data, DEFAULT_STATE, { width: 340, theme: 'page', parts: 'plot', withoutList });
  const words = (svg: string) => textsOf(svg).map(({ text }) => text);
  const height = (svg: string) => Number(/height="(\d+)"/.exec(svg)![1]);
  expect(words(drawn(false)).join(' ')).toContain(label);
  expect(words(drawn(true)).join(' ')).not.toContain(label);
  expect(words(drawn(true))).toContain('1');
  expect(height(drawn(true))).toBeLessThan(height(drawn(false)));
});

test('minting was off on each day of an annotation of the index, and on neither side of it', () => {
  const chart = CHARTS.find(({ id }) => id === 'mii')!;
  const off = new Set(
    FILES.read(miiByDay)
      .filter(({ minting_active }) => !minting_active)
      .map(({ date }) => date),
  );
  for (const { day, end = day } of chart.annotations(chart.prepare(FILES), DEFAULT_STATE)) {
    for (let date = day; date <= end; date = addDays(date, 1)) expect(off).toContain(date);
    expect(off).not.toContain(addDays(day, -1));
    expect(off).not.toContain(addDays(end, 1));
  }
});

test('labels and numbers touch nothing of their kind, and stay inside the picture', () => {
  const annotation = fc.record({ at: fc.nat(499), length: fc.integer({ min: 3, max: 45 }) });
  const width = fc.constantFrom(280, 340, 479, 480, 700, 1000, 2400);
  fc.assert(
    fc.property(fc.array(annotation, { minLength: 1, maxLength: MOST_ANNOTATIONS }), width, (given, wide) => {
      const annotations: Annotation[] = given
        .map(({ at, length }) => ({
          day: addDays('2025-07-03', at),
          label: 'offline '.repeat(6).slice(0, length).trim(),
        }))
        .sort((a, b) => (a.day < b.day ? -1 : 1));
      const box = { left: 0, right: wide, top: 0, bottom: 500 };
      const frame = timeFrame(
        { box, theme: THEMES.light, id: 'test' },
        {
          annotations,
          values: [0, 1],
          fromZero: true,
          scale: 'linear',
          from: Date.parse('2025-07-03'),
          to: Date.parse('2026-11-15'),
          format: String,
          unit: 'Share',
        },
      );
      const marks = [...frame.marks, ...frame.annotated(() => frame.inner.bottom)].join('');
      const texts = textsOf(marks);
      for (const [index, one] of texts.entries()) {
        expect(one.left).toBeGreaterThanOrEqual(-1);
        expect(one.right).toBeLessThanOrEqual(wide + 1);
        expect(one.y).toBeLessThanOrEqual(500);
        for (const other of texts.slice(0, index)) {
          const apart = Math.abs(one.y - other.y) >= 11 || one.left >= other.right || other.left >= one.right;
          expect(apart, `${one.text} and ${other.text} at ${wide}`).toBe(true);
        }
      }
    }),
    { numRuns: 150 },
  );
});
