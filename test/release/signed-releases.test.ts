import { chmod, mkdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../pipeline/build/check.ts';
import { lastRelease } from '../../pipeline/build/snapshots/restore.ts';
import { LEDGER_START } from '../../pipeline/ledger/log/leaf.ts';
import { parseVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { formatNoteKeys, readNoteKeys, verifierKeyOf } from '../../pipeline/ledger/notes/note-keys.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { snapshotFile } from '../../pipeline/ledger/reading/directory.ts';
import type { PublicManifest } from '../../pipeline/release/format/public-manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  replacePublisher,
  retirePublisher,
  rotatePublisher,
} from '../../pipeline/release/signing/change-publisher.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { openManifest } from '../../pipeline/release/signing/open-manifest.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { filesBelow } from '../files-below.ts';
import { sampleEvents } from '../ledger/events/sample-events.ts';
import { writeSnapshot } from '../ledger/test-ledger.ts';
import { keptService } from './kept-service.ts';
import { NOW, type SmallService } from './small-service.ts';
import { failureOf } from './temporary-folder.ts';

const DAY = 86_400_000;
const published = keptService(40, 60);

function read({ out }: SmallService, path: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(join(out, 'current/public', path));
}

async function keysOf({ keyFile }: SmallService): Promise<string[]> {
  return (await readNoteKeys(keyFile))!.map(verifierKeyOf);
}

async function secretOf({ keyFile }: SmallService): Promise<string> {
  const [key] = (await readNoteKeys(keyFile))!;
  return Buffer.from([1, ...key!.seed]).toString('base64');
}

/** As a reader who trusts these keys opens it. */
async function open(of: SmallService, keys: readonly string[]): Promise<PublicManifest> {
  const [manifest, signature] = [await read(of, 'manifest.json'), await read(of, 'manifest.json.sig')];
  return openManifest(manifest, signature, keys.map(parseVerifierKey));
}

/** Deletes the output folder. Its snapshots are kept, because nothing can make them again, and moved into `to`. */
async function loseReleases({ out }: SmallService, to = out): Promise<void> {
  await rename(join(out, 'snapshots'), `${out}-kept`);
  await rm(out, { recursive: true });
  await mkdir(to, { recursive: true });
  await rename(`${out}-kept`, join(to, 'snapshots'));
}

describe('a version', () => {
  test('is in the name of the folder, which is not read without it', async () => {
    const { out } = await published(1);
    const name = basename(await readlink(join(out, 'current')));
    const [release, version] = [name.slice(0, name.lastIndexOf('-')), name.split('-').at(-1)];
    await rename(join(out, 'releases', name), join(out, 'releases', release));
    await rm(join(out, 'current'));
    await symlink(`releases/${release}`, join(out, 'current'));
    const expected = `${release}-${version}`;
    expect(await failureOf(() => readCurrent(out))).toMatchObject({
      expected: `release ${release}`,
      found: expected,
    });
    expect(await verifyRelease(join(out, 'releases', release))).toMatchObject([
      { place: '.', expected: `a folder ${expected}`, found: release },
    ]);
  });

  test('is higher than the one before, of the same snapshot too', async () => {
    const of = await published(1);
    const first = await open(of, await keysOf(of));
    await of.publish({ sourceCode: 'https://other.example.org/source' });
    const second = await open(of, await keysOf(of));
    await of.seal(40, 60);
    await of.publish();
    const third = await open(of, await keysOf(of));
    expect(first.version).toBe(Math.floor(Date.parse(first.as_of) / 1000));
    expect(second.version).toBe(first.version + 1);
    expect([second.snapshot, third.log.size]).toEqual([first.snapshot, 100]);
    expect(third.version).toBe(Math.floor(Date.parse(third.as_of) / 1000));
    expect(third.version).toBeGreaterThan(second.version);
  });

  test('is one that no release had, where the folder was set back to an earlier one', async () => {
    const of = await published(1);
    const { manifest } = await of.publish({ sourceCode: 'https://other.example.org/source' });
    await loseReleases(of);
    await of.publish({ sourceCode: 'https://third.example.org/source' });
    expect((await open(of, await keysOf(of))).version).toBe(manifest.signed!.version + 1);
  });
});

describe('the publisher’s key', () => {
  test('is made by the first run, for its owner alone, outside the folder of releases', async () => {
    const of = await published(1);
    expect((await stat(of.keyFile)).mode & 0o777).toBe(0o600);
    const secret = await secretOf(of);
    expect(await readFile(of.keyFile, 'utf8')).toContain(secret);
    for (const [path, bytes] of filesBelow(of.out)) expect(bytes.includes(secret), path).toBe(false);
  });

  test('is refused where others can read it, and where it is not one, without a word of what is in it', async () => {
    const of = await published(1);
    await chmod(of.keyFile, 0o640);
    expect(await failureOf(() => of.publish())).toMatchObject({ code: 'config_invalid', found: 'mode 640' });
    await chmod(of.keyFile, 0o600);
    const secret = await secretOf(of);
    const text = await readFile(of.keyFile, 'utf8');
    await writeFile(of.keyFile, text.replace('PRIVATE+KEY+data', 'PRIVATE+KEY+dota'));
    const failure = await failureOf(() => of.publish());
    expect(failure).toMatchObject({ code: 'config_invalid' });
    expect(String(failure.message)).not.toContain(secret.slice(0, 20));
  });

  test('is rotated: both keys sign, who knew the old one learns the new one, then the new one signs alone', async () => {
    const of = await published(1);
    const [old] = await keysOf(of);
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    await rotatePublisher(change);
    const retire = () => retirePublisher({ ...change, now: NOW + 30 * DAY }, { out: of.out, days: 30 });
    // It has not signed a release.
    expect(await failureOf(retire)).toMatchObject({ code: 'release_refused', place: of.out });
    expect((await of.publish()).outcome).toBe('published');
    const { keys } = await open(of, [old!]);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(old);
    expect((await open(of, [keys[0]!])).keys).toEqual(keys);
    await retire();
    expect((await of.publish()).outcome).toBe('published');
    expect((await open(of, keys)).keys).toEqual([keys[0]]);
    expect(await failureOf(() => open(of, [old!]))).toMatchObject({ code: 'ledger_signature' });
  });

  test('is missed where it is lost: no other one is made, and nothing is published until it is given up', async () => {
    const of = await published(1);
    const [old] = await keysOf(of);
    await rm(of.keyFile);
    await of.seal(40, 60);
    const message = await expectRefused(of, () => of.publish());
    expect(message).toContain(of.keyFile);
    expect(message).toContain('cathedral publisher replace');
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    const previous = () => lastRelease(of.out);
    await replacePublisher(change, { previous, givesUp: old!.split('+')[1]! });
    expect((await of.publish()).outcome).toBe('published');
    expect(await failureOf(() => open(of, [old!]))).toMatchObject({ code: 'ledger_signature' });
  });

  test('is given up also where nothing is left but the snapshots, as those of a mirror', async () => {
    const of = await published(1);
    const kept = { snapshots: { days: 366 } };
    await of.seal(40, 60);
    await of.publish(kept);
    const [old] = await keysOf(of);
    for (const name of ['current', 'releases', 'log']) await rm(join(of.out, name), { recursive: true });
    await rm(dirname(of.keyFile), { recursive: true });
    expect(await failureOf(() => of.publish(kept))).toMatchObject({
      code: 'release_refused',
      place: of.keyFile,
    });
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    const previous = () => lastRelease(of.out);
    await replacePublisher(change, { previous, givesUp: old!.split('+')[1]! });
    expect((await of.publish(kept)).outcome).toBe('published');
    expect((await open(of, await keysOf(of))).keys).toEqual(await keysOf(of));
  });

  test('is another one by mistake: nothing is published', async () => {
    const of = await published(1);
    await of.seal(40, 60);
    const file = `${of.keyFile}.other`;
    const [own] = (await readNoteKeys(of.keyFile))!;
    await writeFile(file, formatNoteKeys([{ ...own!, seed: new Uint8Array(32).fill(9) }]), { mode: 0o600 });
    await expectRefused(of, () => of.publish({ publisher: of.signsWith(file) }));
  });
});

/** The release that is served stays, whole. */
async function expectRefused(
  of: SmallService,
  work: () => Promise<unknown>,
  code = 'release_refused',
): Promise<string> {
  const link = await readlink(join(of.out, 'current'));
  const signature = await read(of, 'manifest.json.sig');
  const failure = await failureOf(work);
  expect(failure).toMatchObject({ code });
  expect(await readlink(join(of.out, 'current'))).toBe(link);
  expect(await read(of, 'manifest.json.sig')).toEqual(signature);
  return String(failure.message);
}

describe('nothing is published', () => {
  test('from a ledger that is shorter than what was published', async () => {
    const of = await published(2);
    await of.seal(40);
    for (const rebuild of [false, true])
      expect(await expectRefused(of, () => of.publish({ rebuild }), 'log_forked')).toContain(
        'at least the 100 events',
      );
    // After a loss of the whole folder, as long as the keys are there.
    await rm(of.out, { recursive: true });
    expect(await failureOf(() => of.publish())).toMatchObject({ code: 'release_refused' });
  });

  test('from a ledger of the same length with another history', async () => {
    const of = await published(1);
    await rm(of.ledger, { recursive: true });
    const events = sampleEvents(40).map((event) => ({ ...event, salt: 'BQ'.repeat(11) }));
    await writeSnapshot(of.ledger, '2025-07-03T06Z', LEDGER_START, events);
    for (const rebuild of [false, true])
      expect(await expectRefused(of, () => of.publish({ rebuild }), 'log_forked')).toContain(
        'earlier events have changed',
      );
  });

  test.each([
    ['fewer events in the snapshot that was published', [40, 50, 70], /100 events.*found 90 events/],
    ['more events in it, and nothing new', [40, 80], /100 events.*found 120 events/],
  ])('from a longer ledger with %s', async (_, counts, says) => {
    const of = await published(2);
    await of.seal(...counts);
    const message = await expectRefused(of, () => of.publish(), 'log_forked');
    expect(message).toMatch(says);
    expect(message).toContain('nothing is published: restore the ledger that was published');
  });

  test('from a longer ledger that has no more the snapshot that was published, and goes on from elsewhere', async () => {
    const of = await published(2);
    await of.seal(40, 50, 70);
    const second = snapshotFile(of.ledger, '2025-07-03T12Z');
    for (const file of [second.events, second.checkpoint]) await rm(file);
    const message = await expectRefused(of, () => of.publish(), 'ledger_order');
    expect(message).toMatch(/seq 100 .*found seq 90/);
    expect(message).toContain('does not extend the 100 published events up to 2025-07-03T12Z');
    expect(message).toContain('nothing is published: ');
  });

  test('but a ledger with the same events in other snapshots is taken as a whole', async () => {
    const of = await published(2);
    await of.seal(40, 80, 30);
    expect(await expectRefused(of, () => of.publish(), 'log_forked')).toContain('cathedral build --rebuild');
    expect((await of.publish({ rebuild: true })).outcome).toBe('published');
    expect((await readCurrent(of.out))!.manifest.ledger.size).toBe(150);
  });

  test('from a longer ledger that ends earlier, as after a clock that went back', async () => {
    const of = await published(2);
    await loseReleases(of);
    await rm(of.ledger, { recursive: true });
    const { timestamp } = sampleEvents(50).at(-1)!;
    const events = sampleEvents(120).map((event, at) =>
      at < 50 ? event : { ...event, timestamp, cycle: 'C-0' },
    );
    await writeSnapshot(of.ledger, '2025-07-03T18Z', LEDGER_START, events);
    const failure = await failureOf(() => of.publish());
    expect(failure).toMatchObject({ code: 'release_refused', found: timestamp });
    expect(failure.message).toContain('nothing is published: restore the whole ledger');
  });

  test('by a second folder under the same address and key, until the first one is gone', async () => {
    const of = await published(1);
    const second = `${of.out}-2`;
    // And is not told that the first one's snapshots are missing in it.
    const records = fileRecords(of.keyFile, { waitMs: 0 });
    // As the second one reads it that begins before the first has signed.
    const read = async () => ({ ...(await records.read()), services: {} });
    const publisher = { ...of.signsWith(of.keyFile), records: { ...records, read } };
    // Before its first release is signed, it publishes the data files alone.
    const passing = { publisher: { ...of.signsWith(of.keyFile), lasts: false } };
    // By another name of the same file.
    const link = join(of.out, '../link.key');
    await symlink(of.keyFile, link);
    const linked = { publisher: of.signsWith(link) };
    for (const more of [{ snapshots: { days: 366 } }, { publisher }, passing, linked])
      expect(await expectRefused(of, () => of.publish({ out: second, ...more }))).toContain(
        'give this one its own address or keys',
      );
    await rename(of.keyFile, `${of.keyFile}.aside`);
    await expectRefused(of, () => of.publish({ out: second, ...passing }));
    await rename(`${of.keyFile}.aside`, of.keyFile);
    await loseReleases(of, second);
    expect((await of.publish({ out: second })).outcome).toBe('published');
  });
});

test('a check finds a signature by another key', async () => {
  const of = await published(1);
  const other = signerFromSeed('data.example.org', new Uint8Array(32).fill(9)).verifier;
  const problems = await check({ ...of.options(), ledger: null, publisherKeys: [other] });
  expect(problems).toMatchObject([{ code: 'mirror_untrusted', place: 'public/manifest.json.sig' }]);
});
