import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { createLogFiles } from '../../../src/sidecar/files/log-files.ts';
import { openPublished, type Published } from '../../../src/sidecar/files/published.ts';
import { SnapshotFiles } from '../../../src/sidecar/files/snapshot-files.ts';
import { openStore, type Pushed, pointTo, pushReleases } from '../../bucket/pushed-releases.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { filesBelow } from '../../release/log/publish-log.ts';
import { BASE_URL } from '../../release/small-service.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { get, type InjectedApp, tinyApp } from '../tiny-app.ts';

let folder: string;
let engine: InProcessStore;
let store: ObjectStore;
let release: Pushed;
const opened: Published[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-bucket-files-'));
  engine = await InProcessStore.start();
  store = await openStore(engine.bucket(), 'write');
  release = (await pushReleases(folder, store, [300, 260])).at(-1)!;
  await pointTo(store, release.pointed, Date.now() - 60_000);
});
afterEach(async () => {
  engine.plan = () => null;
  for (const published of opened.splice(0)) await published.close();
});
afterAll(async () => {
  store?.close();
  engine?.stop();
  await rm(folder, { recursive: true, force: true });
});

function open(out: string, more = {}, logger: pino.Logger = pino({ level: 'silent' })): Promise<Published> {
  return openPublished(
    {
      out,
      baseUrl: BASE_URL,
      releases: engine.bucket(),
      ...CREDENTIALS,
      ...more,
    },
    {
      logger,
      database: null,
      alsoIn: [],
      software: 'test/0',
      isReady: () => true,
    },
  );
}

/** A server that has the release, and only that. */
async function sidecar(out?: string): Promise<{ app: InjectedApp; out: string; published: Published }> {
  const own = out ?? (await temporaryFolder());
  const published = await open(own);
  opened.push(published);
  while (published.following!.version() === 0) await sleep(10);
  const { snapshots, log } = published;
  const { app } = await tinyApp(own, { asDiskErrors: true, services: { snapshots, log } });
  return { app, out: own, published };
}

/** Paths of everything public that stands beside the release on the publisher's disk. */
function pathsBeside(): string[] {
  const below = (part: string) =>
    Object.keys(filesBelow(join(release.out, part))).map((path) => `/${part}/${path}`);
  return [...below('log'), ...below('snapshots')];
}

describe('a server that follows a bucket', () => {
  test('answers for the log and the snapshots as the publisher would, and keeps only what was asked for', async () => {
    const { app, out } = await sidecar();
    const services = { log: createLogFiles(release.out), snapshots: new SnapshotFiles(release.out) };
    const { app: local } = await tinyApp(release.out, { services });
    const paths = pathsBeside();
    expect(paths.length).toBeGreaterThan(50);
    // Histories, which no snapshot stores, and files as they were.
    const versions = ['mic-history.csv', 'minting-by-day.csv', 'supply'].flatMap((name) => [
      `/snapshots/2025-07-03T06Z/economy/${name}`,
      `/economy/${name}?as_of=2025-07-03T08:00:00Z`,
    ]);
    const others = [
      ...versions,
      '/snapshots/',
      '/snapshots',
      '/snapshots/2025-07-03T06Z',
      '/snapshots/2024-07-03T06Z/index.json',
    ];
    for (const path of [
      ...paths,
      ...others,
      '/log/tile/0/077',
      '/log/tile/0/001.p/43',
      '/snapshots/index.html.sig',
    ]) {
      const [found, wanted] = [await get(app, path), await get(local, path)];
      expect([
        path,
        found.statusCode,
        found.rawPayload.equals(wanted.rawPayload) || wanted.statusCode >= 400,
      ]).toEqual([path, wanted.statusCode, true]);
      const names = [
        'content-type',
        'cache-control',
        'content-length',
        'location',
        'access-control-allow-origin',
        'content-location',
        'etag',
      ];
      if (wanted.statusCode < 400)
        for (const name of names)
          expect([path, name, found.headers[name]]).toEqual([path, name, wanted.headers[name]]);
    }
    const part = await get(app, '/snapshots/2025-07-03T06Z/manifest.json', { range: 'bytes=5-9' });
    expect([part.statusCode, part.rawPayload.length]).toEqual([206, 5]);
    expect(await readdir(out)).not.toContain('snapshots');
    expect((await get(app, '/economy/supply')).statusCode).toBe(200);
  });

  test('answers 503 for a file that it cannot fetch, and serves the rest', async () => {
    const { app, published } = await sidecar();
    const [cached, other] = [
      '/snapshots/2025-07-03T06Z/economy/supply',
      '/snapshots/2025-07-03T06Z/manifest.json',
    ];
    expect((await get(app, cached)).statusCode).toBe(200);
    expect((await get(app, '/log/tile/0/000')).statusCode).toBe(200);
    engine.plan = () => 'lost';
    for (const path of [
      cached,
      '/log/tile/0/000',
      '/log/checkpoint',
      '/snapshots/index.json',
      '/economy/supply',
    ])
      expect([path, (await get(app, path)).statusCode]).toEqual([path, 200]);
    for (const path of [other, '/snapshots/2025-07-03T12Z/index.json', '/log/tile/0/001']) {
      const { statusCode, headers } = await get(app, path);
      expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '10']);
    }
    while (published.following!.fault() === null) await sleep(10);
    engine.plan = () => null;
    expect((await get(app, other)).statusCode).toBe(200);
    expect((await get(app, '/log/tile/0/001')).statusCode).toBe(200);
  });

  test('never answers with a tile or a file of other bytes', async () => {
    const { app, out } = await sidecar();
    const isWanted = (key: string) => /^(log\/tile\/0\/001|log-entries|blobs)/.test(key);
    engine.plan = ({ key }) => (isWanted(key) ? 'altered' : null);
    for (const path of ['/log/tile/0/001', '/snapshots/2025-07-03T06Z/economy/supply'])
      expect([path, (await get(app, path)).statusCode]).toEqual([path, 503]);
    engine.plan = () => null;
    expect((await get(app, '/log/tile/0/001')).rawPayload).toEqual(
      Buffer.from(filesBelow(join(release.out, 'log'))['tile/0/001']!, 'base64'),
    );
    // On its own disk, too.
    await writeFile(join(out, 'cache/log-tile-0-001'), Buffer.alloc(8192));
    await opened.pop()!.close();
    const again = await sidecar(out);
    expect((await get(again.app, '/log/tile/0/001')).rawPayload).toEqual(
      Buffer.from(filesBelow(join(release.out, 'log'))['tile/0/001']!, 'base64'),
    );
  });

  test('starts while the store is down with what it has, and says what it lacks without', async () => {
    const { out } = await sidecar();
    await opened.pop()!.close();
    engine.plan = () => 'lost';
    const again = await sidecar(out);
    expect((await get(again.app, '/economy/supply')).statusCode).toBe(200);
    expect((await get(again.app, '/snapshots/index.json')).statusCode).toBe(200);
    const empty = await open(await temporaryFolder());
    opened.push(empty);
    expect(empty.following!.fault()).toMatch(/object store/);
    engine.plan = () => null;
    while (empty.following!.version() === 0) await sleep(10);
  });

  test.each([
    ['a missing bucket', { releases: () => `s3+${engine.endpoint}/missing` }, 'store_failed', /missing/],
    ['a wrong secret', { secretAccessKey: () => 'wrong' }, 'store_failed', /secret/],
    ['no credentials', { accessKeyId: () => null }, 'config_invalid', /AWS_ACCESS_KEY_ID/],
    [
      'another service',
      { baseUrl: () => 'https://other.example.org' },
      'config_invalid',
      /other\.example\.org/,
    ],
  ])('stops the start with one message for %s', async (_, setting, code, message) => {
    const [[name, value]] = Object.entries(setting) as [[string, () => unknown]];
    const found = await failureOf(async () => open(await temporaryFolder(), { [name]: value() }));
    expect(found).toMatchObject({ code });
    expect(String(found.message)).toMatch(message);
    expect(String(found.message)).not.toContain(CREDENTIALS.secretAccessKey);
  });

  test('refuses the folder of a publisher', async () => {
    const out = await temporaryFolder();
    await mkdir(join(out, 'log'));
    expect(await failureOf(() => open(out))).toMatchObject({ code: 'config_invalid', place: `--out ${out}` });
  });
});
