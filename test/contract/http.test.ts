import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describedPaths, operationOf } from './http/description.ts';
import { publishedData } from './http/published.ts';
import { testTables, titles } from './http/run-tables.ts';
import { readRows, TABLES } from './http/table.ts';

const tables = (await readdir(TABLES)).filter((name) => /^[a-z].*\.txt$/.test(name));

test('the tables have every problem code', () => {
  const rows = tables.flatMap(readRows);
  const seen = new Set(rows.map(({ body: [first = ''] }) => /^! (\w+)/.exec(first)?.[1]));
  // The stream refuses its 51st listener, in live.test.ts.
  const missing = [...titles.keys()].filter((code) => !seen.has(code) && code !== 'too_many_listeners');
  expect(missing).toEqual([]);
});

test('the tables have an answer of each path of the description, which it describes', () => {
  const answered = tables.flatMap(readRows).flatMap(({ request: [line = ''], answer: [first = ''] }) => {
    const [method = '', target = ''] = line.split(' ');
    return first.startsWith('200') ? [operationOf({ method, target })?.path] : [];
  });
  const missing = describedPaths.filter((path) => !answered.includes(path));
  // The release has no PDFs; live.test.ts has the stream, and operations.test.ts the state of a service that has run.
  expect(missing.filter((path) => !/\.pdf$|^\/live$|^\/status\.json$/.test(path))).toEqual([]);
});

testTables(
  tables.filter((name) => name !== 'pages.txt'),
  publishedData,
);
