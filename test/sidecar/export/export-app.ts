import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { EventReader } from '../../../pipeline/ledger/reading/event-reader.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { openHistory } from '../../../pipeline/release/history/history.ts';
import { openStaging } from '../../../pipeline/release/staging/staging.ts';
import { formatProblem, Problem } from '../../../src/api/problem.ts';
import { ExportQuery } from '../../../src/api/query/export-query.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import { createExporter, type Exporter, type ExporterOptions } from '../../../src/sidecar/export/exporter.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import type { StreamedBody } from '../../../src/sidecar/request/streamed-body.ts';
import { listenInTest } from '../../listen.ts';
import { tinyFacts } from '../../release/publish-tiny.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import type { Line } from './ledger-lines.ts';

/** Publishes a release whose export has these lines; those that the release before has are taken over. */
export async function publishLines(out: string, lines: readonly Line[], segmentBytes = 5000): Promise<void> {
  await using staging = await openStaging(out, await readCurrent(out), { reuse: true });
  const history = await openHistory(staging, ledgerExport, { segmentBytes });
  const leaves = new EventReader(LEDGER_START, (line) => `a test:${line}`).read(
    lines.map(({ text }) => Buffer.from(text)),
  );
  for (const leaf of leaves.slice(history.rows)) {
    history.add(ledgerExport.rows(leaf), leaf.event.timestamp);
  }
  await history.finish('', '');
  await staging.publish({ facts: tinyFacts(lines.length), state: '{}' });
}

export interface ExportApp {
  /** `http://127.0.0.1:40123` */
  origin: string;
  releases: Releases;
  /** What was thrown while an answer was made or sent. */
  failed: Error[];
}

export interface ExportAppOptions extends Partial<ExporterOptions> {
  /** After which the first reader is cut off if it takes nothing; 0: never. */
  stallMs?: number;
}

/** The exporter behind a server and nothing else; `X-Holder` says who asks. */
export async function exportApp(out: string, options: ExportAppOptions = {}): Promise<ExportApp> {
  const { stallMs = 0, ...limits } = options;
  const failed: Error[] = [];
  const releases = new Releases(out, (error) => failed.push(error as Error));
  const exporter = createExporter({ current: () => releases.current(), ...limits });
  const server = createServer((request, response) => {
    void answer(exporter, releases, request, response).catch((error: Error) => failed.push(error));
  });
  server.once('connection', (socket) => socket.setTimeout(stallMs));
  const { origin } = await listenInTest(server);
  return { origin, releases, failed };
}

async function answer(
  exporter: Exporter,
  releases: Releases,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = { method: request.method!, headers: request.headers };
  const holder = (request.headers['x-holder'] as string | undefined) ?? 'holder';
  const query = request.url!.split('?', 2)[1] ?? '';
  try {
    const { status, headers, body } = await exporter.prepare(
      asked,
      readQuery(ExportQuery, query),
      holder,
      (await releases.current())!,
    );
    response.writeHead(status, headers);
    if (body === null) response.end();
    else await (body as StreamedBody).writeTo(response);
  } catch (error) {
    // As the service does: the status cannot be taken back.
    if (response.headersSent) response.destroy();
    if (response.headersSent) throw error;
    if (!(error instanceof Problem)) response.writeHead(500).end();
    else response.writeHead(error.status, error.headers).end(formatProblem(error));
    if (!(error instanceof Problem)) throw error;
  }
}

/** The same over a new release of these lines. */
export async function appOver(
  lines: readonly Line[],
  options: ExportAppOptions = {},
): Promise<ExportApp & { out: string }> {
  const out = await temporaryFolder();
  await publishLines(out, lines);
  return { ...(await exportApp(out, options)), out };
}

/** `/export?from=…` with everything percent-encoded. */
export function urlOf(parameters: Record<string, string>): string {
  return `/export?${new URLSearchParams(parameters)}`;
}
