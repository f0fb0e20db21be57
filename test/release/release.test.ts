import { link, lstat, mkdir, readFile, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { openStaging } from '../../pipeline/release/staging/staging.ts';
import { publishTiny, tinyFacts } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

describe('OUT/current', () => {
  test('that does not exist is no release', async () => {
    expect(await readCurrent(await temporaryFolder())).toBeNull();
  });

  test.each(['/etc', 'releases/../../etc', 'releases/gone'])(
    'that points to %s is refused',
    async (target) => {
      const out = await temporaryFolder();
      await symlink(target, join(out, 'current'));
      expect(await failureOf(() => readCurrent(out))).toMatchObject({ code: 'release_invalid' });
    },
  );

  test('that points to a folder not named for its release is refused', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 1 });
    await unlink(join(out, 'current'));
    await mkdir(join(out, 'releases/other'));
    for (const file of ['manifest.json', 'state.json'])
      await link(join(release.dir, file), join(out, 'releases/other', file));
    await symlink('releases/other', join(out, 'current'));
    expect(await failureOf(() => readCurrent(out))).toMatchObject({ expected: 'release other' });
    expect((await lstat(join(out, 'current'))).isSymbolicLink()).toBe(true);
  });

  test('has the names of its state, which V8 may take for others', async () => {
    const out = await temporaryFolder();
    const state = '{"a":{"!":1,"\\\\":2},"b":{"!":3,"\\"":4},"c":{"!":5,"\\t":6}}';
    await using staging = await openStaging(out, null, { reuse: true });
    const { release } = await staging.publish({ facts: tinyFacts(1), state });
    for (const published of [release, (await readCurrent(out))!])
      expect(JSON.stringify(published.state)).toBe(state);
  });

  test('rejects a manifest with an additional space', async () => {
    const out = await temporaryFolder();
    const { dir } = (await publishTiny(out, { events: 1 })).release;
    const text = await readFile(join(dir, 'manifest.json'), 'utf8');
    expect(() => parseManifest(`${text} `, 'manifest.json')).toThrow('another');
    expect(() => parseManifest(text.replace('"rows": ', '"rows":  '), 'manifest.json')).toThrow('spelling');
  });
});
