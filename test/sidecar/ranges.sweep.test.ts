import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SERVER_ENTRY, SERVER_FACTS } from '../../pipeline/build/site/open-program.ts';
import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { type ManifestFile, sha256 } from '../../pipeline/release/format/manifest.ts';
import { createCharts } from '../../src/sidecar/charts/charts.ts';
import { Renderer } from '../../src/sidecar/charts/renderer.ts';
import { createLogFiles } from '../../src/sidecar/files/log-files.ts';
import { Releases, type ServedRelease } from '../../src/sidecar/files/releases.ts';
import { SnapshotFiles } from '../../src/sidecar/files/snapshot-files.ts';
import { openLive } from '../../src/sidecar/live/open-live.ts';
import type { Services } from '../../src/sidecar/services.ts';
import { buildSmall, writeSmallLedger } from '../forms/small-release.ts';
import { type InjectedApp, tinyApp } from './tiny-app.ts';

const BASE_URL = 'https://data.example.org';
const PAGE = 'charts/supply/index.html';
const OWN_PAGE = '<div class="chart-page"><p data-part="status"></p></div>';
const OEMBED = {
  ...{ version: '1.0', type: 'rich', title: 'MIC supply', provider_name: 'Cathedral Data Service' },
  ...{ provider_url: `${BASE_URL}/`, cache_age: 21_600, width: 720, height: 546, html: '<iframe></iframe>' },
};
/** Stands for the site's program: a page long enough to compress, with its address in it. */
const PROGRAM =
  'export const openSite = () => ({ render: async (url) => ({ response: new Response("<p>A page of " + url + "</p>".repeat(200)), reads: [] }) });';
/** Everything that is sent with an entity tag, by what it is. */
const RESOURCES = [
  ['a file of the release', '/economy/mic-history.csv'],
  ['a live document', '/economy/supply'],
  ['a file of the log', '/log/checkpoint'],
  ['a file of a snapshot', '/snapshots/2026-01-06T00Z/economy/supply'],
  ['the list of snapshots', '/snapshots/index.json'],
  ['a picture in a state', '/charts/supply.svg?series=burned'],
  ['a table in a state', '/charts/supply.csv?series=burned'],
  ['a page in a state', '/charts/supply/?scale=log'],
] as const;

let folder: string;
let app: InjectedApp;
let services: Partial<Services>;
let close: () => Promise<unknown>;
/** A release becomes current that has more events than were read from the ledger; returns what takes it back. */
let becomeNewer: () => () => void;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-ranges-'));
  await writeSmallLedger(folder);
  const publisher = { kind: 'signs', keyFile: join(folder, 'publisher.key'), name: 'test.example' } as const;
  const more = { extras: false, charts: true, snapshots: { days: 1 } };
  await buildSmall(folder, 'out', { ...more, publisher: { ...publisher, now: Date.now } });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The release of the folder, with a page of a chart, its embed, and a program that renders such pages. */
async function withPages(release: ServedRelease): Promise<ServedRelease> {
  const facts = { base_url: BASE_URL };
  const pages = { [PAGE]: OWN_PAGE, 'oembed/supply.json': JSON.stringify(OEMBED) };
  const program = { [SERVER_ENTRY]: PROGRAM, [SERVER_FACTS]: JSON.stringify(facts) };
  const places = Object.entries(pages).map(([path, text]) => [`public/${path}`, text] as const);
  for (const [path, text] of [...places, ...Object.entries(program)]) {
    await mkdir(dirname(join(release.dir, path)), { recursive: true });
    await writeFile(join(release.dir, path), text);
  }
  const files = Object.entries(pages).map(([path, text]): [string, ManifestFile] => [
    path,
    pageFile(path, text),
  ]);
  const unlisted = Object.entries(program).map(([file, text]) => ({ file, ...blobOf(text) }));
  return {
    ...release,
    files: new Map([...release.files, ...files]),
    manifest: { ...release.manifest, unlisted: [...release.manifest.unlisted, ...unlisted] },
  };
}

function pageFile(path: string, text: string): ManifestFile {
  const about = { kind: 'page', area: null, restricted: false, rows: null, immutable: false } as const;
  return {
    ...about,
    path,
    ...blobOf(text),
    media_type: 'text/html',
    encodings: {},
    modified: '2026-01-03T00:00:00Z',
  };
}

function blobOf(text: string) {
  return { bytes: text.length, sha256: sha256(text) };
}

beforeAll(async () => {
  const out = join(folder, 'out');
  const fail = (error: unknown) => expect.unreachable(String(error));
  const release = await withPages((await new Releases(out, fail).current())!);
  const releases = { current: () => release, served: release };
  const live = await openLive({
    ...{ ledger: join(folder, 'ledger'), verifiers: [demoSigner().verifier], releases },
    ...{ documents: 'data/documents', companions: 'data/keys/companions.json', baseUrl: BASE_URL },
    ...{ pollMs: 60_000, gapMs: 20, maxListeners: 1, maxPerClient: 1, hasReplicas: false, report: fail },
  });
  const renderer = new Renderer();
  close = () => Promise.all([live.close(), renderer.close()]);
  const charts = createCharts({ renderer, baseUrl: BASE_URL });
  const besides = { log: createLogFiles(out), snapshots: new SnapshotFiles(out) };
  services = { releases, live, charts, ...besides, baseUrl: BASE_URL };
  becomeNewer = () => {
    const { ledger } = release.manifest;
    const manifest = { ...release.manifest, ledger: { ...ledger, size: ledger.size + 1_000_000 } };
    releases.served = { ...release, manifest };
    return () => {
      releases.served = release;
    };
  };
});

beforeEach(async () => {
  ({ app } = await tinyApp(join(folder, 'out'), { services }));
  await app.listen({ port: 0, host: '127.0.0.1' });
});

afterAll(() => close());

/** The answer as the bytes on the wire say it. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers });
  socket.write(
    `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  const bytes = await buffer(socket);
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...fields] = bytes.subarray(0, end).toString().split('\r\n');
  const received = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers: received, body: bytes.subarray(end + 4) };
}

describe.each(RESOURCES)('%s', (_, path) => {
  test('is sent in part from its uncompressed bytes, whatever encodings the client accepts', async () => {
    const whole = await ask(path);
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes']);
    const part = await ask(path, { Range: 'bytes=3-12', 'Accept-Encoding': 'gzip' });
    expect([part.status, part.headers.get('content-encoding')]).toEqual([206, null]);
    expect(part.headers.get('content-range')).toBe(`bytes 3-12/${whole.body.length}`);
    expect(part.body.equals(whole.body.subarray(3, 13))).toBe(true);
    expect(part.headers.get('etag')).toBe(whole.headers.get('etag'));
  });

  test('has an entity tag for each encoding, and a range continues only the uncompressed bytes', async () => {
    const whole = await ask(path);
    const packed = await ask(path, { 'Accept-Encoding': 'gzip' });
    const isPacked = packed.headers.get('content-encoding') === 'gzip';
    expect((isPacked ? gunzipSync(packed.body) : packed.body).equals(whole.body)).toBe(true);
    const range = { Range: 'bytes=0-', 'Accept-Encoding': 'gzip' };
    const rest = await ask(path, { ...range, 'If-Range': packed.headers.get('etag')! });
    expect([rest.status, rest.headers.get('content-encoding')]).toEqual([isPacked ? 200 : 206, null]);
    expect(rest.body.equals(whole.body)).toBe(true);
  });

  test('is refused beyond its end with its uncompressed length', async () => {
    const whole = await ask(path);
    const beyond = await ask(path, { Range: 'bytes=99999999-', 'Accept-Encoding': 'br, gzip' });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${whole.body.length}`);
  });
});

test('a refusal and an oEmbed document, which have no entity tag, are never sent in part', async () => {
  const headers = { Range: 'bytes=3-12', 'Accept-Encoding': 'gzip' };
  const fault = await ask('/charts/supply/?colour=red', headers);
  expect([fault.status, fault.headers.get('content-range')]).toEqual([400, null]);
  const page = encodeURIComponent(`${BASE_URL}/charts/supply/`);
  const { status, headers: received } = await ask(`/oembed?url=${page}`, headers);
  expect([status, received.get('content-range')]).toEqual([200, null]);
});

test('a real-time path is never older than the release, also before its events were read from the ledger', () => {
  const { live } = services;
  expect(live!.resource('economy/supply')).not.toBeNull();
  const takeBack = becomeNewer();
  onTestFinished(takeBack);
  // Answered from the release then.
  expect(live!.resource('economy/supply')).toBeNull();
});
