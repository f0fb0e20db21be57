import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../pipeline/attestation/read-json.ts';
import { Resource } from '../../../src/sidecar/files/representation.ts';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import type { Live } from '../../../src/sidecar/services.ts';
import { signed } from '../../attestation/signed-document.ts';
import { closed } from '../closed.ts';
import type { InjectedApp } from '../tiny-app.ts';
import { attestationApp, DOCUMENT, ID, REGISTRY } from './attestation-app.ts';

const URL = '/attestations/verify';
const JSON_TYPE = { 'content-type': 'application/json' };
const post = (
  app: InjectedApp,
  payload: string | Buffer | JsonObject,
  headers: Record<string, string> = JSON_TYPE,
) =>
  app.inject({
    method: 'POST',
    url: URL,
    headers,
    payload: typeof payload === 'object' && !Buffer.isBuffer(payload) ? JSON.stringify(payload) : payload,
  });

describe('POST /attestations/verify', () => {
  test('knows what the ledger has since the release, where that is followed', async () => {
    const [attestation] = REGISTRY.attestations;
    const ended = { status: 'revoked', ended_at: '2025-12-01T11:59:59Z', reason: 'drift' } as const;
    const newest = {
      ...REGISTRY,
      timestamp: '2025-12-01T11:59:59Z',
      attestations: [{ ...attestation!, ...ended }],
    };
    const content = { sha256: '', bytes: 0, source: Buffer.from(JSON.stringify(newest)) };
    const resource = new Resource({ headers: {}, modified: 0, content: () => content });
    const live: Live = {
      resource: (path) => (path === 'philosophy/companions.json' ? resource : null),
      listen: () => {},
    };
    const { app } = await attestationApp({ services: { live } });
    expect((await post(app, DOCUMENT)).json()).toMatchObject({
      valid: false,
      status: 'revoked',
      as_of: newest.timestamp,
    });
  });

  test('refuses what has expired by the ledger’s time, where the server’s clock is behind that', async () => {
    const { app } = await attestationApp({}, { ...REGISTRY, timestamp: '2026-02-28T06:00:00Z' });
    expect((await post(app, DOCUMENT)).json()).toMatchObject({ valid: false, status: 'expired' });
    const status = await app.inject({ method: 'GET', url: `/attestations/${ID}/status` });
    expect(status.json()).toMatchObject({ status: 'expired' });
  });

  test('counts as a request of research, before the work is done', async () => {
    const { app } = await attestationApp({ asDiskErrors: true });
    const first = await post(app, '{}');
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"daily";q=100;w=86400',
      ratelimit: expect.stringContaining('r=99'),
    });
    for (let request = 0; request < 99; request += 1) await post(app, '{}');
    const refused = await post(app, '{}');
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
    const metrics = (await app.inject({ method: 'GET', url: '/metrics' })).body;
    expect(metrics).toContain('cathedral_attestations_verified_total{status="invalid"} 100');
    expect(metrics).toContain(
      'cathedral_http_requests_total{method="POST",area="academics",status="200"} 100',
    );
  });

  test('logs that it was asked, and nothing of the document', async () => {
    const { app, logged } = await attestationApp();
    await post(app, signed({ risk_justification: 'a-word-of-the-document' }));
    await post(app, '{"a-word-of-the-document": 1e999}');
    expect(logged).toHaveLength(2);
    expect(logged[0]).toMatchObject({ method: 'POST', path: URL, status: 200 });
    expect(JSON.stringify(logged)).not.toContain('a-word-of-the-document');
  });

  test.each([
    ['GET', 405],
    ['HEAD', 405],
    ['PUT', 405],
    ['DELETE', 405],
  ] as const)('takes no %s', async (method, status) => {
    const { app } = await attestationApp();
    const answer = await app.inject({ method, url: URL });
    expect([answer.statusCode, answer.headers.allow]).toEqual([status, 'POST, OPTIONS']);
  });

  test('tells a browser that a script of any site may send a document there', async () => {
    const { app } = await attestationApp();
    const asked = { origin: 'https://other.example', 'access-control-request-method': 'POST' };
    const answer = await app.inject({ method: 'OPTIONS', url: URL, headers: asked });
    expect([answer.statusCode, answer.headers]).toEqual([
      204,
      expect.objectContaining({
        allow: 'POST, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST, OPTIONS',
        'access-control-allow-headers': expect.stringContaining('Content-Type'),
      }),
    ]);
  });

  test('is alone in taking POST', async () => {
    const { app } = await attestationApp();
    for (const url of ['/', '/economy/supply', '/attestations/', `${URL}/`, `/attestations/${ID}/status`]) {
      const answer = await app.inject({ method: 'POST', url, headers: JSON_TYPE, payload: '{}' });
      expect([url, answer.statusCode, answer.headers.allow]).toEqual([url, 405, 'GET, HEAD, OPTIONS']);
      expect(answer.headers.connection).toBe('close');
    }
  });

  test.each([
    ['no type', {}],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('takes JSON alone, and not %s', async (_, headers) => {
    const { app } = await attestationApp();
    const answer = await post(app, '{}', headers as Record<string, string>);
    expect([answer.statusCode, answer.json().code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8', 'application/json'])(
    'takes %s',
    async (type) => {
      const { app } = await attestationApp();
      expect((await post(app, DOCUMENT, { 'content-type': type })).statusCode).toBe(200);
    },
  );

  test.each([
    [`${URL}?key=value`, {}, 400, 'unknown_parameter'],
    [`${URL}?api_key=value`, {}, 400, 'key_in_query'],
    [URL, { authorization: 'Bearer wrong' }, 401, 'invalid_token'],
  ])('refuses %s with %j as every path does', async (url, headers, status, code) => {
    const { app } = await attestationApp();
    const payload = JSON.stringify(DOCUMENT);
    const answer = await app.inject({ method: 'POST', url, headers: { ...JSON_TYPE, ...headers }, payload });
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
  });

  test('is not answered under high load, nor from a release that knows of no companions', async () => {
    const gate = new LoadGate({ limits: { active: 0, loopDelayMs: 0 }, loopDelayMs: () => 1 });
    const loaded = await attestationApp({ services: { gate } });
    expect((await post(loaded.app, DOCUMENT)).json()).toMatchObject({ status: 503, code: 'overloaded' });
    const old = await attestationApp({}, null);
    expect((await post(old.app, DOCUMENT)).json()).toMatchObject({ status: 503, code: 'unavailable' });
  });
});

describe('a body on a socket', () => {
  async function listening() {
    const { app } = await attestationApp();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    const head = (more: string) =>
      `POST ${URL} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}\r\n`;
    return { socket, head, app };
  }
  const body = JSON.stringify(DOCUMENT);

  test('that waits for leave to come gets it, and the connection goes on', async () => {
    const { socket, head } = await listening();
    socket.write(head(`Content-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\n`));
    const [leave] = await once(socket, 'data');
    expect(String(leave)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('HTTP/1.1 200 OK');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toContain('HTTP/1.1 200 OK');
  });

  test('that is too long is not waited for', async () => {
    for (const more of [
      'Content-Length: 70000\r\nExpect: 100-continue\r\n',
      'Content-Length: 99999999999\r\n',
    ]) {
      const { socket, head } = await listening();
      socket.write(head(more));
      expect(await text(socket)).toMatch(
        /^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*"code":"content_too_large"/,
      );
    }
  });

  test('that is too long is read to its end, so that its sender reads why it was refused', async () => {
    const { socket, head } = await listening();
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    for (let chunk = 0; chunk < 20; chunk += 1) socket.write(`2710\r\n${' '.repeat(10_000)}\r\n`);
    socket.write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('that does not end is cut off', async () => {
    const { socket, head } = await listening();
    socket.on('error', () => {});
    const answer = text(socket).catch(() => '');
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    const more = setInterval(() => socket.writable && socket.write(`186a0\r\n${' '.repeat(100_000)}\r\n`), 5);
    onTestFinished(() => clearInterval(more));
    await closed(socket);
    clearInterval(more);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 |^$/);
  });

  test('that its sender gives up keeps the service from nothing', async () => {
    const { socket, head, app } = await listening();
    socket.write(`${head('Content-Length: 1000\r\n')}{"version"`);
    socket.destroy();
    expect((await post(app, DOCUMENT)).statusCode).toBe(200);
  });
});
