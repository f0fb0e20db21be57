import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import type { Status } from '../../pipeline/release/format/status.ts';
import type { ChartQuery } from '../api/routes/charts.ts';
import type { LiveQuery } from '../api/routes/service.ts';
import type { AccessLog } from './access-log/access-log.ts';
import type { Exporter } from './export/exporter.ts';
import type { LogFiles } from './files/log-files.ts';
import type { Releases, ServedRelease } from './files/releases.ts';
import type { RequestHead, Resource } from './files/representation.ts';
import type { SnapshotFiles } from './files/snapshot-files.ts';
import type { Metrics } from './health/metrics.ts';
import type { Readiness } from './health/readiness.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import type { Limiter } from './limits/limiter.ts';
import type { LoadGate } from './limits/load-gate.ts';
import type { PagesOnRequest } from './pages/pages-on-request.ts';
import type { Answer } from './request/answer.ts';

/** What the app answers from. Tests replace some of these. */
export interface Services {
  releases: Pick<Releases, 'current'>;
  /** `/status.json`; null before the first run. */
  readStatus: () => Promise<Status | null>;
  keys: Pick<KeyStore, 'keyByHash'>;
  /** Null: nothing is counted, to measure what counting costs. */
  limiter: Pick<Limiter, 'take'> | null;
  /** Null: restricted paths are not answered. */
  accessLog: Pick<AccessLog, 'append'> | null;
  gate: LoadGate;
  /** Files that are too large for memory, while they are sent. */
  downloads: Pick<ConcurrencyLimit, 'take'>;
  exporter: Exporter;
  /** Without it nothing exists below `/snapshots/`. */
  snapshots?: SnapshotFiles;
  /** Null: a release without pages has none. */
  pages?: PagesOnRequest | null;
  /** Null: charts and their pages are served as they are in the release. */
  charts: Charts | null;
  /** Without it there is no log. */
  log?: LogFiles;
  /** Address of the service, without a trailing slash. Without it there is no oEmbed. */
  baseUrl?: string;
  /** Null if the service has no ledger: real-time paths are then answered from the release. */
  live: Live | null;
  /** Without it no connection is upgraded. */
  simulation?: { upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void };
  metrics: Metrics;
  /** For `/readyz`. */
  readiness: () => Promise<Readiness>;
  logger: Pick<Logger, 'error' | 'info'>;
  /** Logs each request, and not only errors. */
  logsRequests: boolean;
  /** ms since 1970 */
  now: () => number;
}

/** Something to be drawn for a client, which waits for its turn. */
interface DrawRequest<Query = string> {
  /** A page's is text without its question mark. */
  query: Query;
  /** Who counts as one client: the holder of a key, or a network. */
  client: string;
}

export interface Charts {
  /** A chart's file in a state; `file` is the release's own. Throws a Problem. */
  answerFile: (
    request: RequestHead,
    file: ManifestFile,
    draw: DrawRequest<ChartQuery>,
    release: ServedRelease,
  ) => Promise<Answer>;
  /** A chart's page in a state; null if the path and query describe none. Throws a Problem. */
  answerPage: (
    request: RequestHead,
    path: string,
    draw: DrawRequest,
    release: ServedRelease,
  ) => Promise<Answer> | null;
}

/** A connection that becomes a live stream. */
export interface LiveConnection {
  /** Adds the common headers to the stream's own; names and values in turn. */
  headers: (own: Readonly<Record<string, string>>) => string[];
  /** Of the client. */
  address: string;
  query: LiveQuery;
}

export interface Live {
  /** The file at a real-time path as of the newest event; null for other paths, and while there is no state. */
  resource: (path: string) => Resource | null;
  /** `GET /live`: takes over the connection. Throws a Problem. */
  listen: (request: IncomingMessage, response: ServerResponse, connection: LiveConnection) => void;
}
