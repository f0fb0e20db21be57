import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Signer, signNote } from '../../../pipeline/ledger/note.ts';
import { signerFromSeed } from '../../../pipeline/ledger/signer-from-seed.ts';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { readSignedHeads, signAccessLogHead } from '../../../src/sidecar/access-log/signed-heads.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { MemoryLog } from './memory-access-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const SERVICE = 'https://data.example.org';
const OLD = signerFromSeed('data.example.org', new Uint8Array(32).fill(1));
const NEW = signerFromSeed('data.example.org', new Uint8Array(32).fill(2));

/** A bucket as far as heads need one. */
function bucketOf(objects = new Map<string, Buffer>()): Pick<ObjectStore, 'name' | 'list' | 'put' | 'read'> {
  return {
    name: 's3+http://127.0.0.1/bucket',
    async *list(prefix) {
      for (const [key, content] of [...objects].sort())
        if (key.startsWith(prefix)) yield { key, etag: '', bytes: content.length, modified: 0 };
    },
    async put(key, object, when) {
      if (when === 'absent' && objects.has(key)) return 'refused';
      if (!('bytes' in object)) throw new Error('a head is no file');
      objects.set(key, Buffer.from(object.bytes));
      return { etag: '' };
    },
    async read(key) {
      const content = objects.get(key);
      if (!content) return null;
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { content, etag: '', bytes: content.length, sha256, date: null };
    },
  };
}

function openMemory() {
  const memory = new MemoryLog();
  const log = memory.open();
  onTestFinished(() => log.close());
  const fill = async (from: number, count: number, client = '203.0.113.7') => {
    for (let at = from; at < from + count; at += 1) await log.append(sampleAccess(at, { client }));
  };
  return { memory, fill };
}

function sign(log: MemoryLog, store: ReturnType<typeof bucketOf>, ...signers: [Signer, ...Signer[]]) {
  const [first, ...others] = signers;
  const signText = (text: string) => signNote(text, first, ...others);
  return signAccessLogHead({ log, store, service: SERVICE, signText, now: START });
}

async function faultsOf(log: MemoryLog, store: ReturnType<typeof bucketOf>, ...signers: Signer[]) {
  const signed = await readSignedHeads(
    store,
    signers.map(({ verifier }) => verifier),
  );
  const { faults } = await verifyAccessLog(log, { signed });
  return faults.map(({ kind, file, seq }) => [kind, file, seq]);
}

describe('a signed head', () => {
  test('of each new newest entry is stored once, and an intact log has all of them', async () => {
    const { memory, fill } = openMemory();
    const objects = new Map<string, Buffer>();
    const store = bucketOf(objects);
    expect(await sign(memory, store, OLD)).toBeNull();
    await fill(0, 3);
    expect(await sign(memory, store, OLD)).toMatchObject({ seq: 2 });
    expect(await sign(memory, store, OLD)).toBeNull();
    await fill(3, 2);
    expect(await sign(memory, store, OLD, NEW)).toMatchObject({ seq: 4 });
    const [first, second] = [...objects];
    expect(first![0]).toMatch(/^access-log\/heads\/000000000002-[0-9a-f]{16}\.note$/);
    expect(first![1].toString()).toMatch(
      /^cathedral-access-log-head\/1\nhttps:\/\/data\.example\.org\n2\n[0-9a-f]{64}\n2025-12-01T06:00:00\.000Z\n\n— /,
    );
    expect(await faultsOf(memory, store, OLD)).toEqual([]);
    expect(await faultsOf(memory, store, NEW)).toEqual([['signed_head_invalid', first![0], null]]);
    // The name is no more than a name, and a signature is over the text.
    objects.set(second![0], first![1]);
    objects.set(first![0], Buffer.from(first![1].toString().replace('\n2\n', '\n1\n')));
    expect(await faultsOf(memory, store, OLD)).toEqual(
      [first, second].map((one) => ['signed_head_invalid', one![0], null]),
    );
  });

  test('shows that a log was rewritten or cut off, with a chain that is whole in itself', async () => {
    const { memory, fill } = openMemory();
    const objects = new Map<string, Buffer>();
    const store = bucketOf(objects);
    for (const from of [0, 3]) {
      await fill(from, 3);
      await sign(memory, store, OLD);
    }
    const keys = [...objects.keys()];
    const [rewritten, cut] = [openMemory(), openMemory()];
    await rewritten.fill(0, 8, '198.51.100.1');
    expect(await faultsOf(rewritten.memory, store, OLD)).toEqual([
      ['signed_head_differs', keys[0], 2],
      ['signed_head_differs', keys[1], 5],
    ]);
    await cut.fill(0, 4);
    expect(await faultsOf(cut.memory, store, OLD)).toEqual([['signed_head_differs', keys[1], 5]]);
    // Nor does a publisher sign what follows.
    for (const { memory } of [rewritten, cut])
      expect(await failureOf(() => sign(memory, store, OLD))).toMatchObject({ code: 'access_log_broken' });
    expect([...objects.keys()]).toEqual(keys);
  });

  test('of a removed entry is not missed, and the last removed one is still compared', async () => {
    const { memory, fill } = openMemory();
    const store = bucketOf();
    for (const from of [0, 3, 6]) {
      await fill(from, 3);
      await sign(memory, store, OLD);
    }
    await memory.expire(START + 6_000, START);
    expect(await faultsOf(memory, store, OLD)).toEqual([]);
    const other = openMemory();
    await other.fill(0, 9, '198.51.100.1');
    await other.memory.expire(START + 6_000, START);
    expect((await faultsOf(other.memory, store, OLD)).map(([, , seq]) => seq)).toEqual([5, 8]);
    await memory.expire(START + 60_000, START);
    expect(await sign(memory, store, OLD)).toBeNull();
    expect(await faultsOf(memory, store, OLD)).toEqual([]);
  });
});
