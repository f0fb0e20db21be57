import {
  type LedgerSource,
  ledgerFolder,
  nameOfSource,
  type RemoteSource,
} from '../config/ledger-address.ts';
import { ledgerVerifiers } from '../ledger/reading/ledger-verifiers.ts';
import { importerOf, importSource, type SourceConfig } from './import-source.ts';
import { type LocalLedger, ownLedger, sealLedger, sealWarnings } from './own-ledger.ts';
import { originalOf } from './shared/copied-ledger.ts';
import { clockOf, openShared, requireShared, SharedFolder, type SharedStores } from './shared/open-shared.ts';

/** The server imports every minute and compares one window of older rows; who opens a ledger compares this many. */
const AUDIT_WINDOWS = 25;

/** What a command is told: the clock, and where it reports what it does and what was found. */
export interface Running {
  now: () => number;
  progress: { stage(line: string): void; note(line: string): void };
}

/**
 * A ledger by its address, as a folder with everything that is new: a source is imported first, and the finished slots of a ledger in a folder
 * are sealed where its key is given. Where many machines share the ledger, they have what this returns. `findings`: what an import found that
 * the ledger does not say. Throws config_invalid, locked, store_failed, and the errors of sources and of reading and writing a ledger.
 */
export async function openLedger(
  source: LedgerSource,
  config: SourceConfig,
  opening: Running,
): Promise<LocalLedger & { findings: string[] }> {
  const shared = { isService: false, log: opening.progress.note };
  // A command that reads a ledger in a folder adds nothing to it.
  const stores = source.kind === 'directory' && config.mustExist ? null : await openShared(config, shared);
  try {
    const means = { ...opening, now: clockOf(stores, opening.now) };
    const findings = await bringUpToDate(source, config, stores, means);
    return { ...(await localLedger(source, config)), findings };
  } finally {
    await stores?.close();
  }
}

/** The ledger as a folder, as it is; of a source or a shared ledger, what this machine has of it. */
export async function localLedger(source: LedgerSource, config: SourceConfig): Promise<LocalLedger> {
  const ledger = ledgerFolder(source, config);
  if (source.kind === 'directory' || source.kind === 'store')
    return { ledger, verifiers: await ledgerVerifiers(config.ledgerKey, ledger) };
  return { ledger, verifiers: (await importerOf(source, config)).verifiers };
}

async function bringUpToDate(
  source: LedgerSource,
  config: SourceConfig,
  stores: SharedStores | null,
  means: Running,
): Promise<string[]> {
  const isImport = source.kind !== 'directory' && source.kind !== 'store';
  // A command that only reads leaves importing to the others.
  if (isImport && !(stores && config.mustExist && !config.importFull))
    return importAll(source, config, stores, means);
  if (source.kind === 'directory') await sealAndShare(source, config, stores, means);
  // It takes the replica as it is where nothing says how to update it.
  else if (stores || !config.mustExist) await takeShared(source, config, stores, means);
  return [];
}

async function sealAndShare(
  source: LedgerSource & { kind: 'directory' },
  config: SourceConfig,
  stores: SharedStores | null,
  { progress, now }: Running,
): Promise<void> {
  const { ledgerKey, ledgerSigningKey, wait } = config;
  if (ledgerSigningKey) {
    progress.stage(`sealing ${source.path}`);
    const files = ownLedger({ ledger: source, ledgerKey, ledgerSigningKey });
    const sealed = await sealLedger(files, { quiet: 'alive', waitMs: wait * 1000, now });
    if (sealed.snapshots.length > 0) progress.note(`snapshots sealed: ${sealed.snapshots.length}`);
    for (const warning of sealWarnings(sealed, files.ledger, now())) progress.note(warning);
  }
  if (!stores || originalOf(source.path)) return;
  progress.stage(`sharing ${source.path}`);
  const local = await localLedger(source, config);
  const folder = new SharedFolder('replica', local, wait * 1000, stores, progress.note);
  await folder.sharer.share();
  await folder.complete();
}

/** Takes what other machines have. */
async function takeShared(
  source: LedgerSource,
  config: SourceConfig,
  stores: SharedStores | null,
  { progress }: Running,
): Promise<void> {
  if (!stores) return void (await requireShared(config, { isService: false, log: progress.note }));
  const kind = source.kind === 'store' ? 'replica' : 'import';
  progress.stage(
    kind === 'replica'
      ? `taking the ledger that is shared through ${stores.shared.name}`
      : 'taking what other machines have imported',
  );
  const local = await localLedger(source, config);
  await new SharedFolder(kind, local, config.wait * 1000, stores, progress.note).update();
}

async function importAll(
  source: RemoteSource,
  config: SourceConfig,
  stores: SharedStores | null,
  { progress, now }: Running,
): Promise<string[]> {
  progress.stage(`importing ${nameOfSource(source)}`);
  const means = { now, log: progress.note, stores, auditWindows: AUDIT_WINDOWS };
  const { imported, sealed, findings } = await importSource(source, config, means);
  progress.note(`new events imported: ${imported}, snapshots sealed: ${sealed.length}`);
  if (stores) {
    const local = await localLedger(source, config);
    await new SharedFolder('import', local, config.wait * 1000, stores, progress.note).complete();
  }
  return findings.filter(({ kind }) => kind === 'unread').map(({ message }) => message);
}
