import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { binDays, calendarBins, daysBetween, inRange, stepFor } from '../../pipeline/charts/drawing/days.ts';
import { clipText, spreadLabels, textWidth, wrapText } from '../../pipeline/charts/drawing/label.ts';
import { THEMES } from '../../pipeline/charts/drawing/theme.ts';
import { ticksOf, timeAxis, timeScale, valueScale } from '../../pipeline/charts/drawing/time-frame.ts';

const DAY = 86_400_000;
const dated = (dates: string[]) => dates.map((date) => ({ date }));
const dayAt = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * DAY).toISOString().slice(0, 10);
const someDays = fc
  .uniqueArray(fc.nat(2000), { minLength: 1, maxLength: 60 })
  .map((list) => dated(list.sort((a, b) => a - b).map(dayAt)));

describe('days', () => {
  test('are binned by day, by week from Monday on, by month and by year', () => {
    const rows = dated(['2025-12-28', '2025-12-29', '2026-01-04', '2026-01-05']);
    const ends = (step: 'day' | 'week' | 'month' | 'year') =>
      binDays(rows, step).map(({ from, to }) => `${from}/${to}`);
    expect(ends('day')).toHaveLength(4);
    expect(ends('week')).toEqual(['2025-12-28/2025-12-28', '2025-12-29/2026-01-04', '2026-01-05/2026-01-05']);
    expect(ends('month')).toEqual(['2025-12-28/2025-12-29', '2026-01-04/2026-01-05']);
    expect(ends('year')).toEqual(ends('month'));
  });

  test('are each in one bin, and the calendar’s bins leave no day out', () => {
    fc.assert(
      fc.property(someDays, fc.constantFrom('day', 'week', 'month', 'year'), (rows, step) => {
        expect(binDays(rows, step).flatMap((bin) => bin.rows)).toEqual(rows);
        const bins = calendarBins(rows, step);
        expect(bins.flatMap((bin) => bin.rows)).toEqual(rows);
        expect(bins.reduce((sum, { from, to }) => sum + daysBetween(dated([from, to])), 0)).toBe(
          daysBetween(rows),
        );
        expect([bins[0]!.from, bins.at(-1)!.to]).toEqual([rows[0]!.date, rows.at(-1)!.date]);
      }),
    );
  });

  test('are never drawn as more than 400 bins in a thousand years', () => {
    for (const days of [1, 400, 401, 2800, 2801, 12_000, 12_001, 365_000]) {
      const length = { day: 1, week: 7, month: 30, year: 365 }[stepFor(days)];
      expect(days / length).toBeLessThanOrEqual(1000);
      if (days <= 12_000) expect(days / length).toBeLessThanOrEqual(400);
    }
  });

  test('of a range are those from its first to its last, both counted, or the last few by default', () => {
    const rows = dated([0, 1, 2, 3, 4].map(dayAt));
    const dates = (state: object, defaultDays?: number) =>
      inRange(rows, { ...DEFAULT_STATE, ...state }, defaultDays).map(({ date }) => date.slice(-2));
    expect(dates({ from: '2025-01-02', to: '2025-01-03' })).toEqual(['02', '03']);
    expect(dates({}, 2)).toEqual(['04', '05']);
    expect(dates({ from: '2025-01-01' }, 2)).toHaveLength(5);
    expect(dates({ to: '2025-01-03' }, 2)).toEqual(['01', '02', '03']);
  });
});

describe('labels in a column', () => {
  const label = fc.record({ y: fc.integer({ min: -50, max: 350 }), height: fc.integer({ min: 8, max: 30 }) });

  test('never overlap and stay between its ends; what does not fit is left out, the last first', () => {
    fc.assert(
      fc.property(fc.array(label, { maxLength: 30 }), (labels) => {
        const places = spreadLabels(labels, 0, 300);
        const shown = labels.flatMap(({ height }, index) => {
          const y = places[index];
          return y === null || y === undefined ? [] : [{ top: y - height / 2, bottom: y + height / 2 }];
        });
        const sorted = shown.sort((a, b) => a.top - b.top);
        for (const [index, { top, bottom }] of sorted.entries()) {
          expect(top).toBeGreaterThanOrEqual(-1e-6);
          expect(bottom).toBeLessThanOrEqual(300 + 1e-6);
          if (index > 0) expect(top).toBeGreaterThanOrEqual(sorted[index - 1]!.bottom - 1e-6);
        }
        expect(places.slice(shown.length).every((place) => place === null)).toBe(true);
      }),
    );
  });

  test('that have room stay where they wish to be', () => {
    const labels = [
      { y: 100, height: 20 },
      { y: 40, height: 20 },
    ];
    expect(spreadLabels(labels, 0, 300)).toEqual([100, 40]);
  });
});

describe('text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 });

  test('is clipped to its room, with an ellipsis, or left as it is', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 30, max: 400 }), (words, width) => {
        const clipped = clipText(words, width, 13);
        expect(textWidth(clipped, 13)).toBeLessThanOrEqual(width);
        if (clipped !== words) expect(clipped.endsWith('…')).toBe(true);
      }),
    );
  });

  test('is wrapped at its spaces but not at those that must not break, in few lines', () => {
    expect(wrapText('one two three', 60, 13)).toEqual(['one two', 'three']);
    expect(wrapText('1\u00a0000 MIC', 60, 13)).toEqual(['1\u00a0000', 'MIC']);
    expect(wrapText('one two three four five', 60, 13, { most: 2 })).toEqual(['one two', 'three f…']);
  });
});

describe('a value scale', () => {
  const values = fc.array(fc.double({ min: -1e15, max: 1e15, noNaN: true }), { maxLength: 12 });

  test('holds every value between its ends, which are different, and its ticks too', () => {
    fc.assert(
      fc.property(values, fc.boolean(), (list, fromZero) => {
        const scale = valueScale({ values: list, fromZero, scale: 'linear' }, 300, 0, 5);
        const [low, high] = scale.domain() as [number, number];
        expect(low).toBeLessThan(high);
        for (const value of [...list, ...(fromZero ? [0] : [])]) {
          expect(scale(value)).toBeGreaterThanOrEqual(-0.01);
          expect(scale(value)).toBeLessThanOrEqual(300.01);
        }
        for (const tick of ticksOf(scale, 'linear', 5)) expect(scale(tick)).toBeGreaterThanOrEqual(-0.01);
      }),
    );
  });

  test('of a logarithm has whole powers of ten at its ends, and puts zero and less at the lower one', () => {
    const scale = valueScale({ values: [0, -5, 20, 3000], fromZero: true, scale: 'log' }, 300, 0, 5);
    expect(scale.domain()).toEqual([10, 10_000]);
    expect([scale(0), scale(-5), scale(10_000)]).toEqual([300, 300, 0]);
    expect(ticksOf(scale, 'log', 5)).toEqual([10, 100, 1000, 10_000]);
  });
});

describe('a time axis', () => {
  const YEAR = 31_557_600_000;
  const labelsOf = (from: number, to: number, width: number) => {
    const edges = { left: -40, right: width };
    const marks = timeAxis(timeScale(from, to, 0, width), edges, 0, THEMES.light).filter((mark) =>
      mark.startsWith('<text'),
    );
    return marks.map((mark) => ({
      text: />([^<]*)</.exec(mark)![1]!,
      x: Number(/ x="([^"]*)"/.exec(mark)![1]),
      y: Number(/ y="([^"]*)"/.exec(mark)![1]),
    }));
  };

  test('names every year whose beginning it shows where it has months, and its first year', () => {
    const width = fc.constantFrom(120, 250, 480, 900);
    const days = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(fc.nat(1500), days, width, (start, length, wide) => {
        const from = Date.UTC(2024, 0, 1) + start * DAY;
        const to = from + length * DAY;
        const labels = labelsOf(from, to, wide);
        const texts = labels.map(({ text }) => text);
        // Where months have no room, years are regular too.
        if (!texts.some((text) => /^[A-Z][a-z]{2}$/.test(text))) return;
        for (
          let year = new Date(from).getUTCFullYear() + 1;
          Date.UTC(year, 0, 1) <= to - YEAR / 20;
          year += 1
        )
          expect(texts, `${year} at ${wide}`).toContain(String(year));
        const above = labels.filter(({ y }) => y === labels[0]!.y);
        for (const [index, { text, x }] of above.entries()) {
          const before = above[index - 1];
          if (before)
            expect(x - before.x).toBeGreaterThan((textWidth(text, 12) + textWidth(before.text, 12)) / 2);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('labels the month in which it begins', () => {
    const [from, to] = [Date.UTC(2025, 6, 3), Date.UTC(2026, 10, 22)];
    expect(labelsOf(from, to, 250).map(({ text }) => text)).toEqual([
      'Jul',
      '2025',
      'Oct',
      'Jan',
      '2026',
      'Apr',
      'Jul',
      'Oct',
    ]);
  });
});
