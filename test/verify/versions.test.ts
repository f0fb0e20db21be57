import { describe, expect, test } from 'vitest';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { formatSnapshotIndex, parseSnapshotIndex } from '../../pipeline/release/format/snapshot-index.ts';
import { findVersion, readVersion } from '../../pipeline/verify/versions/file-version.ts';
import { ListedSnapshots } from '../../pipeline/verify/versions/listed-snapshots.ts';
import { BEGIN, type Site, smallSite } from '../mirror/small-service.ts';
import { SiteOrigin } from './rows/public-log.ts';

const HISTORY = 'economy/mic-history.csv';
const idOf = (release: number) =>
  `${new Date(BEGIN + (release - 1) * 21_600_000).toISOString().slice(0, 13)}Z`;

/** A host with the snapshots of as many releases. */
const hostOf = (release: number, options = {}) => {
  const site = smallSite({ release });
  return {
    site,
    host: new SiteOrigin(site, options),
    listed: new ListedSnapshots(new SiteOrigin(site, options)),
  };
};
const ignore = () => {};

async function versionOf(host: SiteOrigin, id: string, path = HISTORY) {
  const found = await new ListedSnapshots(host).at(id);
  return (await findVersion(host, found.before!, path))!;
}

describe.each([{ hasRanges: true }, { hasRanges: false }])('on a host %j', (options) => {
  test('every version of a file is put together as it was', async () => {
    const { host } = hostOf(4, options);
    for (let release = 1; release <= 4; release += 1)
      for (const path of [HISTORY, 'economy/supply']) {
        const version = await versionOf(host, idOf(release), path);
        const text = await (await readVersion(host, version, ignore)).text();
        expect(text).toBe(smallSite({ release }).get(path)!.toString());
        expect(version.entry.id).toBe(idOf(release));
      }
  });
});

describe('the snapshot list', () => {
  /** A list as long as that of a service that keeps every snapshot of twenty years. */
  const [entry] = parseSnapshotIndex(String(smallSite({ release: 1 }).get('snapshots/index.json')));
  const index = Array.from({ length: 29_200 }, (_, at) => ({ ...entry!, id: idOf(29_200 - at) }));
  const site: Site = new Map([['snapshots/index.json', Buffer.from(formatSnapshotIndex(index))]]);

  test('is read once and searched, however long it is', async () => {
    const host = new SiteOrigin(site);
    const listed = new ListedSnapshots(host);
    for (const release of [1, 2, 3000, 14_600, 29_199, 29_200])
      expect(await listed.at(idOf(release))).toMatchObject({ before: { id: idOf(release) }, isExact: true });
    const [before, after] = await listed.neighbours(idOf(7000));
    expect([before?.id, after?.id]).toEqual([idOf(6999), idOf(7001)]);
    expect(await listed.neighbours(idOf(1))).toMatchObject([undefined, { id: idOf(2) }]);
    expect(await listed.neighbours(idOf(29_200))).toMatchObject([{ id: idOf(29_199) }, undefined]);
    expect(host.asked).toHaveLength(1);
  });

  test('may be missing or damaged, which is said, and is asked for again', async () => {
    const one: Site = new Map();
    const listed = new ListedSnapshots(new SiteOrigin(one));
    await expect(listed.at(idOf(1))).rejects.toThrow('/snapshots/index.json: expected the snapshot list');
    one.set('snapshots/index.json', Buffer.from('<!doctype html>'));
    await expect(listed.at(idOf(1))).rejects.toThrow('release_invalid');
    one.set('snapshots/index.json', Buffer.from(formatSnapshotIndex(index.slice(1))));
    expect((await listed.at(idOf(29_199))).before?.id).toBe(idOf(29_199));
  });
});

describe('a version that is not as it was', () => {
  test.each<[string, (site: Site) => void, string]>([
    ['a changed row', (site) => void site.get(HISTORY)!.fill('x', 60, 61), 'SHA-256'],
    ['a shorter history', (site) => void site.set(HISTORY, site.get(HISTORY)!.subarray(0, 300)), 'bytes'],
    ['no history', (site) => void site.delete(HISTORY), 'no such file'],
    [
      'another index',
      (site) => void site.get(`snapshots/${idOf(2)}/index.json`)!.fill('2', 9, 10),
      'as listed',
    ],
  ])('is refused: %s', async (_, damage, found) => {
    const { site, host } = hostOf(2);
    damage(site);
    const read = async () => readVersion(host, await versionOf(host, idOf(2)), ignore);
    await expect(read()).rejects.toThrow(found);
  });

  test('has its rows elsewhere, or nowhere, where the list says so', async () => {
    const { site, host } = hostOf(3);
    const { entry, file } = await versionOf(host, idOf(2));
    const old = `snapshots/histories/${sha256('old')}`;
    site.set(old, smallSite({ release: 2 }).get(HISTORY)!);
    site.set(HISTORY, Buffer.from('written,differently\n'.repeat(1000)));
    const moved = { file, entry: { ...entry, histories: { [HISTORY]: old } } };
    expect((await readVersion(host, moved, ignore)).size).toBe(file.bytes);
    const lost = { file, entry: { ...entry, histories: { [HISTORY]: null } } };
    await expect(readVersion(host, lost, ignore)).rejects.toThrow('cathedral as-of');
  });
});
