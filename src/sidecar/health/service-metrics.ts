import { isSlotId, slotTime } from '../../../pipeline/ledger/events/slot.ts';
import type { Manifest } from '../../../pipeline/release/format/manifest.ts';
import type { Status } from '../../../pipeline/release/format/status.ts';
import type { WitnessStates } from '../../../pipeline/release/log/cosign-log.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import type { SimulationState } from '../simulation/simulation-metrics.ts';
import type { Disk, SnapshotTotals } from './disks.ts';
import { type Gauges, samplesBy } from './metric.ts';
import { type ImportProgress, isReady, partsOf, type Readiness } from './readiness.ts';

/** What the server knows about itself at one moment. Null: not known, or not there. */
export interface ServiceFacts {
  /** ms since 1970 */
  now: number;
  software: SoftwareVersion;
  /** Requests being answered. */
  active: number;
  /** Mean delay of the event loop, s. */
  loopDelay: number;
  /** Of the current release. */
  manifest: Pick<Manifest, 'timestamp' | 'ledger' | 'signed'> | null;
  status: Status | null;
  readiness: Readiness;
  /** Null: the server follows no ledger. */
  live: LiveFacts | null;
  /** Null: the ledger is a folder that others write. */
  imports: ImportProgress | null;
  disks: Readonly<Record<string, Disk | null>>;
  snapshots: SnapshotTotals | null;
  /** Bytes; null if its database does not say. */
  accessLog: number | null;
  /** When the API keys in use expire, ms. */
  keyExpiries: readonly number[] | null;
  simulation: SimulationState;
  /** By the names that the publisher's policy gives them; empty without one. */
  witnesses: WitnessStates;
}

export interface SoftwareVersion {
  version: string;
  /** Null if the program does not know it. */
  commit: string | null;
}

/** The ledger as real-time paths show it. Times in Unix s. */
export interface LiveFacts {
  listeners: number;
  /** Of the newest event. */
  newest: number | null;
  /** The end of the newest sealed slot. */
  sealed: number | null;
  /** Of the oldest event that is not sealed. */
  unsealed: number | null;
}

const OUTCOMES = ['published', 'unchanged', 'incomplete', 'failed'] as const;
/** Days before the expiry of an API key: time to remind its holder, and too late to be asked for a new one. */
const DAYS_LEFT = [1, 7, 30];

export const SERVICE_METRICS: Gauges<ServiceFacts> = {
  cathedral_build_info: {
    help: 'The version and the commit of the program, as labels; the value is 1.',
    labels: ['version', 'commit'],
    read: ({ software: { version, commit } }) => [{ labels: { version, commit: commit ?? '' }, value: 1 }],
  },
  cathedral_ready: {
    help: 'Whether the server can serve, as /readyz says.',
    read: ({ readiness }) => Number(isReady(readiness)),
  },
  cathedral_fault: {
    help: 'Whether a part of the service has a fault, as /readyz says.',
    labels: ['part'],
    read: ({ readiness }) => samplesBy('part', partsOf(readiness), (fault) => Number(fault !== null)),
  },
  cathedral_last_run_outcome: {
    help: 'Whether this was the outcome of the last run: published, unchanged, incomplete or failed.',
    labels: ['outcome'],
    read: ({ status }) =>
      status === null
        ? []
        : OUTCOMES.map((outcome) => ({
            labels: { outcome },
            value: Number(status.last_run.outcome === outcome),
          })),
  },
  cathedral_last_run_error: {
    help: 'The code with which the last run failed, or with which something of its release did, as a label; the value is 1. None after a run that succeeded.',
    labels: ['code'],
    read: ({ status }) =>
      status?.last_run.error ? [{ labels: { code: status.last_run.error.code }, value: 1 }] : [],
  },
  cathedral_last_run_timestamp_seconds: {
    help: 'When the last run ended.',
    read: ({ status }) => seconds(status?.last_run.finished_at),
  },
  cathedral_last_run_duration_seconds: {
    help: 'How long the last run took.',
    read: ({ status }) =>
      status && seconds(status.last_run.finished_at)! - seconds(status.last_run.started_at)!,
  },
  cathedral_last_run_findings: {
    help: 'Contradictions in the ledger that the last run found.',
    read: ({ status }) => status?.last_run.findings.count ?? null,
  },
  cathedral_next_run_timestamp_seconds: {
    help: 'When the scheduler starts the next run; NaN without a scheduler.',
    read: ({ status }) => seconds(status?.next_run_at),
  },
  cathedral_release_timestamp_seconds: {
    help: 'Time of the newest event in the published release.',
    read: ({ manifest }) => seconds(manifest?.timestamp),
  },
  cathedral_release_sealed_timestamp_seconds: {
    help: 'End of the slot up to which the published release has the ledger.',
    read: ({ manifest }) => slotEnd(manifest?.ledger.snapshot ?? null),
  },
  cathedral_release_expiry_timestamp_seconds: {
    help: 'When the signature on the published release expires; NaN if it is not signed.',
    read: ({ manifest }) => (manifest?.signed ? seconds(manifest.signed.expires) : null),
  },
  cathedral_release_events: {
    help: 'Events of the ledger in the published release.',
    read: ({ manifest }) => manifest?.ledger.size ?? null,
  },
  cathedral_publisher_keys: {
    help: 'Keys that signed the published release: 1, or 2 while the publisher’s key is being rotated.',
    read: ({ manifest }) => (manifest ? (manifest.signed?.keys.length ?? 0) : null),
  },
  cathedral_witness_cosigned_timestamp_seconds: {
    help: 'When each witness last cosigned a checkpoint of the log, by its clock. Known to the publisher that asked it.',
    labels: ['witness'],
    read: ({ witnesses }) =>
      samplesBy('witness', witnesses, ({ cosigned }) => seconds(cosigned?.at) ?? Number.NaN),
  },
  cathedral_witness_cosigned_events: {
    help: 'Events in the last checkpoint that each witness cosigned. Compare it with `cathedral_release_events`.',
    labels: ['witness'],
    read: ({ witnesses }) => samplesBy('witness', witnesses, ({ cosigned }) => cosigned?.size ?? Number.NaN),
  },
  cathedral_live_timestamp_seconds: {
    help: 'Time of the newest event that real-time paths show; NaN while they answer from the release.',
    read: ({ live }) => live?.newest ?? null,
  },
  cathedral_ledger_sealed_timestamp_seconds: {
    help: 'End of the newest slot that the ledger has sealed; NaN if the server follows no ledger.',
    read: ({ live }) => live?.sealed ?? null,
  },
  cathedral_ledger_unsealed_timestamp_seconds: {
    help: 'Time of the oldest event that is not sealed yet; NaN if every event is.',
    read: ({ live }) => live?.unsealed ?? null,
  },
  cathedral_import_success_timestamp_seconds: {
    help: 'When the last successful import of a remote ledger ended; NaN before the first one of this process.',
    read: ({ imports }) => (imports?.succeededAt == null ? null : imports.succeededAt / 1000),
  },
  cathedral_import_failures: {
    help: 'Imports of a remote ledger that failed since the last one that succeeded; NaN without a remote ledger.',
    read: ({ imports }) => imports?.failures ?? null,
  },
  cathedral_import_unread_timestamp_seconds: {
    help: 'Since when the last row of a followed file is not whole (no line end, or an open quote); NaN if it is.',
    read: ({ imports }) => (imports?.unread == null ? null : imports.unread.since / 1000),
  },
  cathedral_http_active_requests: {
    help: 'Requests being answered.',
    read: ({ active }) => active,
  },
  cathedral_event_loop_delay_seconds: {
    help: 'Mean delay of the event loop over the better of the last two half seconds.',
    read: ({ loopDelay }) => loopDelay,
  },
  cathedral_live_listeners: {
    help: 'Connections to /live.',
    read: ({ live }) => live?.listeners ?? 0,
  },
  cathedral_disk_free_bytes: {
    help: 'What the service may still write to the file system of a folder.',
    labels: ['folder'],
    read: ({ disks }) => samplesBy('folder', disks, (disk) => disk?.free),
  },
  cathedral_disk_size_bytes: {
    help: 'Size of the file system of a folder.',
    labels: ['folder'],
    read: ({ disks }) => samplesBy('folder', disks, (disk) => disk?.size),
  },
  cathedral_disk_free_inodes: {
    help: 'Files that the file system of a folder can still take; a release has thousands.',
    labels: ['folder'],
    read: ({ disks }) => samplesBy('folder', disks, (disk) => disk?.freeInodes),
  },
  cathedral_disk_inodes: {
    help: 'Inodes of the file system of a folder; 0 where their number is not fixed.',
    labels: ['folder'],
    read: ({ disks }) => samplesBy('folder', disks, (disk) => disk?.inodes),
  },
  cathedral_access_log_bytes: {
    help: 'Size of the access log.',
    read: ({ accessLog }) => accessLog,
  },
  cathedral_snapshots: {
    help: 'Snapshots below /snapshots/; NaN until they are counted.',
    read: ({ snapshots }) => snapshots?.count ?? null,
  },
  cathedral_snapshots_bytes: {
    help: 'Size of their files, including those that they share with a release; NaN until they are measured.',
    read: ({ snapshots }) => snapshots?.bytes ?? null,
  },
  cathedral_api_keys: {
    help: 'API keys in use: delivered, not revoked, not expired and not replaced.',
    read: ({ keyExpiries }) => keyExpiries?.length ?? null,
  },
  cathedral_api_keys_expiring: {
    help: 'API keys in use that expire within this number of days.',
    labels: ['days'],
    read: ({ keyExpiries, now }) =>
      keyExpiries === null
        ? []
        : DAYS_LEFT.map((days) => ({
            labels: { days: String(days) },
            value: keyExpiries.filter((at) => at <= now + days * DAY_MS).length,
          })),
  },
};

/** Unix s; null for a ledger snapshot with another name than that of a slot. */
export function slotEnd(snapshot: string | null): number | null {
  return snapshot !== null && isSlotId(snapshot) ? slotTime(snapshot) / 1000 : null;
}

/** Unix s. */
function seconds(time: string | null | undefined): number | null {
  return time == null ? null : Date.parse(time) / 1000;
}
