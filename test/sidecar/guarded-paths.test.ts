import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../pipeline/errors.ts';
import { exportAccessLog } from '../../src/sidecar/access-log/export-access-log.ts';
import { readLog } from '../../src/sidecar/access-log/log-reader.ts';
import { throttleRepeatedErrors } from '../../src/sidecar/health/throttle-repeated-errors.ts';
import { type Application, issueKey } from '../../src/sidecar/keys/key-life.ts';
import type { KeyStore } from '../../src/sidecar/keys/key-store.ts';
import { useLog } from './access-log/open-temporary-log.ts';
import { GOVERNMENT } from './keys/tiny-key-services.ts';
import { get, servedShared, type TinyOptions } from './tiny-app.ts';

const REPORT = '/government/compliance-report.json';

/** The app with all of its guards, and a clock that the test sets. */
async function guardedApp(options: TinyOptions = {}, serve = servedShared) {
  const clock = { now: Date.UTC(2026, 2, 2, 9) };
  const services = { now: () => clock.now, ...options.services };
  const tiny = await serve(50, { guarded: true, ...options, services });
  const keyServices = keyServicesOf(tiny.keys, clock);
  const entries = async () => {
    const parts: string[] = [];
    const all = { from: 0, to: Number.MAX_SAFE_INTEGER, format: 'ndjson' } as const;
    await useLog(join(tiny.stores, 'access-log'), async (store) => {
      for await (const part of exportAccessLog(readLog(store), all)) parts.push(part);
    });
    const lines = parts.join('').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { ...tiny, clock, keyServices, entries };
}

function keyServicesOf(store: KeyStore, clock: { now: number }) {
  return { store, mailer: null, now: () => clock.now, randomBytes, baseUrl: 'https://data.example.org' };
}

async function keyFor(keyServices: ReturnType<typeof keyServicesOf>, applicant: Application) {
  const { key, record } = await issueKey({ ...applicant, deliver: 'print' }, keyServices);
  return { id: record.id, holder: record.holder, bearer: { authorization: `Bearer ${key}` } };
}

describe('a restricted file', () => {
  test('fills no disk when clients without access request it endlessly, and accesses with a key stay on record', async () => {
    const { app, keyServices, entries } = await guardedApp();
    const { bearer } = await keyFor(keyServices, GOVERNMENT);
    const url = `${REPORT}?${'x'.repeat(4_000)}`;
    const flood = await Promise.all(Array.from({ length: 700 }, () => get(app, url)));
    expect(new Set(flood.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
    expect((await get(app, REPORT, bearer)).statusCode).toBe(200);
    const logged = await entries();
    expect(logged).toHaveLength(601);
    expect(logged.at(-1)).toMatchObject({ status: 200, path: REPORT });
    expect(Math.max(...logged.map((entry) => JSON.stringify(entry).length))).toBeLessThan(1_000);
  });
});

describe('what a trusted proxy calls its client', () => {
  const isError = ({ level }: Record<string, unknown>) => Number(level) >= 50;

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    [' 203.0.113.9:0 ', '203.0.113.9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['"[2001:db8::9]:4711"', '2001:db8::9'],
    ['2001:db8::9', '2001:db8::9'],
    ['2001:db8::9%eth0', '2001:db8::9%eth0'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
    ['[::ffff:203.0.113.9]:4711', '::ffff:203.0.113.9'],
    ['198.51.100.1:1, 203.0.113.9:2, 10.1.1.1:3', '203.0.113.9'],
    ['203.0.113.9, [fd00::1]:3', '203.0.113.9'],
    ['203.0.113.9, , 10.1.1.1,', '203.0.113.9'],
  ])('%s is the address %s', async (header, client) => {
    const limits = { trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] };
    const { app, entries, logged } = await guardedApp({ limits });
    await get(app, REPORT, { 'x-forwarded-for': header });
    expect((await entries()).map((entry) => entry.client)).toEqual([client]);
    expect(logged.filter(isError)).toEqual([]);
    expect((await get(app, '/metrics')).body).toContain('cathedral_unreadable_clients_total 0\n');
  });

  test.each([
    { 'x-forwarded-for': 'unknown' },
    { 'x-forwarded-for': '_hidden' },
    { 'x-forwarded-for': 'for=203.0.113.9' },
    { 'x-forwarded-for': '203.0.113.9, client.example' },
    { 'x-forwarded-for': '203.0.113.9:' },
    { 'x-forwarded-for': '203.0.113.999:80' },
    { 'x-forwarded-for': '[203.0.113.9' },
    { 'x-forwarded-for': '[]:80' },
    // A decimal and an octal spelling of an address are none: programs disagree on what they mean.
    { 'x-forwarded-for': '2130706433' },
    { 'x-forwarded-for': '0177.0.0.1' },
    { forwarded: 'for=203.0.113.9;proto=https' },
  ])('%j is none: it is logged once, and each request is counted', async (headers) => {
    const { app, entries, logged } = await guardedApp({ limits: { trustedProxies: ['127.0.0.1'] } });
    for (let n = 0; n < 3; n += 1) await get(app, REPORT, headers);
    await get(app, REPORT);
    expect((await entries()).map(({ client }) => client)).toEqual(Array(4).fill('127.0.0.1'));
    expect(logged.filter(isError)).toEqual([expect.objectContaining({ proxy: '127.0.0.1' })]);
    expect((await get(app, '/metrics')).body).toContain('cathedral_unreadable_clients_total 3\n');
  });
});

describe('a key', () => {
  test('never appears in a response, the server log, the metrics or a store', async () => {
    const { app, keyServices, logged, stores } = await guardedApp();
    const { bearer } = await keyFor(keyServices, GOVERNMENT);
    const key = bearer.authorization.slice('Bearer '.length);
    const answers = [
      await get(app, REPORT, bearer),
      await get(app, `${REPORT}?api_key=${key}`),
      await get(app, `/${key}`),
      await get(app, `/economy/${encodeURIComponent(key)}`, bearer),
      await get(app, '/economy/supply', { authorization: `Bearer ${key}x` }),
      await get(app, '/metrics'),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 400, 404, 404, 401, 200]);
    const told = answers.map(({ body, headers }) => body + JSON.stringify(headers)).join('');
    const files = ['keys.sqlite', 'keys.sqlite-wal', 'limits.db', 'access-log/log.db'];
    const kept = await Promise.all(
      files.map((file) => readFile(join(stores, file), 'latin1').catch(() => '')),
    );
    for (const text of [told, JSON.stringify(logged), ...kept]) expect(text).not.toContain(key);
  });
});

test('a store that fails with every request is logged once a minute, and other errors are always logged', () => {
  const clock = { now: 0 };
  const lines: unknown[] = [];
  const error = (_: unknown, message: string) => lines.push(message);
  const log = throttleRepeatedErrors({ error, info: () => undefined } as never, () => clock.now);
  const err = new CathedralError('store_failed', { place: 'a', expected: 'b', found: 'c' });
  for (clock.now = 0; clock.now < 120_000; clock.now += 1_000) log.error({ err }, 'not counted');
  log.error({ err: new CathedralError('keys_unreadable', err) }, 'not counted');
  log.error({ err }, 'not started');
  for (let count = 0; count < 2; count += 1) log.error({ err: new Error('a bug') }, 'failed');
  expect(lines).toEqual(['not counted', 'not counted', 'not counted', 'not started', 'failed', 'failed']);
});
