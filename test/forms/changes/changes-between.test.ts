import { describe, expect, test } from 'vitest';
import { changesBetween, yearsOf } from '../../../pipeline/forms/changes/changes-between.ts';
import { defaultPeriod, monthBefore, parsePeriod } from '../../../pipeline/forms/changes/period.ts';
import { FLOWS, LEVELS, YEAR_FORMAT, type YearOfDays } from '../../../pipeline/forms/changes/year-of-days.ts';

/** A year whose total supply at the end of each day is given, with that much minted on it. */
function yearOf(year: string, days: Record<string, number>, more: Partial<YearOfDays> = {}): YearOfDays {
  const none = Object.values(days).map(() => null);
  const zero = Object.values(days).map(() => 0);
  return {
    format: YEAR_FORMAT,
    year,
    days: Object.keys(days),
    levels: {
      ...(Object.fromEntries(
        Object.keys(LEVELS).map((name) => [name, none]),
      ) as unknown as YearOfDays['levels']),
      total_supply: Object.values(days),
    },
    flows: {
      ...(Object.fromEntries(
        Object.keys(FLOWS).map((name) => [name, zero]),
      ) as unknown as YearOfDays['flows']),
      mints: Object.values(days).map(() => 1),
    },
    rows: { 'economy/mic-history.csv': Object.values(days).map(() => 2) },
    decisions: [],
    deliberations: [],
    multipliers: [],
    outages: [],
    audits: [],
    alerts: [],
    schemas: [],
    ...more,
  };
}

const OLD = yearOf('2025', { '2025-12-20': 10, '2025-12-31': 20 });
/** The first day with an event of 2026 is 5 January; until then the end of 2025 holds. */
const NEW = yearOf('2026', { '2025-12-31': 20, '2026-01-05': 30.1, '2026-01-09': 30.3 });

const supplyOf = (years: YearOfDays[], since: string, until: string) => {
  const { levels, flows, rows } = changesBetween(years, { since, until });
  const { before, now, change } = levels.find(({ name }) => name === 'total_supply')!;
  return { before, now, change, mints: flows.find(({ name }) => name === 'mints')!.sum, rows };
};

describe('changes between two days', () => {
  test('compare the ends of both days; a day without events has the state of the day before', () => {
    expect(supplyOf([NEW], '2026-01-05', '2026-01-09')).toEqual({
      before: 30.1,
      now: 30.3,
      change: 0.2,
      mints: 1,
      rows: [{ path: 'economy/mic-history.csv', rows: 2 }],
    });
    expect(supplyOf([NEW], '2026-01-02', '2026-01-08')).toMatchObject({ before: 20, now: 30.1, mints: 1 });
  });

  test('count each day once where two years share one', () => {
    expect(supplyOf([OLD, NEW], '2025-12-20', '2026-01-09')).toMatchObject({
      before: 10,
      now: 30.3,
      mints: 3,
    });
    expect(supplyOf([OLD, NEW], '2025-12-31', '2026-01-04')).toMatchObject({ change: 0, mints: 0, rows: [] });
  });

  test('join an outage that a new year divides, and cut it at the end of the period', () => {
    const outage = (date: string, to: string) => ({ date, to, sentinel: 'ATLAS', href: '/sentinels/atlas/' });
    const years = [
      { ...OLD, outages: [outage('2025-12-30', '2025-12-31')] },
      { ...NEW, outages: [outage('2026-01-01', '2026-01-06'), outage('2026-01-08', '2026-01-08')] },
    ];
    const { outages } = changesBetween(years, { since: '2025-12-30', until: '2026-01-05' });
    expect(outages).toEqual([outage('2025-12-30', '2026-01-05')]);
  });

  test('name the last audit of each jurisdiction, and only what happened after the first day', () => {
    const audit = (date: string, jurisdiction = 'EU') => ({
      date,
      jurisdiction,
      status: 'compliant',
      href: '/',
    });
    const years = [
      { ...OLD, audits: [audit('2025-12-20', 'USA'), audit('2025-12-31')] },
      { ...NEW, audits: [audit('2026-01-05')] },
    ];
    const { audits } = changesBetween(years, { since: '2025-12-20', until: '2026-01-09' });
    expect(audits).toEqual([audit('2026-01-05')]);
  });

  test('need the years between, and an earlier one where the ledger was idle', () => {
    const years = ['2020', '2025', '2026'];
    expect(yearsOf({ since: '2025-03-01', until: '2026-01-09' }, years)).toEqual(['2025', '2026']);
    expect(yearsOf({ since: '2022-03-01', until: '2023-01-09' }, years)).toEqual(['2020']);
  });
});

describe('a period', () => {
  const extent = { first: '2025-07-03', last: '2026-11-21' };
  const parse = (since: string, until: string) => parsePeriod({ since, until }, extent);

  test('is by default the month before the newest finished day, or the ledger’s life if that is shorter', () => {
    expect(defaultPeriod(extent)).toEqual({ since: '2026-10-21', until: '2026-11-21' });
    expect(defaultPeriod({ first: '2026-11-19', last: '2026-11-21' })).toEqual({
      since: '2026-11-19',
      until: '2026-11-21',
    });
    expect(defaultPeriod({ first: '2026-11-21', last: '2026-11-21' })).toBeNull();
    expect(['2026-03-31', '2024-03-30', '2026-01-15', '0001-03-31'].map(monthBefore)).toEqual([
      '2026-02-28',
      '2024-02-29',
      '2025-12-15',
      '0001-02-28',
    ]);
  });

  test('with a wrong day says which, and which days there are', () => {
    const range = 'There are data from the end of 3 July 2025 to the end of 21 November 2026.';
    const faults = {
      'tomorrow,': [
        'since',
        `“tomorrow” is not a day. Write year, month and day, as in 2026-11-21. ${range}`,
      ],
      '2026-02-30,': [
        'since',
        `“2026-02-30” is not a day. Write year, month and day, as in 2026-11-21. ${range}`,
      ],
      '2025-07-02,': ['since', `2 July 2025 is before the first day with data. ${range}`],
      ',2026-11-22': ['until', `22 November 2026 is after the newest finished day. ${range}`],
      '2026-05-02,2026-05-01': ['since', `2 May 2026 is after 1 May 2026. Exchange the two days. ${range}`],
      '2026-05-01,2026-05-01': [
        'since',
        `Both days are 1 May 2026, so nothing can have changed. Choose an earlier day to compare with. ${range}`,
      ],
    };
    for (const [asked, [name, message]] of Object.entries(faults)) {
      const [since, until] = asked.split(',') as [string, string];
      expect(parse(since, until), asked).toEqual({ fault: { name, message } });
    }
    expect(parse('', '2025-07-20')).toEqual({ period: { since: '2025-07-03', until: '2025-07-20' } });
  });
});
