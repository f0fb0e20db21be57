import { appendFile, chmod, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compiledSite, writeCompiled } from '../../../pipeline/build/site/compiled-site.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

const [KEY, OTHER] = ['a'.repeat(64), 'b'.repeat(64)];

/** Places of a checkout, with a compiler that counts how often it is called. */
async function checkout() {
  const folder = await temporaryFolder();
  const places = {
    shipped: join(folder, 'shipped'),
    kept: join(folder, 'kept'),
    compiled: 0,
    compile: async (into: string) => {
      places.compiled += 1;
      await mkdir(join(into, 'client'), { recursive: true });
      await mkdir(join(into, 'server'));
      await writeFile(join(into, 'server/entry.mjs'), `${places.compiled}`);
      return { client: join(into, 'client'), server: join(into, 'server') };
    },
  };
  const entry = async (key = KEY) => {
    const { server } = await compiledSite(key, join(folder, 'scratch'), places);
    return readFile(join(server, 'entry.mjs'), 'utf8');
  };
  return { places, entry };
}

test('a site is compiled once for the same sources, also by two runs at once', async () => {
  const { places, entry } = await checkout();
  expect(await Promise.all([entry(), entry()])).toEqual(['1', '1']);
  expect(await entry()).toBe('1');
  expect(await entry(OTHER)).toBe('2');
  expect(places.compiled).toBe(2);
});

test('what was shipped is used for its own sources alone', async () => {
  const { places, entry } = await checkout();
  await writeCompiled(places.shipped, KEY, places.compile);
  expect(await entry()).toBe('1');
  expect(await entry(OTHER)).toBe('2');
});

const DAMAGES: Record<string, (folder: string) => Promise<void>> = {
  'another byte': (folder) => appendFile(join(folder, 'server/entry.mjs'), ' '),
  'a file fewer': (folder) => rm(join(folder, 'server/entry.mjs')),
  'a file more': (folder) => writeFile(join(folder, 'client/more.html'), ''),
  'an empty list': (folder) => writeFile(join(folder, 'compiled.json'), ''),
};

test.each(Object.keys(DAMAGES))('a site with %s is compiled again', async (damage) => {
  const { places, entry } = await checkout();
  await writeCompiled(places.shipped, KEY, places.compile);
  await DAMAGES[damage]!(places.shipped);
  expect(await entry()).toBe('2');
  await DAMAGES[damage]!(join(places.kept, KEY));
  expect(await entry()).toBe('3');
  expect(await entry()).toBe('3');
});

test('the newest three are kept', async () => {
  const { places, entry } = await checkout();
  for (const [at, digit] of [...'1234'].entries()) {
    await entry(digit.repeat(64));
    await utimes(join(places.kept, digit.repeat(64)), at, at);
  }
  const kept = (await readdir(places.kept)).filter((name) => name.length === 64);
  expect(kept.map(([digit]) => digit)).toEqual(['2', '3', '4']);
});

test.skipIf(process.getuid?.() === 0)('where nothing can be kept, it is compiled for one run', async () => {
  const { places, entry } = await checkout();
  await mkdir(places.kept);
  await chmod(places.kept, 0o500);
  onTestFinished(() => chmod(places.kept, 0o700));
  expect(await entry()).toBe('1');
  expect(await entry()).toBe('2');
});

test('where there is a file in the place of the folder, it is compiled for one run', async () => {
  const { places, entry } = await checkout();
  await writeFile(places.kept, '');
  expect(await entry()).toBe('1');
});
