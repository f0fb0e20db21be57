import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';
import type { AnyStateContent } from '../../../pipeline/charts/files/chart-forms.ts';
import { chartText } from '../../../pipeline/charts/files/chart-text.ts';
import type { ChartSource } from '../../../pipeline/charts/files/shown-chart.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import { storedAt } from '../../../pipeline/release/format/manifest.ts';

/** A chart's file that is to be written: of which release, which chart, which state. */
export interface ChartJob {
  /** Of the release. */
  dir: string;
  id: string;
  state: ChartState;
  content: AnyStateContent;
  sources: readonly ChartSource[];
  baseUrl: string;
}

/** One after each job, in their order. An error crosses threads without its class, so it is taken apart. */
export type ChartReply =
  | { failed: false; text: string }
  | { failed: true; code: ErrorCode; fault: Omit<Fault, 'cause'> }
  | { failed: true; code: null; message: string };

/** What charts prepared from the files of one release. */
const prepared = { dir: '', data: new Map<string, unknown>() };

function write({ dir, id, state, content, sources, baseUrl }: ChartJob): string {
  const chart = findChart(id)!;
  const data = prepare(dir, chart, sources);
  return chartText({ chart, data, state, sources, baseUrl }, content);
}

function prepare(dir: string, chart: Chart, sources: readonly ChartSource[]): unknown {
  if (prepared.dir !== dir) {
    prepared.dir = dir;
    prepared.data.clear();
  }
  if (!prepared.data.has(chart.id)) {
    const files = Object.fromEntries(sources.map((source) => [source.path, read(dir, source)]));
    prepared.data.set(chart.id, chart.prepare(files));
  }
  return prepared.data.get(chart.id);
}

/** What does not have the hash of the manifest is never shown. */
function read(dir: string, { path, sha256 }: ChartSource): string {
  const place = join(dir, storedAt({ path, restricted: false }));
  const bytes = readFileSync(place);
  const found = hash('sha256', bytes);
  if (found === sha256) return bytes.toString();
  throw new CathedralError('release_invalid', { place, expected: sha256, found });
}

function reply(job: ChartJob): ChartReply {
  try {
    return { failed: false, text: write(job) };
  } catch (error) {
    if (!(error instanceof CathedralError)) return { failed: true, code: null, message: String(error) };
    const { code, place, expected, found } = error;
    return { failed: true, code, fault: { place, expected, found } };
  }
}

const port = parentPort!;
port.on('message', (job: ChartJob) => port.postMessage(reply(job)));
