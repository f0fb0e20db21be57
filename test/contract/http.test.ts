import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ANYWHERE, problemsOf } from '../../src/api/routes/problems.ts';
import { routeAt } from '../../src/api/routes/table.ts';
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

test('each problem in the tables is one that the description names for its path', () => {
  const undescribed = tables
    .flatMap(readRows)
    .flatMap(({ place, request: [line = ''], body: [first = ''] }) => {
      const [, code] = /^! (\w+)/.exec(first) ?? [];
      const [, path] = /^\S+ \/([^?#%{\\\s]*)(?:[?#].*)?$/.exec(line) ?? [];
      if (code === undefined || path === undefined) return [];
      const { route } = routeAt(path);
      const codes: readonly string[] = [...ANYWHERE, ...[...problemsOf(route).values()].flat()];
      // Pages and what is not there are not described.
      return route.id === 'getPage' || codes.includes(code) ? [] : [`${place} ${line}: ${code}`];
    });
  expect(undescribed).toEqual([]);
});

testTables(
  tables.filter((name) => name !== 'pages.txt'),
  publishedData,
);
