import {
  copyFile,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import type { Staging } from '../../pipeline/release/staging/staging.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { dataFile, publishTiny } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

async function flipped(place: string): Promise<void> {
  const bytes = await readFile(place);
  bytes[bytes.length - 2]! ^= 1;
  await writeFile(place, bytes);
}

/** By renaming a copy, as a program does that saves a file. */
async function replaced(place: string): Promise<void> {
  await copyFile(place, `${place}.new`);
  await flipped(`${place}.new`);
  await rename(`${place}.new`, place);
}

async function linked(place: string): Promise<void> {
  const elsewhere = join(await temporaryFolder(), 'elsewhere');
  await rename(place, elsewhere);
  await symlink(elsewhere, place);
}

/** Bytes and permissions, by path. Manifests say when a file first appeared, so the first release lists other times. */
async function contentOf(dir: string) {
  const found: [string, number, string][] = [];
  for (const path of (await readdir(dir, { recursive: true })).sort()) {
    const { mode } = await stat(join(dir, path));
    const isFile = (mode & 0o170000) === 0o100000 && path !== 'manifest.json';
    found.push([path, mode, isFile ? sha256(await readFile(join(dir, path))) : '']);
  }
  return found;
}

describe('a release', () => {
  test('has the written files, verifies, and is the target of OUT/current', async () => {
    const out = await temporaryFolder();
    const { outcome, release } = await publishTiny(out, { events: 100 });
    expect(outcome).toBe('published');
    expect(await readlink(join(out, 'current'))).toBe(`releases/${release.manifest.release}`);
    expect(release.manifest.release).toMatch(/^slot-100-[0-9a-f]{8}$/);
    expect(await verifyRelease(release.dir)).toEqual([]);
    const current = await readCurrent(out);
    expect(current).toEqual({ ...release, state: { events: 100 } });
    expect(await readFile(join(out, 'current/public/economy/supply'), 'utf8')).toContain('"events":100');
    expect((await readdir(out)).sort()).toEqual(['current', 'releases']);
  });

  test('is readable by other users, unlike the temporary folder it began as', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 1 });
    expect((await stat(release.dir)).mode & 0o055).toBe(0o055);
  });

  test('published again changes nothing', async () => {
    const out = await temporaryFolder();
    const first = await publishTiny(out, { events: 100 });
    const before = await stat(join(first.release.dir, 'manifest.json'));
    for (const rebuild of [false, true]) {
      const again = await publishTiny(out, { events: 100, rebuild });
      expect(again.outcome).toBe('unchanged');
      expect(again.release.manifest).toEqual(first.release.manifest);
    }
    const after = await stat(join(first.release.dir, 'manifest.json'));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
    expect(await readdir(join(out, 'releases'))).toHaveLength(1);
  });

  test('moved into place but not swapped in by a killed run is reused', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 1 })).release;
    const second = (await publishTiny(out, { events: 2 })).release;
    await writeFile(join(second.dir, 'public/economy/supply'), 'cut short');
    await unlink(join(out, 'current'));
    await symlink(`releases/${first.manifest.release}`, join(out, 'current'));
    await symlink('releases/half-done', join(out, 'current.next'));
    expect(await publishTiny(out, { events: 2 })).toMatchObject({ outcome: 'published' });
    expect((await readCurrent(out))?.manifest).toEqual(second.manifest);
    expect(await verifyRelease(second.dir)).toEqual([]);
    expect((await readdir(out)).sort()).toEqual(['current', 'releases']);
  });

  test('and the previous one are kept, older ones are removed', async () => {
    const out = await temporaryFolder();
    for (const events of [1, 2, 3]) await publishTiny(out, { events });
    const kept = (await readdir(join(out, 'releases'))).map((id) => id.replace(/-[0-9a-f]{8}$/, ''));
    expect(kept.sort()).toEqual(['slot-2', 'slot-3']);
  });
});

describe('an incremental run', () => {
  /** What may happen to a file of fifty years. */
  const damages: [string, (place: string) => Promise<void>][] = [
    ['missing', (place) => unlink(place)],
    ['another file, of the same length', replaced],
    ['damaged in its place', flipped],
    ['a link to a file with its bytes', linked],
  ];

  test.each(damages)('makes a file again that is %s in the previous release', async (_, damage) => {
    const out = await temporaryFolder();
    const before = (await publishTiny(out, { events: 100 })).release;
    for (const file of ['economy/sentinel-roi.json', 'economy/index.html.br', '_astro/site.d41d8cd9.css.br'])
      await damage(join(before.dir, 'public', file));
    expect(await verifyRelease((await publishTiny(out, { events: 101 })).release.dir)).toEqual([]);
  });

  test('reads what it takes over, so that it finds what a disk has lost without a change of times', async () => {
    const out = await temporaryFolder();
    const { dir } = (await publishTiny(out, { events: 1 })).release;
    const place = join(dir, 'public/economy/sentinel-roi.json');
    const { atime, mtime } = await stat(place);
    await flipped(place);
    await utimes(place, atime, mtime);
    expect(await verifyRelease((await publishTiny(out, { events: 2 })).release.dir)).toEqual([]);
  });

  test('has the bytes and permissions of a first release', async () => {
    const [out, fresh] = [await temporaryFolder(), await temporaryFolder()];
    const page = (path: string) => (staging: Staging) => staging.write(dataFile(path, path.repeat(50)));
    // A file becomes a folder and the other way round.
    const both = async (staging: Staging) => {
      await page('economy/a/b.json')(staging);
      await page('economy/c')(staging);
    };
    const others = async (staging: Staging) => {
      await page('economy/a')(staging);
      await page('economy/c/d.json')(staging);
    };
    for (const [index, extra] of [both, others, both].entries())
      await publishTiny(out, { events: index + 1, extra });
    const { dir } = (await readCurrent(out))!;
    const first = (await publishTiny(fresh, { events: 3, extra: both })).release;
    expect(await contentOf(dir)).toEqual(await contentOf(first.dir));
  });

  test('refuses a damaged manifest, state or open segment', async () => {
    for (const file of ['manifest.json', 'state.json', 'segments/economy/mic-history.csv/0-10.part']) {
      const out = await temporaryFolder();
      const { release } = await publishTiny(out, { events: 10 });
      await flipped(join(release.dir, file));
      const error = await failureOf(() => publishTiny(out, { events: 20 }));
      expect(error).toMatchObject({ code: 'release_invalid', place: expect.stringContaining(file) });
      expect((await readdir(out)).sort()).toEqual(['current', 'releases']);
    }
  });

  test('refuses a damaged sealed segment instead of publishing its bytes with a new hash', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 200 });
    const { file } = release.manifest.segments['economy/mic-history.csv']!.at(-1)!;
    await flipped(join(release.dir, file));
    const error = await failureOf(() => publishTiny(out, { events: 201 }));
    expect(error).toMatchObject({ code: 'release_invalid', place: expect.stringContaining(file) });
    expect(await readlink(join(out, 'current'))).toBe(`releases/${release.manifest.release}`);
  });
});
