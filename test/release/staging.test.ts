import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareManifests } from '../../pipeline/build/compare-manifests.ts';
import { DraftManifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { readSite } from '../../pipeline/release/staging/site-tree.ts';
import { openStaging, type Staging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { dataFile, publishTiny, tinyFacts } from './publish-tiny.ts';
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

  test('is removed when the run fails, and those of dead runs when the next one begins', async () => {
    const out = await temporaryFolder();
    await mkdir(join(out, 'staging-dead/public'), { recursive: true });
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

describe('a key', () => {
  const KEY = 'b'.repeat(64);
  const path = 'economy/expensive.json';
  const file = 'server/entry.mjs';
  /** How each of the two came about. */
  const makeBoth = async (staging: Staging, key: string, content = '{"made":1}'.repeat(50)) => {
    const made: string[] = [];
    if (!(await staging.reuseMade(path, key))) {
      await staging.write(dataFile(path, content), key);
      made.push(path);
    }
    if (!(await staging.reuseKept(file, key))) {
      staging.keep(file, await staging.folder.write(file, Buffer.from(content)), key);
      made.push(file);
    }
    return made;
  };
  const publish = async (out: string, events: number, key: string, rebuild = false) => {
    let made: string[] = [];
    const extra = async (staging: Staging) => {
      made = await makeBoth(staging, key);
    };
    const { release } = await publishTiny(out, { events, rebuild, extra });
    return { made, manifest: release.manifest };
  };

  test('saves making a file whose inputs are those of the previous release; a rebuild makes it, and has the same keys', async () => {
    const [out, rebuilt] = [await temporaryFolder(), await temporaryFolder()];
    expect((await publish(out, 1, KEY)).made).toEqual([path, file]);
    const next = await publish(out, 2, KEY);
    expect(next.made).toEqual([]);
    const again = await publish(rebuilt, 2, KEY, true);
    expect(again.made).toEqual([path, file]);
    expect(next.manifest.content).toBe(again.manifest.content);
    expect(next.manifest.unlisted).toEqual(again.manifest.unlisted);
    expect(next.manifest.unlisted.map((kept) => kept.file)).toContain('keys.json');
    expect((await publish(out, 3, 'c'.repeat(64))).made).toEqual([path, file]);
  });

  test('that leaves out an input is found where a check compares the release with a rebuild', async () => {
    const [out, rebuilt] = [await temporaryFolder(), await temporaryFolder()];
    const made = (key: string, content: string) => ({
      extra: async (staging: Staging) => void (await makeBoth(staging, key, content)),
    });
    await publishTiny(out, { events: 1, ...made(KEY, '{"events":1}') });
    const { release } = await publishTiny(out, { events: 2, ...made(KEY, '{"events":2}') });
    expect(await verifyRelease(release.dir)).toEqual([]);
    const placesOf = async (key: string) => {
      const again = await publishTiny(rebuilt, { events: 2, rebuild: true, ...made(key, '{"events":2}') });
      return compareManifests(release.manifest, again.release.manifest).map(({ place }) => place);
    };
    const [data, kept] = [`${path} sha256`, `${file} sha256`];
    expect(await placesOf(KEY)).toEqual([data, kept]);
    expect(await placesOf('c'.repeat(64))).toEqual([data, 'keys.json sha256', kept]);
  });

  test('of a damaged list, or in a release without one, saves nothing', async () => {
    const out = await temporaryFolder();
    await publish(out, 1, KEY);
    await writeFile(join((await readCurrent(out))!.dir, 'keys.json'), '{}');
    expect((await publish(out, 2, KEY)).made).toEqual([path, file]);
    const { release } = await publishTiny(out, { events: 3 });
    expect(release.manifest.unlisted.map((kept) => kept.file)).not.toContain('keys.json');
    expect((await publish(out, 4, KEY)).made).toEqual([path, file]);
  });
});
