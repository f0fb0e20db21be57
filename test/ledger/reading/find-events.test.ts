import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { type EventQuery, findEvents } from '../../../pipeline/ledger/reading/find-events.ts';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { Random } from '../../../pipeline/random.ts';
import { sampleEvent } from '../events/sample-events.ts';
import { FIRST_SLOT, signer, temporaryFolder, writeSnapshot } from '../test-ledger.ts';
import { linesOf } from './signed-snapshot.ts';

const ALL: EventQuery = { seq: null, from: null, to: null, types: null, agent: null };
/** Events in each ledger snapshot; some have none. The last number is that of the head. */
const COUNTS = [4, 0, 7, 1, 0, 0, 5, 6];

/** Up to three events have the same time, also on both sides of a boundary. */
function eventOf(seq: number): LedgerEvent {
  const { timestamp } = sampleEvent(Math.floor(seq / 3));
  return { ...sampleEvent(seq), timestamp, agent: seq % 4 === 0 ? 'HERMES' : 'ATLAS' };
}

async function ledgerOf(counts: readonly number[]) {
  const ledger = temporaryFolder();
  const where = new Map<number, string | null>();
  let position: LedgerPosition = LEDGER_START;
  let id = FIRST_SLOT;
  let seq = 0;
  for (const [index, count] of counts.entries()) {
    const isHead = index === counts.length - 1;
    const events = Array.from({ length: count }, (_, at) => eventOf(seq + at));
    for (const event of events) where.set(event.seq, isHead ? null : id);
    // A sealer was killed before it took the last sealed event out of the head.
    if (isHead) writeFileSync(join(ledger, 'head.ndjson'), linesOf([eventOf(seq - 1), ...events]));
    else position = await writeSnapshot(ledger, id, position, events);
    seq += count;
    id = nextSlotId(id);
  }
  const events = Array.from({ length: seq }, (_, at) => eventOf(at));
  return { ledger, where, events };
}

async function found(ledger: string, query: EventQuery, newestFirst = false) {
  const all = [];
  for await (const one of findEvents(ledger, query, newestFirst)) all.push(one);
  return all;
}

test('finds what a search through all events finds, in both directions', async () => {
  const { ledger, where, events } = await ledgerOf(COUNTS);
  const random = new Random('queries');
  const below = (count: number) => random.bits() % count;
  const maybe = <T>(value: T) => (below(2) === 0 ? value : null);
  for (let round = 0; round < 100; round += 1) {
    const [from, to] = [below(events.length + 2), below(events.length + 2)];
    const times = [below(12), below(12)].map((minute) => sampleEvent(minute).timestamp);
    const query: EventQuery = {
      seq: maybe({ from: Math.min(from, to), to: Math.max(from, to) }),
      from: maybe(times[0]!.replace('Z', below(2) === 0 ? '.5Z' : 'Z')),
      to: maybe(times[1]!),
      types: maybe(new Set(['heartbeat', 'mic_mint'])),
      agent: maybe('HERMES'),
    };
    const expected = events.filter(
      ({ seq, timestamp, type, agent }) =>
        (!query.seq || (seq >= query.seq.from && seq <= query.seq.to)) &&
        (!query.from || compareTimestamps(timestamp, query.from) >= 0) &&
        (!query.to || compareTimestamps(timestamp, query.to) <= 0) &&
        (!query.types || query.types.has(type)) &&
        (!query.agent || query.agent === agent),
    );
    const forward = await found(ledger, query);
    expect(forward.map(({ event }) => event)).toEqual(expected);
    expect(forward.map(({ snapshot }) => snapshot)).toEqual(expected.map(({ seq }) => where.get(seq)));
    expect((await found(ledger, query, true)).reverse()).toEqual(forward);
  }
});

test('reads only the ledger snapshots that may contain the events', async () => {
  const { ledger, events } = await ledgerOf(COUNTS);
  const files = await openDirectory(ledger).snapshots(null);
  // The third has the events 4 to 10.
  const kept = readFileSync(files[2]!.events);
  for (const file of files) if (file !== files[3]) writeFileSync(file.events, 'damaged');
  writeFileSync(files[2]!.events, kept);
  const query = { ...ALL, seq: { from: 5, to: 6 } };
  for (const newestFirst of [false, true])
    expect((await found(ledger, query, newestFirst)).map(({ event }) => event.seq).sort()).toEqual([5, 6]);
  expect(events[5]).toEqual((await found(ledger, query))[0]!.event);
  await expect(found(ledger, ALL)).rejects.toMatchObject({ code: 'ledger_corrupt' });
});

test('finds events of a snapshot although the head begins with older ones, of a sealer that was killed', async () => {
  const { ledger, events } = await ledgerOf([6, 6, 6, 3]);
  writeFileSync(join(ledger, 'head.ndjson'), linesOf(events.slice(3)));
  const from = events[15]!.timestamp;
  expect((await found(ledger, { ...ALL, from })).map(({ event }) => event.seq)).toEqual(
    events.slice(15).map(({ seq }) => seq),
  );
});

test('gives the exact bytes of a line, even those that JSON would write in another way', async () => {
  const { ledger } = await ledgerOf([1, 0]);
  const line = linesOf([eventOf(1)]).replace('"seq":1', '"seq" : 1');
  writeFileSync(join(ledger, 'head.ndjson'), line);
  expect(`${(await found(ledger, { ...ALL, seq: { from: 1, to: 1 } }))[0]!.line}\n`).toBe(line);
});

test('misses no event although a slot is sealed while it reads', async () => {
  const { ledger, events } = await ledgerOf([4, 3, 6]);
  const found = findEvents(ledger, ALL);
  const seqs = [(await found.next()).value!.event.seq];
  // The sealer moves the head's events into a snapshot.
  const writer = await LedgerWriter.open(ledger, {
    verifiers: [signer.verifier],
    now: () => Date.parse('2025-07-04T01:00:00Z'),
    waitMs: 0,
    holder: 'test',
  });
  await writer.append([{ type: 'heartbeat', agent: 'ATLAS', data: {} }]);
  await writer.seal([signer]);
  writer.close();
  for await (const { event } of found) seqs.push(event.seq);
  expect(seqs.slice(0, events.length)).toEqual(events.map(({ seq }) => seq));
});
