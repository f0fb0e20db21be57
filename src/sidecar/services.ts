import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Status } from '../../pipeline/release/format/status.ts';
import type { AccessLog } from './access-log/access-log.ts';
import type { Charts } from './charts/charts-in-states.ts';
import type { Exporter } from './export/exporter.ts';
import type { LogFiles } from './files/log-files.ts';
import type { Releases } from './files/releases.ts';
import type { ServedSnapshots } from './files/served-snapshots.ts';
import type { Metrics } from './health/metrics.ts';
import type { Readiness } from './health/readiness.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import type { Limiter } from './limits/limiter.ts';
import type { LoadGate } from './limits/load-gate.ts';
import type { OpenLive } from './live/open-live.ts';
import type { PagesOnRequest } from './pages/pages-on-request.ts';

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
  snapshots?: ServedSnapshots;
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

/** Real-time paths as of the newest event, and the stream of their changes. */
export type Live = Pick<OpenLive, 'resource' | 'listen'>;
