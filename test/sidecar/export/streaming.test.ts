import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ExportQuery } from '../../../src/api/query/export-query.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import { createExporter } from '../../../src/sidecar/export/exporter.ts';
import type { StreamedBody } from '../../../src/sidecar/request/streamed-body.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { type ExportApp, exportApp, publishLines, urlOf } from './export-app.ts';
import { longLines } from './ledger-lines.ts';

/** Some 15 MB, in segments of 1 MB. */
const LONG = longLines(510);
const PUBLISHED = LONG.slice(0, 500);
const LONG_SEGMENT = 1_000_000;
const CSV = urlOf({ format: 'csv' });

const long = useFolder();
beforeAll(() => publishLines(long, PUBLISHED, LONG_SEGMENT));

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

test('When the client goes away, nothing more is read and its place is free', async () => {
  const app = await longApp({ parallel: 1 });
  const answer = await begin(app, CSV);
  await once(answer, 'readable');
  expect(await statusOf(app)).toBe(503);
  answer.destroy();
  await expect.poll(() => statusOf(app)).toBe(200);
  await expect.poll(() => openFiles(app.out)).toEqual([]);
  // Nor is that an error.
  expect(app.failed).toEqual([]);
});

test('A client that goes away while nothing is found for it ends the search', async () => {
  const app = await longApp({ parallel: 1 });
  const release = (await app.releases.current())!;
  const exporter = createExporter({ current: () => release });
  const query = readQuery(ExportQuery, 'filter=agent==nobody');
  const { body } = await exporter.prepare({ method: 'GET', headers: {} }, query, 'holder', release);
  // What does not read is asked after each batch whether anybody is there.
  let asked = 0;
  for await (const _ of body as StreamedBody) asked += 1;
  expect(asked).toBeGreaterThan(release.manifest.segments['government/ledger/export']!.length);
  const left = await begin(app, urlOf({ filter: 'agent==nobody' }));
  left.destroy();
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
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
  const sent = answers.filter(({ statusCode }) => statusCode === 200);
  const refused = answers.filter(({ statusCode }) => statusCode === 503);
  expect([sent.length, refused.length]).toEqual([3, 17]);
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
  expect(await statusOf(app, urlOf({ format: 'csv', from: PUBLISHED.at(-1)!.timestamp }))).toBe(200);
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
  const out = await publishLong();
  const app = await exportApp(out);
  const wanted = await (await fetch(app.origin + CSV)).text();
  const { dir } = (await app.releases.current())!;
  const answer = await begin(app, CSV);
  for (const events of [503, 506, 510]) await publishLines(out, LONG.slice(0, events), LONG_SEGMENT);
  await expect(access(dir)).rejects.toThrow('ENOENT');
  expect((await text(answer)) === wanted).toBe(true);
});
