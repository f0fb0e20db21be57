/** Time, type, agent, data, and the cycle where it is not that of the day. */
export type NastyEvent = [string, string, string, Record<string, unknown>, (string | undefined)?];
/** The events of each snapshot. */
export type NastyLedger = readonly (readonly NastyEvent[])[];

const START = '2025-07-03T00:00:00Z';

const genesis: NastyEvent = [
  '0000-01-01T00:00:00Z',
  'genesis',
  'LEDGER',
  { allocation: '1000000', multipliers: { 'FOR-GOVERNMENTS': 1.2 } },
];
const registered = (sentinel: string, at = START, cathedral = 'FOR-GOVERNMENTS'): NastyEvent => [
  at,
  'sentinel_registered',
  'LEDGER',
  { sentinel, cathedral },
];
const beat = (at: string, sentinel = 'ATLAS'): NastyEvent => [at, 'heartbeat', sentinel, {}];
const decided = (at: string, decision: string, outcome: string, topic = 'Whether'): NastyEvent => [
  at,
  'decision_recorded',
  'ATLAS',
  {
    decision,
    topic,
    outcome,
    frameworks_applied: ['care'],
    sentinels_involved: ['ATLAS'],
    reasoning: 'Because.',
    lessons_learned: '',
  },
];
const opened = (at: string, deliberation: string, topic: string): NastyEvent => [
  at,
  'deliberation_opened',
  'ATLAS',
  { deliberation, topic },
];
const position = (at: string, deliberation: string, sentinel = 'ATLAS'): NastyEvent => [
  at,
  'position_taken',
  sentinel,
  { deliberation, position: 'oppose', reasoning: 'For a reason.', virtue_tags: ['courage'] },
];
const closed = (at: string, deliberation: string, outcome: string): NastyEvent => [
  at,
  'deliberation_closed',
  'ATLAS',
  { deliberation, consensus: 'reached', outcome },
];
const alert = (at: string, id: string): NastyEvent => [
  at,
  'alert_raised',
  'ATLAS',
  { alert: id, severity: 'info', scope: 'ledger', message: 'Named as a finding is.' },
];

/** Ids that would mean something in a path, to a file system, to a host or to the site's build. */
export const HOSTILE_IDS = [
  ...'index.html index INDEX in-2025 con NUL aux.txt . .. ... .htaccess _headers a. A a'.split(' '),
  ...['a b', ...'é e\u0301 É % %2e%2e%2f ../x a/b a\\b # ? [id] 404.html'.split(' ')],
  ...['x'.repeat(200), 'é'.repeat(200), 'web.config', 'index.html.br', 'x.gz'],
  ...['constructor', 'toString', '\u202e', '7'],
];

/** Opened, closed and opened again under one id, thrice; the second and third at one instant. */
function reopened(id: string, again: string): Record<'first' | 'second' | 'last', NastyEvent[]> {
  return {
    first: [opened(START, id, `First ${id}`), position(START, id), closed(START, id, 'One.')],
    second: [
      opened(again, id, `Second ${id}`),
      position(again, id),
      closed(again, id, 'Two.'),
      opened(again, id, `Third ${id}`),
      closed(again, id, 'Three.'),
    ],
    last: [opened(LATE, id, `Fourth ${id}`)],
  };
}

const LATE = '9999-12-31T23:59:59.999Z';
const REOPENED = [
  reopened('at-once', START),
  reopened('next-day', '2025-07-05T00:00:00Z'),
  reopened('ninety-days', '2025-09-01T00:00:00Z'),
  reopened('later', '2025-11-06T00:00:00Z'),
];

/** Each id with a page of every kind. */
const everywhere = (at: string, id: string): NastyEvent[] => [
  registered(id, at, 'DIPLOMACY'),
  opened(at, id, `About ${id}`),
  position(at, id, id),
  closed(at, id, 'Closed.'),
  decided(at, id, 'Decided.', `About ${id}`),
];

/** A finding, and before it alerts with every name that it may get. */
function named(seq: number): NastyEvent[] {
  const alerts = Array.from({ length: 9 }, (_, count) => alert(LATE, `finding-${seq + 9}-${count + 1}`));
  return [...alerts, beat(LATE, 'NOBODY')];
}

const UP_TO_LATE: NastyLedger = [
  [
    genesis,
    registered('ATLAS'),
    decided(START, 'd', 'First.'),
    ...HOSTILE_IDS.flatMap((id) => everywhere(START, id)),
    ...REOPENED.flatMap(({ first }) => first),
    ...REOPENED[0]!.second,
  ],
  [...REOPENED[1]!.second, ...REOPENED[2]!.second],
  [
    ...REOPENED[3]!.second,
    decided('2025-11-19T00:00:00Z', 'd', 'Corrected.'),
    decided('2025-11-19T00:00:00Z', 'd', 'Again.'),
  ],
];

/** What a schema allows and no ledger has been seen to do, as much as fits one. */
export const NASTY_LEDGER: NastyLedger = [
  ...UP_TO_LATE,
  [
    ...named(UP_TO_LATE.flat().length),
    ...REOPENED.flatMap(({ last }) => last),
    decided(LATE, 'last', 'At the end of time.'),
    [LATE, 'mii_reading', 'ATLAS', { mii: 0.5 }],
    [LATE, 'audit_scheduled', 'ATLAS', { jurisdiction: 'EU', date: '9999-12-31' }],
  ],
];
