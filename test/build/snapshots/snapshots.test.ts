import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { micHistory } from '../../../pipeline/artifacts/economy/mic-history.ts';
import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
import { check } from '../../../pipeline/build/check.ts';
import { asOf } from '../../../pipeline/build/rebuild-as-of.ts';
import { publishSnapshots } from '../../../pipeline/build/snapshots/publish-snapshots.ts';
import { retained } from '../../../pipeline/build/snapshots/retained.ts';
import { readNoteKeys, signerOf } from '../../../pipeline/ledger/notes/note-keys.ts';
import { openNote } from '../../../pipeline/ledger/notes/open-note.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import {
  parseSignedList,
  parseSnapshot,
  parseSnapshotIndex,
  type SnapshotFile,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { openHistory } from '../../../pipeline/release/history/history.ts';
import { rotatePublisher } from '../../../pipeline/release/signing/change-publisher.ts';
import { fileRecords } from '../../../pipeline/release/signing/file-records.ts';
import { openStaging } from '../../../pipeline/release/staging/staging.ts';
import { ServedSnapshots } from '../../../src/sidecar/files/served-snapshots.ts';
import { listenInTest } from '../../listen.ts';
import { keptService } from '../../release/kept-service.ts';
import { NOW, type SmallService } from '../../release/small-service.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { tinyApp } from '../../sidecar/tiny-app.ts';

const FIRST = '2025-07-03T06Z';
const SECOND = '2025-07-03T12Z';
const published = keptService(400, 60);
const snapshots = { days: 366 };

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function snapshotOf({ out }: SmallService, id: string) {
  return parseSnapshot(await readFile(join(out, 'snapshots', id, 'index.json'), 'utf8'), id);
}

async function indexOf({ out }: SmallService) {
  return parseSnapshotIndex(await readFile(join(out, 'snapshots/index.json'), 'utf8'));
}

/** The address of a server for the folder. */
async function serve({ out }: SmallService): Promise<string> {
  const { app } = await tinyApp(out, { services: { snapshots: new ServedSnapshots(out) } });
  return (await listenInTest(app.server)).origin;
}

async function bytesAt(url: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity', ...headers } });
  expect([200, 206]).toContain(response.status);
  return Buffer.from(await response.arrayBuffer());
}

/** The client's procedure in docs/releases.md. */
async function fetchAsItWas(
  base: string,
  file: SnapshotFile,
  histories: Record<string, string | null> = {},
): Promise<Buffer> {
  if ('url' in file) return bytesAt(`${base}/${file.url}`);
  const { of, last } = file.range;
  const end =
    last === 0 ? [] : [await bytesAt(`${base}/${histories[of] ?? of}`, { Range: `bytes=-${last}` })];
  return Buffer.concat([Buffer.from(file.head), ...end]);
}

describe('a snapshot', () => {
  test('has each data file unchanged, and histories as ranges of the current ones', async () => {
    const of = await published(1);
    const then = new Map<string, Buffer>();
    for (const { path } of (await snapshotOf(of, FIRST)).files)
      then.set(path, await readFile(join(of.out, 'current/public', path)));
    await of.seal(400, 600);
    await of.publish({ snapshots });
    const base = await serve(of);
    const { files, as_of, log } = await snapshotOf(of, FIRST);
    expect([as_of.slice(0, 10), log.size]).toEqual(['2025-07-03', 400]);
    for (const file of files) {
      const bytes = await fetchAsItWas(base, file);
      expect([file.path, sha256(bytes), bytes.length]).toEqual([file.path, file.sha256, file.bytes]);
      expect(bytes.equals(then.get(file.path)!), file.path).toBe(true);
    }
    const ranges = files.filter((file) => 'range' in file).map(({ path }) => path);
    const open = HISTORIES.filter(({ restricted, assembled }) => !restricted && assembled);
    expect(ranges).toEqual(open.map(({ path }) => path).sort());
    const grown = ranges.filter((path) => !then.get(path)!.equals(Buffer.alloc(0)));
    expect(grown).toContain('economy/mic-history.csv');
  });

  test('belongs to the first release of its slot, and stays', async () => {
    const of = await published(1);
    const { release } = (await readCurrent(of.out))!.manifest;
    const before = await snapshotOf(of, FIRST);
    await of.publish({ snapshots, sourceCode: 'https://other.example.org/source' });
    expect(await snapshotOf(of, FIRST)).toEqual(before);
    expect(before.release).toBe(release);
    expect(await indexOf(of)).toHaveLength(1);
  });

  test('missed by a killed run is published by the next run, even without new events', async () => {
    const of = await published(1);
    const [entry] = await indexOf(of);
    await rm(join(of.out, 'snapshots'), { recursive: true });
    await rm(`${of.keyFile}.signed`, { recursive: true });
    await mkdir(join(of.out, 'staging-snapshot-killed/economy'), { recursive: true });
    expect((await of.publish({ snapshots })).outcome).toBe('unchanged');
    expect(await indexOf(of)).toEqual([entry]);
    expect((await readdir(of.out)).filter((name) => name.startsWith('staging'))).toEqual([]);
    // The same with the folder present but not yet in the index.
    await rm(join(of.out, 'snapshots/index.json'));
    await of.publish({ snapshots });
    expect(await indexOf(of)).toEqual([entry]);
  });

  test('keeps the old file of a history that a later version writes differently', async () => {
    const of = await published(1);
    const { files } = await snapshotOf(of, FIRST);
    const then = new Map<string, Buffer>();
    for (const { path } of files) then.set(path, await readFile(join(of.out, 'current/public', path)));
    await publishOtherRows(of);
    const [entry] = await indexOf(of);
    const base = await serve(of);
    const ended = files.filter((file) => 'range' in file && file.range.last > 0);
    expect(ended.length).toBeGreaterThan(1);
    expect(Object.keys(entry!.histories!).sort()).toEqual(ended.map(({ path }) => path));
    for (const file of ended) {
      const now = entry!.histories![file.path];
      // Without rows only the last bytes are compared, and another old file may end with the same ones.
      expect(now).toMatch(/^snapshots\/histories\/[0-9a-f]{64}$/);
      expect(await fetchAsItWas(base, file, entry!.histories)).toEqual(then.get(file.path));
    }
    // The old file's release is removed after two more. The earlier result is still known.
    await publishOtherRows(of, '2');
    await publishOtherRows(of, '3');
    expect(await indexOf(of)).toEqual([entry]);
    expect(await fetchAsItWas(base, ended[0]!, entry!.histories)).toEqual(then.get(ended[0]!.path));
  });
});

test('all snapshots of the last days are kept, and the last one of each earlier month', () => {
  const slots = ['00', '06', '12', '18'];
  const days = Array.from({ length: 120 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
  const ids = days.flatMap((day) => slots.map((hour) => `${day.toISOString().slice(0, 10)}T${hour}Z`));
  const kept = retained(ids, 30);
  expect(kept.slice(0, 121)).toEqual(ids.toReversed().slice(0, 121));
  expect(kept.slice(121)).toEqual(['2026-02-28T18Z', '2026-01-31T18Z']);
  expect(retained([], 30)).toEqual([]);
});

describe('the signature of the list', () => {
  const place = ({ out }: SmallService) => join(out, 'snapshots/index.json.sig');
  const read = (of: SmallService) => readFile(place(of), 'utf8');
  const keysOf = async ({ keyFile }: SmallService) =>
    (await readNoteKeys(keyFile))!.map((key) => signerOf(key).verifier);

  async function assertOfRelease(of: SmallService): Promise<void> {
    const { signed } = (await readCurrent(of.out))!.manifest;
    const list = await readFile(join(of.out, 'snapshots/index.json'));
    const note = await read(of);
    for (const key of await keysOf(of))
      expect(parseSignedList(openNote(note, [key], 'note').text)).toEqual({
        version: signed!.version,
        sha256: sha256(list),
        bytes: list.length,
      });
    expect(note.match(/^— /gm)).toHaveLength(signed!.keys.length);
  }

  test('covers the list and the version of the release, by each key', async () => {
    const of = await published(1);
    await assertOfRelease(of);
    await rotatePublisher({ keyFile: of.keyFile, records: fileRecords(of.keyFile, { waitMs: 0 }), now: NOW });
    const before = await read(of);
    // The same ledger snapshot: the list is unchanged, the release is new.
    await of.publish({ snapshots });
    expect(await keysOf(of)).toHaveLength(2);
    expect(await read(of)).not.toBe(before);
    await assertOfRelease(of);
  });

  test('missed by a killed run is written by the next one, even without new events', async () => {
    const before = await read(await published(1));
    const of = await published(2);
    const whole = await read(of);
    for (const left of [before, null]) {
      if (left === null) await rm(place(of));
      else await writeFile(place(of), left);
      expect((await of.publish({ snapshots })).outcome).toBe('unchanged');
      expect(await read(of)).toBe(whole);
    }
  });

  test('is absent beside an unsigned release', async () => {
    const of = await published(1);
    await of.publish({ snapshots, publisher: null });
    expect(await failureOf(() => read(of))).toMatchObject({ code: 'ENOENT' });
    expect(await check({ ...of.options(), ledger: null })).toEqual([]);
    await writeFile(place(of), '');
    expect(await check({ ...of.options(), ledger: null })).toMatchObject([
      { place: 'snapshots/index.json.sig', found: 'a file' },
    ]);
  });

  test('is current on a server, whichever of the two files was written last', async () => {
    const of = await published(1);
    const base = await serve(of);
    const served = async () => (await bytesAt(`${base}/snapshots/index.json.sig`)).toString();
    expect(await served()).toBe(await read(of));
    await rm(place(of));
    expect((await fetch(`${base}/snapshots/index.json.sig`)).status).toBe(404);
    await of.publish({ snapshots });
    expect(await served()).toBe(await read(of));
  });
});

test('a truncated snapshot list stops the run before anything is published', async () => {
  const of = await published(1);
  await of.seal(400, 50);
  const place = join(of.out, 'snapshots/index.json');
  await writeFile(place, (await readFile(place)).subarray(0, 100));
  const before = (await readCurrent(of.out))!.manifest.release;
  const failure = await failureOf(() => of.publish({ snapshots }));
  expect(failure).toMatchObject({ code: 'release_invalid', place });
  expect(failure.message).toContain('restore the list from a mirror');
  expect((await readCurrent(of.out))!.manifest.release).toBe(before);
});

describe('a snapshot rebuilt from the ledger', () => {
  const options = (of: SmallService, snapshot: string) => {
    const { publisher: _, snapshots: __, ...rest } = of.options();
    return { ...rest, snapshot, into: null };
  };

  test('agrees with the published one, histories too', async () => {
    const of = await published(2);
    const report = await asOf(options(of, SECOND));
    expect(report.findings).toEqual([]);
    expect(report.compared).toBeGreaterThan(40);
    expect(report.notReproducible).toEqual(['manifest.json', 'manifest.json.sig']);
  });

  test('differs if a file changed or the ledger is a different one', async () => {
    const of = await published(2);
    const place = `snapshots/${SECOND}/economy/supply`;
    const file = join(of.out, place);
    const text = await readFile(file, 'utf8');
    await rm(file);
    await writeFile(file, text.replace('1', '2'));
    expect((await asOf(options(of, SECOND))).findings).toMatchObject([{ place }]);
    await writeFile(file, text);
    await of.seal(400, 61);
    const places = (await asOf(options(of, SECOND))).findings.map(({ place }) => place);
    expect(places).toContain(`snapshots/${SECOND}/index.json log size`);
  });
});

describe('a check', () => {
  test('finds nothing wrong with intact snapshots, and every kind of damage', async () => {
    const of = await published(2);
    const faults = async () => (await check({ ...of.options(), ledger: null })).map(({ place }) => place);
    expect(await faults()).toEqual([]);
    const folder = join(of.out, 'snapshots', FIRST);
    await cp(folder, `${of.out}.copy`, { recursive: true });
    await writeFile(join(folder, 'more'), '');
    expect(await faults()).toEqual([`snapshots/${FIRST}/more`]);
    await rm(folder, { recursive: true });
    expect(await faults()).toEqual([`snapshots/${FIRST}/index.json`]);
    await cp(`${of.out}.copy`, folder, { recursive: true });
    await rm(join(folder, 'economy/roi'));
    expect(await faults()).toEqual([`snapshots/${FIRST}/economy/roi`]);
  });

  test('finds a list that is older, changed, unsigned or missing, also when checking a single snapshot', async () => {
    let of = await published(1);
    const paths = ['snapshots/index.json', 'snapshots/index.json.sig'].map((path) => join(of.out, path));
    const both = () => Promise.all(paths.map((path) => readFile(path)));
    const put = (contents: readonly Buffer[]) =>
      Promise.all(contents.map((bytes, at) => writeFile(paths[at]!, bytes)));
    const older = await both();
    of = await published(2);
    const now = await both();
    const problems = async () => check({ ...of.options(), ledger: null });
    const [list, signature] = ['snapshots/index.json', 'snapshots/index.json.sig'];
    const listed = async () => (await problems()).filter(({ place }) => [list, signature].includes(place));
    await put(older);
    expect(await listed()).toMatchObject([
      { place: signature, found: expect.stringContaining('an older list') },
    ]);
    await put([older[0]!, now[1]!]);
    expect(await listed()).toMatchObject([{ place: list, expected: expect.stringMatching(/^exactly/) }]);
    const { publisher: _, snapshots: __, ...rest } = of.options();
    const again = await asOf({ ...rest, snapshot: SECOND, into: null });
    expect(again.findings).toMatchObject([{ place: list }]);
    await put(now);
    await rm(paths[1]!);
    expect(await problems()).toMatchObject([{ place: signature, found: 'no such file' }]);
    await rm(paths[0]!);
    expect(await listed()).toMatchObject([{ place: list, found: 'no such file' }]);
  });
});

/** A release by a version that writes the rows of the history differently and has no other history. */
async function publishOtherRows({ out }: SmallService, version = '1'): Promise<void> {
  const previous = (await readCurrent(out))!;
  const { timestamp, ledger, inputs } = previous.manifest;
  await using staging = await openStaging(out, previous, { reuse: false });
  const history = await openHistory(staging, micHistory);
  history.add([`another row of version ${version}\n`], timestamp);
  await history.finish('another head\n', '');
  const facts = { timestamp, ledger, inputs, software: `cathedral-data-service/other-${version}` };
  const { release } = await staging.publish({ facts, state: '{}' });
  await publishSnapshots(out, release, { ...snapshots, sign: null });
}
