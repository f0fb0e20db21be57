import { setTimeout as sleep } from 'node:timers/promises';
import { readCompanions } from '../../../pipeline/artifacts/read-companions.ts';
import type { LedgerSource, RemoteSource } from '../../../pipeline/config/ledger-address.ts';
import type { Config } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { readSigners } from '../../../pipeline/ledger/writing/ledger-keys.ts';
import { assertMaySign } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import {
  type Importing,
  importSource,
  prepareImportKey,
  type SourceConfig,
} from '../../../pipeline/sources/import-source.ts';
import { localLedger, type Running } from '../../../pipeline/sources/open-ledger.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';
import { originalOf } from '../../../pipeline/sources/shared/copied-ledger.ts';
import {
  clockOf,
  openShared,
  requireShared,
  SharedFolder,
  type SharedStores,
} from '../../../pipeline/sources/shared/open-shared.ts';
import type { ImportProgress } from '../health/readiness.ts';
import { Repeated, type RepeatedWork } from './repeated.ts';
import { watchLedger } from './watch-ledger.ts';

/** How long an import waits for a step of this machine's own replica, or for a run, seconds. */
const FOLDER_WAIT_S = 10;

/** The ledger that real-time paths follow. */
export interface FollowedLedger extends LocalLedger {
  /** Null: nothing is imported. */
  imports?: ImportProgress | null;
  /** What keeps this machine from sharing the ledger with others, or from taking theirs; null for a ledger of this machine alone. */
  sharing?: (() => string | null) | null;
}

export type FollowConfig = Omit<SourceConfig, 'importFull' | 'mustExist'> & Pick<Config, 'companions'>;

/**
 * The ledger that the live state follows. A source is imported repeatedly until `signal` aborts, first after one interval; events imported
 * before are followed from the start. Where many machines share the ledger, this one shares its own or takes that of the others, all the
 * time. Throws config_invalid, also for companions that this ledger must not have.
 */
export async function followLedger(
  source: LedgerSource,
  config: FollowConfig,
  { now, progress }: Running,
  signal: AbortSignal,
): Promise<FollowedLedger> {
  const log = (line: string) => progress.note(line);
  const opening = { isService: true, log };
  const stores = await (source.kind === 'store'
    ? requireShared(config, opening)
    : openShared(config, opening));
  try {
    const isImport = source.kind !== 'directory' && source.kind !== 'store';
    if (isImport && stores) await prepareImportKey(config, stores);
    const local = await localLedger(source, config);
    // Refused here, so that the server does not start; later it would only be a line in a log.
    await readCompanions(config.companions, local.verifiers);
    const { ledgerSigningKey: keyFile } = config;
    if (keyFile && source.kind !== 'store')
      assertMaySign(await readSigners({ ledger: local.ledger, keyFile }), local.verifiers);
    const sharing = stores && (await keepShared(source, local, stores, { log, signal }));
    const imports = isImport
      ? keepImporting(source, config, { now: clockOf(stores, now), log, stores, turnMs: 0 }, signal)
      : null;
    if (stores) onceAborted(signal, () => stores.close());
    return { ...local, imports, sharing };
  } catch (error) {
    await stores?.close();
    throw error;
  }
}

/** How often the ledger is shared, or the shared one looked at, besides: an announcement or its connection may be lost. */
const POLL_MS = 1000;
/** Pause after each step of sharing: a multiple of the time it took, so that it takes a third of a core at most, and a minimum, ms. */
const PAUSE_FACTOR = 2;
const PAUSE_MS = 10;
const FAULT_PAUSE_MS = 500;
/** How long a start waits for the first step. A long ledger takes longer, and a store that is down takes for ever. */
const FIRST_MS = 5000;

/**
 * The machine with a ledger in a folder shares it; any other one has a copy, also where it imports in turn with others. Returns what reads
 * the present fault, without addresses and paths; null for a folder that a process of another ledger keeps.
 */
async function keepShared(
  source: LedgerSource,
  local: LocalLedger,
  stores: SharedStores,
  { log, signal }: { log: (line: string) => void; signal: AbortSignal },
): Promise<(() => string | null) | null> {
  let present: string | null = null;
  const step = (does: string, work: () => Promise<unknown>): RepeatedWork => ({
    work,
    pauseMs: (took, failures) => (failures > 0 ? FAULT_PAUSE_MS : Math.max(PAUSE_MS, PAUSE_FACTOR * took)),
    // Another process writes the folder, and what it writes is as new.
    isExpected: (error) => error instanceof CathedralError && error.code === 'locked',
    report(fault) {
      const code = fault instanceof CathedralError ? `: ${fault.code}` : '';
      present = fault && `the ledger is not ${does}${code}`;
      log(fault ? `The ledger is not ${does}: ${fault.message}` : `The ledger is ${does} again.`);
    },
  });
  const isReplica = source.kind === 'directory' || source.kind === 'store';
  const folder = new SharedFolder(isReplica ? 'replica' : 'import', local, 0, stores, log);
  const first = async (attempt: Promise<unknown> | null) =>
    Promise.race([attempt, sleep(FIRST_MS, undefined, { ref: false })]);
  if (source.kind === 'directory') {
    if (originalOf(source.path)) return null;
    const share = step('shared', () => folder.sharer.share());
    const watching = watchLedger(source.path, POLL_MS, share);
    onceAborted(signal, async () => (await watching).close());
    await first(watching);
  } else {
    const taking = new Repeated(step('taken from the others', () => folder.update()));
    onceAborted(
      signal,
      stores.shared.listen(() => void taking.wake()),
    );
    wakeOften(taking, signal);
    await first(taking.wake());
  }
  return () => present;
}

/**
 * From the end of one import to the start of the next, ms: a new event shows within a minute or so, and a remote ledger without new events
 * gets one request a minute.
 */
const IMPORT_INTERVAL_MS = 60_000;
/** While a remote ledger is down the interval doubles, up to this, ms. */
const MAX_WAIT_MS = 15 * 60 * 1000;

/** Imports until `signal` aborts. It waits first, since the command has just imported. */
function keepImporting(
  source: RemoteSource,
  config: FollowConfig,
  means: Importing,
  signal: AbortSignal,
): ImportProgress {
  const patience = means.stores ? { ...config, wait: Math.min(config.wait, FOLDER_WAIT_S) } : config;
  const importNew = async () => {
    // If another machine imports at this moment, this one gets the events from it.
    const report = await importSource(source, patience, means).catch((error) => {
      if (means.stores && error instanceof CathedralError && error.code === 'locked') return null;
      throw error;
    });
    return report?.unread ?? null;
  };
  const log = (fault: Error) => means.log(`The import failed: ${fault.message}`);
  return importRepeatedly({ importNew, log, now: means.now, signal });
}

interface RepeatedImport {
  /** Returns what is left unread at the end of a file. */
  importNew: () => Promise<ImportProgress['unread']>;
  log: (fault: Error) => void;
  now: () => number;
  signal: AbortSignal;
  /** Default: IMPORT_INTERVAL_MS. */
  intervalMs?: number;
}

export function importRepeatedly({
  importNew,
  log,
  now,
  signal,
  intervalMs = IMPORT_INTERVAL_MS,
}: RepeatedImport): ImportProgress {
  const progress = {
    succeededAt: null as number | null,
    unread: null as ImportProgress['unread'],
    get failures() {
      return imports.failures;
    },
  };
  const imports = new Repeated({
    async work() {
      progress.unread = await importNew();
      progress.succeededAt = now();
    },
    firstMs: intervalMs,
    pauseMs: (_, failures) => Math.min(intervalMs * 2 ** failures, MAX_WAIT_MS),
    report: (fault) => fault && log(fault),
  });
  wakeOften(imports, signal, Math.min(POLL_MS, intervalMs));
  return progress;
}

/** Until `signal` aborts. */
function wakeOften(repeated: Repeated, signal: AbortSignal, everyMs = POLL_MS): void {
  const poll = setInterval(() => void repeated.wake(), everyMs).unref();
  onceAborted(signal, async () => {
    clearInterval(poll);
    await repeated.close();
  });
}

function onceAborted(signal: AbortSignal, end: () => Promise<void> | void): void {
  if (signal.aborted) void end();
  else signal.addEventListener('abort', () => void end(), { once: true });
}
