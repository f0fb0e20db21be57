import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type ObjectStore, open } from './objects/seam.ts';

function contentOf(text: string | Buffer) {
  const bytes = Buffer.from(text as string);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

describe.each(engines())('an object store: $name', ({ isMissing, conditions, page, newBucket, stop }) => {
  describe.skipIf(isMissing)('', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cathedral-objects-'));
    let store: ObjectStore;

    beforeAll(async () => {
      store = await open(`${await newBucket()}/below/this`);
    });

    afterAll(() => {
      store?.close();
      stop();
      rmSync(folder, { recursive: true });
    });

    async function create(key: string, text: string | Buffer): Promise<string> {
      const stored = await store.put(key, contentOf(text));
      if (stored === 'refused') throw new Error(`${key} was refused`);
      return stored.etag;
    }

    async function bodyOf(key: string, from = 0): Promise<Buffer> {
      const found = await store.get(key, from);
      if (found === null) throw new Error(`${key}: no such object`);
      return Buffer.concat(await Array.fromAsync(found.body));
    }

    test('shows how it takes conditions, and keeps nothing of the trial', async () => {
      expect(store.conditions).toBe(conditions);
      expect(await Array.fromAsync(store.list(''))).toEqual([]);
    });

    test('returns what was stored, with its hash and the time of the store', async () => {
      const etag = await create('a/b.json', '{"a":1}');
      const { bytes, sha256 } = contentOf('{"a":1}');
      const head = { etag, sha256, bytes: 7, date: expect.any(Number) };
      expect(await store.head('a/b.json')).toMatchObject(head);
      expect(await store.read('a/b.json', 7, sha256)).toEqual({ ...head, content: bytes });
      expect(await store.get('a/b.json')).toMatchObject(head);
      expect(Math.abs((await store.head('a/b.json'))!.date! - Date.now())).toBeLessThan(60_000);
    });

    test('has nothing below a key that was not stored', async () => {
      expect([await store.head('none'), await store.get('none'), await store.read('none', 10)]).toEqual([
        null,
        null,
        null,
      ]);
      await store.delete(['none', 'none either']);
    });

    test('returns the headers that an object was stored with', async () => {
      const headers = {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
      };
      await store.put('served.csv', { ...contentOf('a,b'), headers });
      expect((await store.head('served.csv'))!.headers).toMatchObject(headers);
    });

    test('lets one of forty concurrent writers create an object', async () => {
      const results = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const result = await store.put('contested', contentOf(`writer ${index}`), 'absent');
          return result === 'refused' ? [] : [`writer ${index}`];
        }),
      );
      expect(results.flat()).toEqual([(await bodyOf('contested')).toString()]);
    });

    test('replaces an object only if it still is the one that the writer saw', async () => {
      const first = await create('pointer', 'one');
      const [won, lost] = await Promise.all([
        store.put('pointer', contentOf('two'), { etag: first }),
        store.put('pointer', contentOf('2'), { etag: '0'.repeat(32) }),
      ]);
      expect([won, lost]).toEqual([{ etag: expect.any(String) }, 'refused']);
      expect(await store.put('pointer', contentOf('three'), { etag: first })).toBe('refused');
      expect(await store.put('missing', contentOf('three'), { etag: first })).toBe('refused');
      expect((await bodyOf('pointer')).toString()).toBe('two');
    });

    test('returns the rest of an object from any byte on', async () => {
      await create('part', 'abcdef');
      expect((await bodyOf('part', 4)).toString()).toBe('ef');
      expect(await store.get('part', 4)).toMatchObject({ bytes: 6 });
      await expect(bodyOf('part', 6)).rejects.toThrow('part: expected the bytes from 6 on, found status 416');
    });

    test('refuses to read more than the limit', async () => {
      await create('long', 'abcdef');
      await expect(store.read('long', 5)).rejects.toThrow('expected at most 5 bytes, found 6');
    });

    test('stores an empty object', async () => {
      await create('empty', '');
      expect(await store.read('empty', 0)).toMatchObject({ bytes: 0 });
      expect(await bodyOf('empty')).toHaveLength(0);
    });

    test('stores a file of 20 MB, and returns it in pieces', async () => {
      const content = contentOf(Buffer.alloc(20_000_000, 'twenty megabytes '));
      const file = join(folder, 'large');
      writeFileSync(file, content.bytes);
      await store.put('large', { file, sha256: content.sha256 });
      const hash = createHash('sha256');
      let pieces = 0;
      for await (const chunk of ((await store.get('large')) as { body: AsyncIterable<Uint8Array> }).body) {
        pieces += 1;
        hash.update(chunk);
      }
      expect([hash.digest('hex'), pieces > 10]).toEqual([content.sha256, true]);
    });

    test('stores nothing if the content is not the one that was announced', async () => {
      const object = { bytes: Buffer.from('other'), sha256: contentOf('announced').sha256 };
      const impatient = await open(store.name, 'read', 1);
      await expect(impatient.put('wrong', object)).rejects.toThrow('XAmzContentSHA256Mismatch');
      impatient.close();
      expect(await store.head('wrong')).toBe(null);
    });

    test.each([
      "a b+c&d=e'(1)!*~.json",
      'é/日本/🏛.csv',
      '100%/20%25.txt',
      'query?x=1#part',
      'tile/x001/067.p/3',
      '<&">',
    ])('takes the key %s', async (key) => {
      await create(`unusual/${key}`, key);
      expect((await bodyOf(`unusual/${key}`)).toString()).toBe(key);
      expect(await Array.fromAsync(store.list('unusual/'))).toMatchObject([{ key: `unusual/${key}` }]);
      await store.delete([`unusual/${key}`]);
      expect(await store.head(`unusual/${key}`)).toBe(null);
    });

    test('lists and deletes more objects than fit on a page', async () => {
      const keys = Array.from({ length: page + 30 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
      await Promise.all(keys.map((key) => create(key, 'x')));
      await create('many-others', 'x');
      const listed = await Array.fromAsync(store.list('many/'));
      expect(listed.map(({ key }) => key)).toEqual(keys);
      expect(Math.abs(listed[0]!.modified - Date.now())).toBeLessThan(600_000);
      await store.delete(keys);
      expect(await Array.fromAsync(store.list('many'))).toMatchObject([{ key: 'many-others', bytes: 1 }]);
    });
  });
});
