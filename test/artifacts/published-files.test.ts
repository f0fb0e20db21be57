import { describe, expect, expectTypeOf, test } from 'vitest';
import { compile } from '#compile-schema';
import { mii } from '../../pipeline/artifacts/economy/mii.ts';
import { supplyByDay } from '../../pipeline/artifacts/economy/supply-by-day.ts';
import { compile as plain } from '../../pipeline/artifacts/format/plain-schema.ts';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';

const INDEX = {
  timestamp: '2026-10-01T05:00:00Z',
  mii: 0.97,
  threshold: 0.94,
  minting_active: true,
  cycle: 'C-455',
};
const HEADER = Object.keys(supplyByDay.schema.shape).join();

function files(texts: Record<string, string>): PublishedFiles {
  return new PublishedFiles((path) => texts[path]);
}

function row(date: string): string {
  const cells = Object.entries(supplyByDay.schema.shape).map(([name]) => (name === 'date' ? date : '7'));
  return `${cells.join()}\n`;
}

describe('a published file', () => {
  test('is read as the type that its artifact declares', () => {
    const index = files({ 'economy/mii': JSON.stringify(INDEX) }).read(mii);
    expectTypeOf(index.mii).toEqualTypeOf<number | null>();
    expect(index).toEqual(INDEX);
  });

  test('of rows is read oldest first, with numbers as numbers', () => {
    const text = `${HEADER}\n${row('2026-09-30')}${row('2026-09-29')}`;
    const days = files({ [supplyByDay.path]: text }).read(supplyByDay);
    expectTypeOf(days[0]!.total_supply).toEqualTypeOf<number>();
    expect(days.map(({ date }) => date)).toEqual(['2026-09-29', '2026-09-30']);
    expect(days[0]!.total_supply).toBe(7);
  });

  test.each([
    ['is missing', {}, 'economy/mii', 'none'],
    ['lacks a member', { cycle: undefined }, 'economy/mii', 'nothing'],
    ['has a member of another type', { mii: '0.97' }, 'economy/mii: mii', '"0.97"'],
    ['has an unknown member', { colour: 'red' }, 'economy/mii: colour', 'red'],
  ])('that %s is refused with the place and what was found', (_, change, place, found) => {
    const texts: Record<string, string> =
      Object.keys(change).length === 0 ? {} : { 'economy/mii': JSON.stringify({ ...INDEX, ...change }) };
    expect(() => files(texts).read(mii)).toThrow(
      expect.objectContaining({
        code: 'release_invalid',
        place: expect.stringContaining(place),
        expected: expect.stringMatching(/./),
        found: expect.stringContaining(found),
      }),
    );
  });

  test.each([
    ['another header', `date,supply\n${row('2026-09-30')}`, 1],
    ['a row that is too short', `${HEADER}\n2026-09-30\n`, 2],
    ['a cell of another type', `${HEADER}\n${row('2026-09-30')}${row('2026-09-29').replace('7', 'x')}`, 3],
  ])('of rows with %s is refused with its line', (_, text, line) => {
    expect(() => files({ [supplyByDay.path]: text }).read(supplyByDay)).toThrow(
      expect.objectContaining({ code: 'release_invalid', place: `${supplyByDay.path}:${line}` }),
    );
  });

  test.each([
    ['good', { date: '2026-09-30' }],
    ['of a wrong type', { total_supply: 'x' }],
    ['on no day', { date: '2026-02-30' }],
    ['with another member', { supply: 7 }],
  ])('of rows is read by a compiled schema as by a plain one, which pages have: a row %s', (_, changed) => {
    const [first] = files({ [supplyByDay.path]: `${HEADER}\n${row('2026-09-30')}` }).read(supplyByDay);
    const { schema } = supplyByDay;
    const read = ({ safeParse }: typeof schema) => {
      const { data, error } = safeParse({ ...first, ...changed });
      return data ?? error.message;
    };
    expect(read(compile(schema))).toEqual(read(plain(schema)));
  });

  test('of rows that was cut off is refused', () => {
    const text = `${HEADER}\n${row('2026-09-30')}`.trimEnd();
    expect(() => files({ [supplyByDay.path]: text }).read(supplyByDay)).toThrow(
      /line end after the last row/,
    );
  });
});
