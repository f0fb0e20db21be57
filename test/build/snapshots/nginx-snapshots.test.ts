import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CACHE_CONTROL } from '../../../pipeline/release/format/response-headers.ts';
import { parseSnapshot, parseSnapshotIndex } from '../../../pipeline/release/format/snapshot-index.ts';
import { ServedSnapshots } from '../../../src/sidecar/files/served-snapshots.ts';
import { freePort } from '../../engines/free-port.ts';
import { endNginx, listeningOn, runNginx } from '../../release/run-nginx.ts';
import { type SmallService, smallService } from '../../release/small-service.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { tinyApp } from '../../sidecar/tiny-app.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/nginx.conf');
const FIRST = '2025-07-03T06Z';

const folder = useFolder();
let of: SmallService;
let base: string;
let nginx: ChildProcess;
/** Of the service's own server, if one runs. */
let servicePort: number;

beforeAll(async () => {
  await chmod(folder, 0o755);
  of = smallService(folder);
  for (const counts of [[400], [400, 300]]) {
    await of.seal(...counts);
    await of.publish({ snapshots: { days: 366 } });
  }
  await writeFile(join(of.out, 'snapshots/index.json.tmp'), 'half');
  const port = await freePort();
  servicePort = await freePort();
  base = `http://127.0.0.1:${port}`;
  const shipped = await readFile(CONFIGURATION, 'utf8');
  const here = shipped
    .replaceAll('/srv/cathedral', of.out)
    .replace('127.0.0.1:8080', `127.0.0.1:${servicePort}`);
  const site = listeningOn(here, port);
  nginx = await runNginx(folder, site, async () => Boolean(await fetch(`${base}/latest.json`)));
});

afterAll(() => endNginx(nginx));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/${path}`, { headers: { 'Accept-Encoding': 'identity', ...headers } });
  const { status } = response;
  return {
    status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

describe('nginx with the shipped configuration', () => {
  test('serves each snapshot as immutable, and its histories as ranges of the current ones', async () => {
    const index = parseSnapshotIndex((await get('snapshots/index.json')).body.toString());
    expect(index).toHaveLength(2);
    for (const { index: own } of index) {
      const { body, headers } = await get(own.path);
      expect(sha256(body)).toBe(own.sha256);
      expect(headers['cache-control']).toBe(CACHE_CONTROL.immutable);
      for (const file of parseSnapshot(body.toString(), own.path).files) {
        if ('range' in file) {
          const { of: path, last } = file.range;
          const end = last === 0 ? null : await get(path, { Range: `bytes=-${last}` });
          if (end) expect([end.status, end.body.length]).toEqual([206, last]);
          expect(sha256(Buffer.concat([Buffer.from(file.head), end?.body ?? Buffer.alloc(0)]))).toBe(
            file.sha256,
          );
          continue;
        }
        const found = await get(file.url, { 'Accept-Encoding': 'gzip' });
        expect([file.url, found.status, sha256(found.body)]).toEqual([file.url, 200, file.sha256]);
        expect(found.headers).toMatchObject({
          'content-type': file.media_type,
          'cache-control': CACHE_CONTROL.immutable,
          'access-control-allow-origin': '*',
        });
      }
    }
  });

  test('serves the signed list and the release’s proofs for revalidation', async () => {
    const lists = ['snapshots/index.json', 'snapshots/index.json.sig'];
    for (const path of [...lists, 'manifest.json', 'manifest.json.sig', 'latest.json'])
      expect((await get(path)).headers).toMatchObject({
        'cache-control': CACHE_CONTROL.page,
        'access-control-allow-origin': '*',
      });
  });

  test.each([
    'snapshots/index.json.tmp',
    'snapshots/',
    `snapshots/${FIRST}/economy/`,
    `snapshots/${FIRST}/government/compliance-report.json`,
    `snapshots/${FIRST}/..%2f..%2fcurrent/state.json`,
    'snapshots/%2e%2e/status.json.tmp',
    'snapshots/%2e%2e/lock',
    'snapshots/2099-01-01T06Z/economy/supply',
  ])('serves nothing at %s', async (path) => {
    expect([400, 404]).toContain((await get(path)).status);
  });

  test('passes histories of snapshots, and files as they were, on to the service, and has none without it', async () => {
    const newest = 'economy/mic-history.csv';
    const paths = [`snapshots/${FIRST}/${newest}`, `${newest}?as_of=${FIRST}`];
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 404]);
    const index = await get(`snapshots/${FIRST}/index.json`);
    const listed = parseSnapshot(index.body.toString(), FIRST).files.find(({ path }) => path === newest)!;
    const { app } = await tinyApp(of.out, { services: { snapshots: new ServedSnapshots(of.out) } });
    const versions = new Set<string>();
    app.server.on('request', ({ httpVersion }) => versions.add(httpVersion));
    await app.listen({ port: servicePort, host: '127.0.0.1' });
    for (const path of paths) {
      const { status, headers, body } = await get(path);
      expect([path, status, sha256(body)]).toEqual([path, 200, listed.sha256]);
      expect(headers).toMatchObject({
        'content-location': `/snapshots/${FIRST}/${newest}`,
        'cache-control': CACHE_CONTROL.immutable,
        'x-content-type-options': 'nosniff',
      });
    }
    expect((await get(`snapshots/${FIRST}/economy/none.csv`)).status).toBe(404);
    expect([...versions]).toEqual(['1.1']);
  });
});
