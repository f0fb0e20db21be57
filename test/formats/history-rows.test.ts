import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from '../../pipeline/artifacts/format/csv.ts';
import type { Row } from '../../pipeline/formats/columns.ts';
import { historyRows, inFileOrder } from '../../pipeline/formats/history-rows.ts';
import { TABLES } from '../../pipeline/formats/tables.ts';
import { type Segment, sha256 } from '../../pipeline/release/format/manifest.ts';
import type { Staging } from '../../pipeline/release/staging/staging.ts';
import { temporaryFolder } from '../ledger/test-ledger.ts';

const tableOf = (name: string) => TABLES.find((one) => one.name === name)!;
const BY_DAY = tableOf('events_by_day');
const TEXTS = tableOf('cathedral_multipliers');
const JSON_ROWS = tableOf('decisions');

/** A staging folder with one history, whose rows (oldest first) are divided into segments of these lengths. */
function staged(table: typeof BY_DAY, lines: readonly string[], lengths: readonly number[]): Staging {
  const dir = temporaryFolder();
  const { path, ...artifact } = table.artifact;
  const separator = 'separator' in artifact ? artifact.separator : '';
  const segments: Partial<Segment>[] = [];
  let first_row = 0;
  for (const [index, length] of lengths.entries()) {
    const end_row = index === lengths.length - 1 ? lines.length : Math.min(lines.length, first_row + length);
    if (end_row === first_row) continue;
    const file = `segments/${path}/${first_row}-${end_row}.part`;
    const text = lines.slice(first_row, end_row).reverse().join(separator);
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
    const events = Array.from({ length: end_row - first_row }, (_, row) =>
      eventsOf(table, end_row - 1 - row),
    );
    const record = events.map((one) => `${one.join()}\n`).join('');
    writeFileSync(join(dir, `${file}.events`), record);
    const blob = { bytes: record.length, sha256: sha256(record) };
    segments.unshift({ file, first_row, end_row, sha256: sha256(text), events: blob });
    first_row = end_row;
  }
  return { dir, segments: { [path]: segments } } as unknown as Staging;
}

/** Each row is told from others by its events. */
const eventsOf = ({ columns, allColumns }: typeof BY_DAY, row: number) =>
  allColumns.slice(columns.length).map((_, index) => 10 * row + index);

async function rowsOf(staging: Staging, table: typeof BY_DAY, pieceRows?: number): Promise<Row[][]> {
  return Array.fromAsync(historyRows(staging, table, pieceRows));
}

const TEXT = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', 'é'), maxLength: 5 });
const lineOf = {
  events_by_day: ([day, text]: [number, string]) =>
    csvRow([new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10), `t${text.length}`, day]),
  cathedral_multipliers: ([day, text]: [number, string]) =>
    csvRow([`2026-01-01T00:00:${day + 10}Z`, day, `c${text}`, 1.5, text]),
  decisions: ([day, text]: [number, string]) =>
    JSON.stringify({ id: `${day}`, date: '2026-01-01', topic: text, frameworks_applied: [text] }),
};

const dayOf = (row: Row) => row[0];

test.each([BY_DAY, TEXTS, JSON_ROWS])(
  'rows of $name are the same however they are divided, and no batch ends within a day',
  async (table) => {
    const line = lineOf[table.name as keyof typeof lineOf];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 40 }), TEXT), { minLength: 1, maxLength: 120 }),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 50 }),
        async (rows, lengths, pieceRows) => {
          const sorted = rows.toSorted(([a], [b]) => a - b).map(line);
          const whole = (await rowsOf(staged(table, sorted, [sorted.length]), table, 1000)).flat();
          expect(new Set(whole.map((row) => row.at(-1))).size).toBe(rows.length);
          const batches = await rowsOf(staged(table, sorted, lengths), table, pieceRows);
          expect(batches.flat()).toEqual(whole);
          // In the order in which the rows were added, whatever the batch.
          const added = batches.flatMap((batch) => inFileOrder(table, batch)).map((row) => row.at(-1));
          expect(added).toEqual(sorted.map((_, row) => eventsOf(table, row).at(-1)));
          if (table !== BY_DAY) return;
          // The row of a day that was added last stands first.
          for (const ofDay of Map.groupBy(batches.flat(), dayOf).values()) {
            const events = ofDay.map((row) => row.at(-1) as number);
            expect(events).toEqual(events.toSorted((a, b) => b - a));
          }
          const days = batches.map((batch) => [...new Set(batch.map(dayOf))]);
          expect(new Set(days.flat()).size).toBe(days.flat().length);
        },
      ),
      { numRuns: 40 },
    );
  },
);
