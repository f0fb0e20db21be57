import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileSource } from '../../../pipeline/sources/file/file-source.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { useStore } from '../../setups/use-store.ts';
import { CivicServer, civicAfter, civicEvent } from '../civic/civic-server.ts';
import { Folders, importFrom, importInto, verifiedLedger } from '../civic/import-fixture.ts';
import { importPostgres } from './import-postgres.ts';

const postgres = useStore();

const folders = new Folders();
const NOW = Date.parse('2026-11-26T10:17:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface Row {
  id: string;
  ms: number;
  n: number;
}

/** Where rows come from. */
interface Place {
  write: (rows: readonly Row[]) => Promise<void> | void;
  run: (ledger: string) => Promise<{ findings: { kind: string }[] }>;
}

/** Of a database for all tables. */
let address: Promise<string> | undefined;
let server: CivicServer;

beforeAll(async () => {
  server = await CivicServer.start([]);
});
afterAll(async () => {
  await server.close();
  folders.remove();
});

const time = ({ ms }: Row) => formatTimestamp(ms);

function file(): Place {
  const path = join(folders.make(), 'rows.csv');
  const text = (row: Row) => `${row.id},${time(row)},note,ATLAS,${row.n}\n`;
  return {
    write: (rows) => writeFileSync(path, `id,timestamp,type,agent,data.n\n${rows.map(text).join('')}`),
    run: (directory) => importFrom(fileSource('csv', path, null), directory, { now: () => NOW, full: true }),
  };
}

function table(): Place {
  const name = `rows_${Math.random().toString(36).slice(2)}`;
  address ??= postgres.newDatabase('nothing');
  const values = (row: Row) => `('${row.id}', '${time(row)}', 'note', 'ATLAS', '{"n": ${row.n}}')`;
  return {
    write: async (rows) => {
      await postgres.sql(
        await address!,
        `DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} (id text PRIMARY KEY, timestamp timestamptz NOT NULL, type text, agent text, data jsonb)`,
      );
      await postgres.sql(await address!, `INSERT INTO ${name} VALUES ${rows.map(values).join(', ')}`);
    },
    run: async (directory) =>
      importPostgres(`${await address!}?table=${name}&settle=1`, directory, { now: () => NOW, full: true }),
  };
}

function remote(): Place {
  return {
    write: (rows) => {
      const known = new Map(server.events.map((event) => [event.event_id, event]));
      let before = civicEvent({ event_id: 'none' });
      server.events = rows.map((row, at) => {
        const old = known.get(row.id);
        const fields = { event_id: row.id, timestamp: time(row), payload: `{"n": ${row.n}}` };
        const event = at === 0 ? civicEvent(fields) : civicAfter(before, fields);
        const isSame = old?.payload === event.payload;
        // What follows a changed event still names the hash that it had.
        before = old ?? event;
        return isSame ? old : event;
      });
    },
    run: (directory) => importInto(directory, server.url, { now: formatTimestamp(NOW), full: true }),
  };
}

const SOURCES = { file, table, remote };
const AGES = { 'a minute': MINUTE, '8 days': 8 * DAY, 'a year': 366 * DAY };

describe.each(Object.entries(AGES))('where the last row is %s old', (_, age) => {
  describe.each(Object.entries(SOURCES))('a %s', (name, open) => {
    const last = NOW - age;
    const row = (n: number): Row => ({ id: `r${n}`, ms: last - (6 - n) * 30 * DAY, n });
    // The ids of late and new rows sort as the times do, for the table.
    const first = [1, 2, 3, 4, 5, 6].map(row);
    const late: Row = { id: 'r3b', ms: row(3).ms + DAY, n: 9 };
    const next: Row = { id: 'r7', ms: last + age / 4, n: 7 };
    const without = (...ns: number[]) => first.filter(({ n }) => !ns.includes(n));
    const changed = (...ns: number[]) => first.map((one) => (ns.includes(one.n) ? { ...one, n: 0.5 } : one));

    test.skipIf(name === 'table' && postgres.isMissing).each<[string, Row[], string[], string[]]>([
      ['a row is changed', changed(3), ['modified'], ['!source-changed']],
      ['the last row is changed', changed(6), ['modified'], ['!source-changed']],
      ['the first row is deleted', without(1), ['deleted'], ['!source-changed']],
      ['a row is deleted', without(3), ['deleted'], ['!source-changed']],
      ['the last row is deleted', without(6), ['deleted'], ['!source-changed']],
      ['a row is late', first.toSpliced(3, 0, late), ['late'], ['r3b', '!source-late']],
      ['a row is new', [...first, next], [], ['r7']],
      [
        'a row is changed, one deleted, one late and one new',
        [
          ...changed(2)
            .toSpliced(3, 0, late)
            .filter(({ n }) => n !== 5),
          next,
        ],
        ['late', 'modified', 'deleted'],
        ['r3b', 'r7', '!source-late', '!source-changed'],
      ],
    ])('%s: the import says so once and continues', async (_, rows, kinds, added) => {
      const ledger = folders.make();
      const { write, run } = open();
      server.events = [];
      await write(first);
      expect((await run(ledger)).findings).toEqual([]);
      await write(rows);
      const { findings } = await run(ledger);
      // A remote event that is late follows one that has a follower, and each change is a finding of its own.
      const found = findings.map(({ kind }) => kind).filter((kind) => kind !== 'fork');
      expect([...new Set(found)].sort()).toEqual(kinds.toSorted());
      const { events } = await verifiedLedger(ledger);
      const ids = events.map(({ data }) => {
        const source = data.source as { row?: string; event_id?: string } | undefined;
        return source?.row ?? source?.event_id ?? `!${data.alert}`;
      });
      const isFork = (id: string) => id === '!civic-ledger-fork';
      expect(
        ids
          .slice(6)
          .filter((id) => !isFork(id))
          .sort(),
      ).toEqual(added.toSorted());
      // A new row keeps its own time, so it does not follow the program's alert.
      const taken = events.find((_, at) => ids[at] === 'r7');
      if (taken) expect(taken.timestamp).toBe(time(next));
      // Nothing is found twice, also without the index; and the next rows are taken.
      rmSync(join(ledger, 'rows-import.db'));
      expect(await run(ledger)).toMatchObject({ imported: 0, findings: [] });
      await write([...rows, { id: 'r8', ms: last + age / 2, n: 8 }]);
      expect(await run(ledger)).toMatchObject({ imported: 1 });
      const after = await verifiedLedger(ledger);
      expect(JSON.stringify(after.events)).toContain('"r8"');
    });
  });
});
