import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cosignedKey } from '../../pipeline/bucket/layout.ts';
import { pullForPublisher } from '../../pipeline/bucket/pull.ts';
import { pullSnapshots } from '../../pipeline/bucket/pull-snapshots.ts';
import { check } from '../../pipeline/build/check.ts';
import { hashesOf } from '../../pipeline/build/snapshots/restore.ts';
import type { ObjectStore } from '../../pipeline/objects/object-store.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { parseSnapshotIndex } from '../../pipeline/release/format/snapshot-index.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { textsBelow } from '../files-below.ts';
import { smallService } from '../release/small-service.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { isSweep } from '../setups/sweep.ts';
import { openStore, type Pushed, pushAll, SNAPSHOTS, smallReleases } from './pushed-releases.ts';

let keys: string;
let engine: InProcessStore;
let store: ObjectStore;
let pushed: Pushed[];

beforeAll(async () => {
  engine = await InProcessStore.start();
  store = await openStore(engine.bucket(), 'write');
  const made = await smallReleases();
  keys = made.keys;
  pushed = await pushAll(store, made.outs);
});
afterAll(() => {
  store?.close();
  engine?.stop();
});
afterEach(() => {
  engine.plan = () => null;
});

function pull(out: string, { pointed }: Pushed, recorded = {}) {
  return pullForPublisher(pointed, { store, out, recorded, waitMs: 0 });
}

/**
 * Everything that a publisher's folder holds, but the lock, the releases that are no longer current, and the partial files of full tiles,
 * which stay for one more run.
 */
async function contentOf(out: string): Promise<Record<string, string>> {
  const name = (await readdir(join(out, 'releases'))).sort().at(-1)!;
  const parts = [`releases/${name}`, 'log', 'log-entries', 'snapshots'];
  const files = parts.flatMap((part) =>
    Object.entries(textsBelow(join(out, part))).map(([path, bytes]) => [`${part}/${path}`, bytes] as const),
  );
  const all = Object.fromEntries(files);
  return Object.fromEntries(
    files.filter(([path]) => !(path.replace(/\.p\/\d+$/, '') in all && /\.p\//.test(path))),
  );
}

async function expectSame(out: string, { out: expected }: Pushed): Promise<void> {
  const [found, wanted] = [await contentOf(out), await contentOf(expected)];
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  expect(Object.keys(found).filter((path) => found[path] !== wanted[path])).toEqual([]);
  const left = (await readdir(out)).filter((name) => !/^(lock.*|status\.json|index)$/.test(name));
  expect(left.sort()).toEqual(['current', 'log', 'log-entries', 'releases', 'snapshots']);
}

/** A copy of the folder of A after a release. */
async function copyOf({ out }: Pushed): Promise<string> {
  const copy = join(await temporaryFolder(), 'out');
  await cp(out, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

describe('a publisher', () => {
  test('gets on an empty machine what the first one has, and goes on from it with the same bytes', async () => {
    const second = smallService(await temporaryFolder());
    await cp(keys, join(second.keyFile, '..'), { recursive: true });
    // The signing record is that of a cluster, not of a folder.
    await rm(`${second.keyFile}.signed`, { recursive: true });
    await pull(second.out, pushed[1]!);
    await expectSame(second.out, pushed[1]!);
    await second.seal(300, 260);
    expect(await check({ ...second.options(), ledger: second.ledger })).toEqual([]);
    await second.seal(300, 260, 40);
    expect((await second.publish(SNAPSHOTS)).outcome).toBe('published');
    const [found, wanted] = [await contentOf(second.out), await contentOf(pushed[2]!.out)];
    expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
    expect(Object.keys(found).filter((path) => found[path] !== wanted[path])).toEqual([]);
  });

  test('fetches only what is new', async () => {
    const out = await copyOf(pushed[1]!);
    engine.calls.length = 0;
    await pull(out, pushed[2]!);
    await expectSame(out, pushed[2]!);
    const asked = engine.calls.filter(({ method }) => method === 'GET').map(({ key }) => key);
    expect(asked.filter((key) => key.startsWith('log-entries/'))).toHaveLength(1);
    engine.calls.length = 0;
    await pull(out, pushed[2]!);
    await expectSame(out, pushed[2]!);
    const again = engine.calls.filter(({ key }) => /^(blobs|log-entries)\//.test(key));
    // The list of snapshot files, and what changes with each release.
    expect(again.length).toBeLessThanOrEqual(5);
  });

  test('replaces what was never published: a release, a longer log, a snapshot', async () => {
    const out = await copyOf(pushed[2]!);
    await pull(out, pushed[1]!);
    await expectSame(out, pushed[1]!);
  });

  test('replaces a log and a snapshot that contradict the cluster, and what is beside them', async () => {
    const other = smallService(await temporaryFolder());
    await other.seal(280, 200, 90);
    await other.publish(SNAPSHOTS);
    await mkdir(join(other.out, 'snapshots/histories'), { recursive: true });
    await writeFile(join(other.out, `snapshots/histories/${'0'.repeat(64)}`), 'x');
    await writeFile(join(other.out, 'log/tile/0/999'), 'x');
    await mkdir(join(other.out, 'staging-killed'));
    await pull(other.out, pushed[1]!);
    await expectSame(other.out, pushed[1]!);
  });

  test('mends a damaged tile, a log without its checkpoint, and a link to no release', async () => {
    const out = await copyOf(pushed[1]!);
    const tile = join(out, 'log/tile/0/002.p/48');
    const bytes = await readFile(tile);
    bytes[100]! ^= 1;
    await writeFile(tile, bytes);
    await rm(join(out, 'log/tile/1'), { recursive: true });
    await pull(out, pushed[2]!);
    await expectSame(out, pushed[2]!);
    await rm(join(out, 'log/checkpoint'));
    await rm(join(out, 'releases'), { recursive: true });
    await pull(out, pushed[2]!);
    await expectSame(out, pushed[2]!);
  });

  test('gets the cosigned notes of earlier checkpoints, if they are of this log', async () => {
    const { size, checkpoint } = pushed[0]!.pointed.log;
    const notes = {
      [cosignedKey(size)]: checkpoint,
      [cosignedKey(size - 1)]: checkpoint,
      [cosignedKey(7)]: checkpoint.replace(`\n${size}\n`, '\n7\n'),
      [cosignedKey(8)]: 'no note',
    };
    for (const [key, text] of Object.entries(notes)) {
      const bytes = Buffer.from(text);
      await store.put(key, { bytes, sha256: sha256(bytes) });
    }
    onTestFinished(() => store.delete(Object.keys(notes)));
    const out = await copyOf(pushed[0]!);
    await pull(out, pushed[1]!);
    const found = textsBelow(join(out, 'log/cosigned'));
    expect(found).toEqual({ [size]: Buffer.from(checkpoint).toString('base64') });
  });

  test('gets a recorded snapshot that the list does not have yet', async () => {
    const out = join(await temporaryFolder(), 'out');
    const list = await readFile(join(pushed[2]!.out, 'snapshots/index.json'), 'utf8');
    const recorded = hashesOf(parseSnapshotIndex(list));
    await pull(out, pushed[1]!, recorded);
    const ids = (await readdir(join(out, 'snapshots'))).filter((name) => name.endsWith('Z')).sort();
    expect(ids).toEqual(Object.keys(recorded).sort());
    const [newest] = ids.slice(-1);
    const made = textsBelow(join(pushed[2]!.out, 'snapshots', newest!));
    const pulled = textsBelow(join(out, 'snapshots', newest!));
    for (const [path, bytes] of Object.entries(pulled)) expect([path, bytes]).toEqual([path, made[path]]);
  });

  test('gets recorded snapshots before the first release, and leaves others', async () => {
    const out = await copyOf(pushed[0]!);
    const list = parseSnapshotIndex(await readFile(join(pushed[1]!.out, 'snapshots/index.json'), 'utf8'));
    const [newest] = list;
    await pullSnapshots({ snapshots: null }, { store, out, recorded: hashesOf([newest!]) });
    const ids = (await readdir(join(out, 'snapshots'))).filter((name) => name.endsWith('Z'));
    expect(ids.sort()).toEqual(list.map(({ id }) => id).sort());
  });

  test('leaves a folder that the next pull completes, whichever call to the store fails', async () => {
    const reference = await copyOf(pushed[0]!);
    engine.calls.length = 0;
    await pull(reference, pushed[2]!);
    const keys = [...new Set(engine.calls.map(({ key }) => key))].filter((key) => key !== '');
    const chosen = isSweep
      ? keys.filter((_, at) => at % Math.ceil(keys.length / 8) === 0)
      : [keys.find((key) => key.startsWith('blobs/'))!];
    for (const kind of ['manifests/', 'log/', 'log-entries/'])
      chosen.push(keys.find((key) => key.startsWith(kind))!);
    const found = new Set<unknown>();
    for (const key of chosen) {
      const out = await copyOf(pushed[0]!);
      engine.plan = (call) => (call.key === key ? 'altered' : null);
      found.add((await failureOf(() => pull(out, pushed[2]!))).code);
      engine.plan = () => null;
      await pull(out, pushed[2]!);
      await expectSame(out, pushed[2]!);
    }
    expect([...found].toSorted()).toEqual(['log_invalid', 'release_invalid', 'store_failed']);
  });
});
