import { mkdir, readFile, readlink, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Staging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { dataFile, publishTiny } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

const inode = async (path: string) => (await stat(path)).ino;

describe('a rebuild', () => {
  test('repairs the current release, wherever the damage is', async () => {
    const out = await temporaryFolder();
    const { dir } = (await publishTiny(out, { events: 100 })).release;
    await writeFile(join(dir, 'public/economy/supply'), 'damaged');
    await writeFile(join(dir, 'public/surplus.html'), 'surplus');
    await unlink(join(dir, 'public/index.html'));
    await mkdir(join(dir, 'public/index.html'));
    await unlink(join(dir, 'state.json'));
    await symlink('/etc/hostname', join(dir, 'state.json'));
    expect(await verifyRelease(dir)).not.toEqual([]);
    expect(await publishTiny(out, { events: 100, rebuild: true })).toMatchObject({ outcome: 'published' });
    expect(await verifyRelease(dir)).toEqual([]);
  });

  test('continues if the served manifest is unreadable', async () => {
    const out = await temporaryFolder();
    const { dir } = (await publishTiny(out, { events: 100 })).release;
    await writeFile(join(dir, 'manifest.json'), '{');
    expect(await publishTiny(out, { events: 100, rebuild: true })).toMatchObject({ outcome: 'published' });
    expect(await verifyRelease(dir)).toEqual([]);
    expect(await publishTiny(out, { events: 101 })).toMatchObject({ outcome: 'published' });
  });

  test.each([
    ['manifest', 'manifest.json'],
    ['state', 'state.json'],
  ])('still knows the immutable files if the served %s is damaged', async (_, file) => {
    const out = await temporaryFolder();
    const path = 'government/transparency-2023.pdf';
    const first = dataFile(path, 'first', { mediaType: 'application/pdf', immutable: true });
    const carry = { extra: (staging: Staging) => staging.carry(path) };
    await publishTiny(out, { events: 100, extra: (staging) => staging.write(first) });
    const { dir } = (await publishTiny(out, { events: 101, ...carry })).release;
    await writeFile(join(dir, file), '{');
    await publishTiny(out, { events: 101, rebuild: true, ...carry });
    expect(await verifyRelease(dir)).toEqual([]);
    expect(await readFile(join(dir, 'public', path), 'utf8')).toBe('first');
  });
});

describe('an immutable file', () => {
  const path = 'government/transparency-2023.pdf';
  const pdf = (content: string) =>
    dataFile(path, content, {
      mediaType: 'application/pdf',
      immutable: true,
      modified: '2023-12-31T23:00:00Z',
    });

  test('stops the run when its bytes would change, in a rebuild as well', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, {
      events: 1,
      extra: (staging) => staging.write(pdf('first')),
    });
    for (const rebuild of [false, true]) {
      const error = await failureOf(() =>
        publishTiny(out, { events: 2, rebuild, extra: (staging) => staging.write(pdf('other')) }),
      );
      expect(error).toMatchObject({ code: 'publish_failed', place: path });
    }
    expect(await readlink(join(out, 'current'))).toBe(`releases/${release.manifest.release}`);
  });

  test('stops the run when it would disappear', async () => {
    const out = await temporaryFolder();
    await publishTiny(out, { events: 1, extra: (staging) => staging.write(pdf('first')) });
    expect(await failureOf(() => publishTiny(out, { events: 2 }))).toMatchObject({
      code: 'publish_failed',
      place: path,
    });
  });

  test('is carried over as a link, with its time', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 1, extra: (staging) => staging.write(pdf('first')) }))
      .release;
    const second = (await publishTiny(out, { events: 2, extra: (staging) => staging.carry(path) })).release;
    expect(await inode(join(second.dir, 'public', path))).toBe(await inode(join(first.dir, 'public', path)));
    expect(second.manifest.files.find((file) => file.path === path)).toEqual(
      first.manifest.files.find((file) => file.path === path),
    );
  });

  test('is not carried over if it is missing, or was damaged before a rebuild, which carries no file over that may change', async () => {
    const out = await temporaryFolder();
    const extra = { extra: (staging: { carry(path: string): Promise<void> }) => staging.carry(path) };
    const { dir } = (await publishTiny(out, { events: 1, extra: (staging) => staging.write(pdf('first')) }))
      .release;
    await writeFile(join(dir, 'public', path), 'fIrst');
    expect(await failureOf(() => publishTiny(out, { events: 2, rebuild: true, ...extra }))).toMatchObject({
      code: 'release_invalid',
    });
    await unlink(join(dir, 'public', path));
    expect(await failureOf(() => publishTiny(out, { events: 2, ...extra }))).toMatchObject({
      code: 'release_invalid',
      place: join(dir, 'public', path),
      expected: expect.stringContaining('cathedral build --rebuild'),
    });
    const mutable = await temporaryFolder();
    await publishTiny(mutable, {
      events: 1,
      extra: (staging) => staging.write({ ...pdf('first'), immutable: false }),
    });
    expect(await failureOf(() => publishTiny(mutable, { events: 2, rebuild: true, ...extra }))).toMatchObject(
      {
        found: 'one that may change',
      },
    );
  });
});
