import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/sidecar/access-log/entry.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportAccessLog,
} from '../../../src/sidecar/access-log/export-access-log.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { openTemporaryLog, readerOf, writtenLog } from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const ALWAYS = { from: -Infinity, to: Infinity };

async function textOf(dir: string, format: ExportFormat, period = ALWAYS): Promise<string> {
  const chunks = await Array.fromAsync(exportAccessLog(await readerOf(dir), { ...period, format }));
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
  test('keeps what is awkward to write', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0, { path: '/government/"a",\n\r\u2028é', query: '=1+1', holder: '' }));
    const [entry] = READERS[format](await textOf(dir, format));
    expect(entry).toMatchObject({ path: '/government/"a",\n\r\u2028é', query: '?=1+1' });
  });

  test('comes in pieces while the log is written', async () => {
    const { dir, log } = await openTemporaryLog();
    const fill = (from: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => log.append(sampleAccess(from + index))));
    for (let from = 0; from < 1_200; from += 100) await fill(from, 100);
    const chunks: string[] = [];
    let next = 1_200;
    for await (const chunk of exportAccessLog(await readerOf(dir), { ...ALWAYS, format })) {
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
