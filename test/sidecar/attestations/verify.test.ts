import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../pipeline/attestation/limited-json.ts';
import { Resource } from '../../../src/sidecar/files/representation.ts';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import type { Live } from '../../../src/sidecar/services.ts';
import { signed } from '../../attestation/signed-document.ts';
import { closed } from '../closed.ts';
import type { InjectedApp } from '../tiny-app.ts';
import { attestationApp, DOCUMENT, REGISTRY } from './attestation-app.ts';

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

  test('counts as a request of research, before the work is done', async () => {
    const { app } = await attestationApp({ guarded: true });
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

  test('that is too long is read to its end, so that its sender reads why it was refused', async () => {
    const { socket, head } = await listening();
    socket.write(head('Transfer-Encoding: chunked\r\n'));
    for (let chunk = 0; chunk < 20; chunk += 1) socket.write(`2710\r\n${' '.repeat(10_000)}\r\n`);
    socket.write('0\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('that is not chunked as it says is refused at once, and not when its time is over', async () => {
    const { socket, head } = await listening();
    socket.write(`${head('Transfer-Encoding: chunked\r\n')}no length\r\n`);
    const started = performance.now();
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_request"/s);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000);
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
