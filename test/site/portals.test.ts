import { describe, expect, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { QUOTAS } from '../../src/api/quotas.ts';
import { oldAge, standingOf } from '../../src/site/layout/age.ts';
import type { SiteRelease } from '../../src/site/layout/release.ts';
import { accessRows, keyRequest } from '../../src/site/portals/access.ts';
import { formulaRows } from '../../src/site/portals/formula-rows.ts';
import {
  compareDays,
  comparisonDay,
  comparisonWords,
  type KeyFigure,
  ofLastDay,
} from '../../src/site/portals/key-figure.ts';
import { QUESTIONS } from '../../src/site/portals/questions.ts';
import { AREA_SUMMARY } from '../../src/site/portals/standing.ts';
import { TestLedger } from '../model/events.ts';

const CONTACT = 'contact@data.example.org';

describe('the day that a figure is held against', () => {
  test.each([
    // Its end is the nearest to the time one day before: 29.5 hours, 18 hours, 24 hours.
    ['2026-11-21T05:28:33Z', 1, '2026-11-19'],
    ['2026-11-20T18:00:00Z', 1, '2026-11-19'],
    ['2026-11-21T00:00:00Z', 1, '2026-11-19'],
    ['2026-11-21T05:28:33Z', 30, '2026-10-21'],
    // Over the end of a year, and of a February.
    ['2026-01-01T06:00:00Z', 1, '2025-12-30'],
    ['2028-03-30T23:00:00Z', 30, '2028-02-29'],
  ])('of %s, %i days before, is %s', (asOf, span, day) => {
    expect(comparisonDay(asOf, span)).toBe(day);
    const before = Date.parse(`${day}T24:00:00Z`);
    expect(Math.abs(Date.parse(asOf) - span * 86_400_000 - before)).toBeLessThanOrEqual(43_200_000);
  });

  test('has no change where it has no value', () => {
    const daily = new Map([['2026-11-19', 90]]);
    expect(compareDays(100, daily, '2026-11-21T05:28:33Z')).toEqual([
      { span: 1, date: '2026-11-19', change: 10 },
      { span: 30, date: '2026-10-21', change: null },
    ]);
  });
});

describe('a figure of the last whole day', () => {
  const read = (days: [string, number][]) =>
    ofLastDay({
      label: 'Minted in a day',
      unit: 'MIC',
      path: 'economy/minting-by-day.csv',
      note: 'on the last whole day',
      nothing: 'no day is over yet',
      needs: ['mic_mint'],
      daily: () => new Map(days),
      places: 0,
    })({ draft: { timestamp: '2026-11-23T09:00:00Z' } } as SiteRelease);

  test('is that of the day before the newest event, where it has a row', () => {
    expect(
      read([
        ['2026-11-22', 7],
        ['2026-11-21', 5],
      ]),
    ).toMatchObject({
      value: '7',
      note: 'on the last whole day',
      day: '22 November 2026',
      changes: [{ date: '2026-11-21', words: '+2' }],
    });
  });

  test('is that of the last day with events after quiet ones, and says so', () => {
    expect(
      read([
        ['2026-11-20', 7],
        ['2026-11-19', 9],
      ]),
    ).toMatchObject({
      value: '7',
      note: 'on the last whole day with events',
      day: '20 November 2026',
      changes: [{ date: '2026-11-19', words: '−2' }],
      needs: [],
    });
  });

  test('says that no day is over only where none is', () => {
    expect(read([])).toMatchObject({ value: '–', note: 'no day is over yet', needs: ['mic_mint'] });
  });
});

test('a portal says since when its figures have changed, even where only that of a day has', () => {
  const plain = { value: '1', unit: '', note: '', trend: [], better: null, path: '', needs: [] };
  const figure = (day: string | null, date: string): KeyFigure => ({
    ...plain,
    label: date,
    day,
    changes: [{ span: 1, date, words: '+1' }],
  });
  const ofDay = figure('20 November 2026', '2026-11-19');
  expect(comparisonWords([ofDay])).toBe('Changes in a day are since the end of 19 November 2026.');
  expect(comparisonWords([ofDay, figure(null, '2026-11-20')])).toBe(
    'Changes in a day are since the end of 20 November 2026.',
  );
});

describe('the argument of a portal', () => {
  test.each(AREAS)('of %s rests on every chart of the area, each once, and on no other', (area) => {
    const shown = QUESTIONS[area].flatMap(({ charts }) => charts);
    const own = CHARTS.filter((chart) => chart.area === area).map(({ id }) => id);
    expect(shown.toSorted()).toEqual(own.toSorted());
  });

  test.each(AREAS)('of %s asks questions, each under an address of its own', (area) => {
    const ids = QUESTIONS[area].map(({ id }) => id);
    const files = ARTIFACTS.filter((artifact) => artifact.area === area).map(({ path }) =>
      path.slice(area.length + 1).replaceAll(/[^a-z0-9]+/g, '-'),
    );
    const others = ['now', 'formulas', 'files', 'access', 'cite', 'content', ...files];
    expect(new Set([...ids, ...others]).size).toBe(ids.length + others.length);
    for (const { question } of QUESTIONS[area]) expect(question).toMatch(/\?$/);
  });
});

describe('the formulas of a portal', () => {
  test.each(AREAS)('of %s are all that its files have, but for those that point to another', (area) => {
    const all = ARTIFACTS.filter((artifact) => artifact.area === area)
      .flatMap((artifact) => fieldsOf(artifact))
      .map(({ formula }) => formula)
      .filter((formula) => formula !== '' && !formula.startsWith('see '));
    expect(new Set(formulaRows(area).map(({ formula }) => formula))).toEqual(new Set(all));
  });

  test('name every file of the area that has the figure', () => {
    const [supply] = formulaRows('economy');
    expect(supply).toMatchObject({
      name: 'total_supply',
      formula: 'Σ mints',
      paths: ['economy/supply', 'economy/supply-by-day.csv'],
    });
  });
});

describe('access to an area', () => {
  test.each(AREAS)('in %s has a line for each tier, with the limit that is enforced', (area) => {
    const expected = Object.entries(QUOTAS[area]).map(([tier, quota]) => [
      tier,
      typeof quota === 'number' ? quota.toLocaleString('en-GB') : quota,
    ]);
    const rows = accessRows(area, CONTACT);
    expect(rows.map(({ tier, limit }) => [tier.toLowerCase(), limit])).toEqual(expected);
    // What needs no key is not asked for; what needs one can be.
    rows.forEach(({ request }, index) => {
      expect(request === null).toBe(index === 0);
    });
  });

  test.each([
    ['government', 'government', ['Government affiliation', 'Official e-mail address', 'Purpose of access']],
    ['economy', 'economist', ['Professional affiliation', 'Research purpose', 'Expected usage volume']],
    ['academics', 'academic', ['Academic affiliation', 'Research purpose', 'Expected usage volume']],
    ['philosophy', 'institutional', ['Research purpose', 'Expected usage volume', 'Partnership agreement']],
  ] as const)(
    'in %s, tier %s, is requested by an e-mail with the fields to fill in',
    (area, tier, fields) => {
      const mail = new URL(keyRequest(area, tier, CONTACT));
      expect(mail.protocol + mail.pathname).toBe(`mailto:${CONTACT}`);
      // A plus sign in a mailto address is a plus sign, not a space.
      expect(mail.search).not.toContain('+');
      expect(mail.searchParams.get('subject')).toBe(`Key request: ${area}, ${tier}`);
      const lines = mail.searchParams.get('body')!.split('\r\n');
      for (const field of fields) expect(lines.some((line) => line.startsWith(field))).toBe(true);
      expect(lines.filter((line) => line.endsWith(':')).length).toBeGreaterThanOrEqual(fields.length);
    },
  );
});

describe('data are old', () => {
  const asOf = Date.parse('2026-11-21T06:00:00Z');
  test.each([
    ['2026-11-21T05:00:00Z', null],
    ['2026-11-21T18:00:00Z', null],
    ['2026-11-21T18:00:01Z', '12 hours'],
    ['2026-11-23T05:59:00Z', '47 hours'],
    ['2026-11-23T06:00:00Z', '2 days'],
    ['2027-01-12T06:00:00Z', '52 days'],
  ])('at %s: %s', (now, age) => {
    expect(oldAge(asOf, Date.parse(now))).toBe(age);
  });

  test.each([
    ['signed as the newest', { as_of: '2026-11-21T06:00:00Z', expires: '2026-11-25T00:00:00Z' }, 'newest'],
    ['expired', { as_of: '2026-11-21T06:00:00Z', expires: '2026-11-23T06:00:00Z' }, null],
    ['older than the newest', { as_of: '2026-11-23T06:00:00Z', expires: '2026-11-25T06:00:00Z' }, 'replaced'],
    ['of a host without proofs', null, null],
  ])(
    'and whether they are the newest, or were replaced since the page was opened, as where they are %s',
    (_, latest, is) => {
      expect(standingOf(latest, asOf, Date.parse('2026-11-24T06:00:00Z'))).toBe(is);
    },
  );

  test('not where their time cannot be read', () => {
    expect(oldAge(Number.NaN, asOf)).toBeNull();
  });
});

const NO_DOCUMENTS = { treatyFramework: null, standards: null, protocols: null, papers: [] };

describe('what a portal says of a ledger that holds nothing but its genesis', () => {
  const allocation = { allocation: '0', multipliers: {} };
  const state = new TestLedger()
    .add('2025-07-03T00:00:00Z', 'genesis', 'LEDGER', allocation)
    .leaves.reduce(apply, emptyState());
  const release = {
    draft: { timestamp: state.asOf, ledger: { size: 1 } },
    read: ({ path }: { path: string }) => {
      const artifact = ARTIFACTS.find((one) => one.path === path) as {
        render?: (view: unknown, closed: boolean) => string;
      };
      // Histories have whole days, of which there are none yet.
      return artifact.render ? JSON.parse(artifact.render({ state, documents: NO_DOCUMENTS }, false)) : [];
    },
  } as unknown as SiteRelease;

  test.each(AREAS)('%s is neither good nor bad', (area) => {
    const said = AREA_SUMMARY[area](release);
    expect(said).not.toMatch(/null|NaN|\b[01]\.\d|good standing|healthy|critical|stable|\bAll 0\b/);
  });
});
