import fc from 'fast-check';
import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import { describe, expect, test } from 'vitest';
import {
  type Change,
  changesOf,
  FEED_DAYS,
  MOST_CHANGES,
  type Recent,
  type RecentRows,
  type Standing,
} from '../../../pipeline/formats/catalogue/changes.ts';
import {
  CHANGES_FEED,
  type Feed,
  feedsOf,
  formatAtom,
  jsonFeedOf,
} from '../../../pipeline/formats/catalogue/feeds.ts';
import { tinyFacts } from './tiny-facts.ts';

const facts = tinyFacts();
const day = (index: number) => new Date(Date.UTC(2025, 10, 1 + index)).toISOString().slice(0, 10);

/** Of a feed that shows every decision. */
function changesIn(rows: RecentRows) {
  const decisionIds = (rows.get('decisions') ?? []).map(([id]) => id as string);
  return feedsOf({ rows, decisionIds, archived: [], standing: STANDING })[0]![1];
}

const STANDING: Standing = {
  asOf: '2025-12-11T04:00:00Z',
  alerts: [],
  deliberations: [],
  audits: [],
  sentinels: [],
};

const ROWS: RecentRows = new Map([
  [
    'supply_by_day',
    Array.from({ length: 40 }, (_, index) => [day(index), `${1000 + index}.000001`, '900', '60', '40']),
  ],
  [
    'minting_by_day',
    [
      [day(39), 'FOR-ACADEMICS', 2, '12345678.1'],
      [day(39), 'FOR-ECONOMISTS', 3, '0.000002'],
    ],
  ],
  ['mii_by_day', [[day(39), 4, 0.95, 0.9, 1, 0.96, 0.93333, true]]],
  ['cathedral_multipliers', [['2025-12-09T10:00:00Z', 'C-159', 'FOR-ECONOMISTS', 1.4, 'budget_discipline']]],
  ['decisions', [['decision-1', day(38), 'Fees & <tags> "quoted"', [], [], 'r', 'Adopted\u0007', '']]],
]);

describe('changes to the data', () => {
  const changes = changesIn(ROWS);

  test('are the closed days, the multipliers and the decisions, newest first', () => {
    expect(changes).toHaveLength(FEED_DAYS + 2);
    expect(changes.slice(0, 5).map(({ id }) => id)).toEqual([
      ...'day/2025-12-10 day/2025-12-09 multiplier/2025-12-09T10:00:00Z/FOR-ECONOMISTS'.split(' '),
      ...'decision/decision-1 day/2025-12-08'.split(' '),
    ]);
    const times = changes.map(({ updated }) => updated);
    expect(times).toEqual([...times].sort().reverse());
    expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
  });

  test('have an entry for each record of one id, the last recorded first', () => {
    const record = (outcome: string) => ['d', day(38), 't', [], [], 'r', outcome, ''];
    const set = ['2025-12-09T10:00:00Z', 'C-159', 'FOR-ECONOMISTS', 1.4, 'budget_discipline'];
    const rows: RecentRows = new Map([
      ['decisions', [record('first'), ['d/2', ...record('another').slice(1)], record('corrected')]],
      ['cathedral_multipliers', [set, set]],
    ]);
    const found = changesIn(rows);
    expect(found.map(({ id }) => id)).toEqual([
      ...'multiplier/2025-12-09T10:00:00Z/FOR-ECONOMISTS/2'.split(' '),
      ...'multiplier/2025-12-09T10:00:00Z/FOR-ECONOMISTS decision/d decision/d/3 decision/d/2'.split(' '),
    ]);
    expect(found.slice(2).map(({ summary }) => summary)).toEqual([
      'A later record with the same id replaces this one. first',
      'corrected',
      'another',
    ]);
    expect(found[2]).toMatchObject({
      title: 'Replaced decision: t',
      published: `${day(38)}T00:00:00Z`,
      updated: `${day(38)}T00:00:01Z`,
    });
  });

  test('have the same entries if older decisions are known by their ids alone', () => {
    const record = (id: string) => [id, day(38), 't', [], [], 'r', 'o', ''];
    const all = ['d', 'D', 'd', 'd/2', 'd', 'D'].map(record);
    const decisionIds = all.map(([id]) => id as string);
    const rows = new Map([['decisions', all.slice(3)]]);
    const newest = changesOf({ rows, decisionIds, archived: [], standing: STANDING });
    const ids = newest.map(({ id }) => id);
    expect(newest).toEqual(changesIn(new Map([['decisions', all]])).filter(({ id }) => ids.includes(id)));
    expect(ids).toEqual(['decision/D/2', 'decision/d/3', 'decision/d/2/2']);
  });

  test('add amounts exactly, and include the index', () => {
    expect(changes[0]).toMatchObject({
      title: `${day(39)}: 12,345,678 MIC minted, total supply 1,039 MIC`,
      summary: expect.stringContaining('5 mints'),
      updated: '2025-12-10T23:59:59Z',
      path: 'files/economy/supply-by-day.csv/rows/?filter=date:eq:2025-12-10',
    });
    expect(changes[0]!.summary).toContain('Integrity index 0.96, threshold 0.9333, minting on.');
  });

  test('link to the pages of the decision, the day’s row and the file', () => {
    const decided = (id: string) => [id, day(38), 't', [], [], 'r', 'o', ''];
    const rows = new Map(ROWS).set('decisions', ['A-1', 'a-1', '../x'].map(decided));
    const paths = new Map(changesIn(rows).map(({ id, path }) => [id, path]));
    expect(paths.get('day/2025-12-10')).toBe(
      'files/economy/supply-by-day.csv/rows/?filter=date:eq:2025-12-10',
    );
    expect(paths.get('decision/A-1')).toBe('decisions/a-1/');
    expect(paths.get('decision/a-1')).toMatch(/^decisions\/a-1-[0-9a-f]{10}\/$/);
    expect(paths.get('decision/../x')).toMatch(/^decisions\/x-[0-9a-f]{10}\/$/);
    expect(paths.get('multiplier/2025-12-09T10:00:00Z/FOR-ECONOMISTS')).toBe(
      'files/economy/cathedral-multipliers.csv/',
    );
  });

  test('include a day without a supply', () => {
    const rows = new Map(ROWS).set('mii_by_day', [[day(39), 4, 0.95, 0.9, 1, 0.96, null, false]]);
    expect(changesIn(rows)[0]!.summary).toContain('0.96, no threshold without a supply, minting off.');
  });

  test('are no more than fit a feed, and none without rows', () => {
    const many = new Map(ROWS).set(
      'decisions',
      Array.from({ length: 200 }, (_, index) => [`d-${index}`, day(index % 40), 't', [], [], 'r', 'o', '']),
    );
    expect(changesIn(many)).toHaveLength(MOST_CHANGES);
    expect(changesIn(new Map())).toEqual([]);
  });
});

const at = (index: number) => `${day(index)}T08:00:00Z`;

/** The feed after each of these: a day on which a decision of an id is recorded, a deliberation is opened or closed, or an audit ends. */
function feedsAfter(steps: readonly { passes: number; what: string }[]) {
  const decisions: [string, ...unknown[]][] = [];
  let deliberations: Standing['deliberations'] = [];
  let audits: Standing['audits'] = [];
  let now = 10;
  return steps.map(({ passes, what }) => {
    now += passes;
    const open = deliberations.find(({ closed_at }) => closed_at === null);
    if (what.startsWith('decision'))
      decisions.push([
        what,
        day(now),
        `topic ${decisions.length}`,
        [],
        [],
        'r',
        `outcome ${decisions.length}`,
        '',
      ]);
    else if (what.startsWith('audit'))
      audits = [{ jurisdiction: 'EU', statuses: { AI_Act: what }, last_audit: day(now) }];
    else if (open)
      deliberations = deliberations.map((one) =>
        one === open ? { ...one, closed_at: at(now), consensus: 'reached' as const, outcome: 'o' } : one,
      );
    else
      deliberations = [
        ...deliberations,
        {
          ...{
            id: 'talk',
            topic: 't',
            opened_at: at(now),
            opened_cycle: 'C-1',
            opened_event: 1,
            positions: [],
          },
          ...{ closed_at: null, closed_cycle: null, closed_event: null, consensus: null, outcome: null },
        },
      ];
    const standing = { ...STANDING, asOf: at(now), deliberations, audits };
    const decisionIds = decisions.map(([id]) => id);
    const rows = new Map([['decisions', [...decisions]]]) as RecentRows;
    return changesOf({ rows, decisionIds, archived: [], standing });
  });
}

test('an entry whose text changes is updated then, and keeps its date', () => {
  const what = fc.constantFrom('decision-a', 'decision-b', 'deliberation', 'audit passed', 'audit failed');
  const steps = fc.array(fc.record({ passes: fc.integer({ min: 0, max: 2 }), what }), { maxLength: 12 });
  let changed = 0;
  fc.assert(
    fc.property(steps, (taken) => {
      const last = new Map<string, Change>();
      for (const entry of feedsAfter(taken).flat()) {
        const before = last.get(entry.id) ?? entry;
        const isSame = before.title === entry.title && before.summary === entry.summary;
        changed += isSame ? 0 : 1;
        expect([entry.id, entry.published]).toEqual([entry.id, before.published]);
        expect([entry.id, before.updated < entry.updated]).toEqual([entry.id, !isSame]);
        last.set(entry.id, entry);
      }
    }),
  );
  expect(changed).toBeGreaterThan(0);
});

describe('the feeds', () => {
  const changes = changesIn(ROWS);

  test('are an Atom feed that an independent parser reads', () => {
    const feed = parseAtomFeed(formatAtom(CHANGES_FEED, changes, facts));
    expect(feed).toMatchObject({
      id: 'https://data.example.org/feed.atom',
      updated: changes[0]!.updated,
      authors: [{ name: 'Cathedral Data Service' }],
    });
    expect(feed.links).toContainEqual(
      expect.objectContaining({ rel: 'self', href: 'https://data.example.org/feed.atom' }),
    );
    expect(feed.entries).toHaveLength(changes.length);
    const decision = feed.entries!.find(({ id }) => id!.endsWith('decision/decision-1'))!;
    expect(decision).toMatchObject({
      title: { value: 'Decision: Fees & <tags> "quoted"' },
      summary: { value: 'Adopted' },
      updated: '2025-12-09T00:00:00Z',
    });
    for (const { id, updated } of feed.entries!) {
      expect(id).toMatch(/^tag:data\.example\.org,2025:/);
      expect(updated).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    }
  });

  test('are a JSON Feed with the same entries', () => {
    const feed = parseJsonFeed(jsonFeedOf(CHANGES_FEED, changes, facts));
    const atom = parseAtomFeed(formatAtom(CHANGES_FEED, changes, facts));
    expect(feed.items!.map(({ id }) => id)).toEqual(atom.entries!.map(({ id }) => id));
    expect(feed).toMatchObject({ feed_url: 'https://data.example.org/feed.json' });
  });

  test('change only with their entries, not with each release', () => {
    const later = { ...facts, asOf: '2026-01-06T05:00:00Z' };
    expect(formatAtom(CHANGES_FEED, changes, later)).toBe(formatAtom(CHANGES_FEED, changes, facts));
    expect(formatAtom(CHANGES_FEED, [], facts)).toContain(`<updated>${facts.since}</updated>`);
  });
});

describe('the feeds of areas', () => {
  const deliberation = (id: string, closed: string | null) => ({
    id,
    topic: `About ${id}`,
    opened_at: '2025-12-01T08:00:00Z',
    opened_cycle: 'C-1',
    opened_event: 1,
    closed_at: closed,
    closed_cycle: null,
    closed_event: null,
    consensus: closed === null ? null : ('reached' as const),
    outcome: closed === null ? null : 'Adopted',
    positions: [],
  });
  const silent = (index: number, status: string) => [
    day(index),
    'ATLAS',
    'FOR-ACADEMICS',
    status,
    1,
    30,
    1,
    1,
  ];
  const recent: Recent = {
    decisionIds: ['decision-1'],
    archived: [{ id: 'd-1', opened: '2025-12-01T08:00:00Z' }],
    rows: new Map([
      ...ROWS,
      ['sentinels_by_day', [silent(37, 'operational'), silent(38, 'offline'), silent(39, 'degraded')]],
      [
        'mii_by_day',
        [
          [day(38), 4, 0.95, 0.9, 1, 0.91, 0.92, false],
          [day(39), 4, 0.95, 0.9, 1, 0.96, 0.92, true],
        ],
      ],
      ['decisions', [['decision-1', day(38), 't', [], ['ATLAS'], 'r', 'o', '']]],
    ]),
    standing: {
      ...STANDING,
      sentinels: ['ATLAS', 'Atlas'],
      alerts: [
        {
          id: 'alert-1',
          severity: 'warning',
          scope: 'sentinel',
          message: 'Silent',
          raised_at: '2025-12-10T09:00:00Z',
          sentinel: 'ATLAS',
        },
      ],
      deliberations: [deliberation('D-1', null), deliberation('d-1', '2025-12-02T08:00:00Z')],
      audits: [
        { jurisdiction: 'EU', statuses: { AI_Act: 'high_risk_compliant' }, last_audit: '2025-12-05' },
        { jurisdiction: 'UK', statuses: { FCA: 'not_audited' }, last_audit: null },
      ],
    },
  };
  const made = feedsOf(recent);
  const idsOf = (path: string) => {
    const [feed, entries] = made.find(([one]) => one.path === path)!;
    const atom = parseAtomFeed(formatAtom(feed, entries, facts));
    expect(parseJsonFeed(jsonFeedOf(feed, entries, facts)).items).toHaveLength(atom.entries?.length ?? 0);
    return entries.map(({ id }) => id).filter((id) => !id.startsWith('schema/'));
  };

  test('have what concerns them', () => {
    const outage = 'status/2025-12-09/ATLAS';
    const alert = 'alert/alert-1/2025-12-10T09:00:00Z';
    expect(idsOf('government/feed')).toEqual([alert, outage, 'audit/EU/2025-12-05/high_risk_compliant']);
    expect(idsOf('academics/feed')).toEqual([outage]);
    expect(idsOf('philosophy/feed')).toEqual([
      'decision/decision-1',
      'deliberation/d-1/closed/2025-12-02T08:00:00Z',
      'deliberation/d-1/opened/2025-12-01T08:00:00Z',
      'deliberation/D-1/opened/2025-12-01T08:00:00Z',
    ]);
    expect(idsOf('economy/feed').slice(0, 2)).toEqual(['threshold/2025-12-10', 'day/2025-12-10']);
    expect(idsOf('feed')).toContain(outage);
    // That it was back is no outage.
    expect(idsOf('feed')).not.toContain('status/2025-12-10/ATLAS');
  });

  test('are those of the service and of its areas, and their entries link to pages', () => {
    expect(made.map(([{ path }]: [Feed, unknown]) => path)).toEqual(
      'feed government/feed economy/feed academics/feed philosophy/feed diplomacy/feed'.split(' '),
    );
    const pages = new Map(made.flatMap(([, entries]) => entries.map(({ id, path }) => [id, path])));
    // It was opened first, although the other closed first.
    expect(pages.get('deliberation/D-1/opened/2025-12-01T08:00:00Z')).toBe('deliberations/d-1/');
    expect(pages.get('deliberation/d-1/opened/2025-12-01T08:00:00Z')).toMatch(
      /^deliberations\/d-1-[0-9a-f]{10}\/$/,
    );
  });
});

describe('the words of an entry', () => {
  const wordsOf = (rows: [string, readonly (readonly unknown[])[]][]) =>
    changesIn(new Map(rows) as unknown as RecentRows).map(({ title, summary }) => ({ title, summary }));

  test('of an outage name the day on which the sentinel was seen before, if days between had no event', () => {
    const seen = (index: number, status: string) => [day(index), 'A', 'DIPLOMACY', status, 1, 48, 1, 1];
    const outage = (...rows: readonly unknown[][]) => wordsOf([['sentinels_by_day', rows]])[0]!.summary;
    expect(outage(seen(3, 'no_heartbeat_yet'), seen(4, 'offline'))).toMatch(
      / Its status was no heartbeat yet the day before\.$/,
    );
    expect(outage(seen(3, 'degraded'), seen(9, 'offline'))).toMatch(
      / Its status was degraded on 4 November 2025\.$/,
    );
  });

  test('stand in a title of one line, which is cut where a text is pages long', () => {
    const decision = (topic: string) => ['d', day(1), topic, [], [], 'r', 'o', ''];
    const titles = wordsOf([['decisions', [decision(' a\r\nb\u2028c\t'), decision('word '.repeat(2000))]]]);
    expect(titles.map(({ title }) => title)).toContain('Replaced decision: a b c');
    expect(Math.max(...titles.map(({ title }) => title.length))).toBeLessThanOrEqual(202);
    expect(titles.some(({ title }) => title.endsWith('word …'))).toBe(true);
  });
});
