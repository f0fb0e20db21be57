import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
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

testTables(
  tables.filter((name) => name !== 'pages.txt'),
  publishedData,
);
