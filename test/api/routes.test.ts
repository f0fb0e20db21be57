import { describe, expect, test } from 'vitest';
import { isStrict, parametersOf, readQuery } from '../../src/api/query/query.ts';
import type { Route } from '../../src/api/routes/route.ts';
import { queryOf, ROUTES, routeAt } from '../../src/api/routes/table.ts';
import { problemOf } from '../sidecar/export/problem-of.ts';

/** The path of a row, with its own examples. */
function exampleOf({ path, parameters }: Route): string {
  return path
    .slice(1)
    .replace(/\{\+?(\w+)\}/g, (_, name: string) => String(parameters[name]!.meta()!.example));
}

const NAMED = ROUTES.map((route) => [route.path, route] as const);

test('no two rows have the same path or the same name', () => {
  expect(new Set(ROUTES.map(({ path }) => path)).size).toBe(ROUTES.length);
  expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length);
});

describe.each(NAMED)('the row of %s', (_, route) => {
  const routed = routeAt(exampleOf(route));
  const query = queryOf(routed)!;
  const refusal = (text: string) => problemOf(() => readQuery(query, text));

  test('is found by its path, and its parameters are as they are declared', () => {
    expect(routed.route).toBe(route);
    expect(Object.keys(routed.parameters)).toEqual(Object.keys(route.parameters));
    for (const [name, type] of Object.entries(route.parameters))
      expect([name, type.safeParse(routed.parameters[name]).success]).toEqual([name, true]);
  });

  test('takes its own examples, and refuses everything else with the place, the expected and the found', () => {
    const names = Object.keys(parametersOf(query));
    if (!isStrict(query)) expect(() => readQuery(query, 'url=x&nope=1')).not.toThrow();
    else {
      const takes = names.length === 0 ? 'no parameters' : `the parameters? ${names.join(', ')}`;
      const { code, detail } = refusal('nope=1');
      expect([code, detail]).toEqual([
        'unknown_parameter',
        expect.stringMatching(new RegExp(`^This path takes ${takes}, found "nope"\\.$`)),
      ]);
    }
    for (const [name, type] of Object.entries(parametersOf(query))) {
      const one = `${name}=${encodeURIComponent(String(type.meta()!.example))}`;
      const needed = name === 'url' || !names.includes('url') ? '' : '&url=x';
      expect(() => readQuery(query, `${one}${needed}`)).not.toThrow();
      // The names of series are a list.
      if (name === 'series') continue;
      expect(refusal(`${one}&${one}`)).toEqual({
        code: 'invalid_parameter',
        detail: `The parameter ${name}: expected one value, found the parameter twice.`,
      });
      expect(refusal(`${name}=`)).toEqual({
        code: 'invalid_parameter',
        detail: `The parameter ${name}: expected a value, found none.`,
      });
    }
  });
});

// Links are passed on with parameters of mail programs and social networks.
test.each(['snapshots/', 'snapshots', 'snapshots/2026-01-03T00Z/'])(
  'the page /%s has no parameters, and ignores those in its address',
  (path) => {
    expect(() => readQuery(queryOf(routeAt(path))!, 'utm_source=feed')).not.toThrow();
  },
);
