import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const DEPLOY = new URL('../../deploy/', import.meta.url);

test('the units whose process starts others go on when the system ends one of these for want of memory', async () => {
  const names = (await readdir(DEPLOY)).filter((name) => name.endsWith('.service'));
  const units = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(new URL(name, DEPLOY), 'utf8') })),
  );
  // Runs, and the browser of a run.
  const starting = units.filter(({ text }) =>
    /^ExecStart=cathedral (?:start|build|publisher run)$/m.test(text),
  );
  expect(starting.map(({ name }) => name)).toEqual([
    'cathedral-build.service',
    'cathedral-publisher.service',
    'cathedral.service',
  ]);
  for (const { name, text } of starting) expect(text, name).toMatch(/^OOMPolicy=continue$/m);
});
