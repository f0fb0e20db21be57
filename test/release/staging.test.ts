import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareManifests } from '../../pipeline/build/compare-manifests.ts';
import { DraftManifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { readSite } from '../../pipeline/release/staging/site-tree.ts';
import { openStaging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { dataFile, tinyFacts } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

describe('a staging folder', () => {
  const clashes: [string, string[]][] = [
    ['the same path twice', ['economy/x.json', 'economy/x.json']],
    ['paths that differ in case alone', ['economy/x.json', 'economy/X.json']],
    ['a file where a folder is', ['economy/x/y.json', 'economy/x']],
    ['a folder where a file is', ['economy/x', 'economy/x/y.json']],
    ['folders that differ in case alone', ['economy/x.json', 'Economy/y.json']],
    ['the place of a compressed variant', ['economy/x.json', 'economy/x.json.br']],
    ['a path that leaves the folder', ['../x.json']],
    ['an absolute path', ['/x.json']],
    ['a path with an empty name', ['economy//x.json']],
    ['a path that would have to be percent-encoded', ['economy/x y.json']],
    ['a name that is too long for a file system', [`economy/${'x'.repeat(250)}.json`]],
  ];
  test.each(clashes)('refuses %s', async (_, paths) => {
    const out = await temporaryFolder();
    await using staging = await openStaging(out, null, { reuse: true });
    const last = paths.at(-1)!;
    for (const path of paths.slice(0, -1)) await staging.write(dataFile(path, '{}'));
    expect(await failureOf(() => staging.write(dataFile(last, '[]')))).toMatchObject({
      code: 'publish_failed',
      place: last,
    });
  });

  test('refuses a site that has a path of a data file, an unknown ending or a link', async () => {
    const out = await temporaryFolder();
    const site = await temporaryFolder();
    await mkdir(join(site, 'economy'));
    await writeFile(join(site, 'economy/supply.json'), '{}');
    await using staging = await openStaging(out, null, { reuse: true });
    await staging.write(dataFile('economy/supply.json', '[]'));
    expect(await failureOf(() => readSite(site, (file) => staging.write(file)))).toMatchObject({
      place: 'economy/supply.json',
    });
    await writeFile(join(site, 'economy/supply.exe'), '');
    expect(await failureOf(() => readSite(site, (file) => staging.write(file)))).toMatchObject({
      place: 'economy/supply.exe',
    });
    await symlink('/etc/passwd', join(site, 'x.txt'));
    expect(await failureOf(() => readSite(site, (file) => staging.write(file)))).toMatchObject({
      place: 'x.txt',
      expected: 'a file',
    });
  });

  test('is removed when the run fails', async () => {
    const out = await temporaryFolder();
    await failureOf(async () => {
      await using staging = await openStaging(out, null, { reuse: true });
      expect(await readdir(out)).toHaveLength(2);
      await staging.write(dataFile('economy/supply', '{}'));
      throw new Error('the run fails');
    });
    expect(await readdir(out)).toEqual(['releases']);
  });

  test('shows the site a draft of the data files, without what a rebuild could not know', async () => {
    const out = await temporaryFolder();
    await using staging = await openStaging(out, null, { reuse: true });
    await staging.write(dataFile('economy/supply', '{}', { modified: '2025-01-01T00:00:00Z' }));
    const draft = await staging.writeDraft(tinyFacts(3));
    const written = await readFile(join(staging.dir, 'manifest.json'), 'utf8');
    expect(DraftManifest.parse(JSON.parse(written))).toEqual(draft);
    expect(draft.files.map(({ path }) => path)).toEqual(['economy/supply']);
    expect(draft.ledger.size).toBe(3);
    expect(staging.paths()).toEqual(['economy/supply']);
  });
});

describe('what is the same as in the previous release', () => {
  const INPUTS = tinyFacts(1).inputs;
  const source = 'economy/sentinel-roi.json';
  const path = 'economy/expensive.json';
  const bytes = { file: 'server/entry.mjs', content: Buffer.from('export {};'.repeat(50)) };

  /** A release with a file that is made of another, which may change. Tells what was made. */
  const publish = async (
    out: string,
    events: number,
    { inputs = INPUTS, rebuild = false, of = 'economy/once.json', content = '{"made":1}' } = {},
  ) => {
    const made: string[] = [];
    const previous = await readCurrent(out);
    await using staging = await openStaging(out, previous, { reuse: !rebuild, inputs });
    await staging.write(dataFile(source, `{"events":${events}}`));
    await staging.write(dataFile('economy/once.json', '{}'));
    if (!(staging.isSame([of]) && (await staging.takeOver(path)))) {
      await staging.write(dataFile(path, content.repeat(500)));
      made.push(path);
    }
    await staging.keepBytes(bytes.file, bytes.content);
    const { release } = await staging.publish({ facts: { ...tinyFacts(events), inputs }, state: '{}' });
    return { made, ...release };
  };

  test('is made once, and again for other sources, other inputs, and in a rebuild', async () => {
    const out = await temporaryFolder();
    expect((await publish(out, 1)).made).toEqual([path]);
    expect((await publish(out, 2)).made).toEqual([]);
    expect((await publish(out, 3, { of: source })).made).toEqual([path]);
    expect((await publish(out, 4, { of: 'economy/none.json' })).made).toEqual([path]);
    expect((await publish(out, 5, { inputs: 'b'.repeat(64) })).made).toEqual([path]);
    expect((await publish(out, 6, { inputs: 'b'.repeat(64), rebuild: true })).made).toEqual([path]);
  });

  test('is the same file, on the disk too, whether it was taken over or written again', async () => {
    const out = await temporaryFolder();
    const inodes = async (dir: string) =>
      Promise.all(
        [`public/${path}`, `public/${path}.br`, `public/economy/once.json`, bytes.file].map(
          async (file) => (await stat(join(dir, file))).ino,
        ),
      );
    const first = await publish(out, 1);
    const before = await inodes(first.dir);
    expect(await inodes((await publish(out, 2)).dir)).toEqual(before);
    const third = await publish(out, 3, { of: source });
    expect(third.made).toEqual([path]);
    expect(await inodes(third.dir)).toEqual(before);
    const [old, now] = [first, third].map(({ manifest }) =>
      manifest.files.find((file) => file.path === path),
    );
    expect(now).toEqual(old);
    expect(await verifyRelease(third.dir)).toEqual([]);
  });

  test('is made again where the previous release has damaged it, and named', async () => {
    const out = await temporaryFolder();
    const { dir } = await publish(out, 1);
    await writeFile(join(dir, `public/${path}.br`), 'damaged');
    await writeFile(join(dir, bytes.file), 'damaged');
    const next = await publish(out, 2);
    expect(next.made).toEqual([path]);
    expect(await verifyRelease(next.dir)).toEqual([]);
  });

  test('but for what it was made of is found where a check compares the release with a rebuild', async () => {
    const [out, rebuilt] = [await temporaryFolder(), await temporaryFolder()];
    await publish(out, 1, { content: '{"events":1}' });
    const wrong = await publish(out, 2, { content: '{"events":2}' });
    expect(await verifyRelease(wrong.dir)).toEqual([]);
    const again = await publish(rebuilt, 2, { content: '{"events":2}', rebuild: true });
    const places = compareManifests(wrong.manifest, again.manifest).map(({ place }) => place);
    expect(places).toEqual([`${path} sha256`]);
  });
});
