import { describe, expect, onTestFinished, test } from 'vitest';
import type { AccessLog, AccessLogOptions } from '../../../src/sidecar/access-log/access-log.ts';
import {
  type Access,
  type Entry,
  FIRST_LINK,
  type Link,
  linkEntry,
  recordAccess,
} from '../../../src/sidecar/access-log/entry.ts';
import type { Expired } from '../../../src/sidecar/access-log/expire-entries.ts';
import { EXPORT_FORMATS, exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import type { LogReader } from '../../../src/sidecar/access-log/log-reader.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { START, sampleAccess } from './sample-access.ts';

/** A stored log, and how to open it for writing as one more server does. */
export interface StoredLog {
  reader: LogReader;
  open: (options?: AccessLogOptions) => AccessLog;
  expire: (before: number, now: number) => Promise<Expired>;
}

export async function entriesOf(reader: LogReader): Promise<Entry[]> {
  const period = { from: -Infinity, to: Infinity, format: 'ndjson' } as const;
  const text = (await Array.fromAsync(exportAccessLog(reader, period))).join('');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** What every log has to do. `create` makes an empty one each time; `writers`: how many may write to one at once. */
export function testAccessLog(writers: number, create: () => Promise<StoredLog>): void {
  async function opened(options?: AccessLogOptions) {
    const stored = await create();
    return { ...stored, log: openFor(stored, options) };
  }

  function openFor({ open }: StoredLog, options?: AccessLogOptions): AccessLog {
    const log = open(options);
    let isOpen = true;
    const close = async () => {
      if (isOpen) await log.close();
      isOpen = false;
    };
    onTestFinished(close);
    return { ...log, close };
  }

  test('stores the entries that follow from the accesses, whatever stores them', async () => {
    const { log, reader } = await opened();
    const odd: Partial<Access> = {
      path: '/government/"a",{}\\N\n\u2028é\u{1f5ff}\ud800\0',
      query: "';--",
      holder: '',
    };
    const accesses = [sampleAccess(0, odd), ...Array.from({ length: 700 }, (_, at) => sampleAccess(at + 1))];
    await Promise.all(accesses.map((access) => log.append(access)));
    let link: Link = FIRST_LINK;
    const expected = accesses.map((access) => {
      const entry = linkEntry(recordAccess(access), link);
      link = entry;
      return entry;
    });
    expect(await entriesOf(reader)).toEqual(expected);
    const verdict = { faults: [], entries: 701, last: { seq: 700, hash: link.hash } };
    expect(await verifyAccessLog(reader, { head: expected[300]!.hash })).toMatchObject(verdict);
  });

  test('has an entry when append has resolved, and goes on where it ended', async () => {
    const { log, ...stored } = await opened();
    await log.append(sampleAccess(0));
    expect(await entriesOf(stored.reader)).toHaveLength(1);
    await log.check();
    await log.close();
    await openFor(stored).append(sampleAccess(1));
    expect(await verifyAccessLog(stored.reader)).toMatchObject({ faults: [], entries: 2 });
  });

  test('that is empty verifies', async () => {
    const { log, reader } = await opened();
    await log.check();
    const verdict = { faults: [], entries: 0, beginning: { seq: -1, removals: [] }, last: FIRST_LINK };
    expect(await verifyAccessLog(reader)).toMatchObject(verdict);
  });

  test('refuses an entry without a time and takes the others', async () => {
    const { log, reader } = await opened();
    const bad = failureOf(() => log.append(sampleAccess(0, { time: Number.NaN })));
    await Promise.all([bad, log.append(sampleAccess(1))]);
    expect(await bad).toBeInstanceOf(RangeError);
    expect((await entriesOf(reader)).map(({ request_id }) => request_id)).toEqual(['request-1']);
  });

  test(`${writers} at once write one chain with every acknowledged entry`, async () => {
    const { log, ...stored } = await opened();
    const logs = [log, ...Array.from({ length: writers - 1 }, () => openFor(stored))];
    const acknowledged: string[] = [];
    const write = async (log: AccessLog, client: number) => {
      for (let at = 0; at < 20; at += 1) {
        const access = sampleAccess(at, { requestId: `${client}-${at}` });
        await log.append(access);
        acknowledged.push(access.requestId);
      }
    };
    await Promise.all(Array.from({ length: 18 }, (_, client) => write(logs[client % writers]!, client)));
    const entries = await entriesOf(stored.reader);
    expect(entries.map(({ request_id }) => request_id).sort()).toEqual(acknowledged.sort());
    expect(await verifyAccessLog(stored.reader)).toMatchObject({ faults: [], entries: 360 });
  });

  test('sums refused requests beyond the budget up, at the latest when it is closed', async () => {
    const { log, reader } = await opened({ refusals: { perNetwork: 2, inAll: 100 } });
    const refused = Array.from({ length: 10 }, (_, at) => sampleAccess(at, { isRefused: true, status: 401 }));
    await Promise.all(refused.map((access) => log.append(access)));
    await log.close();
    expect(await entriesOf(reader)).toMatchObject([
      { path: refused[0]!.path },
      { path: refused[1]!.path },
      { path: '*', query: '?refused=8&since=2025-12-01T06:00:02.000Z' },
    ]);
  });

  describe('an export', () => {
    test.each(EXPORT_FORMATS)(
      'as %s has the period that was asked for, its end not included',
      async (format) => {
        const { log, reader } = await opened();
        await Promise.all(Array.from({ length: 30 }, (_, at) => log.append(sampleAccess(at))));
        const period = { from: START + 5_000, to: START + 20_000, format };
        const text = (await Array.fromAsync(exportAccessLog(reader, period))).join('');
        const ids = [...text.matchAll(/request-(\d+)/g)].map(([, at]) => Number(at));
        expect(ids).toEqual(Array.from({ length: 15 }, (_, at) => at + 5));
      },
    );

    test('of a growing log has no gap', async () => {
      const { log, reader } = await opened();
      const fill = (from: number) =>
        Promise.all(Array.from({ length: 400 }, (_, at) => log.append(sampleAccess(from + at))));
      for (const from of [0, 400, 800]) await fill(from);
      let [text, next] = ['', 1_200];
      for await (const chunk of exportAccessLog(reader, {
        from: -Infinity,
        to: Infinity,
        format: 'ndjson',
      })) {
        text += chunk;
        if (next < 2_400) await fill(next);
        next += 400;
      }
      const seqs = [...text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
      expect(seqs.length).toBeGreaterThanOrEqual(1_200);
      expect(seqs).toEqual(seqs.map((_, seq) => seq));
    });
  });

  describe('the removal of old entries', () => {
    const NOW = Date.parse('2026-01-02T03:04:05Z');
    const at = (seq: number) => START + seq * 1_000;

    test('takes a prefix while entries are added, keeps a record of it, and the rest verifies', async () => {
      const { log, reader, expire } = await opened();
      await Promise.all(Array.from({ length: 40 }, (_, index) => log.append(sampleAccess(index))));
      expect(await expire(at(0), NOW)).toEqual({ removed: null, left: 0 });
      const [removed] = await Promise.all([
        expire(at(10), NOW),
        ...Array.from({ length: 20 }, (_, index) => log.append(sampleAccess(40 + index))),
      ]);
      expect(removed).toEqual({ removed: { first: 0, last: 9 }, left: 0 });
      expect(await expire(at(15), NOW)).toEqual({ removed: { first: 10, last: 14 }, left: 0 });
      expect((await entriesOf(reader))[0]).toMatchObject({ seq: 15 });
      await log.append(sampleAccess(60));
      const { beginning, ...verdict } = await verifyAccessLog(reader);
      expect(verdict).toMatchObject({ faults: [], entries: 46 });
      const record = {
        at: '2026-01-02T03:04:05.000Z',
        before: '2025-12-01T06:00:10.000Z',
        first: 0,
        last: 9,
      };
      expect(beginning).toMatchObject({ seq: 14, removals: [record, { first: 10, last: 14 }] });
    });

    test('leaves older entries that follow a newer one, and takes them with it', async () => {
      const { log, reader, expire } = await opened();
      for (const second of [0, 1, 50, 2, 3, 60]) await log.append(sampleAccess(second));
      expect(await expire(at(10), NOW)).toEqual({ removed: { first: 0, last: 1 }, left: 2 });
      expect(await expire(at(55), NOW)).toEqual({ removed: { first: 2, last: 4 }, left: 0 });
      expect(await verifyAccessLog(reader)).toMatchObject({ faults: [], entries: 1, beginning: { seq: 4 } });
    });

    test('of all entries leaves a log that goes on', async () => {
      const { log, reader, expire } = await opened();
      for (const second of [0, 1, 2]) await log.append(sampleAccess(second));
      expect(await expire(at(100), NOW)).toEqual({ removed: { first: 0, last: 2 }, left: 0 });
      expect(await verifyAccessLog(reader)).toMatchObject({ faults: [], entries: 0, last: { seq: 2 } });
      await log.append(sampleAccess(3));
      expect(await entriesOf(reader)).toMatchObject([{ seq: 3 }]);
      expect((await verifyAccessLog(reader)).faults).toEqual([]);
    });
  });
}
