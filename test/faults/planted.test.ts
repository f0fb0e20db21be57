import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mutationsOf } from './planting/seeded.ts';
import { handMadeFaults, PROJECT, withFault } from './planting/tables.ts';

const FAULTS = await handMadeFaults();

describe('the planted faults', () => {
  test('can be planted: each file says once what is to be changed', async () => {
    const problems = await Promise.all(
      FAULTS.map((fault) =>
        withFault(PROJECT, fault).then(
          () => [],
          (error: Error) => [error.message],
        ),
      ),
    );
    expect(problems.flat()).toEqual([]);
  });

  test('name tests that there are', () => {
    const files = FAULTS.flatMap(({ tests }) => tests);
    expect(files.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
    expect(FAULTS.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test('have each a name of their own', () => {
    const names = FAULTS.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

test('a mutation changes code, never a type, a text or a name', () => {
  const text = `import { a } from './a.ts';
type Both = 1 | true;
export async function f(x: number, y: Record<'0', 7>): Promise<boolean> {
  if (x < 3 && !y) return false;
  await a('1 < 2 && true');
  return x === 4;
}
`;
  const made = mutationsOf(text).map(({ start, end, to }) => `${text.slice(start, end)} → ${to}`);
  expect(made.sort()).toEqual(
    [
      '3 → 4',
      '4 → 5',
      '< → <=',
      '=== → !==',
      '&& → ||',
      'false → true',
      "await a('1 < 2 && true'); → a('1 < 2 && true');",
      "await a('1 < 2 && true'); → {}",
      'if (x < 3 && !y) return false; → {}',
      'x < 3 && !y → !(x < 3 && !y)',
    ].sort(),
  );
});
