import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { createLogFiles } from '../../../src/sidecar/files/log-files.ts';
import { openPublished, type Published } from '../../../src/sidecar/files/published.ts';
import { ServedSnapshots } from '../../../src/sidecar/files/served-snapshots.ts';
import { openStore, type Pushed, pointTo, pushReleases } from '../../bucket/pushed-releases.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { textsBelow } from '../../files-below.ts';
import { BASE_URL } from '../../release/small-service.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { get, type InjectedApp, tinyApp } from '../tiny-app.ts';

const folder = useFolder();
let engine: InProcessStore;
let store: ObjectStore;
let release: Pushed;
const opened: Published[] = [];

beforeAll(async () => {
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
});

function open(out: string, more = {}, logger: pino.Logger = pino({ level: 'silent' })): Promise<Published> {
  return openPublished(
    { out, baseUrl: BASE_URL, releases: engine.bucket(), ...CREDENTIALS, ...more },
    { logger, database: null, alsoIn: [], software: 'test/0', isReady: () => true },
  );
}

/** Of the oldest snapshot. */
const FIRST = '/snapshots/2025-07-03T06Z/index.json';

/** A server that has the release, and all older snapshots if it `isWhole`. */
async function sidecar(
  out?: string,
  { isWhole = true } = {},
): Promise<{ app: InjectedApp; out: string; published: Published }> {
  const own = out ?? (await temporaryFolder());
  const published = await open(own);
  opened.push(published);
  while (published.following!.version() === 0) await sleep(10);
  const { snapshots, log } = published;
  const { app } = await tinyApp(own, { guarded: true, services: { snapshots, log } });
  while (isWhole && (await get(app, FIRST)).statusCode === 503) await sleep(10);
  return { app, out: own, published };
}

/**
 * Paths of everything public that stands beside the release on the publisher's disk, but for the partial files of full tiles, which stay there for
 * one more run.
 */
function pathsBeside(): string[] {
  const below = (part: string) =>
    Object.keys(textsBelow(join(release.out, part))).map((path) => `/${part}/${path}`);
  const all = [...below('log'), ...below('snapshots')];
  return all.filter((path) => !(/\.p\//.test(path) && all.includes(path.replace(/\.p\/\d+$/, ''))));
}

describe('a server that follows a bucket', () => {
  test('answers for the log and the snapshots as the publisher would', async () => {
    const { app } = await sidecar();
    const services = { log: createLogFiles(release.out), snapshots: new ServedSnapshots(release.out) };
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
        ...'content-type cache-control content-length location access-control-allow-origin'.split(' '),
        ...'content-location etag'.split(' '),
      ];
      if (wanted.statusCode < 400)
        for (const name of names)
          expect([path, name, found.headers[name]]).toEqual([path, name, wanted.headers[name]]);
    }
    const part = await get(app, '/snapshots/2025-07-03T06Z/manifest.json', { range: 'bytes=5-9' });
    expect([part.statusCode, part.rawPayload.length]).toEqual([206, 5]);
    expect((await get(app, '/economy/supply')).statusCode).toBe(200);
  });

  test('answers for everything while the store is down, also after a restart', async () => {
    const { app, out } = await sidecar();
    engine.plan = () => 'lost';
    const paths = [...pathsBeside(), '/economy/supply', '/economy/supply?as_of=2025-07-03T08:00:00Z'];
    for (const path of paths) expect([path, (await get(app, path)).statusCode]).toEqual([path, 200]);
    await opened.pop()!.close();
    engine.calls.length = 0;
    const again = await sidecar(out);
    // A store that is silent is waited for at each call.
    expect(engine.calls.filter(({ key }) => key === '').length).toBe(1);
    for (const path of paths) expect([path, (await get(again.app, path)).statusCode]).toEqual([path, 200]);
  });

  test('serves a release before it has the older snapshots, and says which are not there yet', async () => {
    const pointed = (await store.read(release.pointed.snapshots!.sha256.replace(/^/, 'blobs/'), 1 << 20))!;
    const { files } = JSON.parse(String(Buffer.from(pointed.content)));
    const { sha256 } = files[FIRST.slice(1)];
    engine.plan = ({ key }) => (key === `blobs/${sha256}` ? 'lost' : null);
    const { app, published } = await sidecar(undefined, { isWhole: false });
    const [newest] = JSON.parse((await get(app, '/snapshots/index.json')).body);
    for (const path of [`/${newest.index.path}`, '/log/checkpoint', '/economy/supply'])
      expect([path, (await get(app, path)).statusCode]).toEqual([path, 200]);
    const unknown = `/economy/supply?sha256=${'0'.repeat(64)}`;
    for (const path of [FIRST, FIRST.replace('index.json', 'economy/supply'), unknown]) {
      const { statusCode, headers } = await get(app, path);
      expect([path, statusCode, headers['retry-after']]).toEqual([path, 503, '10']);
    }
    while (published.following!.fault() === null) await sleep(10);
    engine.plan = () => null;
    while ((await get(app, FIRST)).statusCode === 503) await sleep(10);
    expect((await get(app, FIRST.replace('index.json', 'economy/supply'))).statusCode).toBe(200);
    expect((await get(app, unknown)).statusCode).toBe(404);
  });

  test.each(['log/tile/0/001', 'log-entries/001', 'blobs/'])(
    'shows nothing of a release of which the store has other bytes: %s',
    async (key) => {
      const out = await temporaryFolder();
      engine.plan = (call) => (call.key.startsWith(key) ? 'altered' : null);
      const published = await open(out);
      opened.push(published);
      while (!/damaged/.test(published.following!.fault() ?? '')) await sleep(10);
      const { snapshots, log } = published;
      const { app } = await tinyApp(out, { guarded: true, services: { snapshots, log } });
      for (const path of ['/log/checkpoint', '/log/tile/0/001', '/snapshots/index.json', '/economy/supply'])
        expect([path, (await get(app, path)).statusCode]).toEqual([path, 503]);
      engine.plan = () => null;
      while (published.following!.version() === 0) await sleep(10);
      const tile = textsBelow(join(release.out, 'log'))['tile/0/001']!;
      expect((await get(app, '/log/tile/0/001')).rawPayload).toEqual(Buffer.from(tile, 'base64'));
    },
  );

  test('starts while the store is down, and says what it lacks', async () => {
    engine.plan = () => 'lost';
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
