import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { get, servedShared } from './tiny-app.ts';

describe('compressed bytes', () => {
  test('are sent to clients that accept them, with an entity tag of their own and the same content', async () => {
    const { app } = await servedShared();
    const plain = await get(app, '/economy/mic-history.csv');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const answer = await get(app, '/economy/supply', { 'accept-encoding': encoding });
      expect(answer.headers['content-encoding']).toBe(encoding);
      expect(answer.headers.vary).toBe('Accept-Encoding');
      expect(answer.headers.etag).toBe(`"${createHash('sha256').update(answer.rawPayload).digest('hex')}"`);
      expect(decode(answer.rawPayload).toString()).toBe((await get(app, '/economy/supply')).body);
    }
  });
});

describe('a condition', () => {
  test('is answered 304 by entity tag or by date, and the tag takes precedence', async () => {
    const { app } = await servedShared();
    const { headers } = await get(app, '/economy/supply');
    const [etag, modified] = [String(headers.etag), String(headers['last-modified'])];
    const statusOf = async (conditions: Record<string, string>) =>
      (await get(app, '/economy/supply', conditions)).statusCode;
    expect(await statusOf({ 'if-none-match': etag })).toBe(304);
    expect(await statusOf({ 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await statusOf({ 'if-none-match': '"other"' })).toBe(200);
    // Apache compresses, and passes on what it made of the tag.
    for (const coding of ['gzip', 'br'])
      expect(await statusOf({ 'if-none-match': etag.replace(/"$/, `-${coding}"`) })).toBe(304);
    expect(await statusOf({ 'if-none-match': '"other-gzip"' })).toBe(200);
    expect(await statusOf({ 'if-match': etag.replace(/"$/, '-gzip"') })).toBe(412);
    expect(await statusOf({ 'if-modified-since': modified })).toBe(304);
    expect(await statusOf({ 'if-modified-since': 'yesterday' })).toBe(200);
    expect(await statusOf({ 'if-none-match': '"other"', 'if-modified-since': modified })).toBe(200);
    expect(await statusOf({ 'if-match': etag })).toBe(200);
    expect(await statusOf({ 'if-match': '"other"' })).toBe(412);
  });

  test('that holds is answered with the headers that a cache updates, and no body', async () => {
    const { app } = await servedShared();
    const { headers } = await get(app, '/economy/supply');
    const answer = await get(app, '/economy/supply', { 'if-none-match': String(headers.etag) });
    for (const name of ['etag', 'last-modified', 'cache-control', 'vary', 'access-control-allow-origin']) {
      expect([name, answer.headers[name]]).toEqual([name, headers[name]]);
    }
    expect(answer.rawPayload.length).toBe(0);
  });

  test('with the entity tag of another encoding does not hold', async () => {
    const { app } = await servedShared();
    const br = await get(app, '/economy/supply', { 'accept-encoding': 'br' });
    const asked = { 'accept-encoding': 'gzip', 'if-none-match': String(br.headers.etag) };
    expect((await get(app, '/economy/supply', asked)).statusCode).toBe(200);
  });
});

describe('a range', () => {
  test('counts the bytes of the uncompressed file, also for clients that accept encodings', async () => {
    const { app } = await servedShared();
    const whole = (await get(app, '/economy/mic-history.csv')).rawPayload;
    const asked = { range: 'bytes=10-19', 'accept-encoding': 'br' };
    const part = await get(app, '/economy/mic-history.csv', asked);
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 10-19/${whole.length}`]);
    expect(part.headers['content-encoding']).toBeUndefined();
    expect(part.rawPayload.equals(whole.subarray(10, 20))).toBe(true);
    const tail = await get(app, '/economy/mic-history.csv', { range: 'bytes=-7' });
    expect(tail.rawPayload.equals(whole.subarray(-7))).toBe(true);
  });

  test('beyond the end is refused with the length of the file', async () => {
    const { app } = await servedShared();
    const { headers } = await get(app, '/economy/supply');
    const answer = await get(app, '/economy/supply', { range: 'bytes=99999999-' });
    expect([answer.statusCode, answer.headers['content-range']]).toEqual([
      416,
      `bytes */${headers['content-length']}`,
    ]);
    expect(answer.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  test('is sent only if the client has the start of the same bytes', async () => {
    const { app } = await servedShared();
    const { headers } = await get(app, '/economy/supply');
    const ranged = async (condition: string) =>
      (await get(app, '/economy/supply', { range: 'bytes=1-2', 'if-range': condition })).statusCode;
    expect(await ranged(String(headers.etag))).toBe(206);
    expect(await ranged('"other"')).toBe(200);
    expect(await ranged(`W/${headers.etag}`)).toBe(200);
    expect(await ranged(String(headers['last-modified']))).toBe(206);
  });
});
