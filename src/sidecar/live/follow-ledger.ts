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
import { localLedger, type OpeningLedger, sharedFolder } from '../../../pipeline/sources/open-ledger.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';
import { followerOf } from '../../../pipeline/sources/shared/follower.ts';
import {
  clockOf,
  openShared,
  requireShared,
  type SharedStores,
} from '../../../pipeline/sources/shared/open-shared.ts';
import type { ImportProgress } from '../health/readiness.ts';
import { importPeriodically } from './import-periodically.ts';
import { keepReplica, keepSharing } from './keep-shared.ts';

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
  { now, progress }: OpeningLedger,
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
  const report = (does: string) => (fault: Error | null) => {
    present = fault && `the ledger is not ${does}${fault instanceof CathedralError ? `: ${fault.code}` : ''}`;
    log(fault ? `The ledger is not ${does}: ${fault.message}` : `The ledger is ${does} again.`);
  };
  const isReplica = source.kind === 'directory' || source.kind === 'store';
  const folder = sharedFolder(isReplica ? 'replica' : 'import', local, 0, stores, log);
  if (source.kind === 'directory') {
    if (followerOf(source.path)) return null;
    await keepSharing(source.path, folder.sharer, { report: report('shared'), signal });
  } else {
    await keepReplica(folder.replica, stores.shared, {
      report: report('taken from the others'),
      onUpdate: (updated) => folder.report(updated),
      signal,
    });
  }
  return () => present;
}

function keepImporting(
  source: RemoteSource,
  config: FollowConfig,
  means: Importing,
  signal: AbortSignal,
): ImportProgress {
  const imports: ImportProgress = { succeededAt: null, failures: 0, unread: null };
  const patience = means.stores ? { ...config, wait: Math.min(config.wait, FOLDER_WAIT_S) } : config;
  void importPeriodically({
    progress: imports,
    now: means.now,
    async importNew() {
      // If another machine imports at this moment, this one gets the events from it.
      const report = await importSource(source, patience, means).catch((error) => {
        if (means.stores && error instanceof CathedralError && error.code === 'locked') return null;
        throw error;
      });
      imports.unread = report?.unread ?? null;
      for (const { kind, message } of report?.findings ?? []) means.log(`finding: ${kind}: ${message}`);
    },
    report: (error) => means.log(`The import failed: ${(error as Error).message}`),
    sleep: (ms, ending) => sleep(ms, undefined, { signal: ending, ref: false }),
    signal,
  });
  return imports;
}

function onceAborted(signal: AbortSignal, end: () => Promise<void>): void {
  if (signal.aborted) void end();
  else signal.addEventListener('abort', () => void end(), { once: true });
}
