import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CivicServer, civicAfter, civicChain, civicEvent } from './civic-server.ts';
import { Folders, filesOf, headLines, idsOf, importInto, verifiedLedger } from './import-fixture.ts';

const STATE = 'civic-import.json';
const NOON = '2025-12-01T12:30:00Z';
const EVENING = '2025-12-01T18:30:00Z';

/** 400 events, one a minute, from half past five in the morning to ten past twelve. */
const chain = civicChain(400, { timestamp: '2025-12-01T05:30:00.25+00:00' });
const folders = new Folders();
let server: CivicServer;
let directory: string;

beforeEach(async () => {
  server = await CivicServer.start([]);
  directory = folders.make();
});
afterEach(async () => {
  await server.close();
  folders.remove();
});

const ids = async (folder = directory) => idsOf((await verifiedLedger(folder)).events);
const idsUntil = (count: number) => chain.slice(0, count).map(({ event_id }) => event_id);

/** Imports the first `count` events. */
async function importFirst(count: number, now = NOON, folder = directory) {
  server.events = chain.slice(0, count);
  return importInto(folder, server.url, { now });
}

describe('a second import', () => {
  test('asks only for the pages until it meets what it has', async () => {
    await importFirst(390);
    server.requests.length = 0;
    const report = await importFirst(400);
    expect(report.imported).toBe(10);
    expect(server.requests).toHaveLength(1);
    expect(await ids()).toEqual(idsUntil(400));
  });

  test('of a ledger that has not changed changes nothing', async () => {
    await importFirst(400);
    const files = filesOf(directory);
    expect(await importFirst(400)).toEqual({ imported: 0, sealed: [], size: 400, head: 10, findings: [] });
    expect(filesOf(directory)).toEqual(files);
  });

  test('gives the bytes that one import of all would have given', async () => {
    await importFirst(1, '2025-12-01T05:30:30Z');
    await importFirst(2, '2025-12-01T05:31:30Z');
    await importFirst(45, '2025-12-01T06:20:00Z');
    await importFirst(380, '2025-12-01T11:50:00Z');
    await importFirst(400);
    const whole = folders.make();
    await importFirst(400, NOON, whole);
    expect(filesOf(directory)).toEqual(filesOf(whole));
  });

  test('seals the head when its slot is over, its lines as they were', async () => {
    const exact = civicAfter(chain[395]!, {
      event_id: 'exact',
      payload: '{"a": [1.0, 1e-7, 12345678901234567890]}',
    });
    server.events = [...chain.slice(0, 396), exact];
    await importInto(directory, server.url, { now: NOON });
    const lines = headLines(directory);
    expect(lines.at(-1)).toContain('"a":[1.0,1e-7,12345678901234567890]');
    const report = await importInto(directory, server.url, { now: EVENING });
    expect(report).toMatchObject({ sealed: ['2025-12-01T18Z'], head: 0 });
    const whole = folders.make();
    await importInto(whole, server.url, { now: EVENING });
    expect(filesOf(directory)).toEqual(filesOf(whole));
  });

  test('puts an event that came after its slot was sealed behind it, and says so', async () => {
    await importFirst(400, EVENING);
    const late = civicAfter(chain[398]!, { event_id: 'late', timestamp: '2025-12-01T12:09:30+00:00' });
    server.events = [...chain, late];
    const report = await importInto(directory, server.url, { now: EVENING });
    expect(report.findings.map(({ kind }) => kind)).toEqual(['late', 'fork']);
    const { head } = await verifiedLedger(directory);
    expect(head.map(({ timestamp }) => timestamp)).toEqual(['2025-12-01T18:00:00Z', '2025-12-01T18:00:00Z']);
    expect(head[0]!.data.source).toMatchObject({ event_id: 'late', timestamp: '2025-12-01T12:09:30+00:00' });
  });

  test('finds an event that became visible behind newer ones', async () => {
    const visible = chain.filter((_, index) => index !== 395);
    // 396 and those after it follow 394 here, so 395 is a branch of its own.
    const others = visible.slice(0, 395);
    for (const { event_id, timestamp } of visible.slice(395)) {
      others.push(civicAfter(others.at(-1)!, { event_id: `${event_id}b`, timestamp }));
    }
    server.events = others;
    await importInto(directory, server.url, { now: NOON, pageSize: 1 });
    server.events = [...others, chain[395]!];
    const report = await importInto(directory, server.url, { now: NOON, pageSize: 1 });
    expect(report).toMatchObject({ imported: 1, findings: [{ kind: 'fork', event_id: 'evt_395' }] });
  });

  test('finds an event of the second of the newest one, which the server gives behind that', async () => {
    const [first, ...others] = civicChain(3);
    const twin = civicAfter(others[1]!, { event_id: 'twin', timestamp: '2025-12-01T12:00:00.5+00:00' });
    const newest = civicAfter(others[1]!, { event_id: 'newest', timestamp: '2025-12-01T12:00:00.9+00:00' });
    server.events = [first!, ...others, newest];
    await importInto(directory, server.url, { pageSize: 1 });
    server.events = [first!, ...others, newest, twin];
    expect(await importInto(directory, server.url, { pageSize: 1 })).toMatchObject({ imported: 1 });
    expect((await ids()).slice(3)).toEqual(['newest', 'twin', '!newest twin']);
  });

  test('that pages to the end finds an event which came long after its time', async () => {
    const late = civicAfter(chain[2]!, { event_id: 'late' });
    await importFirst(400);
    server.events = [...chain, late];
    expect(await importInto(directory, server.url, { now: NOON })).toMatchObject({ imported: 0 });
    const report = await importInto(directory, server.url, { now: NOON, full: true });
    expect(report.findings.map(({ kind, event_id }) => [kind, event_id])).toEqual([
      ['late', 'late'],
      ['fork', 'late'],
    ]);
  });

  test('that pages to the end refuses a ledger that has lost an old event', async () => {
    await importFirst(400);
    const lost = civicAfter(chain[2]!, { event_id: 'lost' });
    server.events = [...chain, lost];
    await importInto(directory, server.url, { now: NOON, full: true });
    server.events = chain;
    expect(await importInto(directory, server.url, { now: NOON })).toMatchObject({ imported: 0 });
    await expect(importInto(directory, server.url, { now: NOON, full: true })).rejects.toMatchObject({
      expected: `event lost (${lost.event_hash}), imported before`,
    });
  });

  test('knows a fork from an event that it imported long ago', async () => {
    await importFirst(400);
    const fork = civicAfter(chain[3]!, { event_id: 'fork', timestamp: '2025-12-01T12:10:30+00:00' });
    server.events = [...chain, fork];
    const report = await importInto(directory, server.url, { now: NOON });
    expect(report).toMatchObject({ imported: 1, findings: [{ kind: 'fork', event_id: 'fork' }] });
    expect((await ids()).slice(400)).toEqual(['fork', '!evt_4 fork']);
  });

  test('knows a second beginning from the first', async () => {
    await importFirst(400);
    server.events = [...chain, civicEvent({ event_id: 'again', timestamp: '2025-12-01T12:11:00+00:00' })];
    await importInto(directory, server.url, { now: NOON });
    expect((await ids()).slice(400)).toEqual(['again', '!evt_0 again']);
  });

  test('refuses a ledger that has lost an event of the last minutes', async () => {
    await importFirst(400);
    const files = filesOf(directory);
    server.events = chain.slice(0, 399);
    await expect(importInto(directory, server.url, { now: NOON })).rejects.toMatchObject({
      code: 'import_failed',
      expected: expect.stringContaining('event evt_399 ('),
      found: 'no such event: it was removed',
    });
    expect(filesOf(directory)).toEqual(files);
  });

  test('refuses a ledger that began anew', async () => {
    await importFirst(400);
    server.events = civicChain(3, { timestamp: '2025-12-01T12:20:00+00:00' }, 'new');
    await expect(importInto(directory, server.url, { now: NOON })).rejects.toMatchObject({
      code: 'import_failed',
    });
    server.events = [];
    await expect(importInto(directory, server.url, { now: NOON })).rejects.toMatchObject({
      code: 'import_failed',
    });
  });

  test('refuses an event whose content changed since', async () => {
    await importFirst(400);
    server.events = [
      ...chain.slice(0, 399),
      civicAfter(chain[398]!, { event_id: 'evt_399', payload: '{"n": 0}' }),
    ];
    await expect(importInto(directory, server.url, { now: NOON })).rejects.toMatchObject({
      place: 'event evt_399',
      expected: `event_hash ${chain[399]!.event_hash}, as it came before`,
    });
  });
});

describe('an import that was killed', () => {
  let whole: string;

  /** `directory` holds the import of noon with 380 events; `whole`, that and the one of the evening with 400. */
  beforeEach(async () => {
    whole = folders.make();
    await importFirst(380, '2025-12-01T11:50:00Z');
    await importFirst(380, '2025-12-01T11:50:00Z', whole);
    await importFirst(400, EVENING, whole);
  });

  async function expectContinues(): Promise<void> {
    await importFirst(400, EVENING);
    expect(filesOf(directory)).toEqual(filesOf(whole));
  }

  test('before it wrote anything is made up for', expectContinues);

  test('after it sealed its snapshots is continued from them', async () => {
    cpSync(join(whole, 'snapshots'), join(directory, 'snapshots'), { recursive: true });
    await expectContinues();
  });

  test('after it sealed the first of its snapshots is continued from that', async () => {
    for (const file of ['2025-12-01T12Z.ndjson.zst', '2025-12-01T12Z.checkpoint']) {
      cpSync(join(whole, 'snapshots', file), join(directory, 'snapshots', file));
    }
    await expectContinues();
  });

  test('before it signed a snapshot replaces that', async () => {
    writeFileSync(join(directory, 'snapshots/2025-12-01T12Z.ndjson.zst'), 'half');
    await expectContinues();
  });

  test('before it wrote its state is continued from the ledger', async () => {
    cpSync(whole, directory, { recursive: true });
    rmSync(join(directory, STATE));
    await expectContinues();
  });

  test('amid a line of the head is continued before that line', async () => {
    appendFileSync(join(directory, 'head.ndjson'), headLines(directory)[0]!.slice(0, 50));
    await expectContinues();
  });

  test.each([
    ['is of another ledger', (state: string) => state.replace(/"range":\["../, '"range":["00')],
    ['is cut off', (state: string) => state.slice(0, 50)],
    ['has a member too many', (state: string) => state.replace('{', '{"x":1,')],
  ])('does not go by a state that %s', async (_, change) => {
    const path = join(directory, STATE);
    const state = readFileSync(path, 'utf8');
    writeFileSync(path, change(state));
    expect(readFileSync(path, 'utf8')).not.toBe(state);
    await expectContinues();
  });
});

describe('a local ledger that is damaged', () => {
  test('stops the import at a line of the head that is not as it was written', async () => {
    await importFirst(400);
    const path = join(directory, 'head.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"seq":', '"seq": '));
    await expect(importFirst(400)).rejects.toMatchObject({ code: 'ledger_corrupt', place: 'head.ndjson:1' });
  });

  test('stops the import at a head that does not follow the snapshots', async () => {
    await importFirst(400);
    writeFileSync(join(directory, 'head.ndjson'), `${headLines(directory).slice(1).join('\n')}\n`);
    await expect(importFirst(400)).rejects.toMatchObject({ code: 'ledger_order', expected: 'seq 390' });
  });

  test('stops the import at a snapshot that another key signed', async () => {
    await importFirst(400);
    const path = join(directory, 'snapshots/2025-12-01T12Z.checkpoint');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/— (.*) (.{20}).{10}/, '— $1 $2AAAAAAAAAA'));
    await expect(importFirst(400)).rejects.toMatchObject({ code: 'ledger_signature' });
  });
});
