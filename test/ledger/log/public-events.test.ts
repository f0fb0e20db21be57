import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { EVENT_DATA, type KnownType, type LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { EXAMPLE_LEDGER, exampleOf } from '../../../pipeline/ledger/events/event-examples.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { addEvent, EventDays, emptyMonth, formatEventDays } from '../../../pipeline/ledger/log/event-days.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import {
  formatPublicBundle,
  PublicEvents,
  publicBundlePath,
} from '../../../pipeline/ledger/log/public-bundle.ts';
import {
  DECISIONS,
  formatPolicy,
  isPublic,
  PUBLIC_VERSION,
  parsePolicy,
} from '../../../pipeline/ledger/log/public-events.ts';
import { readerOf } from './test-tree.ts';

const PUBLIC_TYPES = (Object.keys(DECISIONS) as KnownType[]).filter((type) => DECISIONS[type].public);

test('every event type has a decision, and a public type names members of its schema only', () => {
  expect(Object.keys(DECISIONS).sort()).toEqual(Object.keys(EVENT_DATA).sort());
  for (const type of PUBLIC_TYPES) {
    const decision = DECISIONS[type];
    const known = Object.keys((EVENT_DATA[type] as unknown as { shape: object }).shape);
    expect(decision.public && decision.members.filter((member) => !known.includes(member))).toEqual([]);
  }
});

test('a change of the decisions has a new version, because published bundles never change', () => {
  const decided = Object.entries(DECISIONS).map(([type, one]) => [type, one.public && one.members]);
  const digest = hash('sha256', JSON.stringify(decided)).slice(0, 16);
  expect({ version: PUBLIC_VERSION, digest }).toEqual({ version: 2, digest: 'acb950f0889444e9' });
});

const withData = (type: KnownType, more: object) => {
  const event = exampleOf(type) as LedgerEvent;
  return { ...event, data: { ...event.data, ...more } };
};

test.each(PUBLIC_TYPES)(
  'a %s event is public, and stays a hash with a member that no public file shows',
  (type) => {
    const { data } = exampleOf(type);
    expect(isPublic({ type, data })).toBe(true);
    for (const name of ['note', '__proto__', 'Amount', ''])
      expect(isPublic({ type, data: { ...data, ...JSON.parse(`{${JSON.stringify(name)}:1}`) } })).toBe(false);
  },
);

test('other events stay hashes', () => {
  expect(isPublic(withData('genesis', { multipliers: { DIPLOMACY: 1, OTHER: 1 } }))).toBe(false);
  expect(isPublic({ type: 'constructor', data: {} })).toBe(false);
  for (const { type, data } of EXAMPLE_LEDGER)
    if (!DECISIONS[type].public) expect(isPublic({ type, data })).toBe(false);
});

const lines = EXAMPLE_LEDGER.map((event) => Buffer.from(formatEventLine(event)));
const entries = EXAMPLE_LEDGER.map((event, at) => (isPublic(event) ? lines[at]! : null));

async function openWith(bundle: Uint8Array, policy = formatPolicy()) {
  const files: Record<string, Uint8Array> = {
    'public/policy.json': Buffer.from(policy),
    [publicBundlePath({ index: 0, width: lines.length })]: bundle,
  };
  return PublicEvents.open(await readerOf(lines), async (path) => files[path] ?? null);
}

test('a reader gets the events of a bundle, each with the hash that the tile has', async () => {
  const log = await openWith(formatPublicBundle(entries));
  const expected = EXAMPLE_LEDGER.map((event, at) =>
    entries[at] ? { event, hash: leafHash(lines[at]!), line: new Uint8Array(lines[at]!) } : null,
  );
  expect(await log!.events(0)).toEqual(expected);
  expect(parsePolicy(formatPolicy(), 'policy.json').types).toEqual(DECISIONS);
});

const changed = (index: number, entry: Uint8Array | null) =>
  formatPublicBundle(entries.map((one, at) => (at === index ? entry : one)));
const published = entries.findIndex((entry) => entry !== null);
const hidden = entries.indexOf(null);
const otherSalt = Buffer.from(lines[published]!.toString().replace(/"salt":"./, '"salt":"_'));

test.each([
  ['is cut off', formatPublicBundle(entries).subarray(0, -1), /the end within entry/],
  ['has too few entries', formatPublicBundle(entries.slice(1)), /entries/],
  ['has more bytes', Buffer.concat([formatPublicBundle(entries), Buffer.of(0)]), /bytes more/],
  ['has an event with another salt', changed(published, otherSalt), /expected hash/],
  ['has an entry where the log has another event', changed(hidden, lines[published]!), /expected hash/],
])('a bundle that %s is refused', async (_, bundle, message) => {
  const log = await openWith(bundle);
  await expect(log!.events(0)).rejects.toThrow(message);
});

test('the index of a month leads from a time and a type to the bundles', () => {
  const month = emptyMonth('2026-05');
  const at = (seq: number, time: string, type: KnownType, data: object = exampleOf(type).data) =>
    addEvent(month, { ...exampleOf(type), seq, timestamp: `2026-05-${time}Z`, data } as LedgerEvent);
  at(250, '01T00:00:00', 'heartbeat');
  at(255, '01T00:05:00', 'mii_reading');
  at(256, '01T00:05:00', 'mii_reading');
  at(257, '01T00:05:00.5', 'mic_mint');
  at(600, '02T12:00:00', 'heartbeat');
  at(601, '02T12:00:00', 'mic_burn', { amount: '1.000000', reason: 'deflation', secret: 1 });
  expect(month.days).toEqual([
    {
      date: '2026-05-01',
      first: 250,
      end: 258,
      bundles: [
        { bundle: 0, from: '00:05:00Z', types: ['mii_reading'] },
        { bundle: 1, from: '00:05:00Z', types: ['mic_mint', 'mii_reading'] },
      ],
    },
    { date: '2026-05-02', first: 600, end: 602, bundles: [], withheld: { mic_burn: 1 } },
  ]);
  expect(parseJsonFile(formatEventDays(month), EventDays, '2026-05.json')).toEqual(month);
});
