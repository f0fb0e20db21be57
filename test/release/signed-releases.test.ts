import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../pipeline/build/check.ts';
import { snapshotFile } from '../../pipeline/ledger/directory.ts';
import { LEDGER_START } from '../../pipeline/ledger/leaf.ts';
import { parseVerifierKey } from '../../pipeline/ledger/note.ts';
import { readNoteKeys, verifierKeyOf } from '../../pipeline/ledger/note-keys.ts';
import { openNote } from '../../pipeline/ledger/open-note.ts';
import { signerFromSeed } from '../../pipeline/ledger/signer-from-seed.ts';
import { HOST_FILES } from '../../pipeline/release/format/headers.ts';
import { type PublicManifest, parseLatest } from '../../pipeline/release/format/public-manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  replacePublisher,
  retirePublisher,
  rotatePublisher,
} from '../../pipeline/release/signing/change-publisher.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { openManifest } from '../../pipeline/release/signing/open-manifest.ts';
import { sampleEvents } from '../ledger/sample-events.ts';
import { signer, writeSnapshot } from '../ledger/test-ledger.ts';
import { NOW, type SmallService, smallService } from './small-service.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

const DAY = 86_400_000;
const snapshots = { days: 366 };

async function service(...counts: number[]): Promise<SmallService> {
  const made = smallService(await temporaryFolder());
  await made.seal(...counts);
  return made;
}

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

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a signed release', () => {
  test('has a manifest of every public file, and of no other', async () => {
    const of = await service(40);
    await of.publish();
    const manifest = await open(of, await keysOf(of));
    expect(manifest).toMatchObject({ publisher: 'data.example.org', snapshot: '2025-07-03T06Z' });
    const there = await readdir(join(of.out, 'current/public'), { recursive: true, withFileTypes: true });
    const paths = there
      .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(join(of.out, 'current/public/').length));
    const apart = [...HOST_FILES, 'latest.json', 'manifest.json', 'manifest.json.sig'];
    expect([...manifest.files.map(({ path }) => path), ...apart].sort()).toEqual(paths.sort());
    for (const file of manifest.files) {
      const bytes = await read(of, file.path);
      expect([file.path, sha256(bytes), bytes.length]).toEqual([file.path, file.sha256, file.bytes]);
    }
  });

  test('says from what of the ledger it was made, with the ledger’s own signature, and until when it is good', async () => {
    const of = await service(40);
    await of.publish();
    const { log, as_of, expires, version } = await open(of, await keysOf(of));
    const { text } = openNote(log.checkpoint, [signer.verifier], 'checkpoint');
    expect(text).toBe(`${log.origin}\n${log.size}\n${log.root_hash}\n`);
    expect(log.size).toBe(40);
    expect([as_of.slice(0, 10), expires]).toEqual(['2025-07-03', '2026-01-04T00:00:00Z']);
    expect(version).toBe(Math.floor(Date.parse(as_of) / 1000));
  });

  test('has a latest.json with the manifest’s hash, and shows its keys', async () => {
    const of = await service(40);
    await of.publish();
    const latest = parseLatest((await read(of, 'latest.json')).toString());
    const manifest = await read(of, 'manifest.json');
    expect(latest.manifest).toEqual({
      path: 'manifest.json',
      sha256: sha256(manifest),
      bytes: manifest.length,
    });
    expect((await read(of, 'publisher.vkey')).toString()).toBe(`${(await keysOf(of)).join('\n')}\n`);
  });

  test('verifies with openssl alone', async () => {
    const of = await service(40);
    await of.publish();
    const [key] = await keysOf(of);
    const note = (await read(of, 'manifest.json.sig')).toString();
    const [text, line] = note.split('\n\n') as [string, string];
    const signature = Buffer.from(line.trim().split(' ')[2]!, 'base64').subarray(4);
    const folder = await temporaryFolder();
    const raw = Buffer.from(key!.split('+').slice(2).join('+'), 'base64').subarray(1);
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
    await writeFile(join(folder, 'key.der'), der);
    await writeFile(join(folder, 'text'), `${text}\n`);
    await writeFile(join(folder, 'signature'), signature);
    const flags = '-pubin -keyform DER -inkey key.der -rawin -in text -sigfile signature';
    const said = execFileSync('openssl', ['pkeyutl', '-verify', ...flags.split(' ')], { cwd: folder });
    expect(said.toString()).toContain('Verified Successfully');
  });

  test('stays as it is in a run that finds nothing new, and in a rebuild', async () => {
    const of = await service(40);
    const { manifest } = await of.publish();
    const before = await read(of, 'manifest.json.sig');
    expect((await of.publish()).outcome).toBe('unchanged');
    expect((await of.publish({ rebuild: true })).manifest.release).toBe(manifest.release);
    expect(await read(of, 'manifest.json.sig')).toEqual(before);
  });

  test('comes out as the same bytes after a loss of the whole folder', async () => {
    const of = await service(40);
    await of.publish();
    const before = await read(of, 'manifest.json.sig');
    await rm(of.out, { recursive: true });
    await of.publish();
    expect(await read(of, 'manifest.json.sig')).toEqual(before);
  });

  test('has a higher version than the one before, of the same snapshot too', async () => {
    const of = await service(40);
    await of.publish();
    const first = await open(of, await keysOf(of));
    await of.publish({ sourceCode: 'https://other.example.org/source' });
    const second = await open(of, await keysOf(of));
    await of.seal(40, 60);
    await of.publish();
    const third = await open(of, await keysOf(of));
    expect(second.version).toBe(first.version + 1);
    expect([second.snapshot, third.log.size]).toEqual([first.snapshot, 100]);
    expect(third.version).toBe(Math.floor(Date.parse(third.as_of) / 1000));
    expect(third.version).toBeGreaterThan(second.version);
  });

  test('gets a version that no release had, where the folder was set back to an earlier one', async () => {
    const of = await service(40);
    await of.publish();
    const { manifest } = await of.publish({ sourceCode: 'https://other.example.org/source' });
    await rm(of.out, { recursive: true });
    await of.publish({ sourceCode: 'https://third.example.org/source' });
    expect((await open(of, await keysOf(of))).version).toBe(manifest.signed!.version + 1);
  });
});

describe('the publisher’s key', () => {
  test('is made by the first run, for its owner alone, outside the folder of releases', async () => {
    const of = await service(40);
    await of.publish();
    expect((await stat(of.keyFile)).mode & 0o777).toBe(0o600);
    const files = await readdir(of.out, { recursive: true, withFileTypes: true });
    const secret = await secretOf(of);
    expect(await readFile(of.keyFile, 'utf8')).toContain(secret);
    for (const entry of files.filter((entry) => entry.isFile()))
      expect((await readFile(join(entry.parentPath, entry.name))).includes(secret)).toBe(false);
  });

  test('is refused where others can read it, and where it is not one, without a word of what is in it', async () => {
    const of = await service(40);
    await of.publish();
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
    const of = await service(40);
    await of.publish();
    const [old] = await keysOf(of);
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    await rotatePublisher(change);
    expect((await of.publish()).outcome).toBe('published');
    const { keys } = await open(of, [old!]);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(old);
    expect((await open(of, [keys[0]!])).keys).toEqual(keys);
    await retirePublisher({ ...change, now: NOW + 30 * DAY }, { out: of.out, days: 30 });
    expect((await of.publish({ snapshots })).outcome).toBe('published');
    expect((await open(of, keys)).keys).toEqual([keys[0]]);
    expect(await failureOf(() => open(of, [old!]))).toMatchObject({ code: 'ledger_signature' });
    expect(await check(of.options())).toEqual([]);
  });

  test('is not retired before the new one has signed a release, or is old enough, and not rotated twice', async () => {
    const of = await service(40);
    await of.publish();
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    const retire = (now: number) => () => retirePublisher({ ...change, now }, { out: of.out, days: 30 });
    expect(await failureOf(retire(NOW))).toMatchObject({ code: 'release_refused', found: 'one' });
    await rotatePublisher(change);
    expect(await failureOf(() => rotatePublisher(change))).toMatchObject({ found: '2 keys' });
    expect(await failureOf(retire(NOW + 29 * DAY))).toMatchObject({ found: 'one of 29 days' });
    expect(await failureOf(retire(NOW + 30 * DAY))).toMatchObject({ code: 'release_refused', place: of.out });
    expect(await keysOf(of)).toHaveLength(2);
  });

  test('is missed where it is lost: no other one is made, and nothing is published until it is given up', async () => {
    const of = await service(40);
    await of.publish();
    const [old] = await keysOf(of);
    await rm(of.keyFile);
    await of.seal(40, 60);
    const link = await readlink(join(of.out, 'current'));
    const failure = await failureOf(() => of.publish());
    expect(failure).toMatchObject({ code: 'release_refused', place: of.keyFile });
    expect(failure.message).toContain('cathedral publisher replace');
    expect(await readlink(join(of.out, 'current'))).toBe(link);
    const change = { keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW };
    const about = { out: of.out, name: 'data.example.org' };
    const wrong = () => replacePublisher(change, { ...about, givesUp: '00000000' });
    expect(await failureOf(wrong)).toMatchObject({ place: '--gives-up' });
    await replacePublisher(change, { ...about, givesUp: old!.split('+')[1]! });
    expect((await of.publish()).outcome).toBe('published');
    expect(await failureOf(() => open(of, [old!]))).toMatchObject({ code: 'ledger_signature' });
  });

  test('is another one by mistake: nothing is published', async () => {
    const of = await service(40);
    await of.publish();
    await of.seal(40, 60);
    const publisher = of.signsWith(`${of.keyFile}.other`);
    await of.publish({ publisher, out: `${of.out}.other` });
    const failure = await failureOf(() => of.publish({ publisher }));
    expect(failure).toMatchObject({ code: 'release_refused' });
  });
});

describe('nothing is published', () => {
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

  test('from a ledger that is shorter than what was published', async () => {
    const of = await service(40, 60);
    await of.publish();
    await of.seal(40);
    for (const rebuild of [false, true])
      expect(await expectRefused(of, () => of.publish({ rebuild }), 'log_forked')).toContain(
        'at least the 100 events',
      );
  });

  test('from a ledger of the same length with another history', async () => {
    const of = await service(40);
    await of.publish();
    await rm(of.ledger, { recursive: true });
    await writeSnapshot(
      of.ledger,
      '2025-07-03T06Z',
      LEDGER_START,
      sampleEvents(41).slice(0, 40).map(withOtherSalt),
    );
    for (const rebuild of [false, true])
      expect(await expectRefused(of, () => of.publish({ rebuild }), 'log_forked')).toContain(
        'earlier events have changed',
      );
  });

  test.each([
    ['fewer events in the snapshot that was published', [40, 50, 70], /100 events.*found 90 events/],
    ['more events in the snapshot that was published', [40, 80, 70], /100 events.*found 120 events/],
    ['more events in it, and nothing new', [40, 80], /100 events.*found 120 events/],
  ])('from a longer ledger with %s', async (_, counts, says) => {
    const of = await service(40, 60);
    await of.publish();
    await of.seal(...counts);
    const message = await expectRefused(of, () => of.publish(), 'log_forked');
    expect(message).toMatch(says);
    expect(message).toContain('nothing is published: restore the ledger that was published');
  });

  test('from a longer ledger that has no more the snapshot that was published, and goes on from elsewhere', async () => {
    const of = await service(40, 60);
    await of.publish();
    await of.seal(40, 50, 70);
    const second = snapshotFile(of.ledger, '2025-07-03T12Z');
    for (const file of [second.events, second.checkpoint]) await rm(file);
    const message = await expectRefused(of, () => of.publish(), 'ledger_order');
    expect(message).toMatch(/seq 100 .*found seq 90/);
    expect(message).toContain('does not extend the 100 published events up to 2025-07-03T12Z');
    expect(message).toContain('nothing is published: ');
  });

  test('but a ledger with the same events in other snapshots is taken as a whole', async () => {
    const of = await service(40, 60);
    await of.publish();
    await of.seal(40, 80, 30);
    const before = (await readCurrent(of.out))!.manifest.ledger;
    expect(await expectRefused(of, () => of.publish(), 'log_forked')).toContain('cathedral build --rebuild');
    expect((await of.publish({ rebuild: true })).outcome).toBe('published');
    const { size } = (await readCurrent(of.out))!.manifest.ledger;
    expect([before.size, size]).toEqual([100, 150]);
  });

  test('from a shorter ledger after a loss of the whole folder, as long as the keys are there', async () => {
    const of = await service(40, 60);
    await of.publish();
    await rm(of.out, { recursive: true });
    await of.seal(40);
    expect(await failureOf(() => of.publish())).toMatchObject({ code: 'release_refused' });
  });

  test('from a longer ledger that ends earlier, as after a clock that went back', async () => {
    const of = await service(100);
    await of.publish();
    await rm(of.out, { recursive: true });
    await rm(of.ledger, { recursive: true });
    const { timestamp } = sampleEvents(50).at(-1)!;
    const events = sampleEvents(120).map((event, at) =>
      at < 50 ? event : { ...event, timestamp, cycle: 'C-0' },
    );
    await writeSnapshot(of.ledger, '2025-07-03T12Z', LEDGER_START, events);
    const failure = await failureOf(() => of.publish());
    expect(failure).toMatchObject({ code: 'release_refused', found: timestamp });
    expect(failure.message).toContain('nothing is published: restore the whole ledger');
  });

  test('by a second folder under the same address and key, until the first one is gone', async () => {
    const of = await service(40);
    await of.publish({ snapshots });
    const second = `${of.out}-2`;
    // And is not told that the first one's snapshots are missing in it.
    const message = await expectRefused(of, () => of.publish({ out: second, snapshots }));
    expect(message).toContain('give this one its own address or keys');
    await rm(of.out, { recursive: true });
    expect((await of.publish({ out: second })).outcome).toBe('published');
  });
});

describe('a check', () => {
  test('finds a signature by another key, and a manifest that tells of something else', async () => {
    const of = await service(40);
    await of.publish({ snapshots });
    const other = signerFromSeed('data.example.org', new Uint8Array(32).fill(9)).verifier;
    const problems = await check({ ...of.options(), ledger: null, publisherKeys: [other] });
    expect(problems).toMatchObject([{ code: 'mirror_untrusted', place: 'public/manifest.json.sig' }]);
    expect(await check({ ...of.options(), ledger: null })).toEqual([]);
  });

  test('finds nothing wrong where everything is made again from the ledger', async () => {
    const of = await service(40, 60);
    await of.publish({ snapshots });
    expect(await check(of.options())).toEqual([]);
  });
});

function withOtherSalt<T extends object>(event: T): T {
  return { ...event, salt: Buffer.alloc(16, 5).toString('base64url') };
}
