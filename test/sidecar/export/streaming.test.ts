import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createExporter } from '../../../src/sidecar/export/exporter.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { appOver, type ExportApp, exportApp, publishLines, urlOf } from './export-app.ts';
import { hardLines, longLines } from './ledger-lines.ts';

/** Some 30 MB, in segments of 1 MB. */
const LONG = longLines(1000);
const LONG_SEGMENT = 1_000_000;
const CSV = urlOf({ format: 'csv' });

let long: string;
beforeAll(async () => {
  long = await mkdtemp(join(tmpdir(), 'cathedral-long-'));
  await publishLines(long, LONG, LONG_SEGMENT);
});
afterAll(() => rm(long, { recursive: true }));

/** A release of its own with these lines: links to files that are never changed. */
async function publishLong(): Promise<string> {
  const out = join(await temporaryFolder(), 'out');
  execFileSync('cp', ['-a', '-l', long, out]);
  return out;
}

async function longApp(options: Parameters<typeof exportApp>[1] = {}): Promise<ExportApp & { out: string }> {
  const out = await publishLong();
  return { ...(await exportApp(out, options)), out };
}

/** Whose body is not read yet. */
async function begin({ origin }: ExportApp, url: string, headers: Record<string, string> = {}) {
  const request = get(origin + url, { headers, agent: false });
  onTestFinished(() => void request.destroy());
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  // Not read yet, and not to end the test where it is cut off.
  answer.on('error', () => {});
  return answer;
}

async function statusOf(app: ExportApp, url = CSV, headers: Record<string, string> = {}): Promise<number> {
  const answer = await begin(app, url, headers);
  await text(answer);
  return answer.statusCode!;
}

/** Files of a folder that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const fds = await readdir('/proc/self/fd').catch(() => []); // Linux
  const links = fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((path) => path.startsWith(folder));
}

/** Another file in the place of one, which other releases have, too. */
async function replace(file: string, change: (bytes: Uint8Array) => Uint8Array): Promise<void> {
  const bytes = change(await readFile(file));
  await rm(file);
  await writeFile(file, bytes);
}

/** The first and the last rows are in other segments. */
async function segmentsOf({ releases }: ExportApp): Promise<string[]> {
  const { dir, manifest } = (await releases.current())!;
  return manifest.segments['government/ledger/export']!.map(({ file }) => join(dir, file));
}

test('An export says what it is, and that it is not to be kept', async () => {
  const app = await appOver(hardLines(50, 3));
  const about = async (parameters: Record<string, string>) => {
    const { headers } = await fetch(app.origin + urlOf(parameters));
    return ['content-type', 'content-disposition', 'cache-control', 'etag'].map((name) => headers.get(name));
  };
  const file = (name: string) => `attachment; filename="ledger-export_${name}"`;
  expect(await about({ format: 'csv' })).toEqual([
    'text/csv; charset=utf-8; header=present',
    file('genesis_slot-50.csv'),
    'private, no-store',
    null,
  ]);
  const bounds = { from: '2025-12-01', to: '2025-12-31T23:00:00+01:00' };
  expect(await about({ ...bounds, filter: 'agent==ATLAS' })).toEqual([
    'application/json',
    file('2025-12-01_2025-12-31T230000p0100_filtered.json'),
    'private, no-store',
    null,
  ]);
  const [type] = await about({ format: 'ndjson' });
  expect(type).toBe('application/x-ndjson');
});

test('The length of a whole CSV is said before, so that a cut-off one can be told', async () => {
  const app = await appOver(hardLines(50, 3));
  const answer = await fetch(app.origin + CSV);
  const { byteLength } = await answer.arrayBuffer();
  expect(answer.headers.get('content-length')).toBe(String(byteLength));
  const part = await fetch(app.origin + urlOf({ format: 'csv', from: '2025-12-02' }));
  expect(part.headers.get('content-length')).toBeNull();
});

test('HEAD has the headers of GET, no body, and takes no export’s place', async () => {
  const app = await appOver(hardLines(50, 3), { parallel: 1 });
  for (const url of [CSV, urlOf({ from: '2025-12-02' })]) {
    const [head, whole] = [await fetch(app.origin + url, { method: 'HEAD' }), await fetch(app.origin + url)];
    await whole.arrayBuffer();
    const headersOf = ({ headers }: Response) =>
      ['content-type', 'content-length', 'content-disposition', 'cache-control'].map((name) =>
        headers.get(name),
      );
    expect([head.status, headersOf(head)]).toEqual([200, headersOf(whole)]);
    expect(await head.text()).toBe('');
  }
});

test('A slow reader gets every byte', async () => {
  const app = await longApp();
  const wanted = await (await fetch(app.origin + CSV)).text();
  const answer = await begin(app, CSV);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    if (chunks.length % 50 === 0) await setTimeout(5);
  }
  expect(Buffer.concat(chunks).toString() === wanted).toBe(true);
});

test('A stream that is read in another way than into a connection has the same bytes', async () => {
  const app = await longApp();
  const { releases } = app;
  const exporter = createExporter({ current: () => releases.current() });
  const asked = { method: 'GET', headers: {} };
  const { body } = await exporter.prepare(asked, 'format=ndjson', 'holder', (await releases.current())!);
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  const wanted = await (await fetch(app.origin + urlOf({ format: 'ndjson' }))).text();
  expect(Buffer.concat(chunks).toString() === wanted).toBe(true);
});

test('When the client goes away, nothing more is read and its place is free', async () => {
  const app = await longApp({ parallel: 1 });
  const answer = await begin(app, CSV);
  await once(answer, 'readable');
  expect(await statusOf(app)).toBe(503);
  answer.destroy();
  await expect.poll(() => statusOf(app)).toBe(200);
  await expect.poll(() => openFiles(app.out)).toEqual([]);
  expect(app.failed.map((error) => (error as NodeJS.ErrnoException).code)).toEqual([
    'ERR_STREAM_PREMATURE_CLOSE',
  ]);
});

test('A client that goes away from a search that finds nothing ends it, too', async () => {
  const app = await longApp({ parallel: 1 });
  const answer = await begin(app, urlOf({ filter: 'agent==NOBODY' }));
  answer.destroy();
  await expect.poll(() => statusOf(app)).toBe(200);
});

test('A reader that never reads is cut off after a while, and others are answered meanwhile', async () => {
  const app = await longApp({ parallel: 2, perHolder: 1, stallMs: 3000 });
  const { hostname, port } = new URL(app.origin);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(`GET ${CSV} HTTP/1.1\r\nHost: test\r\nX-Holder: never\r\n\r\n`);
  // It has begun to arrive, so its place is taken.
  await new Promise((resolve) => socket.once('data', () => resolve(socket.pause())));
  expect(await statusOf(app, CSV, { 'X-Holder': 'never' })).toBe(503);
  expect(await statusOf(app)).toBe(200);
  await expect.poll(() => statusOf(app, CSV, { 'X-Holder': 'never' })).toBe(200);
});

test('Of many exports at once so many are sent as may be, the others are told to come again', async () => {
  const app = await longApp({ parallel: 3, perHolder: 2 });
  const ask = (index: number) => begin(app, CSV, { 'X-Holder': `${index % 50}` });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => ask(index)));
  const sent = answers.filter(({ statusCode }) => statusCode === 200);
  const refused = answers.filter(({ statusCode }) => statusCode === 503);
  expect([sent.length, refused.length]).toEqual([3, 197]);
  const { code, detail } = JSON.parse(await text(refused[0]!));
  expect([code, refused[0]!.headers['retry-after']]).toEqual(['overloaded', '10']);
  expect(detail).toMatch(/^3 exports are being sent/);
  const wanted = await Promise.all(sent.map((answer) => text(answer)));
  expect(new Set(wanted.map(({ length }) => length)).size).toBe(1);
  expect(await statusOf(app)).toBe(200);
});

test('One holder of keys cannot take every place', async () => {
  const app = await longApp({ parallel: 3, perHolder: 2 });
  const greedy = { 'X-Holder': 'greedy' };
  await Promise.all([begin(app, CSV, greedy), begin(app, CSV, greedy)]);
  const third = await begin(app, CSV, greedy);
  expect([third.statusCode, JSON.parse(await text(third)).detail]).toEqual([
    503,
    expect.stringMatching(/^2 exports are being sent for this client/),
  ]);
  expect(await statusOf(app)).toBe(200);
});

test.each<[string, (file: string) => Promise<void>]>([
  ['is missing', (file) => rm(file)],
  ['is too short', (file) => replace(file, (bytes) => bytes.subarray(0, 1000))],
])('Where a segment %s, the fault is found before the first byte', async (_, damage) => {
  const app = await longApp({ parallel: 1 });
  const segments = await segmentsOf(app);
  await damage(segments.at(-1)!);
  expect(await statusOf(app)).toBe(500);
  expect(app.failed).toHaveLength(1);
  // Neither is the place lost, nor what does not need that segment.
  expect(await statusOf(app, urlOf({ format: 'csv', from: LONG.at(-1)!.timestamp }))).toBe(200);
});

test('A rotten byte is never sent: the connection breaks off before its segment, with nothing said in the CSV', async () => {
  const app = await longApp();
  const wanted = await (await fetch(app.origin + CSV)).text();
  const segments = await segmentsOf(app);
  await replace(segments.at(-1)!, (bytes) => bytes.with(5000, bytes[5000]! ^ 1));
  const answer = await begin(app, CSV);
  const chunks: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of answer) chunks.push(chunk as Buffer);
  })();
  await expect(reading).rejects.toThrow('aborted');
  const got = Buffer.concat(chunks).toString();
  expect(got.length).toBeGreaterThan(1_000_000);
  expect(wanted.startsWith(got)).toBe(true);
  expect(app.failed.map(({ message }) => message)).toEqual([expect.stringMatching(/expected CRC-32/)]);
});

test('An export outlasts its release: what is published meanwhile changes and breaks nothing', async () => {
  const out = await temporaryFolder();
  await publishLines(out, LONG.slice(0, 990), LONG_SEGMENT);
  const app = await exportApp(out);
  const wanted = await (await fetch(app.origin + CSV)).text();
  const { dir } = (await app.releases.current())!;
  const answer = await begin(app, CSV);
  for (const events of [993, 996, 1000]) await publishLines(out, LONG.slice(0, events), LONG_SEGMENT);
  await expect(access(dir)).rejects.toThrow('ENOENT');
  expect((await text(answer)) === wanted).toBe(true);
});

test('An export whose segments are nowhere any more breaks off', async () => {
  const out = await publishLong();
  const app = await exportApp(out);
  const answer = await begin(app, CSV);
  await rm((await app.releases.current())!.dir, { recursive: true });
  await expect(text(answer)).rejects.toThrow('aborted');
});

test('A server that is killed in the middle leaves a JSON export that is not complete', async () => {
  const out = await publishLong();
  const child = spawn(process.execPath, ['test/bench/children/export-server.ts', out]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [origin] = (await once(createInterface(child.stdout), 'line')) as [string];
  const answer = await begin({ origin } as ExportApp, urlOf({ format: 'json' }));
  const chunks: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of answer) {
      chunks.push(chunk as Buffer);
      child.kill('SIGKILL');
    }
  })();
  await expect(reading).rejects.toThrow('aborted');
  expect(() => JSON.parse(Buffer.concat(chunks).toString())).toThrow();
});
