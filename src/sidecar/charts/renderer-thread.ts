import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import {
  type OpenedSite,
  openProgram,
  type ProgramFiles,
  type SiteFacts,
} from '../../../pipeline/build/site/open-program.ts';
import type { OpenChart } from '../../../pipeline/charts/chart.ts';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';
import type { ThemeName } from '../../../pipeline/charts/drawing/theme.ts';
import type { ChartSource, MadeKind } from '../../../pipeline/charts/files/chart-formats.ts';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import { storedAt } from '../../../pipeline/release/format/manifest.ts';

/** A chart's file, from the data of the release in `dir`. */
export interface FileJob {
  kind: 'file';
  dir: string;
  id: string;
  state: ChartState;
  made: MadeKind;
  theme: ThemeName;
  sources: readonly ChartSource[];
  baseUrl: string;
  organisation: Organisation;
}

/** A page of the release in `dir`. */
export interface PageJob {
  kind: 'page';
  dir: string;
  /** Path and query, as the program routes them. */
  url: string;
  program: ProgramFiles;
  /** Folder of the program, if it is not the release's. */
  place?: string;
  facts: SiteFacts;
}

/** A thread gets jobs of one release only, each after its reply to the previous one. */
export type RenderJob = FileJob | PageJob;

/** An error loses its class between threads, so it is sent in parts. */
export type RenderReply =
  | { failed: false; status: number; type: string; body: Uint8Array }
  | { failed: true; code: ErrorCode; fault: Omit<Fault, 'cause'> }
  | { failed: true; code: null; message: string };

/** The charts that were drawn, with their data. A thread is for one release, so its organisation is the same. */
const opened = new Map<string, OpenChart>();

async function renderFile(job: FileJob): Promise<RenderReply> {
  const { dir, id, state, made, theme, sources, baseUrl, organisation } = job;
  // Loaded here, so that a thread which only renders pages does not hold the charts twice.
  const { findChart } = await import('../../../pipeline/charts/table.ts');
  const { PublishedFiles } = await import('../../../pipeline/artifacts/published-files.ts');
  const { chartText } = await import('../../../pipeline/charts/files/chart-text.ts');
  if (!opened.has(id)) {
    const files = Object.fromEntries(sources.map((source) => [source.path, read(dir, source)]));
    opened.set(id, findChart(id)!.open(PublishedFiles.of(files), organisation));
  }
  const { licence } = organisation;
  const shown = { chart: opened.get(id)!, state, sources, baseUrl, licence };
  return { failed: false, status: 200, type: '', body: Buffer.from(chartText(shown, made, theme)) };
}

/** Data whose hash differs from the manifest's is never shown. */
function read(dir: string, { path, sha256 }: ChartSource): string {
  const place = join(dir, storedAt({ path, restricted: false }));
  const bytes = readFileSync(place);
  const found = hash('sha256', bytes);
  if (found === sha256) return bytes.toString();
  throw new CathedralError('release_invalid', { place, expected: sha256, found });
}

let opening: Promise<OpenedSite> | null = null;

async function answerPage({ url }: PageJob, opening: Promise<OpenedSite>): Promise<RenderReply> {
  const { status, type, body } = await (await opening).render(url);
  return { failed: false, status, type, body };
}

function failure(error: unknown): RenderReply {
  if (!(error instanceof CathedralError)) return { failed: true, code: null, message: String(error) };
  const { code, place, expected, found } = error;
  return { failed: true, code, fault: { place, expected, found } };
}

const port = parentPort!;
port.on('message', async (job: RenderJob) => {
  if (job.kind !== 'file') {
    opening ??= openProgram(job.dir, job.program, job.facts, job.place);
    // An error in here ends the thread: a module that failed to load cannot be loaded again in the same thread.
    await opening;
  }
  const reply = job.kind === 'file' ? renderFile(job) : answerPage(job, opening!);
  port.postMessage(await reply.catch(failure));
});
