import { cp, mkdir, readdir, readFile, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asOf } from '../../../pipeline/build/rebuild-as-of.ts';
import { publishedIds, readIndex, readPublished } from '../../../pipeline/build/snapshots/read-published.ts';
import { verifyList } from '../../../pipeline/build/snapshots/verify-published-snapshots.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { expiryOf } from '../../../pipeline/release/format/public-manifest.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { verify } from '../../../pipeline/verify/verify.ts';
import { sampleEvents } from '../../ledger/events/sample-events.ts';
import { writeSnapshot } from '../../ledger/test-ledger.ts';
import { updateMirror } from '../../mirror/update-mirror.ts';
import { keptService } from '../../release/kept-service.ts';
import { BASE_URL, NOW, type SmallService, smallService } from '../../release/small-service.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

const snapshots = { days: 366 };
const published = keptService(40, 30, 0, 20);
const DAY = 86_400_000;

async function service(...counts: number[]): Promise<SmallService> {
  const of = smallService(await temporaryFolder());
  await of.seal(...counts);
  return of;
}

/** A run two days after one of the kept service. */
const publishLater = (of: SmallService) =>
  of.publish({ snapshots, publisher: of.signsWith(of.keyFile, NOW + 2 * DAY) });

/** A run at a time in July 2025. The ledger’s first snapshot was sealed on the 3rd at 06Z. */
function publishAt(of: SmallService, time: string, more = {}) {
  const publisher = of.signsWith(of.keyFile, Date.parse(`2025-07-${time}Z`));
  return of.publish({ snapshots, publisher, ...more });
}

async function mirrorAt(of: SmallService, time: string) {
  const now = () => Date.parse(`2025-07-${time}Z`);
  return updateMirror(BASE_URL, `${of.out}-mirror`, {
    origin: await FolderOrigin.at(of.out),
    keys: null,
    now,
  });
}

/** The result of `cathedral verify` on the folder. */
async function findingsOf({ out }: SmallService) {
  const trust = { keys: null, ledgerKeys: null };
  const options = { acceptExpired: true, parallel: 2, now: () => 0, wait: async () => {}, log: () => {} };
  const { findings } = await verify(await FolderOrigin.at(out), trust, options);
  return findings;
}

describe('a ledger without new events', () => {
  test('has its release refreshed, and mirrors accept it', async () => {
    const of = await service(40);
    const first = await publishAt(of, '03T06:01:00');
    expect(first.manifest.signed!.expires).toBe('2025-07-05T06:00:00Z');
    const cited = await readFile(join(of.out, 'snapshots/2025-07-03T06Z/manifest.json'));
    await mirrorAt(of, '03T06:02:00');
    // One late slot is not a reason to refresh.
    expect((await publishAt(of, '03T12:01:00')).outcome).toBe('unchanged');
    const again = await publishAt(of, '03T18:01:00');
    const { release, timestamp, signed, ledger } = again.manifest;
    expect([again.outcome, again.events, release]).toEqual(['published', 0, first.manifest.release]);
    expect([timestamp, ledger]).toEqual([first.manifest.timestamp, first.manifest.ledger]);
    expect(signed).toMatchObject({
      version: first.manifest.signed!.version + 1,
      expires: '2025-07-05T18:00:00Z',
    });
    expect((await publishAt(of, '03T23:59:00')).outcome).toBe('unchanged');
    expect(await readFile(join(of.out, 'snapshots/2025-07-03T06Z/manifest.json'))).toEqual(cited);
    expect(await readIndex(of.out)).toHaveLength(1);
    // After the first signature has expired.
    expect(await mirrorAt(of, '05T12:00:00')).toMatchObject({ outcome: 'mirrored', snapshots: 0 });
    expect(await failureOf(() => mirrorAt(of, '05T18:00:01'))).toMatchObject({ code: 'mirror_expired' });
    await of.seal(40, 60);
    const next = await publishAt(of, '06T06:01:00');
    expect(next.manifest.signed!.version).toBeGreaterThan(signed!.version);
    expect(await mirrorAt(of, '06T06:02:00')).toMatchObject({ outcome: 'mirrored', snapshots: 1 });
  });

  test('has a release that was signed while the clock was a year ahead signed again once the clock is right', async () => {
    const of = await service(40);
    const year = await publishAt(of, '03T06:01:00', {
      publisher: of.signsWith(of.keyFile, Date.parse('2026-07-03T06:01:00Z')),
    });
    expect(year.manifest.signed!.expires).toBe('2026-07-05T06:00:00Z');
    await mirrorAt(of, '03T06:02:00');
    const { outcome, manifest } = await publishAt(of, '03T06:03:00');
    expect([outcome, manifest.signed]).toMatchObject([
      'published',
      { version: year.manifest.signed!.version + 1, expires: '2025-07-05T06:00:00Z' },
    ]);
    expect(await mirrorAt(of, '03T06:04:00')).toMatchObject({ outcome: 'mirrored' });
    expect(await failureOf(() => mirrorAt(of, '05T06:00:01'))).toMatchObject({ code: 'mirror_expired' });
    expect((await publishAt(of, '03T06:05:00')).outcome).toBe('unchanged');
  });

  test('gets its log again in a run that refreshes its release', async () => {
    const of = await service(300);
    await publishAt(of, '03T06:01:00');
    const checkpoint = await readFile(join(of.out, 'log/checkpoint'));
    for (const folder of ['log', 'log-entries']) await rm(join(of.out, folder), { recursive: true });
    expect((await publishAt(of, '03T18:01:00')).outcome).toBe('published');
    expect(await readFile(join(of.out, 'log/checkpoint'))).toEqual(checkpoint);
    expect((await readdir(of.out)).filter((name) => name.startsWith('staging-'))).toEqual([]);
    expect(await findingsOf(of)).toEqual([]);
  });

  test('may seal snapshots without events, and be stale when first published', async () => {
    const of = await service(40, 0);
    const { manifest } = await publishAt(of, '20T07:00:00');
    expect(manifest.signed!.expires).toBe('2025-07-22T06:00:00Z');
    expect(await mirrorAt(of, '20T08:00:00')).toMatchObject({ outcome: 'mirrored' });
  });

  test('with a lost release file is told what to do', async () => {
    const of = await published(1);
    const place = join((await readCurrent(of.out))!.dir, 'public/economy/supply');
    await rm(place);
    const failure = await failureOf(() => publishLater(of));
    expect(failure).toMatchObject({ code: 'release_invalid', place });
    expect(failure.message).toContain('run: cathedral build --rebuild');
  });

  test('has its release refreshed if the last signed release had the same events and is lost', async () => {
    const of = await published(1);
    await cp(of.out, `${of.out}-old`, { recursive: true, verbatimSymlinks: true });
    const lost = await of.publish({ snapshots, sourceCode: 'https://other.example.org/source' });
    await mirrorAt(of, '03T06:03:00');
    await rm(of.out, { recursive: true });
    await rename(`${of.out}-old`, of.out);
    const { manifest } = await of.publish({ snapshots });
    expect(manifest.signed!.version).toBe(lost.manifest.signed!.version + 1);
    expect(await mirrorAt(of, '03T06:05:00')).toMatchObject({ outcome: 'mirrored' });
  });

  test('is handled up to the last representable hours', () => {
    expect(expiryOf('9999-12-31T12:00:00Z', 0)).toBe('9999-12-31T23:59:59Z');
  });
});

describe('missed slots', () => {
  const COUNTS = [40, 30, 0, 20];
  const IDS = ['2025-07-03T06Z', '2025-07-03T12Z', '2025-07-03T18Z', '2025-07-04T00Z'];

  /** The hashes of each snapshot’s files, without the time of the signature. */
  async function filesOf({ out }: SmallService) {
    const kept = await Promise.all(IDS.map(async (id) => (await readPublished(out, id)).snapshot));
    return kept.map(({ id, release, files }) => [
      id,
      release,
      files.filter(({ path }) => !path.startsWith('manifest.json')),
    ]);
  }

  test('get the same snapshots as from runs on time, also in mirrors', async () => {
    const onTime = await filesOf(await published(4));
    const other = await published(1);
    await other.seal(...COUNTS);
    expect(await other.publish({ snapshots })).toMatchObject({ outcome: 'published', snapshots: 3 });
    expect((await readIndex(other.out))!.map(({ id }) => id).toReversed()).toEqual(IDS);
    expect(await filesOf(other)).toEqual(onTime);
    const again = await asOf({ ...other.options(), snapshot: IDS[2]!, into: null });
    expect([again.published?.as_of, again.findings]).toEqual(['2025-07-03T01:09:00Z', []]);
    const mirrored = await mirrorAt(other, '04T00:00:00');
    expect(mirrored).toMatchObject({ outcome: 'mirrored', snapshots: 4, unvouched: 0 });
  });

  test('are published once if a run fails halfway', async () => {
    const of = await published(1);
    await of.seal(...COUNTS);
    await truncate(join(of.ledger, 'snapshots/2025-07-04T00Z.ndjson.zst'), 10);
    await failureOf(() => of.publish({ snapshots }));
    expect((await publishedIds(of.out)).sort()).toEqual(IDS.slice(0, 3));
    // Readers see the previous release with its complete list.
    expect((await readIndex(of.out))!.map(({ id }) => id)).toEqual(IDS.slice(0, 1));
    expect(await findingsOf(of)).toEqual([]);
    const indexes = () =>
      Promise.all(IDS.slice(0, 3).map((id) => readFile(join(of.out, 'snapshots', id, 'index.json'), 'utf8')));
    const made = await indexes();
    await of.seal(...COUNTS);
    await of.publish({ snapshots });
    expect((await publishedIds(of.out)).sort()).toEqual(IDS);
    expect(await indexes()).toEqual(made);
  });
});

test('a run that ends between the snapshot list and its release leaves both valid for readers', async () => {
  const before = join(await temporaryFolder(), 'current');
  await cp(join((await published(1)).out, 'current'), before, { verbatimSymlinks: true });
  const of = await published(2);
  // The previous release with the next list: the state at that moment.
  await rm(join(of.out, 'current'));
  await cp(before, join(of.out, 'current'), { verbatimSymlinks: true });
  expect(await verifyList(of.out)).toEqual([]);
  expect(await mirrorAt(of, '03T06:00:00')).toMatchObject({ outcome: 'mirrored', snapshots: 1 });
  await of.publish({ snapshots });
  expect(await mirrorAt(of, '03T06:00:00')).toMatchObject({ outcome: 'mirrored', snapshots: 1 });
  expect(await publishedIds(`${of.out}-mirror`)).toHaveLength(2);
});

test('a run that cannot write the snapshot list does not serve a release missing from it', async () => {
  const of = await published(1);
  const { release } = (await readCurrent(of.out))!.manifest;
  await mkdir(join(of.out, 'snapshots/index.json.tmp'));
  await of.seal(40, 60);
  expect(await failureOf(() => of.publish({ snapshots }))).toMatchObject({ code: 'publish_failed' });
  expect((await readCurrent(of.out))!.manifest.release).toBe(release);
  expect(await verifyList(of.out)).toEqual([]);
});

test.each([
  ['missing', 'ledger_order', (file: string) => rm(file)],
  ['damaged', 'ledger_root', async (file: string) => cp(`${file}.other`, file)],
])('a new ledger snapshot that is %s is not mistaken for a different ledger', async (_, code, damage) => {
  const of = await published(1);
  await of.seal(40, 60, 30);
  const other = smallService(await temporaryFolder());
  await other.seal(40, 60);
  const events = join(of.ledger, 'snapshots/2025-07-03T12Z.ndjson.zst');
  await writeOther(other.ledger, `${events}.other`);
  await damage(events);
  if (code === 'ledger_order') await rm(join(of.ledger, 'snapshots/2025-07-03T12Z.checkpoint'));
  const failure = await failureOf(() => of.publish({ snapshots }));
  expect(failure).toMatchObject({ code });
  expect(failure.message).toContain('a snapshot after that is missing or damaged');
  expect(failure.message).not.toContain('does not go on from');
});

/** The second snapshot’s events with other salts: well-formed, but with a different root hash. */
async function writeOther(ledger: string, target: string): Promise<void> {
  await rm(ledger, { recursive: true });
  const position = await writeSnapshot(ledger, '2025-07-03T06Z', LEDGER_START, sampleEvents(40));
  const salt = Buffer.alloc(16, 5).toString('base64url');
  const events = sampleEvents(60, 40).map((event) => ({ ...event, salt }));
  await writeSnapshot(ledger, '2025-07-03T12Z', position, events);
  await cp(join(ledger, 'snapshots/2025-07-03T12Z.ndjson.zst'), target);
}
