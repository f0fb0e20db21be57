import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HeadWriter } from '../../pipeline/ledger/append-head.ts';
import { type LedgerDirectory, openDirectory, snapshotFile } from '../../pipeline/ledger/directory.ts';
import { readHead } from '../../pipeline/ledger/head.ts';
import { LEDGER_START, type LedgerPosition } from '../../pipeline/ledger/leaf.ts';
import { sampleEvent, sampleEvents } from './sample-events.ts';
import { linesOf } from './signed-snapshot.ts';
import { collect, FIRST_SLOT, readLedger, signer, temporaryFolder, writeLedger } from './test-ledger.ts';

const SLOT = '2025-07-03T06Z';

async function openHead(ledger: LedgerDirectory, sealed: LedgerPosition = LEDGER_START): Promise<HeadWriter> {
  const head = await HeadWriter.open(ledger, sealed, { durable: false });
  onTestFinished(() => head.close());
  return head;
}

/** One event per minute: 0 … 359 before 06:00:00, 360 at 06:00:00. */
async function headOf(count: number): Promise<{ ledger: LedgerDirectory; head: HeadWriter }> {
  const ledger = openDirectory(temporaryFolder());
  const head = await openHead(ledger);
  for (const event of sampleEvents(count)) head.append(event);
  return { ledger, head };
}

const content = (ledger: LedgerDirectory) => readFileSync(ledger.head, 'utf8');

describe('the writer of the head', () => {
  test('appends one line at a time, visible to readers', async () => {
    const ledger = openDirectory(temporaryFolder());
    const head = await HeadWriter.open(ledger, LEDGER_START);
    for (const event of sampleEvents(3)) head.append(event);
    expect(content(ledger)).toBe(linesOf(sampleEvents(3)));
    const { end } = await collect(readHead(ledger, LEDGER_START));
    expect(head.position).toEqual(end.position);
    head.close();
  });

  test('continues after a snapshot', async () => {
    const ledger = openDirectory(temporaryFolder());
    const sealed = await writeLedger(ledger.path, 5);
    const head = await openHead(ledger, sealed);
    head.append(sampleEvent(5));
    expect(head.position).toMatchObject({ snapshot: FIRST_SLOT, size: 6 });
  });

  test('continues after another run’s events and drops its incomplete line', async () => {
    const { ledger, head } = await headOf(3);
    head.close();
    appendFileSync(ledger.head, linesOf([sampleEvent(3)]).slice(0, 50));
    const again = await openHead(ledger);
    again.append(sampleEvent(3));
    expect(content(ledger)).toBe(linesOf(sampleEvents(4)));
  });

  test.each([
    ['out of order', sampleEvent(7), 'ledger_order'],
    ['of an invalid form', { ...sampleEvent(2), agent: '' }, 'ledger_schema'],
  ])('does not append an event %s', async (_, event, code) => {
    const { ledger, head } = await headOf(2);
    expect(() => head.append(event)).toThrow(expect.objectContaining({ code }));
    head.append(sampleEvent(2));
    expect(content(ledger)).toBe(linesOf(sampleEvents(3)));
  });

  test('rejects a head that is damaged or begins too late', async () => {
    const ledger = openDirectory(temporaryFolder());
    writeFileSync(ledger.head, 'hello\n');
    await expect(HeadWriter.open(ledger, LEDGER_START)).rejects.toMatchObject({ code: 'ledger_corrupt' });
    writeFileSync(ledger.head, linesOf(sampleEvents(2, 5)));
    await expect(HeadWriter.open(ledger, LEDGER_START)).rejects.toMatchObject({ code: 'ledger_order' });
    expect(content(ledger)).toBe(linesOf(sampleEvents(2, 5)));
  });

  test('reports that it cannot write', async () => {
    const ledger = openDirectory(`${temporaryFolder()}/none`);
    await expect(HeadWriter.open(ledger, LEDGER_START)).rejects.toMatchObject({
      code: 'ledger_unwritable',
      place: 'head.ndjson',
    });
  });
});

describe('sealing', () => {
  test('moves the events before the boundary into a snapshot', async () => {
    const { ledger, head } = await headOf(370);
    const sealed = await head.seal(SLOT, signer);
    expect(sealed).toMatchObject({ snapshot: SLOT, size: 360, timestamp: '2025-07-03T05:59:00Z' });
    expect((await readLedger(ledger.path)).leaves.map(({ event }) => event)).toEqual(sampleEvents(360));
    expect(content(ledger)).toBe(linesOf(sampleEvents(10, 360)));
    expect(head.position).toMatchObject({ snapshot: SLOT, size: 370 });
  });

  test('does not change what readers have read', async () => {
    const { ledger, head } = await headOf(370);
    const { leaves } = await collect(readHead(ledger, LEDGER_START));
    await head.seal(SLOT, signer);
    head.append(sampleEvent(370));
    const { leaves: sealed, end } = await readLedger(ledger.path);
    const { leaves: rest } = await collect(readHead(ledger, end));
    expect([...sealed, ...rest].slice(0, 370)).toEqual(leaves);
    expect(rest.at(-1)!.event).toEqual(sampleEvent(370));
  });

  test('of successive slots gives one ledger', async () => {
    const { ledger, head } = await headOf(300);
    await head.seal(SLOT, signer);
    for (const event of sampleEvents(600, 300)) head.append(event);
    await head.seal('2025-07-03T12Z', signer);
    await head.seal('2025-07-03T18Z', signer);
    await head.seal('2025-07-04T00Z', signer);
    expect((await readLedger(ledger.path)).leaves.map(({ event }) => event)).toEqual(sampleEvents(900));
    expect(content(ledger)).toBe('');
  });

  test('killed before it replaced the head is completed when the head is opened', async () => {
    const { ledger, head } = await headOf(370);
    const before = content(ledger);
    const sealed = await head.seal(SLOT, signer);
    writeFileSync(ledger.head, before);
    const again = await openHead(ledger, sealed);
    again.append(sampleEvent(370));
    expect((await collect(readHead(ledger, sealed))).leaves.map(({ event }) => event.seq)).toEqual(
      sampleEvents(11, 360).map(({ seq }) => seq),
    );
    await again.seal('2025-07-03T12Z', signer);
    expect((await readLedger(ledger.path)).leaves).toHaveLength(371);
  });

  test('killed when everything was sealed leaves only the snapshot to continue from', async () => {
    const { ledger, head } = await headOf(100);
    const before = content(ledger);
    const sealed = await head.seal(SLOT, signer);
    writeFileSync(ledger.head, `${before}{"seq":1`);
    const again = await openHead(ledger, sealed);
    again.append(sampleEvent(100));
    const { leaves } = await collect(readHead(ledger, sealed));
    expect(leaves.map(({ event }) => event)).toEqual([sampleEvent(100)]);
  });

  test('fails without side effects if the slot is already sealed', async () => {
    const { ledger, head } = await headOf(370);
    await head.seal(SLOT, signer);
    const before = [content(ledger), readFileSync(snapshotFile(ledger.path, SLOT).events, 'hex')];
    await expect(head.seal(SLOT, signer)).rejects.toMatchObject({ code: 'ledger_order' });
    expect([content(ledger), readFileSync(snapshotFile(ledger.path, SLOT).events, 'hex')]).toEqual(before);
    head.append(sampleEvent(370));
    await head.seal('2025-07-03T12Z', signer);
    expect((await readLedger(ledger.path)).leaves).toHaveLength(371);
  });

  test('refuses a line that the snapshot would write differently', async () => {
    const ledger = openDirectory(temporaryFolder());
    writeFileSync(ledger.head, `${JSON.stringify(sampleEvent(0)).replace('"seq":0', '"seq": 0')}\n`);
    const head = await openHead(ledger);
    await expect(head.seal(SLOT, signer)).rejects.toMatchObject({ code: 'ledger_corrupt' });
    expect(() => readFileSync(snapshotFile(ledger.path, SLOT).events)).toThrow('ENOENT');
  });

  test('fails if the snapshot cannot be written, and leaves the head unchanged', async () => {
    const { ledger, head } = await headOf(5);
    writeFileSync(`${ledger.path}/snapshots`, 'a file');
    await expect(head.seal(SLOT, signer)).rejects.toMatchObject({ code: 'ledger_unwritable' });
    expect(content(ledger)).toBe(linesOf(sampleEvents(5)));
  });
});
