import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChartState,
  CONTROLS,
  type ControlName,
  DEFAULT_STATE,
  dropRefused,
  formatChartState,
  parseChartState,
} from '../../pipeline/charts/chart-state.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { anyCharacter } from '../any-character.ts';

const ALL = { id: 'all', controls: Object.keys(CONTROLS) as ControlName[] };
const parse = (query: string) => parseChartState(ALL, new URLSearchParams(query));

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const hundredths = (least: number, most: number) =>
  fc.integer({ min: least * 100, max: most * 100 }).map((value) => value / 100);
const names = fc.uniqueArray(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }), {
  minLength: 1,
  maxLength: 9,
});
const states: fc.Arbitrary<ChartState> = fc
  .record({
    tab: fc.constantFrom('chart', 'table'),
    series: fc.option(names.map((list) => list.sort())),
    from: fc.option(day),
    to: fc.option(day),
    scale: fc.constantFrom('linear', 'log'),
    s: fc.option(hundredths(0, 200)),
    multiplier: fc.option(hundredths(1, 2)),
  })
  .map((state) => {
    const [from, to] = [state.from, state.to].sort();
    return state.from === null || state.to === null ? state : { ...state, from: from!, to: to! };
  });

describe('a chart’s address', () => {
  test('gives any state back, and is the same for the same state', () => {
    fc.assert(
      fc.property(states, (state) => {
        const address = formatChartState(ALL, state);
        expect(parse(address)).toEqual(state);
        expect(formatChartState(ALL, parse(address))).toBe(address);
      }),
    );
  });

  test('has only what differs from the default, in one order', () => {
    expect(formatChartState(ALL, DEFAULT_STATE)).toBe('');
    const state = parse('to=2026-02-01&series=locked&scale=log&series=burned&tab=chart');
    expect(formatChartState(ALL, state)).toBe('series=burned&series=locked&to=2026-02-01&scale=log');
  });

  test.each([
    ['colour=red', 'all, parameters', 'only tab, series, from, to, scale, s, multiplier', 'colour'],
    ['tab=picture', 'all, tab', 'chart or table', 'picture'],
    ['tab=chart&tab=table', 'all, tab', 'chart or table', 'chart, table'],
    ['series=', 'all, series', 'up to 64 names, each once', ''],
    ['series=a&series=a', 'all, series', 'up to 64 names, each once', 'a, a'],
    ['from=2026-02-30', 'all, from', 'a day, YYYY-MM-DD', '2026-02-30'],
    ['from=2026-2-3', 'all, from', 'a day, YYYY-MM-DD', '2026-2-3'],
    ['from=2026-03-01&to=2026-02-01', 'all, to', 'a day from 2026-03-01 on', '2026-02-01'],
    ['scale=LOG', 'all, scale', 'linear or log', 'LOG'],
    ['s=201', 'all, s', 'a number from 0 to 200', '201'],
    ['s=1e2', 'all, s', 'a number from 0 to 200', '1e2'],
    ['s=', 'all, s', 'a number from 0 to 200', ''],
    ['multiplier=0.99', 'all, multiplier', 'a number from 1 to 2', '0.99'],
    ['__proto__=1', 'all, parameters', 'only tab', '__proto__'],
  ])('%s is refused, with what is allowed', (query, place, expected, found) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({
        code: 'usage',
        place: `chart ${place}`,
        expected: expect.stringContaining(expected),
        found,
      }),
    );
  });

  test('has no parameter that the chart does not offer', () => {
    const chart = { id: 'x', controls: [] };
    expect(() => parseChartState(chart, new URLSearchParams('scale=log'))).toThrow(
      'expected only tab, found scale',
    );
    expect(formatChartState(chart, { ...DEFAULT_STATE, scale: 'log' })).toBe('');
  });

  test.each([
    ['scale=cubic&series=a', 'series=a'],
    ['series=a&series=a&from=2026-01-01', 'from=2026-01-01'],
    ['from=2026-03-01&to=2026-02-01', 'from=2026-03-01'],
    ['parameters=1&colour=red&scale=log', 'scale=log'],
    ['colour=red&parameters=1&scale=log', 'scale=log'],
    ['tab=map&s=1e2&colour=red', ''],
  ])('what is refused of %s can be dropped, which leaves %s', (query, left) => {
    const parameters = new URLSearchParams(query);
    for (let state = null; state === null; ) {
      try {
        state = parseChartState(ALL, parameters);
      } catch (error) {
        dropRefused(parameters, error);
      }
    }
    expect(parameters.toString()).toBe(left);
    const error = new CathedralError('usage', { place: 'chart all, series', expected: 'a', found: 'b' });
    expect(() => dropRefused(new URLSearchParams('scale=log'), error)).toThrow(error);
  });

  test('of thousands of parameters, all are dropped at once where one is refused', () => {
    const error = new CathedralError('usage', { place: 'chart all, parameters', expected: 'a', found: 'x0' });
    const leftOf = (most: number) => {
      const parameters = new URLSearchParams(Array.from({ length: most }, (_, at) => [`x${at}`, '']));
      dropRefused(parameters, error);
      return parameters.size;
    };
    expect([leftOf(128), leftOf(5000)]).toEqual([127, 0]);
  });

  test('names no more series than a hand would choose', () => {
    const many = Array.from({ length: 65 }, (_, index) => `series=s${index}`);
    expect(() => parse(many.join('&'))).toThrow('up to 64 names');
    expect(parse(many.slice(1).join('&')).series).toHaveLength(64);
    expect(() => parse(`series=${'x'.repeat(201)}`)).toThrow('up to 64 names');
  });
});
