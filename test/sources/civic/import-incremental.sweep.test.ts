import { appendFileSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CivicServer, civicAfter, civicChain, civicEvent } from './civic-server.ts';
import { Folders, filesOf, headLines, INDEX, idsOf, importInto, verifiedLedger } from './import-fixture.ts';

const NOON = '2025-12-01T12:30:00Z';
const EVENING = '2025-12-01T18:30:00Z';

/** 400 events, one per minute, from 05:30 to 12:10. */
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
  test('requests the newest page, one older page, and the end', async () => {
    await importFirst(390);
    server.requests.length = 0;
    const report = await importFirst(400);
    expect(report.imported).toBe(10);
    expect(server.requests.map((request) => request.replace(/^.*offset=/, ''))).toEqual(['0', '300', '399']);
    expect(await ids()).toEqual(idsUntil(400));
  });

  test('gives the same bytes as a single import', async () => {
    await importFirst(1, '2025-12-01T05:30:30Z');
    await importFirst(2, '2025-12-01T05:31:30Z');
    await importFirst(45, '2025-12-01T06:20:00Z');
    await importFirst(380, '2025-12-01T11:50:00Z');
    await importFirst(400);
    const whole = folders.make();
    await importFirst(400, NOON, whole);
    expect(filesOf(directory)).toEqual(filesOf(whole));
  });

  test('seals the head with unchanged lines when its slot is over', async () => {
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

  test('finds an event of the same second as the newest, which the server lists after it', async () => {
    const [first, ...others] = civicChain(3);
    const twin = civicAfter(others[1]!, { event_id: 'twin', timestamp: '2025-12-01T12:00:00.5+00:00' });
    const newest = civicAfter(others[1]!, { event_id: 'newest', timestamp: '2025-12-01T12:00:00.9+00:00' });
    server.events = [first!, ...others, newest];
    await importInto(directory, server.url, { pageSize: 1 });
    server.events = [first!, ...others, newest, twin];
    expect(await importInto(directory, server.url, { pageSize: 1 })).toMatchObject({ imported: 1 });
    expect((await ids()).slice(3)).toEqual(['newest', 'twin', '!newest twin', '!source-late']);
  });

  test.each([0, 1, 57, 200, 388])(
    'reports that the remote ledger has lost old event %i, once',
    async (lost) => {
      await importFirst(400);
      server.events = chain.filter((_, index) => index !== lost);
      server.requests.length = 0;
      const again = () => importInto(directory, server.url, { now: NOON, pageSize: 10 });
      expect(await again()).toMatchObject({ findings: [{ kind: 'deleted', rows: [`evt_${lost}`] }] });
      // One for each page of ten, with the last event of the page before.
      expect(server.requests.length).toBeLessThan(110);
      expect(await again()).toMatchObject({ imported: 0, findings: [] });
      rmSync(join(directory, INDEX));
      expect(await again()).toMatchObject({ imported: 0, findings: [] });
      const { events } = await verifiedLedger(directory);
      expect(events).toHaveLength(401);
      expect(events[400]!.data.changes).toEqual([{ event_id: `evt_${lost}`, change: 'deleted' }]);
      // It comes back, and new ones follow.
      server.events = [...chain, civicAfter(chain[399]!, { event_id: 'next' })];
      const full = await importInto(directory, server.url, { now: NOON, full: true });
      expect(full).toMatchObject({ imported: 1, findings: [{ kind: 'modified', rows: [`evt_${lost}`] }] });
      expect(await again()).toMatchObject({ imported: 0, findings: [] });
    },
  );

  test.each([true, false])(
    'reports a rewritten old event once, at the latest after a full comparison',
    async (isRehashed) => {
      await importFirst(400);
      const { event_hash, ...fields } = chain[57]!;
      const rewritten = civicEvent({
        ...fields,
        payload: '{"n": -1}',
        ...(isRehashed ? {} : { event_hash }),
      });
      server.events = chain.map((event, index) => (index === 57 ? rewritten : event));
      const again = () => importInto(directory, server.url, { now: NOON, pageSize: 50 });
      const findings = [];
      for (let count = 1; count <= 20; count += 1) findings.push(...(await again()).findings);
      expect(findings).toMatchObject([{ kind: 'modified', rows: ['evt_57'] }]);
      rmSync(join(directory, INDEX));
      const full = await importInto(directory, server.url, { now: NOON, full: true });
      expect(full).toMatchObject({ imported: 0, findings: [] });
    },
  );

  test('imports what a ledger has whose chain has a gap, and reports the gap; not content without its hash', async () => {
    server.events = chain.filter((_, index) => index !== 57);
    expect(await importInto(directory, server.url, { now: NOON })).toMatchObject({
      imported: 399,
      findings: [{ kind: 'gap', rows: ['evt_58'] }],
    });
    expect((await ids()).at(-1)).toBe('!source-gap');
    expect(await importInto(directory, server.url, { now: NOON, full: true })).toMatchObject({
      findings: [],
    });
    server.events = server.events.with(9, { ...chain[9]!, payload: '{"n": -1}' });
    const full = importInto(folders.make(), server.url, { now: NOON });
    await expect(full).rejects.toThrow('the hash of its content');
  });

  test('audits a second with more events than a page', async () => {
    const second = chain[9]!.timestamp;
    const many = Array.from({ length: 30 }, (_, n) =>
      civicAfter(chain[8]!, { event_id: `m${n}`, timestamp: second }),
    );
    server.events = [...chain.slice(0, 9), ...many, ...chain.slice(9)];
    await importInto(directory, server.url, { now: NOON });
    const gone = server.events.findIndex(({ event_id }) => event_id === 'm17');
    const swapped = civicAfter(chain[8]!, { event_id: 'swapped', timestamp: second });
    server.events = server.events.with(gone, swapped);
    const findings = [];
    for (let count = 1; count <= 25; count += 1)
      findings.push(...(await importInto(directory, server.url, { now: NOON, pageSize: 20 })).findings);
    expect(findings.filter(({ kind }) => kind === 'deleted')).toMatchObject([{ rows: ['m17'] }]);
    expect(await ids()).toContain('swapped');
  });

  test('detects a fork at an event imported long ago', async () => {
    await importFirst(400);
    const fork = civicAfter(chain[3]!, { event_id: 'fork', timestamp: '2025-12-01T12:10:30+00:00' });
    server.events = [...chain, fork];
    const report = await importInto(directory, server.url, { now: NOON });
    expect(report).toMatchObject({ imported: 1, findings: [{ kind: 'fork', rows: ['fork'] }] });
    expect((await ids()).slice(400)).toEqual(['fork', '!evt_4 fork']);
  });

  test('reports that the newest event or all but the last ten minutes are lost', async () => {
    await importFirst(400);
    server.events = chain.slice(0, 399);
    expect(await importInto(directory, server.url, { now: NOON })).toMatchObject({
      findings: [{ kind: 'deleted', rows: ['evt_399'] }],
    });
    server.events = chain.slice(-11, -1);
    const { findings } = await importInto(directory, server.url, { now: NOON });
    expect(findings).toMatchObject([{ kind: 'deleted', rows: { length: 389 } }]);
    expect(await importInto(directory, server.url, { now: NOON })).toMatchObject({ findings: [] });
  });

  test('waits ten minutes for a predecessor, and then imports its follower without it', async () => {
    await importFirst(400);
    const orphan = civicEvent({
      event_id: 'orphan',
      timestamp: '2025-12-01T12:25:00Z',
      previous_hash: 'ab'.repeat(32),
    });
    server.events = [...chain, orphan];
    for (const pageSize of [10, 100]) {
      await expect(importInto(directory, server.url, { now: NOON, pageSize })).rejects.toMatchObject({
        place: 'event orphan',
        expected: `its predecessor, the event with hash ${orphan.previous_hash}`,
      });
    }
    const later = { now: '2025-12-01T12:36:00Z', pageSize: 10 };
    expect(await importInto(directory, server.url, later)).toMatchObject({
      imported: 1,
      findings: [{ kind: 'gap', rows: ['orphan'] }],
    });
    expect(await importInto(directory, server.url, later)).toMatchObject({ imported: 0, findings: [] });
  });

  test('is not delayed by an event that arrives with each request', async () => {
    await importFirst(200);
    server.requests.length = 0;
    server.intercept = () => {
      server.events = chain.slice(0, 200 + server.requests.length);
      return false;
    };
    await importInto(directory, server.url, { now: NOON, pageSize: 10 });
    // The counts cannot be compared meanwhile, but that does not require reading everything.
    expect(server.requests.length).toBeLessThan(90);
    server.intercept = () => false;
    await importInto(directory, server.url, { now: NOON });
    expect(server.events.length).toBeLessThan(400);
    const imported = (await ids()).filter((id) => id !== '!source-late');
    expect(imported.toSorted()).toEqual(server.events.map(({ event_id }) => event_id).toSorted());
  });

  test('refuses a ledger that started over', async () => {
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
});

describe('a killed import', () => {
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

  test('before it wrote anything is repeated', expectContinues);

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

  test('before it wrote its index is continued from the ledger', async () => {
    const index = readFileSync(join(directory, INDEX));
    cpSync(whole, directory, { recursive: true });
    writeFileSync(join(directory, INDEX), index);
    await expectContinues();
  });

  test('within a line of the head is continued before that line', async () => {
    appendFileSync(join(directory, 'head.ndjson'), headLines(directory)[0]!.slice(0, 50));
    await expectContinues();
  });

  test('ignores the index of another ledger', async () => {
    const other = folders.make();
    server.events = civicChain(380, { timestamp: '2025-12-01T05:30:00.75+00:00' });
    await importInto(other, server.url, { now: '2025-12-01T11:50:00Z' });
    cpSync(join(other, INDEX), join(directory, INDEX));
    await expectContinues();
  });

  test.each([
    ['is gone', (path: string) => rmSync(path)],
    ['is cut off', (path: string) => truncateSync(path, 5000)],
    ['is not a database', (path: string) => writeFileSync(path, 'x'.repeat(5000))],
    ['is empty', (path: string) => truncateSync(path, 0)],
    ['has lost its rows', (path: string) => writeFileSync(path, readFileSync(path).fill(0, 4096 * 8))],
  ])('rebuilds an index that %s', async (_, damage) => {
    damage(join(directory, INDEX));
    await expectContinues();
  });
});

describe('a local ledger that is damaged', () => {
  test('stops the import at a damaged line of the head', async () => {
    await importFirst(400);
    const path = join(directory, 'head.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"seq":', 'seq:'));
    await expect(importFirst(400)).rejects.toMatchObject({ code: 'ledger_corrupt', place: 'head.ndjson:1' });
    // The procedure in the guide.
    rmSync(path);
    expect(await importFirst(400)).toMatchObject({ imported: 10, head: 10 });
    expect(await ids()).toEqual(idsUntil(400));
  });
});
