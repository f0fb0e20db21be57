import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IMPORT_INDEX } from '../../../pipeline/ledger/reading/directory.ts';
import { isRemoteCopy } from '../../../pipeline/sources/import/row-index.ts';
import {
  type CivicEvent,
  CivicServer,
  civicAfter,
  civicChain,
  civicEvent,
  formatPage,
} from './civic-server.ts';
import { Folders, filesOf, idsOf, importInto, verifiedLedger } from './import-fixture.ts';
import vectors from './python-vectors.json' with { type: 'json' };

const folders = new Folders();
let server: CivicServer;
let directory: string;

async function serve(events: CivicEvent[]): Promise<void> {
  server.events = events;
}
beforeEach(async () => {
  server = await CivicServer.start([]);
  directory = folders.make();
});
afterEach(async () => {
  await server.close();
  folders.remove();
});

const ids = async () => idsOf((await verifiedLedger(directory)).events);
const names = (count: number, prefix = 'evt') => Array.from({ length: count }, (_, n) => `${prefix}_${n}`);

describe('importCivicLedger', () => {
  test('makes a valid ledger from events hashed by Python', async () => {
    await serve(vectors.events);
    const report = await importInto(directory, server.url);
    expect(report).toMatchObject({ imported: 4, size: 5, head: 0, sealed: ['2025-12-01T12Z'] });
    const { events } = await verifiedLedger(directory);
    expect(events.map(({ type, agent }) => [type, agent])).toEqual([
      ['genesis_custodian', 'mobius-custodian'],
      ['mic_mint', 'ATLAS'],
      ['civic_mic_mint', 'mobius-anon-aB3d'],
      ['alert_raised', 'IMPORT'],
      ['heartbeat', 'ZEUS'],
    ]);
    expect(events[0]!.data).toMatchObject({
      title: 'Sceau de la Concorde – é 漢字 😀',
      weights: [1, 0.1, 1e-7, 1e16, -0],
    });
    expect(events[2]!.data).toMatchObject({ amount: 12.5, source: { payload_source: 'colony-7' } });
  });

  test.skipIf(spawnSync('python3', ['--version']).error)(
    'keeps everything that the program in the guide needs to recompute every hash',
    async () => {
      const odd = civicChain(
        1,
        { payload: '{"source": 1.0, "__proto__": 1e-7, "n": 12345678901234567890}' },
        'odd',
      );
      await serve([...vectors.events, ...odd]);
      await importInto(directory, server.url);
      // The text on disk: parsed as numbers, 1.0 would become 1.
      const folder = join(directory, 'snapshots');
      const snapshots = readdirSync(folder).filter((name) => name.endsWith('.zst'));
      const text = snapshots.map((name) => zstdDecompressSync(readFileSync(join(folder, name)))).join('');
      const guide = readFileSync(join(import.meta.dirname, '../../../docs/sources.md'), 'utf8');
      const program = /```python\n(.*?)```/s.exec(guide)![1]!;
      const run = (input: string) => spawnSync('python3', ['-c', program], { input, encoding: 'utf8' });
      expect(run(text)).toMatchObject({ status: 0, stderr: '' });
      expect(run(text.replace('"weights":[1', '"weights":[2'))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('the hash differs'),
      });
    },
  );

  test.each([1, 2, 7, 24, 25, 26, 100])('gives the same ledger in pages of %i', async (pageSize) => {
    await serve(civicChain(25));
    const report = await importInto(directory, server.url, { pageSize });
    expect(report.imported).toBe(25);
    expect(await ids()).toEqual(names(25));
    const other = folders.make();
    await importInto(other, server.url);
    expect(filesOf(directory)).toEqual(filesOf(other));
  });

  test('reads to the end if the server returns less than requested', async () => {
    await serve(civicChain(25));
    server.intercept = (_, url) => {
      url.searchParams.set('limit', '4');
      return false;
    };
    await importInto(directory, server.url, { pageSize: 10 });
    expect(await ids()).toEqual(names(25));
  });

  test('neither loses nor duplicates an event if one arrives before every page', async () => {
    const chain = civicChain(30);
    await serve(chain.slice(0, 20));
    server.intercept = () => {
      if (server.events.length < 30) server.events = chain.slice(0, server.events.length + 1);
      return false;
    };
    await importInto(directory, server.url, { pageSize: 3 });
    // The first page has the event that arrived before it. The next import gets the later ones.
    expect(await ids()).toEqual(names(21));
    await importInto(directory, server.url, { pageSize: 3 });
    // Their slots were sealed by the first import.
    expect(await ids()).toEqual([...names(30), '!source-late']);
  });

  test('pages again if a predecessor moved to an offset already read', async () => {
    const old = civicChain(6, { timestamp: '2025-12-01T06:00:00+00:00' });
    const second = { timestamp: '2025-12-01T07:00:00+00:00' };
    const a = civicAfter(old[5]!, { event_id: 'a', ...second });
    const b = civicAfter(a, { event_id: 'b', ...second });
    const c = civicAfter(b, { event_id: 'c', ...second });
    await serve([...old, a]);
    server.intercept = (_, __, count) => {
      // Within a second the server lists the oldest first: b moves to offset 1, which was already read, and c to 2.
      if (count === 2) server.events = [...old, a, b, c];
      return false;
    };
    await importInto(directory, server.url, { pageSize: 2 });
    expect(await ids()).toEqual([...names(6), 'a', 'b', 'c']);
  });

  test('finds the predecessor of an event that only the page of older events had', async () => {
    const [first, next] = civicChain(2);
    const last = civicAfter(next!, { event_id: 'evt_2', timestamp: '2025-12-01T07:00:00+00:00' });
    const old = [first!, next!, last];
    await serve(old);
    const now = '2025-12-01T07:01:00Z';
    await importInto(directory, server.url, { now });
    const second = { timestamp: '2025-12-01T07:00:30+00:00' };
    const a = civicAfter(last, { event_id: 'a', ...second });
    const b = civicAfter(a, { event_id: 'b', ...second });
    server.intercept = (_, url) => {
      // The second page is of the oldest events, as the server had them before: a is on neither.
      if (url.searchParams.get('offset') === '1') server.events = [...old, a, b];
      return false;
    };
    await importInto(directory, server.url, { now, pageSize: 2 });
    expect(await ids()).toEqual([...names(3), 'a', 'b']);
  });

  test('finds an event that arrived with an old time by the number of events', async () => {
    const chain = civicChain(60);
    await serve(chain);
    await importInto(directory, server.url, { pageSize: 5 });
    await serve([...chain, civicAfter(chain[30]!, { event_id: 'late' })]);
    const { imported, findings } = await importInto(directory, server.url, { pageSize: 5 });
    expect([imported, findings.map(({ kind }) => kind)]).toEqual([1, ['fork', 'late']]);
  });

  test('refuses a server that returns the same page for every offset', async () => {
    await serve(civicChain(5));
    server.intercept = (_, url) => {
      url.searchParams.set('offset', '0');
      return false;
    };
    await expect(importInto(directory, server.url)).rejects.toMatchObject({
      code: 'import_failed',
      found: 'the previous page',
    });
  });

  test('refuses a server that repeats itself, and one that has no end', async () => {
    const [a, b, c, d] = civicChain(4) as [CivicEvent, CivicEvent, CivicEvent, CivicEvent];
    await serve([]);
    // Each page goes on where the one before it ended.
    server.intercept = (response, url) => {
      const isOdd = (Number(url.searchParams.get('offset')) / 2) % 2 === 1;
      response.end(formatPage(isOdd ? [b, a, d] : [d, c, b]));
      return true;
    };
    await expect(importInto(directory, server.url, { pageSize: 3 })).rejects.toMatchObject({
      code: 'import_failed',
      found: 'events of earlier pages',
    });
    server.intercept = () => false;
    server.events = civicChain(400);
    await expect(importInto(directory, server.url, { mostBytes: 50_000 })).rejects.toMatchObject({
      code: 'import_failed',
      expected: 'at most 50000 bytes of events that are new',
    });
    expect((await importInto(directory, server.url)).imported).toBe(400);
  });

  test('keeps both branches of a fork, with an alert after the second', async () => {
    const [a, b] = civicChain(2, { timestamp: '2025-12-01T06:00:00.1+00:00' }) as [CivicEvent, CivicEvent];
    const fork = civicAfter(a, { event_id: 'fork' });
    const third = civicAfter(a, { event_id: 'third' });
    await serve([
      a,
      b,
      fork,
      third,
      civicAfter(fork, { event_id: 'c', timestamp: '2025-12-01T06:02:00+00:00' }),
    ]);
    const { findings } = await importInto(directory, server.url);
    expect(await ids()).toEqual(['evt_0', 'evt_1', 'fork', '!evt_1 fork', 'third', '!evt_1 third', 'c']);
    expect(findings.map(({ kind, rows }) => [kind, ...rows])).toEqual([
      ['fork', 'fork'],
      ['fork', 'third'],
    ]);
    const { events } = await verifiedLedger(directory);
    expect(events[3]).toMatchObject({
      type: 'alert_raised',
      agent: 'IMPORT',
      data: { severity: 'info', scope: 'ledger' },
    });
  });

  test('reports a second genesis as a fork', async () => {
    const chain = civicChain(3);
    await serve([...chain, civicEvent({ event_id: 'again', timestamp: '2025-12-01T09:00:00+00:00' })]);
    const { findings } = await importInto(directory, server.url);
    expect(await ids()).toEqual([...names(3), 'again', '!evt_0 again']);
    expect(findings[0]!.message).toBe('The imported ledger forks: evt_0 and again both follow no event.');
  });

  test('uses the predecessor’s time for an event whose clock went back', async () => {
    const [a] = civicChain(1) as [CivicEvent];
    await serve([a, civicAfter(a, { event_id: 'b', timestamp: '2025-12-01T05:00:00+00:00' })]);
    await importInto(directory, server.url);
    const { events } = await verifiedLedger(directory);
    expect(events.map(({ timestamp }) => timestamp)).toEqual(Array(2).fill('2025-12-01T06:00:00.123456Z'));
    expect(events[1]!.data.source).toMatchObject({ timestamp: '2025-12-01T05:00:00+00:00' });
  });

  test('reports a payload of which it can only keep the hash', async () => {
    await serve([civicEvent({ event_id: 'big', payload: JSON.stringify({ text: 'x'.repeat(70_000) }) })]);
    const { findings } = await importInto(directory, server.url);
    expect(findings).toMatchObject([{ kind: 'payload_as_hash', rows: ['big'] }]);
    expect(await ids()).toEqual(['big']);
  });

  test('gives different salts and hashes for a different secret', async () => {
    await serve(civicChain(3));
    await importInto(directory, server.url);
    const other = folders.make();
    await importInto(other, server.url, { secret: new Uint8Array(32).fill(1) });
    expect(filesOf(other)).not.toEqual(filesOf(directory));
  });

  describe('refuses, and writes nothing,', () => {
    const chain = civicChain(8);

    test('one event_id with two contents', async () => {
      await serve([...chain, civicAfter(chain[6]!, { event_id: 'evt_3' })]);
      rmSync(directory, { recursive: true });
      await expect(importInto(directory, server.url, { pageSize: 3 })).rejects.toMatchObject({
        code: 'import_failed',
        place: expect.stringContaining('evt_3'),
      });
      expect(filesOf(directory)).toEqual({});
    });

    test('two events with the boundary between two fields moved', async () => {
      const one = civicEvent({ event_id: 'evt_1', event_type: '2x' });
      await serve([one, civicEvent({ event_id: 'evt_12', event_type: 'x' })]);
      await expect(importInto(directory, server.url)).rejects.toMatchObject({
        place: expect.stringMatching(/^event evt_12?$/),
        found: expect.stringMatching(/^evt_12? with the same$/),
      });
      expect(filesOf(directory)).toEqual({});
    });

    test('a missing page', async () => {
      await serve(chain);
      server.intercept = (response, url) => {
        if (url.searchParams.get('offset') === '0') return false;
        response.writeHead(500).end();
        return true;
      };
      await expect(importInto(directory, server.url, { pageSize: 3 })).rejects.toMatchObject({
        code: 'import_failed',
        place: `${server.url}/ledger/events?limit=3&offset=2`,
      });
      expect(filesOf(directory)).toEqual({});
    });
  });

  test('still imports if pages fail once', async () => {
    await serve(civicChain(9));
    server.intercept = (response, _, count) => {
      if (count % 2 === 0) return false;
      if (count % 4 === 1) response.writeHead(500).end();
      else response.write('{"events":[', () => response.destroy());
      return true;
    };
    await importInto(directory, server.url, { pageSize: 2 });
    expect(await ids()).toEqual(names(9));
  });

  test('makes its folder a copy before anything is in it, and a damaged index does not tell', async () => {
    expect(isRemoteCopy(directory)).toBe(false);
    await expect(importInto(directory, 'http://127.0.0.1:1', { attempts: 1 })).rejects.toThrow();
    expect(isRemoteCopy(directory)).toBe(true);
    writeFileSync(join(directory, IMPORT_INDEX), 'x'.repeat(100));
    expect(() => isRemoteCopy(directory)).toThrow(/ledger_unreadable/);
  });

  test('refuses a folder that holds another ledger', async () => {
    await serve(civicChain(2));
    await importInto(directory, server.url);
    const other = await CivicServer.start(civicChain(2, {}, 'other'));
    await expect(importInto(directory, other.url)).rejects.toMatchObject({
      found: '2 of them changed or deleted, first evt_0: another ledger, or an older copy of it',
    });
    await other.close();
  });

  test.each(['ftp://ledger.example', 'ledger', 'https://user:password@ledger.example'])(
    'refuses the address %s',
    async (baseUrl) => {
      const place = 'civic-ledger base URL';
      await expect(importInto(directory, baseUrl)).rejects.toMatchObject({ code: 'config_invalid', place });
      expect(filesOf(join(directory))).toEqual({});
    },
  );
});
