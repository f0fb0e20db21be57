import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ObjectStore, openObjectStore } from '../../pipeline/objects/object-store.ts';
import { CREDENTIALS, hasObjectStore, RadosGateway } from '../engines/object-store.ts';

const bytesOf = (text: string) => {
  const bytes = Buffer.from(text);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
};

describe.skipIf(!hasObjectStore)('a bucket of Ceph', () => {
  let gateway: RadosGateway;
  let store: ObjectStore;

  beforeAll(async () => {
    gateway = await RadosGateway.start();
    store = await openObjectStore(await gateway.bucket(), CREDENTIALS, {
      access: 'write',
      software: 'test/1',
    });
  });

  afterAll(() => {
    store?.close();
    gateway?.stop();
  });

  test('knows conditions, with entity tags without quotes', () => {
    expect(store.conditions).toBe('unquoted');
  });

  test('stores, reads, lists and deletes an object', async () => {
    const { etag } = (await store.put('a/b c', bytesOf('hello'))) as { etag: string };
    const { sha256 } = bytesOf('hello');
    expect(await store.read('a/b c', 5, sha256)).toMatchObject({
      content: bytesOf('hello').bytes,
      etag,
      sha256,
    });
    expect(await Array.fromAsync(store.list(''))).toMatchObject([{ key: 'a/b c', etag, bytes: 5 }]);
    await store.delete(['a/b c', 'missing']);
    expect(await store.head('a/b c')).toBe(null);
  });
});
