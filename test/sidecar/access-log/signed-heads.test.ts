import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Signer, signNote } from '../../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { type ObjectStore, openObjectStore } from '../../../pipeline/objects/object-store.ts';
import type { LogReader } from '../../../src/sidecar/access-log/log-reader.ts';
import { readSignedHeads, signAccessLogHead } from '../../../src/sidecar/access-log/signed-heads.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { expired, openTemporaryLog, readerOf } from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const SERVICE = 'https://data.example.org';
const OLD = signerFromSeed('data.example.org', new Uint8Array(32).fill(1));
const NEW = signerFromSeed('data.example.org', new Uint8Array(32).fill(2));

let server: InProcessStore;
beforeAll(async () => {
  server = await InProcessStore.start();
});
afterAll(() => server.stop());

/** An empty bucket, and its notes by their keys. */
async function openBucket() {
  const name = `bucket${server.buckets.size}`;
  const options = { software: 'test', access: 'write' } as const;
  const store = await openObjectStore(server.bucket(name), CREDENTIALS, options);
  onTestFinished(() => store.close());
  const stored = () =>
    [...server.objects]
      .filter(([key]) => key.startsWith(`${name}/`))
      .map(([key]) => key.slice(name.length + 1));
  const note = (key: string) => server.objects.get(`${name}/${key}`)!;
  return { store, keys: () => stored().sort(), note };
}

async function openLog() {
  const { dir, log } = await openTemporaryLog();
  const reader = await readerOf(dir);
  const fill = async (from: number, count: number, client = '203.0.113.7') => {
    for (let at = from; at < from + count; at += 1) await log.append(sampleAccess(at, { client }));
  };
  return { reader, fill, expire: (before: number) => expired(dir, before, START) };
}

function sign(log: LogReader, store: ObjectStore, ...signers: [Signer, ...Signer[]]) {
  const [first, ...others] = signers;
  const signText = (text: string) => signNote(text, first, ...others);
  return signAccessLogHead({ log, store, service: SERVICE, signText, now: START });
}

async function faultsOf(log: LogReader, store: ObjectStore, ...signers: Signer[]) {
  const signed = await readSignedHeads(
    store,
    signers.map(({ verifier }) => verifier),
  );
  const { faults } = await verifyAccessLog(log, { signed });
  return faults.map(({ kind, file, seq }) => [kind, file, seq]);
}

describe('a signed head', () => {
  test('of each new newest entry is stored once, and an intact log has all of them', async () => {
    const { reader, fill } = await openLog();
    const { store, keys, note } = await openBucket();
    expect(await sign(reader, store, OLD)).toBeNull();
    await fill(0, 3);
    expect(await sign(reader, store, OLD)).toMatchObject({ seq: 2 });
    expect(await sign(reader, store, OLD)).toBeNull();
    await fill(3, 2);
    expect(await sign(reader, store, OLD, NEW)).toMatchObject({ seq: 4 });
    const [first, second] = keys() as [string, string];
    expect(first).toMatch(/^access-log\/heads\/000000000002-[0-9a-f]{16}\.note$/);
    expect(note(first).bytes.toString()).toMatch(
      /^cathedral-access-log-head\/1\nhttps:\/\/data\.example\.org\n2\n[0-9a-f]{64}\n2025-12-01T06:00:00\.000Z\n\n— /,
    );
    expect(await faultsOf(reader, store, OLD)).toEqual([]);
    expect(await faultsOf(reader, store, NEW)).toEqual([['signed_head_invalid', first, null]]);
    // The name is no more than a name, and a signature is over the text.
    note(second).bytes = note(first).bytes;
    note(first).bytes = Buffer.from(note(first).bytes.toString().replace('\n2\n', '\n1\n'));
    expect(await faultsOf(reader, store, OLD)).toEqual(
      [first, second].map((key) => ['signed_head_invalid', key, null]),
    );
  });

  test('shows that a log was rewritten or cut off, with a chain that is whole in itself', async () => {
    const { reader, fill } = await openLog();
    const { store, keys } = await openBucket();
    for (const from of [0, 3]) {
      await fill(from, 3);
      await sign(reader, store, OLD);
    }
    const before = keys();
    const [rewritten, cut] = [await openLog(), await openLog()];
    await rewritten.fill(0, 8, '198.51.100.1');
    expect(await faultsOf(rewritten.reader, store, OLD)).toEqual([
      ['signed_head_differs', before[0], 2],
      ['signed_head_differs', before[1], 5],
    ]);
    await cut.fill(0, 4);
    expect(await faultsOf(cut.reader, store, OLD)).toEqual([['signed_head_differs', before[1], 5]]);
    // Nor does a publisher sign what follows.
    for (const { reader } of [rewritten, cut])
      expect(await failureOf(() => sign(reader, store, OLD))).toMatchObject({ code: 'access_log_broken' });
    expect(keys()).toEqual(before);
  });

  test('of an entry that no recorded removal covers is missed, wherever the log is said to begin', async () => {
    const { reader, fill, expire } = await openLog();
    const { store, keys } = await openBucket();
    for (const from of [0, 3]) {
      await fill(from, 3);
      await sign(reader, store, OLD);
    }
    await expire(START + 3_000);
    expect(await faultsOf(reader, store, OLD)).toEqual([]);
    const { hash, removals } = await reader.readStart();
    await expire(START + 60_000);
    const claimed = vi
      .spyOn(reader, 'readStart')
      .mockImplementation(async () => ({ seq: 99, hash, removals }));
    expect(await faultsOf(reader, store, OLD)).toEqual([['removed', keys()[1], 5]]);
    claimed.mockRestore();
  });

  test('of a removed entry is not missed, and the last removed one is still compared', async () => {
    const { reader, fill, expire } = await openLog();
    const { store } = await openBucket();
    for (const from of [0, 3, 6]) {
      await fill(from, 3);
      await sign(reader, store, OLD);
    }
    await expire(START + 6_000);
    expect(await faultsOf(reader, store, OLD)).toEqual([]);
    const other = await openLog();
    await other.fill(0, 9, '198.51.100.1');
    await other.expire(START + 6_000);
    expect((await faultsOf(other.reader, store, OLD)).map(([, , seq]) => seq)).toEqual([5, 8]);
    await expire(START + 60_000);
    expect(await sign(reader, store, OLD)).toBeNull();
    expect(await faultsOf(reader, store, OLD)).toEqual([]);
  });
});
