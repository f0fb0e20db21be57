import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_START } from '../../../pipeline/ledger/leaf.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import { readLogFolder } from '../../../src/sidecar/access-log/log-files.ts';
import { createLogFiles } from '../../../src/sidecar/files/log-files.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { sampleEvents } from '../../ledger/sample-events.ts';
import { FIRST_SLOT, temporaryFolder, writeSnapshot } from '../../ledger/test-ledger.ts';
import { publishLog } from '../../release/log/publish-log.ts';
import { publishTiny } from '../../release/publish-tiny.ts';
import { GOVERNMENT } from '../keys/tiny-key-services.ts';
import { get, type TinyApp, tinyApp } from '../tiny-app.ts';

/** Paths that are not in the log, and their status. */
const OTHER_PATHS: [path: string, status: number][] = [
  ['/log', 404],
  ['/log/', 404],
  ['/log/checkpoint.tmp', 404],
  ['/log/checkpoint/', 404],
  ['/log/tile/0/000.p/300', 404],
  ['/log/tile/0/000.p', 404],
  ['/log/public/v1/000.gz', 404],
  ['/log/public/v2/000', 404],
  ['/log/public/v1/../../../log-entries/000', 404],
  ['/log/tile/0/0', 404],
  ['/log/tile/0/x000/000', 404],
  ['/log/tile/0/007', 404],
  ['/log/tile/0/', 404],
  ['/log/tile/0/%30%30%30', 404],
  ['/%6cog/tile/0/000', 404],
  ['/log/%63heckpoint', 404],
  ['/log/tile/../checkpoint', 404],
  ['/log/tile/0/../../../current/state.json', 404],
  ['/log/tile/0/000/../../../../log-entries/000', 404],
  ['/log//tile/0/000', 404],
  ['/log/./tile/0/000', 404],
  ['/log/tile\\0\\000', 404],
  ['/log-entries/000', 404],
  ['/log/../log-entries/000', 404],
  ['/log/tile/Entries/000', 404],
  ['/log/TILE/0/000', 404],
  ['//log/tile/0/000', 404],
  ['/log/tile/entries/../../../keys', 401],
  ['/log/tile/entries/../0/000', 401],
  ['/log/tile/entries/', 401],
  ['/log/tile%2f0/000', 400],
  ['/log/tile/0/000%00', 400],
  ['/log/..%2flog-entries/000', 400],
  ['/log/tile%5c0', 400],
];

let out: string;
let tiny: TinyApp;

beforeEach(async () => {
  const ledger = temporaryFolder();
  out = temporaryFolder();
  const end = await writeSnapshot(ledger, FIRST_SLOT, LEDGER_START, sampleEvents(300));
  await publishTiny(out, { events: 5 });
  await publishLog(out, ledger, end);
  tiny = await tinyApp(out, { asDiskErrors: true, services: { log: createLogFiles(out) } });
});

async function government(): Promise<Record<string, string>> {
  const services = {
    store: tiny.keys,
    mailer: null,
    now: Date.now,
    randomBytes,
    baseUrl: 'https://data.example.org',
  };
  const { key } = await issueKey({ ...GOVERNMENT, deliver: 'print' }, services);
  return { authorization: `Bearer ${key}` };
}

async function recorded(): Promise<string> {
  const parts: string[] = [];
  const all = { from: 0, to: Date.now() + 1000, format: 'ndjson' } as const;
  for await (const part of exportAccessLog(readLogFolder(join(tiny.stores, 'access-log')), all))
    parts.push(part);
  return parts.join('');
}

/** Sends the path unchanged; clients that parse it would remove `..`. */
async function statusOf(port: number, path: string): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', path, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

describe('the server', () => {
  test.each([
    ['checkpoint', 'text/plain; charset=utf-8', 'no-cache'],
    ['tile/0/000', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ['tile/0/001.p/44', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ['tile/1/000.p/1', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ['public/policy.json', 'application/json', 'no-cache'],
    ['public/v1/000', 'application/octet-stream', 'public, max-age=31536000, immutable'],
    ['public/v1/001.p/44', 'application/octet-stream', 'public, max-age=31536000, immutable'],
  ])('answers /log/%s with its bytes, to anybody', async (path, type, caching) => {
    const bytes = readFileSync(logFile(out, path));
    const { statusCode, headers, rawPayload } = await get(tiny.app, `/log/${path}`);
    expect([statusCode, rawPayload.equals(bytes)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': caching,
      'access-control-allow-origin': '*',
      etag: `"${hash('sha256', bytes)}"`,
      'content-length': `${bytes.length}`,
    });
    expect(headers).not.toHaveProperty('ratelimit');
    const again = await get(tiny.app, `/log/${path}`, { 'if-none-match': headers.etag as string });
    expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
    const part = await get(tiny.app, `/log/${path}`, { range: 'bytes=1-3' });
    expect([part.statusCode, part.rawPayload]).toEqual([206, bytes.subarray(1, 4)]);
  });

  test('sends public events compressed to clients that accept it', async () => {
    const path = 'public/v1/000';
    const encoded = await get(tiny.app, `/log/${path}`, { 'accept-encoding': 'gzip' });
    expect(encoded.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(encoded.rawPayload)).toEqual(readFileSync(logFile(out, path)));
  });

  test('sends entry bundles only to government keys, and records the access', async () => {
    // Other bytes than the server would make: they show that what is stored is sent.
    const stored = gzipSync(readFileSync(logFile(out, 'tile/entries/000')), { level: 1 });
    writeFileSync(logFile(out, 'tile/entries/000.gz'), stored);
    const paths = ['/log/tile/entries/000', '/log/tile/entries/001.p/44'];
    for (const path of [...paths, '/log/tile/entries/999'])
      expect([path, (await get(tiny.app, path)).statusCode]).toEqual([path, 401]);
    const bearer = await government();
    for (const path of paths) {
      const { statusCode, headers, rawPayload } = await get(tiny.app, path, bearer);
      expect([path, statusCode]).toEqual([path, 200]);
      expect(headers).toMatchObject({ 'cache-control': 'private, no-store' });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const bytes = readFileSync(logFile(out, path.slice('/log/'.length)));
      expect(rawPayload.equals(bytes)).toBe(true);
      const encoded = await get(tiny.app, path, { ...bearer, 'accept-encoding': 'gzip' });
      expect(encoded.headers).toMatchObject({
        'content-encoding': 'gzip',
        'cache-control': 'private, no-store',
      });
      expect(gunzipSync(encoded.rawPayload).equals(bytes)).toBe(true);
      expect(encoded.rawPayload.equals(stored)).toBe(path === paths[0]);
    }
    unlinkSync(logFile(out, 'tile/entries/000.gz'));
    const earlier = await get(tiny.app, paths[0]!, { ...bearer, 'accept-encoding': 'gzip' });
    expect([earlier.headers['content-encoding'], gunzipSync(earlier.rawPayload)]).toEqual([
      'gzip',
      readFileSync(logFile(out, 'tile/entries/000')),
    ]);
    expect((await get(tiny.app, `${paths[0]}.gz`, bearer)).statusCode).toBe(404);
    expect((await get(tiny.app, '/log/tile/%65ntries/000', bearer)).statusCode).toBe(404);
    const log = await recorded();
    expect(log.match(/"status":200/g)).toHaveLength(2 * paths.length + 1);
    expect(log.match(/"status":401/g)).toHaveLength(paths.length + 1);
  });

  test('has nothing at any other spelling of a path', async () => {
    await tiny.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = tiny.app.server.address() as AddressInfo;
    const statuses = await Promise.all(
      OTHER_PATHS.map(async ([path]) => [path, await statusOf(port, path)] as const),
    );
    expect(statuses).toEqual(OTHER_PATHS);
  });

  test('refuses parameters', async () => {
    const { statusCode, body } = await get(tiny.app, '/log/tile/0/000?v=1');
    expect([statusCode, JSON.parse(body).code]).toEqual([400, 'unknown_parameter']);
  });

  test('has no log if none is published', async () => {
    const empty = temporaryFolder();
    await publishTiny(empty, { events: 5 });
    const { app } = await tinyApp(empty, { services: { log: createLogFiles(empty) } });
    expect((await get(app, '/log/checkpoint')).statusCode).toBe(404);
  });

  test('sends nothing that is too large for a file of the log', async () => {
    writeFileSync(logFile(out, 'tile/0/000'), Buffer.alloc(17_000_000));
    expect((await get(tiny.app, '/log/tile/0/000')).statusCode).toBe(500);
  });
});
