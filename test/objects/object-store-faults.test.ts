import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ObjectStoreOptions,
  openObjectStore,
  type S3Store,
} from '../../pipeline/objects/object-store.ts';
import { InProcessStore, type InProcessStoreOptions, type StoreFault } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';

const closing: { close?(): void; stop?(): void }[] = [];
afterEach(() => {
  for (const one of closing.splice(0).reverse()) (one.close ?? one.stop)!.call(one);
});

async function serve(options: InProcessStoreOptions = {}) {
  const server = await InProcessStore.start(options);
  closing.push(server);
  const waits: number[] = [];
  const lines: string[] = [];
  const defaults: ObjectStoreOptions = {
    access: 'write',
    software: 'test/1',
    wait: async (ms) => void waits.push(ms),
    log: (line) => lines.push(line),
  };
  const open = async (
    parameters = '',
    credentials = CREDENTIALS,
    given: Partial<ObjectStoreOptions> = {},
  ) => {
    const store = await openObjectStore(server.bucket('bucket', parameters), credentials, {
      ...defaults,
      ...given,
    });
    closing.push(store);
    return store as S3Store;
  };
  /** The fault happens to the calls with these numbers, counted from now on. */
  const fail = (fault: StoreFault, ...numbers: number[]) => {
    const before = server.calls.length;
    server.plan = (_, number) => (numbers.includes(number - before) ? fault : null);
  };
  return { server, waits, lines, open, fail };
}

/** Others wait as long as by default: a request that a busy machine makes late would count as a retry. */
const IMPATIENT = { stallMs: 200 };

function contentOf(text: string) {
  const bytes = Buffer.from(text);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

describe('a store that does not fit is refused in one message', () => {
  test('an unknown access key', async () => {
    const { open } = await serve();
    await expect(open('', { ...CREDENTIALS, accessKeyId: 'other' })).rejects.toThrow(
      '/bucket: expected an access key that the store knows, found status 403 InvalidAccessKeyId',
    );
  });

  test('a wrong secret, which the message does not quote', async () => {
    const { open } = await serve();
    const error = await open('', { ...CREDENTIALS, secretAccessKey: 'hidden-value' }).catch(String);
    expect(error).toContain('expected the secret that belongs to the access key');
    expect(error).not.toContain('hidden-value');
  });

  test('a missing bucket', async () => {
    const { server } = await serve();
    const opening = openObjectStore(`s3+${server.endpoint}/absent`, CREDENTIALS, {
      access: 'read',
      software: 'test/1',
    });
    await expect(opening).rejects.toThrow(
      `s3+${server.endpoint}/absent: expected an existing bucket, found status 404 NoSuchBucket`,
    );
  });

  test('a bucket that is removed later', async () => {
    const { open, server } = await serve();
    const store = await open();
    server.buckets.clear();
    const calls = [
      () => store.get('a'),
      () => store.read('a', 1),
      () => store.put('a', contentOf('a'), 'absent'),
    ];
    for (const call of calls)
      await expect(call()).rejects.toThrow(`${server.endpoint}/bucket: expected an existing bucket`);
  });

  test('another region, which the message names', async () => {
    const { open } = await serve({ region: 'eu-west-1' });
    await expect(open()).rejects.toThrow('add ?region=eu-west-1');
    await open('?region=eu-west-1');
  });

  test('a redirect to the bucket’s own host', async () => {
    const { open, server, fail } = await serve();
    server.bucket();
    fail({ status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'us-west-2' } }, 1);
    await expect(open()).rejects.toThrow('add ?region=us-west-2, found status 301 PermanentRedirect');
  });

  test('no credentials', async () => {
    await expect(
      openObjectStore('s3+https://objects.example.org/bucket', null, { access: 'read', software: 'test/1' }),
    ).rejects.toMatchObject({
      code: 'config_invalid',
      expected: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    });
  });

  test('nobody at the address', async () => {
    const opening = openObjectStore('s3+http://127.0.0.1:1/bucket', CREDENTIALS, {
      access: 'read',
      software: 'test/1',
      wait: async () => {},
    });
    await expect(opening).rejects.toThrow(/expected an answer within 6 attempts, found .*ECONNREFUSED/);
  });
});

describe('a clock', () => {
  test('an hour behind: requests are signed with the time of the store, and the operator is told', async () => {
    const { open, lines } = await serve({ clockMs: 3_600_000 });
    const store = await open();
    await store.put('a', contentOf('a'));
    expect(lines).toEqual([
      expect.stringContaining('the clock of this machine is 60 min behind, so requests'),
    ]);
    expect((await store.head('a'))!.date! - Date.now()).toBeGreaterThan(3_500_000);
  });

  test('that is set while the program runs', async () => {
    const { open, server, lines } = await serve();
    const store = await open();
    for (const clockMs of [-7_200_000, 0]) {
      server.clockMs = clockMs;
      expect(await store.head('a')).toBe(null);
    }
    expect(lines).toEqual([expect.stringContaining('120 min ahead')]);
  });

  test('that the store refuses even so ends the attempts', async () => {
    const { open, server } = await serve();
    server.plan = () => ({ status: 403, code: 'RequestTimeTooSkewed' });
    await expect(open()).rejects.toThrow("expected a clock that agrees with the store's");
  });
});

describe('conditions', () => {
  test.each([
    ['quoted', 'quoted'],
    ['unquoted', 'unquoted'],
    ['ignored', 'none'],
    ['refused', 'none'],
  ] as const)('that are %s count as %s', async (conditions, expected) => {
    const { open, server } = await serve({ conditions });
    expect((await open()).conditions).toBe(expected);
    expect([...server.objects.keys()]).toEqual([]);
  });

  test.each(['ignored', 'refused'] as const)('that are %s are checked before writing', async (conditions) => {
    const { open, server } = await serve({ conditions });
    const store = await open();
    const { etag } = (await store.put('a', contentOf('one'), 'absent')) as { etag: string };
    expect(await store.put('a', contentOf('two'), 'absent')).toBe('refused');
    expect(await store.put('a', contentOf('two'), { etag: '0'.repeat(32) })).toBe('refused');
    expect(await store.put('a', contentOf('two'), { etag })).not.toBe('refused');
    expect(server.objects.get('bucket/a')!.bytes.toString()).toBe('two');
  });

  test('hold for a writer whose first answer was lost', async () => {
    const { open, fail } = await serve();
    const store = await open();
    fail('answer lost', 1);
    expect(await store.put('a', contentOf('one'), 'absent')).toEqual({ etag: expect.any(String) });
    fail('answer lost', 1);
    const { etag } = (await store.head('a'))!;
    expect(await store.put('a', contentOf('two'), { etag })).toEqual({ etag: expect.any(String) });
    // Of somebody else's object, it says so.
    fail('lost', 1);
    expect(await store.put('a', contentOf('three'), 'absent')).toBe('refused');
  });
});

describe('a fault that passes', () => {
  test('a store that asks to slow down is asked again later each time', async () => {
    const { open, fail, waits, server } = await serve();
    const store = await open();
    fail({ status: 503, code: 'SlowDown' }, 1, 2, 3);
    await store.put('a', contentOf('a'));
    expect(waits).toEqual([250, 500, 1000]);
    fail({ status: 503, code: 'SlowDown', headers: { 'retry-after': '7' } }, 1);
    await store.head('a');
    expect(waits.at(-1)).toBe(7000);
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 30_000).toUTCString();
    fail({ status: 503, code: 'SlowDown', headers: { 'retry-after': at } }, 1);
    await store.head('a');
    expect(waits.at(-1)).toBeGreaterThan(20_000);
    server.plan = () => ({ status: 500, code: 'InternalError' });
    await expect(store.put('a', contentOf('b'))).rejects.toThrow(
      `s3+${server.endpoint}/bucket/a: expected an answer within 6 attempts, found status 500 InternalError`,
    );
    expect(server.objects.get('bucket/a')!.bytes.toString()).toBe('a');
  });

  test.each(['lost', 'answer lost', 'silent', 'truncated', 'altered', 'shortened'] as const)(
    'a call whose answer is %s',
    async (fault) => {
      const { open, fail } = await serve();
      const store = await open('', CREDENTIALS, IMPATIENT);
      const { bytes, sha256 } = contentOf('some content');
      await store.put('a', { bytes, sha256 });
      fail(fault, 1);
      expect(await store.read('a', 100, sha256)).toMatchObject({ content: bytes });
    },
  );

  test('content that stays another one is refused', async () => {
    const { open, server } = await serve();
    const store = await open();
    const { bytes, sha256 } = contentOf('some content');
    await store.put('a', { bytes, sha256 });
    server.plan = () => 'altered';
    await expect(store.read('a', 100, sha256)).rejects.toThrow(`instead of ${sha256}`);
  });

  test('a body that breaks off continues where it ended', async () => {
    const { open, server } = await serve();
    const store = await open();
    const content = contentOf('0123456789'.repeat(10_000));
    await store.put('a', content);
    const before = server.calls.length;
    server.plan = (_, number) => (number - before <= 3 ? 'truncated' : null);
    const { body } = (await store.get('a')) as { body: AsyncIterable<Uint8Array> };
    expect(Buffer.concat(await Array.fromAsync(body)).equals(content.bytes)).toBe(true);
    expect(server.calls.slice(before).map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=50000-',
      'bytes=75000-',
      'bytes=87500-',
    ]);
  });

  test('a body does not continue with another object', async () => {
    const { open, server } = await serve();
    const store = await open();
    await store.put('a', contentOf('0123456789'));
    server.plan = (call) => (call.headers.range ? null : 'truncated');
    const { body } = (await store.get('a')) as { body: AsyncIterable<Uint8Array> };
    const chunks = body[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toHaveLength(5);
    server.plan = () => null;
    await store.put('a', contentOf('abcdefghij'));
    await expect(chunks.next()).rejects.toThrow('of which 5 bytes were read, found another one');
  });

  test('a store refuses a large file before it is sent', async () => {
    const { open, server } = await serve();
    const store = await open();
    const folder = await mkdtemp(join(tmpdir(), 'cathedral-objects-'));
    closing.push({ stop: () => rmSync(folder, { recursive: true }) });
    const file = join(folder, 'large');
    await writeFile(file, Buffer.alloc(10_000_000));
    const sha256 = createHash('sha256').update(Buffer.alloc(10_000_000)).digest('hex');
    server.plan = () => ({ status: 403, code: 'AccessDenied' });
    const refused = Array.from({ length: 40 }, () => store.put('a', { file, sha256 }).catch(String));
    expect(new Set(await Promise.all(refused))).toEqual(
      new Set([
        expect.stringContaining('expected an access key that may do this (s3:PutObject), found status 403'),
      ]),
    );
    server.plan = () => null;
    expect(await store.put('a', { file, sha256 })).toEqual({ etag: expect.any(String) });
  });

  test('a full bucket and an archived object are not missing rights', async () => {
    const { open, server } = await serve();
    const store = await open();
    server.plan = () => ({ status: 403, code: 'QuotaExceeded' });
    await expect(store.put('a', contentOf('1'))).rejects.toThrow(
      'expected room in the quota of the bucket and of its owner, found status 403 QuotaExceeded',
    );
    server.plan = () => ({ status: 403, code: 'InvalidObjectState' });
    await expect(store.read('a', 10)).rejects.toThrow(
      'bucket/a: expected an object that no lifecycle rule has archived, found status 403 InvalidObjectState',
    );
  });

  test('a session token that has expired is thought of where an answer to HEAD gives no reason', async () => {
    const { open, server } = await serve();
    const store = await open();
    server.plan = () => ({ status: 400, code: '' });
    await expect(store.head('a')).rejects.toThrow('a session token that has not expired');
  });

  test('a store that asks for a large file when that is already being sent gets it once', async () => {
    const { open, server, waits } = await serve();
    const store = await open();
    const folder = await mkdtemp(join(tmpdir(), 'cathedral-objects-'));
    closing.push({ stop: () => rmSync(folder, { recursive: true }) });
    const file = join(folder, 'large');
    const { bytes, sha256 } = contentOf('0123456789'.repeat(1_000_000));
    await writeFile(file, bytes);
    server.plan = () => 'asked late';
    await store.put('a', { file, sha256 });
    expect(server.objects.get('bucket/a')!.bytes.equals(bytes)).toBe(true);
    expect(waits).toEqual([]);
  });

  test('a key that no address can name is refused', async () => {
    const { open } = await serve();
    await expect((await open()).head('a/../b')).rejects.toThrow('without the names . and ..');
  });

  test('a store that sends a byte at a time is given up', async () => {
    const { open, server } = await serve();
    const store = await open('', CREDENTIALS, IMPATIENT);
    await store.put('a', contentOf('0123456789'.repeat(1000)));
    server.plan = () => 'trickling';
    const { body } = (await store.get('a')) as { body: AsyncIterable<Uint8Array> };
    await expect(Array.fromAsync(body)).rejects.toThrow(/expected 10000 bytes, found \d+ bytes in 200 ms/);
    // A machine that is busy at the last attempt may not come to its first byte.
    await expect(store.read('a', 10_000)).rejects.toThrow(/bytes in 200 ms|nothing for 0.2 s/);
  });

  test('a store is not asked again because its reader takes its time', async () => {
    const { open, server } = await serve();
    const store = await open('', CREDENTIALS, IMPATIENT);
    const { bytes, sha256 } = contentOf('0123456789'.repeat(200_000));
    await store.put('a', { bytes, sha256 });
    const { body } = (await store.get('a'))!;
    const before = server.calls.length;
    const read: Uint8Array[] = [];
    for await (const chunk of body) if (read.push(chunk) === 1) await sleep(4 * IMPATIENT.stallMs);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
    expect(server.calls).toHaveLength(before);
  });

  test('a store whose answers have no end is read no further than needed', async () => {
    const { open, server } = await serve();
    const store = await open();
    await store.put('a', contentOf('a'));
    server.plan = () => 'endless';
    await store.put('b', contentOf('b'));
    await expect(store.read('a', 1000)).rejects.toThrow('expected at most 1000 bytes, found more');
    await expect(Array.fromAsync(store.list(''))).rejects.toThrow('expected a list of objects');
    await expect.poll(() => server.pouring).toBe(0);
  });

  test('a store that does not answer is given up', async () => {
    const { open, server } = await serve();
    const store = await open('', CREDENTIALS, IMPATIENT);
    server.plan = () => 'silent';
    await expect(store.head('a')).rejects.toThrow('found nothing for 0.2 s');
    server.plan = () => 'mute';
    await expect(store.read('a', 1)).rejects.toThrow(
      'found status 503 with a text that did not end in 0.2 s',
    );
  });

  test('the operator is told of each attempt that took long', async () => {
    const { open, server, lines } = await serve();
    const store = await open('', CREDENTIALS, { stallMs: 1000, attempts: 2 });
    server.plan = () => 'silent';
    await expect(store.head('a')).rejects.toThrow('within 2 attempts');
    expect(lines).toEqual([`s3+${server.endpoint}/bucket/a: nothing for 1 s; trying again in 0.25 s`]);
  });
});
