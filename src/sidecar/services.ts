import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ManifestFile } from '../../pipeline/release/format/manifest.ts';
import type { Status } from '../../pipeline/release/format/status.ts';
import type { AccessLog } from './access-log/access-log.ts';
import type { LogPath } from './files/log-path.ts';
import type { Releases, ServedRelease } from './files/releases.ts';
import type { Representation } from './files/representation.ts';
import type { SnapshotFiles } from './files/snapshot-files.ts';
import type { Metrics } from './health/metrics.ts';
import type { Readiness } from './health/readiness.ts';
import type { KeyStore } from './keys/key-store.ts';
import type { Limiter } from './limits/limiter.ts';
import type { LoadGate } from './limits/load-gate.ts';
import type { Answer } from './request/answer.ts';
import type { Slots } from './request/slots.ts';
import type { Simulation } from './simulation/simulation.ts';

/** What the app answers from. Each can be another implementation: a test's, or a second engine's. */
export interface Services {
  releases: Pick<Releases, 'current'>;
  /** What `/status.json` says; null before the first run. */
  readStatus: () => Promise<Status | null>;
  keys: Pick<KeyStore, 'keyByHash'>;
  /** Null: nothing is counted, for measurements of what counting costs. */
  limiter: Pick<Limiter, 'take'> | null;
  /** Null: nothing that is gated is answered. */
  accessLog: Pick<AccessLog, 'append'> | null;
  gate: LoadGate;
  /** Files that are too large for memory, while they are sent. */
  downloads: Pick<Slots, 'take'>;
  exporter: Exporter;
  /** Left out: nothing below `/snapshots/`. */
  snapshots?: Pick<SnapshotFiles, 'find'>;
  /** Null: charts are there as the release has them, in no other state. */
  charts: Charts | null;
  /** Left out: pages are there as the release has them, whatever their query. */
  pages?: Pages;
  /** Left out: there is no log. */
  log?: LogFiles;
  /** Of the service, without a slash at the end; left out: no oEmbed. */
  baseUrl?: string;
  /** Null where the service has no ledger at hand: then real-time paths answer from the release. */
  live: Live | null;
  /** Left out: no connection is upgraded. */
  simulation?: Pick<Simulation, 'upgrade'>;
  metrics: Metrics;
  /** For `/readyz`. */
  readiness: () => Promise<Readiness>;
  logger: Pick<Logger, 'error' | 'info'>;
  /** Each request is logged, not only faults. */
  logsRequests: boolean;
  /** ms since 1970 */
  now: () => number;
}

/** What of a request decides how it is answered. */
export type Asked = Pick<IncomingMessage, 'method' | 'headers'>;

export interface Exporter {
  /** The export that a query asks for, its files open. Throws a Problem. */
  prepare: (request: Asked, query: string, holder: string, release: ServedRelease) => Promise<Answer>;
}

/** What is drawn for one client, which waits for its turn among others. */
export interface AskedState {
  /** Without its question mark. */
  query: string;
  /** Who is counted as one: the holder of a key, or a network. */
  client: string;
}

export interface Charts {
  /** A chart's file in the state that a query asks for; `file` is the release's own. Throws a Problem. */
  prepare: (request: Asked, file: ManifestFile, state: AskedState, release: ServedRelease) => Promise<Answer>;
}

export interface Pages {
  /** The page in the state that the query asks for; null where the release's own is the answer. Throws a Problem. */
  answer: (request: Asked, path: string, state: AskedState, release: ServedRelease) => Promise<Answer> | null;
}

export interface LogFiles {
  /** A file of the log. Throws a Problem. */
  prepare: (request: Asked, path: LogPath) => Promise<Answer>;
}

export interface Listening {
  /** All headers of an answer with these of its own, names and values in turn. */
  headers: (own: Readonly<Record<string, string>>) => string[];
  /** Of the client. */
  address: string;
  /** Without its question mark. */
  query: string;
}

export interface Live {
  /** The file at a real-time path as of the newest event; null for others, and while the live state is not to be trusted. */
  representation: (path: string, request: Asked) => Representation | null;
  /** `GET /live`: takes over the connection. Throws a Problem. */
  listen: (request: IncomingMessage, response: ServerResponse, listening: Listening) => void;
}
