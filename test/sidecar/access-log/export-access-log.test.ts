import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { COLUMNS, type Entry, hashEntry } from '../../../src/sidecar/access-log/entry.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportAccessLog,
} from '../../../src/sidecar/access-log/export-access-log.ts';
import { readLogFolder } from '../../../src/sidecar/access-log/log-files.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { openTemporaryLog, SMALL_FILE, writtenLog } from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const ALWAYS = { from: -Infinity, to: Infinity };

async function textOf(dir: string, format: ExportFormat, period = ALWAYS): Promise<string> {
  const chunks = await Array.fromAsync(exportAccessLog(readLogFolder(dir), { ...period, format }));
  return chunks.join('');
}

const READERS: Record<ExportFormat, (text: string) => Entry[]> = {
  csv: (text) =>
    parse(text, {
      columns: true,
      cast: (value, { column }) => {
        if (column === 'seq' || column === 'status') return Number(value);
        return (column === 'key_id' || column === 'holder') && value === '' ? null : value;
      },
    }) as Entry[],
  ndjson: (text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Entry),
  json: (text) => (JSON.parse(text) as { entries: Entry[] }).entries,
};

describe.each(EXPORT_FORMATS)('an export as %s', (format) => {
  test('holds every entry of every file in order, with hashes that fit', async () => {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const entries = READERS[format](await textOf(dir, format));
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 900 }, (_, seq) => seq));
    for (const [index, entry] of entries.entries()) {
      expect(Object.keys(entry)).toEqual(COLUMNS);
      expect(hashEntry(entry)).toBe(entry.hash);
      if (index > 0) expect(entry.prev_hash).toBe(entries[index - 1]!.hash);
    }
  });

  test('holds the period that was asked for, its end not included', async () => {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const period = { from: START + 250_000, to: START + 600_000 };
    const entries = READERS[format](await textOf(dir, format, period));
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 350 }, (_, index) => 250 + index));
  });

  test('of a period without entries is well-formed', async () => {
    const dir = await writtenLog(3);
    const text = await textOf(dir, format, { from: START + 9_000_000, to: START + 9_000_001 });
    expect(READERS[format](text)).toEqual([]);
  });

  test('keeps what is awkward to write', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0, { path: '/government/"a",\n\r\u2028é', query: '=1+1', holder: '' }));
    const [entry] = READERS[format](await textOf(dir, format));
    expect(entry).toMatchObject({ path: '/government/"a",\n\r\u2028é', query: '?=1+1' });
  });

  test('comes in pieces while the log is written and rotated', async () => {
    const { dir, log } = await openTemporaryLog({ maxFileBytes: SMALL_FILE });
    const fill = (from: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => log.append(sampleAccess(from + index))));
    for (let from = 0; from < 1_200; from += 100) await fill(from, 100);
    const chunks: string[] = [];
    let next = 1_200;
    for await (const chunk of exportAccessLog(readLogFolder(dir), { ...ALWAYS, format })) {
      chunks.push(chunk);
      if (next < 1_600) await fill(next, 100);
      next += 100;
    }
    const seqs = READERS[format](chunks.join('')).map(({ seq }) => seq);
    expect(chunks.length).toBeGreaterThan(4);
    expect(seqs.length).toBeGreaterThanOrEqual(1_200);
    expect(seqs).toEqual(seqs.map((_, index) => index));
  });
});

test('an export as json says at its end that it is complete', async () => {
  const dir = await writtenLog(2);
  const text = await textOf(dir, 'json', { from: START, to: START + 86_400_000 });
  const { entries: _, ...rest } = JSON.parse(text);
  expect(rest).toEqual({
    from: '2025-12-01T06:00:00.000Z',
    to: '2025-12-02T06:00:00.000Z',
    count: 2,
    complete: true,
  });
  expect(text.endsWith('],"count":2,"complete":true}\n')).toBe(true);
});

test('a folder that holds no log is an error, not an empty export', async () => {
  const failure = await failureOf(async () => textOf(await temporaryFolder(), 'csv', ALWAYS));
  expect(failure).toMatchObject({ code: 'store_failed', expected: 'an access log' });
});
