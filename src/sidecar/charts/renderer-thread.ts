import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, request as get, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { env } from 'node:process';
import { type Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';
import type { ChartSource, StatefulContent } from '../../../pipeline/charts/files/chart-formats.ts';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import { storedAt } from '../../../pipeline/release/format/manifest.ts';

/** A chart's file, from the data of the release in `dir`. */
export interface FileJob {
  kind: 'file';
  dir: string;
  id: string;
  state: ChartState;
  content: StatefulContent;
  sources: readonly ChartSource[];
  baseUrl: string;
}

/** A page, from the site's program in `dir`. */
export interface PageJob {
  kind: 'page';
  dir: string;
  /** Path and query, as the program routes them. */
  url: string;
  program: PageProgram;
}

/** The part of the site's build that renders pages on demand. */
export interface PageProgram {
  /** Below the release's folder. */
  entry: string;
  /** All files of the program, as the manifest lists them. */
  files: readonly { file: string; sha256: string }[];
  /** The variables that its pages read; see src/site/components/release.ts. */
  environment: Readonly<Record<string, string>>;
}

/** A thread gets jobs of one release only, each after its reply to the previous one. */
export type RenderJob = FileJob | PageJob;

/** An error loses its class between threads, so it is sent in parts. */
export type RenderReply =
  | { failed: false; status: number; body: Uint8Array }
  | { failed: true; code: ErrorCode; fault: Omit<Fault, 'cause'> }
  | { failed: true; code: null; message: string };

/** What charts prepared from the files of the release, by chart. */
const prepared = new Map<string, unknown>();

async function renderFile(job: FileJob): Promise<RenderReply> {
  const { dir, id, state, content, sources, baseUrl } = job;
  // Loaded here, so that a thread which only renders pages does not hold the charts twice.
  const { z } = await import('zod');
  const { findChart } = await import('../../../pipeline/charts/table.ts');
  const { PublishedFiles } = await import('../../../pipeline/artifacts/published-files.ts');
  const { chartText } = await import('../../../pipeline/charts/files/chart-text.ts');
  const chart = findChart(id)!;
  if (!prepared.has(id)) {
    const files = Object.fromEntries(sources.map((source) => [source.path, read(dir, source)]));
    prepared.set(id, chart.prepare(PublishedFiles.of(files, { compile: z.compile })));
  }
  const text = chartText({ chart, data: prepared.get(id), state, sources, baseUrl }, content);
  return { failed: false, status: 200, body: Buffer.from(text) };
}

/** Data whose hash differs from the manifest's is never shown. */
function read(dir: string, { path, sha256 }: ChartSource): string {
  const place = join(dir, storedAt({ path, restricted: false }));
  const bytes = readFileSync(place);
  const found = hash('sha256', bytes);
  if (found === sha256) return bytes.toString();
  throw new CathedralError('release_invalid', { place, expected: sha256, found });
}

/** What @astrojs/node exports in middleware mode. */
interface Handler {
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

let server: Promise<ReturnType<typeof createServer>> | null = null;

async function startProgram({ dir, program: { entry, files, environment } }: PageJob) {
  for (const { file, sha256 } of files) {
    const found = hash('sha256', readFileSync(join(dir, file)));
    // A program that is not the manifest's, byte for byte, is not run.
    if (found !== sha256) throw new Error(`${file}: expected sha256 ${sha256}, found ${found}`);
  }
  Object.assign(env, environment);
  const { handler } = (await import(pathToFileURL(join(dir, entry)).href)) as Handler;
  // HTTP without a network: requests come over a pair of streams in this thread.
  return createServer((request, response) => void handler(request, response));
}

async function renderPage({ url }: PageJob, running: ReturnType<typeof createServer>): Promise<RenderReply> {
  const [near, far] = duplexPair() as [Duplex, Duplex];
  running.emit('connection', far);
  const asking = get({ path: url, createConnection: () => near, headers: { host: 'localhost' } });
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asking.on('response', resolve).on('error', reject).end(),
  );
  const body = await buffer(response);
  near.destroy();
  far.destroy();
  const status = response.statusCode ?? 500;
  return status < 500 ? { failed: false, status, body } : { failed: true, code: null, message: String(body) };
}

function failure(error: unknown): RenderReply {
  if (!(error instanceof CathedralError)) return { failed: true, code: null, message: String(error) };
  const { code, place, expected, found } = error;
  return { failed: true, code, fault: { place, expected, found } };
}

const port = parentPort!;
port.on('message', async (job: RenderJob) => {
  // An error in here ends the thread: a module that failed to load cannot be loaded again in the same thread.
  if (job.kind === 'page') server ??= startProgram(job);
  const running = await server;
  const reply = job.kind === 'file' ? renderFile(job) : renderPage(job, running!);
  port.postMessage(await reply.catch(failure));
});
