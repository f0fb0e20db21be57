import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readBody } from '../../../src/sidecar/attestations/answer-verify.ts';

const LIMITS = { maxBytes: 10, timeoutMs: 60_000 };

function request(headers: Record<string, string> = {}) {
  const stream = new PassThrough();
  return Object.assign(stream, { headers: { 'content-type': 'application/json', ...headers } });
}
const read = (from: ReturnType<typeof request>, limits = LIMITS) =>
  readBody(from as never, null as never, limits);

test('a body that comes too slowly is a time-out, however often a byte comes', async () => {
  const slow = request();
  const drip = setInterval(() => slow.write('x'), 15);
  await expect(read(slow, { ...LIMITS, timeoutMs: 50 })).rejects.toMatchObject({ code: 'request_timeout' });
  clearInterval(drip);
});

test('a body in pieces is put together', async () => {
  const whole = request();
  const body = read(whole);
  for (const piece of ['{"a"', ':', '1}']) whole.write(piece);
  whole.end();
  expect(String(await body)).toBe('{"a":1}');
});

test('a connection that ends in the middle is a bad request', async () => {
  const broken = request();
  const body = read(broken);
  broken.write('{');
  broken.destroy();
  await expect(body).rejects.toMatchObject({ code: 'bad_request' });
});
