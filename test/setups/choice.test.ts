import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { inOrder } from './file-order.ts';
import { touchedTests } from './touched-tests.ts';

describe('the order of test files', () => {
  const FILES = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts', 'test/d.test.ts', 'test/e.test.ts'];
  const SECONDS = { 'test/d.test.ts': 200, 'test/b.test.ts': 100, 'test/e.test.ts': 1 };

  test('is the longest first, and new files before short ones', () => {
    expect(
      inOrder(FILES, SECONDS, null)
        .join(' ')
        .replaceAll(/test\/|\.test\.ts/g, ''),
    ).toBe('d b a c e');
  });

  test('is another one for each seed, and the same for the same; long files stay before the others', () => {
    const orders = Array.from({ length: 200 }, (_, seed) => inOrder(FILES, SECONDS, seed).join());
    expect(new Set(orders).size).toBe(12);
    expect(inOrder([...FILES].reverse(), SECONDS, 7).join()).toBe(orders[7]);
    expect(orders.filter((order) => !/^test\/[bd]\.test\.ts,test\/[bd]\./.test(order))).toEqual([]);
  });
});

describe('the tests that a change touches', () => {
  const FILES = new Map([
    ['pipeline/a.ts', "import { b } from './b.ts'; // see `docs/a.md`"],
    ['pipeline/b.ts', "new Worker(moduleUrl('pipeline/b-thread.ts'));"],
    ['pipeline/b-thread.ts', ''],
    ['pipeline/c.ts', ''],
    ['deploy/proxy.cfg', ''],
    ['docs/a.md', ''],
    ['src/cli.ts', "import '../pipeline/a.ts';"],
    ['bin/service', 'exec node src/cli.ts "$@"'],
    ['src/site/pages/index.astro', ''],
    ['test/golden/release/x.json', '{}'],
    ['test/child.ts', "spawn('bin/service')"],
    ['test/a.test.ts', "import { a } from '../pipeline/a.ts';"],
    ['test/c.test.ts', "import { c } from '../pipeline/c.ts'; const DOCUMENT = 'docs/a.md';"],
    ['test/golden.test.ts', "join('test/golden/release', path)"],
    ['test/proxy.test.ts', "readFile(join(import.meta.dirname, '../deploy/proxy.cfg'));"],
    ['test/run.test.ts', "import './child.ts';"],
    ['test/docs.test.ts', ''],
    ['test/imports.test.ts', ''],
    ['test/site/page.test.ts', ''],
  ]);
  const TOUCHED: Record<string, string[]> = {
    'pipeline/b.ts': ['a', 'run'],
    'pipeline/b-thread.ts': ['a', 'run'],
    'pipeline/c.ts': ['c'],
    'deploy/proxy.cfg': ['proxy'],
    'docs/a.md': ['c'],
    'test/golden/release/x.json': ['golden'],
    'src/site/pages/index.astro': ['site/page'],
    'bin/service': ['run'],
    'test/run.test.ts': ['run'],
    'package.json': [],
  };

  test.each(Object.entries(TOUCHED))('of %s are those that import it, name it or start it', (path, tests) => {
    const expected = [...tests, 'docs', 'imports'].map((name) => `test/${name}.test.ts`).sort();
    expect(touchedTests(FILES, [path])).toEqual(expected);
  });

  test('are none where nothing changed', () => {
    expect(touchedTests(FILES, [])).toEqual([]);
  });
});

test('npm run faults names tests that there are', async () => {
  const [, names = ''] =
    /^exec vitest run (.*) "\$@"$/m.exec(await readFile('scripts/faults.sh', 'utf8')) ?? [];
  const files = globSync('test/**/*.test.ts');
  expect(names.split(' ').filter((name) => !files.some((file) => file.includes(name)))).toEqual([]);
});
