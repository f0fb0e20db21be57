import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TEMPORARY_SUFFIX } from '../../../pipeline/disk/durable.ts';
import type { EventDraft } from '../../../pipeline/ledger/events/draft.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import {
  type LedgerDirectory,
  openDirectory,
  snapshotFile,
} from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { LedgerWriter, type WriterOptions } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { lockOf } from '../../../pipeline/ledger/writing/lock-ledger.ts';
import { sampleEvent, sampleEvents } from '../events/sample-events.ts';
import { linesOf } from '../reading/signed-snapshot.ts';
import {
  collect,
  FIRST_SLOT,
  ORIGIN,
  readLedger,
  signer,
  temporaryFolder,
  writeLedger,
} from '../test-ledger.ts';

const SLOT = '2025-07-03T06Z';
/** The sample has one event per minute: 0 … 359 before 06:00:00, 360 at 06:00:00. */
const NOW = Date.parse('2025-07-03T11:00:00Z');

/** A folder with a ledger of no events. */
function emptyLedger(): LedgerDirectory {
  const ledger = openDirectory(temporaryFolder());
  mkdirSync(`${ledger.path}/snapshots`);
  return ledger;
}

async function open(ledger: LedgerDirectory, more: Partial<WriterOptions> = {}): Promise<LedgerWriter> {
  const options = {
    verifiers: [signer.verifier],
    now: () => NOW,
    waitMs: 0,
    holder: 'a test',
  };
  const writer = await LedgerWriter.open(ledger.path, { ...options, ...more });
  onTestFinished(() => writer.close());
  return writer;
}

async function headOf(count: number): Promise<{ ledger: LedgerDirectory; writer: LedgerWriter }> {
  const ledger = emptyLedger();
  const writer = await open(ledger);
  await writer.append(sampleEvents(count));
  return { ledger, writer };
}

const content = (ledger: LedgerDirectory) => readFileSync(ledger.head, 'utf8');
const entries = (ledger: LedgerDirectory) => readdirSync(ledger.path, { recursive: true }).sort();
const sealedEvents = async (ledger: LedgerDirectory) =>
  (await readLedger(ledger.path)).leaves.map(({ event }) => event);

/** A batch of events with their lines. */
const checked = (events: readonly LedgerEvent[]) => [
  events.map((event) => ({ event, line: formatEventLine(event) })),
];

/** What a reader of the whole ledger gets. */
async function eventsOf(ledger: LedgerDirectory) {
  const { leaves, end } = await readLedger(ledger.path);
  const { leaves: rest } = await collect(readHead(ledger, end));
  return [...leaves, ...rest].map(({ event }) => event);
}

describe('appending', () => {
  test('adds one event or several, visible to readers', async () => {
    const ledger = emptyLedger();
    const writer = await open(ledger);
    expect(await writer.append(sampleEvents(1))).toEqual({ count: 1, last: sampleEvent(0) });
    expect(await writer.append(sampleEvents(3, 1))).toEqual({ count: 3, last: sampleEvent(3) });
    await writer.append(sampleEvents(1, 4));
    expect(await writer.append([])).toEqual({ count: 0, last: null });
    expect(content(ledger)).toBe(linesOf(sampleEvents(5)));
    const { end } = await collect(readHead(ledger, LEDGER_START));
    expect(writer.end).toEqual({ size: end.position.size, timestamp: end.position.timestamp });
  });

  test('fills in what drafts lack', async () => {
    const { ledger, writer } = await headOf(2);
    const { type, agent, data } = sampleEvent(2);
    await writer.append([
      { type, agent, data },
      { type, agent, data, timestamp: '2025-07-03T13:01:00+02:00' },
    ]);
    expect((await eventsOf(ledger)).slice(2)).toMatchObject([
      { seq: 2, timestamp: '2025-07-03T11:00:00Z', cycle: 'C-0' },
      { seq: 3, timestamp: '2025-07-03T11:01:00Z', cycle: 'C-0' },
    ]);
  });

  test('continues after a snapshot, no earlier than the end of its slot', async () => {
    const ledger = openDirectory(temporaryFolder());
    await writeLedger(ledger.path, 5);
    const writer = await open(ledger);
    expect(writer.end).toEqual({ size: 5, timestamp: sampleEvent(4).timestamp });
    expect(writer.notBefore).toBe('2025-07-03T06:00:00Z');
    await expect(writer.append([sampleEvent(5)])).rejects.toMatchObject({ code: 'ledger_order' });
    await writer.append([{ ...sampleEvent(5), timestamp: '2025-07-03T06:00:00Z' }]);
    expect(writer.end.size).toBe(6);
  });

  test('finds the last event of the snapshots although the newest ones are empty', async () => {
    const ledger = openDirectory(temporaryFolder());
    await writeLedger(ledger.path, 5, 0, 0);
    expect((await open(ledger)).end).toEqual({ size: 5, timestamp: sampleEvent(4).timestamp });
  });

  test('continues after another run’s events and drops its incomplete line', async () => {
    const { ledger, writer } = await headOf(3);
    for (const batch of [sampleEvents(1, 3), sampleEvents(2, 4)]) {
      writer.close();
      appendFileSync(ledger.head, linesOf([sampleEvent(9)]).slice(0, 50));
      const again = await open(ledger);
      await again.append(batch);
      again.close();
    }
    expect(content(ledger)).toBe(linesOf(sampleEvents(6)));
  });

  test.each<[string, EventDraft, string]>([
    ['out of order', sampleEvent(7), 'ledger_order'],
    ['of an invalid form', { ...sampleEvent(3), agent: '' }, 'ledger_schema'],
    [
      'that is too long',
      { ...sampleEvent(3), type: 'note', data: { text: 'é'.repeat(33_000) } },
      'ledger_corrupt',
    ],
    [
      'that is nested too deeply',
      { ...sampleEvent(3), type: 'note', data: JSON.parse(`${'{"a":'.repeat(512)}1${'}'.repeat(512)}`) },
      'ledger_corrupt',
    ],
    ['in the future', { ...sampleEvent(3), timestamp: '2025-07-03T11:05:01Z' }, 'ledger_order'],
  ])('takes nothing of a batch with an event %s', async (_, event, code) => {
    const { ledger, writer } = await headOf(2);
    const before = [content(ledger), entries(ledger)];
    const options = { place: () => 'events.ndjson:2' };
    const failure = await writer.append([sampleEvent(2), event], options).catch((error) => error);
    expect(failure).toMatchObject({ code });
    expect(failure).toMatchObject({ place: 'events.ndjson:2' });
    expect([content(ledger), entries(ledger)]).toEqual(before);
    await writer.append(sampleEvents(1, 2));
    expect(content(ledger)).toBe(linesOf(sampleEvents(3)));
  });

  test('of a million bytes and more is whole or not at all, from a source that fails as well', async () => {
    const { ledger, writer } = await headOf(2);
    const before = content(ledger);
    const big = { text: 'x'.repeat(20_000) };
    async function* drafts(count: number, fails: boolean): AsyncGenerator<EventDraft[]> {
      for (let at = 0; at < count; at += 1) {
        // Readers see the old head until the batch is complete.
        expect(content(ledger)).toBe(before);
        yield [{ type: 'note', agent: 'ATLAS', data: big }];
      }
      if (fails) throw new Error('the source failed');
    }
    await expect(writer.append(drafts(120, true))).rejects.toThrow('the source failed');
    expect(entries(ledger)).toEqual(['head.ndjson', 'snapshots']);
    writer.close();
    const dry = await open(ledger, { dryRun: true });
    expect(await dry.append(drafts(120, false))).toMatchObject({ count: 120 });
    expect(content(ledger)).toBe(before);
    dry.close();
    expect(await (await open(ledger)).append(drafts(120, false))).toMatchObject({ count: 120 });
    expect(await eventsOf(ledger)).toHaveLength(122);
  });

  test('keeps no more than a batch of lines in memory, however many there are', async () => {
    const { ledger, writer } = await headOf(1);
    const text = 'x'.repeat(20_000);
    const written = () => statSync(`${ledger.head}${TEMPORARY_SUFFIX}`, { throwIfNoEntry: false })?.size ?? 0;
    const kept: number[] = [];
    async function* drafts(): AsyncGenerator<EventDraft[]> {
      for (let at = 0; at < 240; at += 1) {
        kept.push(at * text.length - written());
        yield [{ type: 'note', agent: 'ATLAS', data: { text } }];
      }
    }
    await writer.append(drafts());
    expect(Math.max(...kept)).toBeLessThan(1.5 * 1024 * 1024);
  });

  test('is refused by the caller’s check of a complete event', async () => {
    const { ledger, writer } = await headOf(2);
    const check = ({ seq }: { seq: number }) => {
      if (seq === 3) throw new Error('not this one');
    };
    await expect(writer.append(sampleEvents(2, 2), { check })).rejects.toThrow('not this one');
    expect(content(ledger)).toBe(linesOf(sampleEvents(2)));
  });

  test('rejects a head that is damaged or begins too late', async () => {
    const ledger = emptyLedger();
    writeFileSync(ledger.head, 'hello\n');
    await expect(open(ledger)).rejects.toMatchObject({ code: 'ledger_corrupt' });
    writeFileSync(ledger.head, linesOf(sampleEvents(2, 5)));
    await expect(open(ledger)).rejects.toMatchObject({ code: 'ledger_order' });
    expect(content(ledger)).toBe(linesOf(sampleEvents(2, 5)));
  });

  test('reports that it cannot write, and needs a ledger', async () => {
    const ledger = emptyLedger();
    const writer = await open(ledger);
    mkdirSync(ledger.head);
    const failure = { code: 'ledger_unwritable', place: 'head.ndjson' };
    await expect(writer.append(sampleEvents(1))).rejects.toMatchObject(failure);
    await expect(writer.append(sampleEvents(2))).rejects.toMatchObject(failure);
    expect(entries(ledger)).toEqual(['head.ndjson', 'snapshots']);
    const unlocked = emptyLedger();
    writeFileSync(lockOf(unlocked.path), 'in the way');
    const place = lockOf(unlocked.path);
    const inTheWay = { code: 'ledger_unwritable', place, expected: 'a folder' };
    await expect(open(unlocked)).rejects.toMatchObject(inTheWay);
    const none = openDirectory(`${temporaryFolder()}/none`);
    await expect(open(none)).rejects.toMatchObject({ code: 'ledger_unreadable' });
    expect(existsSync(lockOf(none.path))).toBe(false);
  });

  test('has one writer at a time, however the ledger’s path is spelt', async () => {
    const { ledger, writer } = await headOf(1);
    const again = open(openDirectory(`${ledger.path}/../ledger/`));
    await expect(again).rejects.toMatchObject({ code: 'locked', found: 'a test' });
    writer.close();
    await open(ledger);
  });
});

describe('sealing', () => {
  test('moves the events of finished slots into snapshots and keeps the others', async () => {
    const { ledger, writer } = await headOf(370);
    const sealed = await writer.seal([signer]);
    expect(sealed).toMatchObject({ snapshots: [{ id: SLOT, events: 360 }], head: 10, paused: null });
    expect(sealed.position).toMatchObject({ snapshot: SLOT, size: 360, timestamp: '2025-07-03T05:59:00Z' });
    expect(await sealedEvents(ledger)).toEqual(sampleEvents(360));
    expect(content(ledger)).toBe(linesOf(sampleEvents(10, 360)));
    await writer.append(sampleEvents(1, 370));
    expect(await eventsOf(ledger)).toEqual(sampleEvents(371));
    expect(await writer.seal([signer])).toMatchObject({ snapshots: [], head: 11 });
    expect(await eventsOf(ledger)).toEqual(sampleEvents(371));
  });

  test('writes a snapshot for each slot with events, in one pass or in several, without the tree that it kept', async () => {
    let time = '';
    const now = () => Date.parse(time);
    const several = emptyLedger();
    for (const [until, clock] of [
      [300, '2025-07-03T05:00:00Z'],
      [900, '2025-07-03T15:00:00Z'],
      [1500, '2025-07-04T02:00:00Z'],
    ] as const) {
      time = clock;
      const writer = await open(several, { now });
      await writer.append(sampleEvents(until - writer.end.size, writer.end.size));
      await writer.seal([signer]);
      writer.close();
      rmSync(`${lockOf(several.path)}/sealed.json`, { force: true });
    }
    const one = emptyLedger();
    const writer = await open(one, { now });
    await writer.append(sampleEvents(100));
    const { snapshots, head } = await writer.seal([signer], {}, checked(sampleEvents(1400, 100)));
    expect(snapshots.map(({ events }) => events)).toEqual([360, 360, 360, 360]);
    expect(head).toBe(60);
    expect(await eventsOf(one)).toEqual(sampleEvents(1500));
    expect(await eventsOf(several)).toEqual(sampleEvents(1500));
    expect((await readLedger(several.path)).end).toEqual((await readLedger(one.path)).end);
  });

  test('seals no slot in between, and the newest finished one only if the pause before it is short', async () => {
    const ledger = emptyLedger();
    let now = NOW;
    const writer = await open(ledger, { now: () => now });
    expect(await writer.seal([signer], { quiet: 'always' })).toMatchObject({ snapshots: [], paused: null });
    await writer.append(sampleEvents(5));
    const idsAt = async (time: string, quiet: 'never' | 'alive' | 'always') => {
      now = Date.parse(time);
      const { snapshots, paused } = await writer.seal([signer], { quiet });
      return [...snapshots.map(({ id }) => id), paused?.id ?? null];
    };
    expect(await idsAt('2025-07-05T19:00:00Z', 'alive')).toEqual([SLOT, '2025-07-05T18Z', null]);
    expect(await idsAt('2025-07-05T19:00:00Z', 'alive')).toEqual([null]);
    expect(await idsAt('2025-07-12T13:00:00Z', 'never')).toEqual([null]);
    // Seven days and a second after the last sealed slot: the clock may be wrong.
    expect(await idsAt('2025-07-12T18:00:01Z', 'alive')).toEqual(['2025-07-12T18Z']);
    expect(await idsAt('2025-07-12T18:00:01Z', 'always')).toEqual(['2025-07-12T18Z', null]);
    expect(await idsAt('2025-07-05T19:00:00Z', 'alive')).toEqual([null]);
    expect(await eventsOf(ledger)).toEqual(sampleEvents(5));
  });

  test('does not change what readers have read', async () => {
    const { ledger, writer } = await headOf(370);
    const { leaves } = await collect(readHead(ledger, LEDGER_START));
    await writer.seal([signer]);
    await writer.append(sampleEvents(1, 370));
    const { leaves: sealed, end } = await readLedger(ledger.path);
    const { leaves: rest } = await collect(readHead(ledger, end));
    expect([...sealed, ...rest].slice(0, 370)).toEqual(leaves);
  });

  test.each([370, 100])(
    'of %i events, killed before it replaced the head, is completed by the next writer',
    async (count) => {
      const { ledger, writer } = await headOf(count);
      const before = content(ledger);
      await writer.seal([signer]);
      writer.close();
      for (const batch of [1, 2]) {
        writeFileSync(ledger.head, `${before}{"seq":1`);
        const dry = await open(ledger, { dryRun: true });
        const draft = { type: 'note', agent: 'ATLAS', data: {} };
        expect((await dry.append([draft])).last).toMatchObject({ seq: count });
        expect(content(ledger)).toBe(`${before}{"seq":1`);
        dry.close();
        const again = await open(ledger);
        expect(again.end.size).toBe(count);
        expect(content(ledger)).toBe(linesOf(sampleEvents(Math.max(count - 360, 0), Math.min(count, 360))));
        const drafts = sampleEvents(batch, count).map(({ type, agent, data }) => ({ type, agent, data }));
        await again.append(drafts);
        expect(content(ledger)).toMatch(new RegExp(`^{"seq":${Math.min(count, 360)},`));
        expect(await eventsOf(ledger)).toHaveLength(count + batch);
        expect((await again.seal([signer])).head).toBe(Math.max(count - 360, 0) + batch);
        expect(await eventsOf(ledger)).toHaveLength(count + batch);
        again.close();
      }
    },
  );

  test('seals the bytes of a line as they are', async () => {
    const ledger = emptyLedger();
    const line = `${JSON.stringify(sampleEvent(0)).replace('"seq":0', '"seq": 0')}\n`;
    writeFileSync(ledger.head, line);
    const { leaves } = await collect(readHead(ledger, LEDGER_START));
    await (await open(ledger)).seal([signer]);
    expect((await readLedger(ledger.path)).leaves).toEqual(leaves);
  });

  test('stops at an event out of order, keeps the slots before it, and can continue', async () => {
    const { ledger, writer } = await headOf(100);
    const bad = checked([...sampleEvents(270, 100), sampleEvent(371)]);
    await expect(writer.seal([signer], {}, bad)).rejects.toMatchObject({ code: 'ledger_order' });
    expect(writer.sealed).toMatchObject({ snapshot: SLOT, size: 360 });
    expect(await eventsOf(ledger)).toEqual(sampleEvents(360));
    await writer.seal([signer], {}, checked(sampleEvents(15, 360)));
    expect(await eventsOf(ledger)).toEqual(sampleEvents(375));
    expect(entries(ledger).filter((name) => `${name}`.endsWith('.tmp'))).toEqual([]);
  });

  test('refuses a gap in the head and leaves everything as it was', async () => {
    const { ledger, writer } = await headOf(3);
    appendFileSync(ledger.head, linesOf([sampleEvent(4), sampleEvent(5)]));
    writer.close();
    const before = content(ledger);
    const again = await open(ledger);
    await expect(again.seal([signer])).rejects.toMatchObject({ code: 'ledger_order' });
    expect([content(ledger), entries(ledger)]).toEqual([before, ['head.ndjson', 'snapshots']]);
  });

  test('refuses keys that readers do not know, and those of another ledger', async () => {
    const { ledger, writer } = await headOf(3);
    const unknown = signerFromSeed(ORIGIN, new Uint8Array(32).fill(99));
    await expect(writer.seal([unknown])).rejects.toMatchObject({ code: 'config_invalid' });
    await writer.seal([unknown, signer]);
    expect(await sealedEvents(ledger)).toHaveLength(3);
    expect((await readLedger(ledger.path, [unknown.verifier])).leaves).toHaveLength(3);
    const other = signerFromSeed('other.example', new Uint8Array(32));
    writer.close();
    const again = await open(ledger, { verifiers: [signer.verifier, other.verifier] });
    await expect(again.seal([other])).rejects.toMatchObject({
      code: 'config_invalid',
      found: expect.stringContaining('other.example'),
    });
  });

  test('fails if the snapshot cannot be written, and leaves the head unchanged', async () => {
    const { ledger, writer } = await headOf(5);
    mkdirSync(`${snapshotFile(ledger.path, FIRST_SLOT).checkpoint}.tmp`, { recursive: true });
    await expect(writer.seal([signer])).rejects.toMatchObject({ code: 'ledger_unwritable' });
    expect(content(ledger)).toBe(linesOf(sampleEvents(5)));
    rmSync(`${snapshotFile(ledger.path, FIRST_SLOT).checkpoint}.tmp`, { recursive: true });
    symlinkSync('/dev/full', `${snapshotFile(ledger.path, FIRST_SLOT).checkpoint}.tmp`);
    await expect(writer.seal([signer])).rejects.toMatchObject({
      code: 'disk_full',
      found: 'a full disk (ENOSPC)',
    });
    expect(content(ledger)).toBe(linesOf(sampleEvents(5)));
    rmSync(`${snapshotFile(ledger.path, FIRST_SLOT).checkpoint}.tmp`, { force: true });
    await writer.seal([signer]);
    expect(await eventsOf(ledger)).toEqual(sampleEvents(5));
  });
});
