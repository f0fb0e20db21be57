import { readdir, readFile, readlink, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { publishTiny } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

const inode = async (path: string) => (await stat(path)).ino;

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

  test('keeps restricted files and segments out of the public tree', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 100 });
    const names = await readdir(join(release.dir, 'public'), { recursive: true });
    expect(names).not.toContain('government/compliance-report.json');
    expect(names.filter((name) => /compliance|ledger|\.part|state|manifest/.test(name))).toEqual([]);
    expect(await readFile(join(release.dir, 'restricted/government/compliance-report.json'), 'utf8')).toBe(
      '{"events":100}',
    );
    expect(release.manifest.segments['government/ledger/export']!.length).toBeGreaterThan(1);
    expect(release.manifest.files.map(({ path }) => path)).not.toContain('government/ledger/export');
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

  test('has the same id and bytes whether it was built in one run or in many', async () => {
    const [many, one] = [await temporaryFolder(), await temporaryFolder()];
    for (const events of [1, 17, 18, 90, 200]) await publishTiny(many, { events });
    const { release } = await publishTiny(one, { events: 200 });
    const stepwise = await readCurrent(many);
    expect(stepwise?.manifest.release).toBe(release.manifest.release);
    expect(stepwise?.manifest.segments).toEqual(release.manifest.segments);
    for (const { file } of release.manifest.segments['economy/mic-history.csv']!) {
      expect(await readFile(join(stepwise!.dir, file))).toEqual(await readFile(join(release.dir, file)));
    }
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

  test('by a different software version is another release of the same snapshot', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 5 });
    const next = await publishTiny(out, { events: 5, software: 'cathedral-data-service 0.0.1' });
    expect(next.outcome).toBe('published');
    expect(next.release.manifest.release).not.toBe(release.manifest.release);
  });

  test('and the previous one are kept, older ones are removed', async () => {
    const out = await temporaryFolder();
    for (const events of [1, 2, 3]) await publishTiny(out, { events });
    const kept = (await readdir(join(out, 'releases'))).map((id) => id.replace(/-[0-9a-f]{8}$/, ''));
    expect(kept.sort()).toEqual(['slot-2', 'slot-3']);
    await publishTiny(out, { events: 3 });
    expect(await readdir(join(out, 'releases'))).toHaveLength(2);
  });
});

describe('an incremental run', () => {
  test('links unchanged files with their encodings, and keeps their modification times', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 100 })).release;
    const second = (await publishTiny(out, { events: 150 })).release;
    const same = [
      'public/economy/sentinel-roi.json',
      'public/economy/sentinel-roi.json.br',
      'public/economy/index.html.gz',
    ];
    for (const file of same)
      expect(await inode(join(second.dir, file))).toBe(await inode(join(first.dir, file)));
    expect(await inode(join(second.dir, 'public/economy/supply'))).not.toBe(
      await inode(join(first.dir, 'public/economy/supply')),
    );
    const modified = (path: string) => second.manifest.files.find((file) => file.path === path)?.modified;
    expect(modified('economy/sentinel-roi.json')).toBe(first.manifest.timestamp);
    expect(modified('economy/supply')).toBe(second.manifest.timestamp);
  });

  test('links sealed segments', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 200 })).release;
    const second = (await publishTiny(out, { events: 201 })).release;
    const oldest = second.manifest.segments['economy/mic-history.csv']!.at(-1)!;
    for (const file of [oldest.file, `${oldest.file}.deflate`]) {
      expect(await inode(join(second.dir, file))).toBe(await inode(join(first.dir, file)));
    }
  });

  test('links nothing in a rebuild except carried files', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 100 })).release;
    const second = (await publishTiny(out, { events: 101, rebuild: true })).release;
    const file = 'public/economy/sentinel-roi.json';
    expect(await inode(join(second.dir, file))).not.toBe(await inode(join(first.dir, file)));
  });

  test('rewrites a file that is missing or truncated in the previous release', async () => {
    const out = await temporaryFolder();
    const first = (await publishTiny(out, { events: 100 })).release;
    await unlink(join(first.dir, 'public/economy/sentinel-roi.json'));
    await writeFile(join(first.dir, 'public/economy/index.html.gz'), 'cut');
    const second = (await publishTiny(out, { events: 101 })).release;
    expect(await verifyRelease(second.dir)).toEqual([]);
  });

  test('refuses a damaged manifest, state or open segment', async () => {
    for (const file of ['manifest.json', 'state.json', 'segments/economy/mic-history.csv/0-10.part']) {
      const out = await temporaryFolder();
      const { release } = await publishTiny(out, { events: 10 });
      const bytes = await readFile(join(release.dir, file));
      bytes[bytes.length - 2]! ^= 1;
      await writeFile(join(release.dir, file), bytes);
      const error = await failureOf(() => publishTiny(out, { events: 20 }));
      expect(error).toMatchObject({ code: 'release_invalid', place: expect.stringContaining(file) });
      expect((await readdir(out)).sort()).toEqual(['current', 'releases']);
    }
  });

  test('refuses a damaged sealed segment instead of publishing its bytes with a new hash', async () => {
    const out = await temporaryFolder();
    const { release } = await publishTiny(out, { events: 200 });
    const { file } = release.manifest.segments['economy/mic-history.csv']!.at(-1)!;
    const bytes = await readFile(join(release.dir, file));
    bytes[100]! ^= 1;
    await writeFile(join(release.dir, file), bytes);
    const error = await failureOf(() => publishTiny(out, { events: 201 }));
    expect(error).toMatchObject({ code: 'release_invalid', place: expect.stringContaining(`${file} crc32`) });
    expect(await readlink(join(out, 'current'))).toBe(`releases/${release.manifest.release}`);
  });
});
