import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCompanions } from '../../pipeline/artifacts/read-companions.ts';
import { type LedgerSource, nameOfSource, type RemoteSource } from '../../pipeline/config/ledger-address.ts';
import type { Flag } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { diskFull, isDiskFull, makeFolder } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatVerifierKey, type Verifier } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import {
  besideLedger,
  ledgerVerifiers,
  readSigners,
  readVerifiers,
} from '../../pipeline/ledger/writing/ledger-keys.ts';
import { assertMaySign } from '../../pipeline/ledger/writing/ledger-writer.ts';
import { civicSource } from '../../pipeline/sources/civic/civic-source.ts';
import { fileSource } from '../../pipeline/sources/file/file-source.ts';
import { type ImportReport, importRows } from '../../pipeline/sources/import/import-rows.ts';
import { isRemoteCopy } from '../../pipeline/sources/import/row-index.ts';
import type { RowSource } from '../../pipeline/sources/import/source.ts';
import { parsePostgresAddress } from '../../pipeline/sources/postgres/address.ts';
import { postgresSource } from '../../pipeline/sources/postgres/postgres-source.ts';
import { readMapping } from '../../pipeline/sources/rows/mapping.ts';
import { followerOf } from '../../pipeline/sources/shared/follower.ts';
import type { Updated } from '../../pipeline/sources/shared/ledger-replica.ts';
import type { ImportProgress } from '../sidecar/health/readiness.ts';
import { importPeriodically } from '../sidecar/live/import-periodically.ts';
import { keepReplica, keepSharing } from '../sidecar/live/keep-shared.ts';
import { type Context, SWITCH } from './command.ts';
import { ownLedger, sealLedger, sealWarnings } from './ledger/own-ledger.ts';
import {
  assertNoReplica,
  assertNotShared,
  assertSameKey,
  openShared,
  requireShared,
  SharedFolder,
  type SharedStores,
} from './shared-source.ts';
import type { SOURCE_SETTINGS } from './source-settings.ts';

export type SourceConfig = Pick<Config, (typeof SOURCE_SETTINGS)[number]> & {
  importFull?: boolean;
  /** Where it is given, the finished slots of a ledger in a folder are sealed first. */
  ledgerSigningKey?: string | null;
  /** For a command that only reads: it makes no import key, so an import must have been made before. */
  mustExist?: boolean;
};

export const importFull = {
  flag: 'full',
  description:
    'Reads all of a remote ledger or a table, and compares every event with the one that was imported before.',
  ...SWITCH,
} as const satisfies Flag;

/** Windows of older rows, which are pages of a remote ledger, that a command compares again. The server imports every minute and compares one. */
const AUDIT_WINDOWS = 25;

/** How long the server's import waits for a step of its own replica, or for a run, seconds. */
const FOLDER_WAIT_S = 10;

/** A ledger on the disk, and the keys that may have signed it. */
export interface LocalLedger {
  ledger: string;
  verifiers: Verifier[];
}

/**
 * The ledger as a folder. New events of a source are imported first; finished slots are sealed where the key is given. Where many machines
 * share the ledger, they have what this returns. `findings`: what an import found that the ledger does not say.
 */
export async function openSource(
  source: LedgerSource,
  config: SourceConfig,
  context: Context,
): Promise<LocalLedger & { findings: string[] }> {
  const { progress } = context;
  const log = (line: string) => progress.note(line);
  const notInLedger: string[] = [];
  // A command that reads a ledger in a folder adds nothing to it.
  const stores =
    source.kind === 'directory' && config.mustExist
      ? null
      : await openShared(config, { isService: false, log });
  try {
    const now = clockOf(stores, context);
    if (source.kind === 'directory') await sealAndShare(source, config, stores, { progress, now });
    else if (source.kind === 'store') await updateReplica(config, stores, { progress });
    else if (stores && config.mustExist && !config.importFull) {
      progress.stage('taking what other machines have imported');
      const { verifiers } = await importer(source, config);
      await sharedFolder('import', { ledger: config.importFolder, verifiers }, config, stores, log).update();
    } else {
      progress.stage(`importing ${nameOfSource(source)}`);
      const { imported, sealed, findings } = await importNew(
        source,
        config,
        { now, log, stores },
        AUDIT_WINDOWS,
      );
      progress.note(`new events imported: ${imported}, snapshots sealed: ${sealed.length}`);
      for (const { kind, message } of findings) {
        progress.note(`finding: ${kind}: ${message}`);
        if (kind === 'unread') notInLedger.push(message);
      }
    }
    return { ...(await localLedger(source, config)), findings: notInLedger };
  } finally {
    await stores?.close();
  }
}

async function sealAndShare(
  source: LedgerSource & { kind: 'directory' },
  config: SourceConfig,
  stores: SharedStores | null,
  { progress, now }: Pick<Context, 'progress' | 'now'>,
): Promise<void> {
  const { ledgerKey, ledgerSigningKey, wait } = config;
  if (ledgerSigningKey) {
    progress.stage(`sealing ${source.path}`);
    const files = ownLedger({ ledger: source, ledgerKey, ledgerSigningKey });
    const sealed = await sealLedger(files, { quiet: 'alive', waitMs: wait * 1000, now });
    if (sealed.snapshots.length > 0) progress.note(`snapshots sealed: ${sealed.snapshots.length}`);
    for (const warning of sealWarnings(sealed, files.ledger, now())) progress.note(warning);
  }
  if (!stores || followerOf(source.path)) return;
  progress.stage(`sharing ${source.path}`);
  const local = await localLedger(source, config);
  await sharedFolder('replica', local, config, stores, (line) => progress.note(line)).sharer.share();
}

/** A command that only reads takes the replica as it is where nothing says how to update it. */
async function updateReplica(
  config: SourceConfig,
  stores: SharedStores | null,
  { progress }: Pick<Context, 'progress'>,
): Promise<void> {
  const log = (line: string) => progress.note(line);
  if (!stores && config.mustExist) return;
  if (!stores) return void (await requireShared(config, { isService: false, log }));
  progress.stage(`taking the ledger that is shared through ${stores.shared.name}`);
  const local = await localLedger({ kind: 'store' }, config);
  await sharedFolder('replica', local, config, stores, log).update();
}

function sharedFolder(
  kind: 'replica' | 'import',
  { ledger: folder, verifiers }: LocalLedger,
  { wait }: SourceConfig,
  stores: SharedStores,
  log: (line: string) => void,
): SharedFolder {
  return new SharedFolder(stores, { folder, kind, verifiers, waitMs: wait * 1000 }, log);
}

/** Of the database, so that machines whose clocks differ seal the same slots. */
function clockOf(stores: SharedStores | null, { now }: Pick<Context, 'now'>): () => number {
  return stores ? () => now() + stores.database.clock() : now;
}

/** The ledger as a folder; of a source or a shared ledger, what this machine has of it. */
export async function localLedger(source: LedgerSource, config: SourceConfig): Promise<LocalLedger> {
  if (source.kind === 'directory' || source.kind === 'store') {
    const ledger = ledgerFolder(source, config);
    return { ledger, verifiers: await ledgerVerifiers(config.ledgerKey, ledger) };
  }
  const { verifiers } = await importer(source, config);
  return { ledger: config.importFolder, verifiers };
}

/** The folder of a ledger; of any other source, the folder that has it on this machine. */
export function ledgerFolder(source: LedgerSource, { importFolder }: Pick<Config, 'importFolder'>): string {
  return source.kind === 'directory' ? source.path : importFolder;
}

/**
 * A ledger that is written here. Whoever runs a remote ledger registers and revokes there. Throws config_invalid for any other ledger, and
 * for keys that cannot be read.
 */
export async function writableLedger({
  ledger: source,
  ledgerKey,
}: Pick<Config, 'ledger' | 'ledgerKey'>): Promise<LocalLedger> {
  const refused = (found: string) =>
    new CathedralError('config_invalid', { place: '--ledger', expected: 'a ledger in a folder', found });
  if (source.kind !== 'directory') throw refused(nameOfSource(source));
  if (isRemoteCopy(source.path)) throw refused(`${source.path}, which is imported from a remote ledger`);
  assertNoReplica(source.path);
  return { ledger: source.path, verifiers: await ledgerVerifiers(ledgerKey, source.path) };
}

type FollowConfig = Pick<Config, (typeof SOURCE_SETTINGS)[number] | 'companions'> & {
  ledgerSigningKey?: string | null;
};

/**
 * The ledger that the live state follows. A source is imported repeatedly until `signal` aborts, first after one
 * interval; events imported before are followed from the start. Where many machines share the ledger, this one shares its own or takes
 * that of the others, all the time; `sharing` is what keeps it from that, without addresses and paths. Throws config_invalid, also for
 * companions that this ledger must not have.
 */
export async function followLedger(
  source: LedgerSource,
  config: FollowConfig,
  context: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<LocalLedger & { imports: ImportProgress | null; sharing: (() => string | null) | null }> {
  const { progress } = context;
  const log = (line: string) => progress.note(line);
  const opened = { isService: true, log };
  const stores = await (source.kind === 'store' ? requireShared(config, opened) : openShared(config, opened));
  try {
    const isImport = source.kind !== 'directory' && source.kind !== 'store';
    if (isImport && stores) await prepareImportKey(config, stores);
    const local = await localLedger(source, config);
    // Refused here, so that the server does not start; later it would only be a line in a log.
    await readCompanions(config.companions, local.verifiers);
    const { ledgerSigningKey: keyFile } = config;
    if (keyFile && source.kind !== 'store')
      assertMaySign(await readSigners({ ledger: local.ledger, keyFile }), local.verifiers);
    const sharing = stores && (await keepShared(source, local, { config, stores, signal, log }));
    const imports = isImport
      ? importing(source, config, { now: clockOf(stores, context), log, stores, turnMs: 0, signal })
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
 * the present fault; null for a folder that a process of another ledger keeps.
 */
async function keepShared(
  source: LedgerSource,
  local: LocalLedger,
  {
    config,
    stores,
    signal,
    log,
  }: { config: SourceConfig; stores: SharedStores; signal: AbortSignal; log: (line: string) => void },
): Promise<(() => string | null) | null> {
  let present: string | null = null;
  const report = (does: string) => (fault: Error | null) => {
    present = fault && `the ledger is not ${does}${fault instanceof CathedralError ? `: ${fault.code}` : ''}`;
    log(fault ? `The ledger is not ${does}: ${fault.message}` : `The ledger is ${does} again.`);
  };
  const own = source.kind === 'directory';
  const folder = sharedFolder(
    own || source.kind === 'store' ? 'replica' : 'import',
    local,
    { ...config, wait: 0 },
    stores,
    log,
  );
  if (own) {
    if (followerOf(source.path)) return null;
    await keepSharing(source.path, folder.sharer, { report: report('shared'), signal });
  } else {
    const onUpdate = (updated: Updated) => folder.tell(updated);
    await keepReplica(folder.replica, stores.shared, {
      report: report('taken from the others'),
      onUpdate,
      signal,
    });
  }
  return () => present;
}

interface Importing {
  now: () => number;
  log: (line: string) => void;
  /** Null: this machine is the only one that imports. */
  stores: SharedStores | null;
  /** How long to wait for another machine that imports, ms. Default: as for another writer of the folder. */
  turnMs?: number;
}

function importing(
  source: RemoteSource,
  config: FollowConfig,
  { signal, ...means }: Importing & { signal: AbortSignal },
): ImportProgress {
  const imports: ImportProgress = { succeededAt: null, failures: 0, unread: null };
  void importPeriodically({
    progress: imports,
    now: means.now,
    async importNew() {
      // If another machine imports at this moment, this one gets the events from it.
      const report = await importNew(
        source,
        means.stores ? { ...config, wait: Math.min(config.wait, FOLDER_WAIT_S) } : config,
        means,
      ).catch((error) => {
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

/**
 * Imports what a source has beyond the import folder; waits for another import into the same folder, and of many machines for one on
 * another.
 */
async function importNew(
  source: RemoteSource,
  config: SourceConfig,
  { now, log, stores, turnMs }: Importing,
  auditWindows = 1,
): Promise<ImportReport> {
  const { importFolder: directory, wait, importFull: full = false } = config;
  if (stores) await prepareImportKey(config, stores);
  else assertNotShared(directory);
  const { signers, verifiers, salts: secret, fingerprint } = await importer(source, config);
  await writeVerifier(besideLedger(directory, '.vkey'), signers[0].verifier);
  const options = { directory, signers, verifiers, secret, now, waitMs: wait * 1000, full, auditWindows };
  const work = async (): Promise<ImportReport> => {
    if (source.kind !== 'civic') return importRows({ ...options, source: await rowSource(source, config) });
    return importRows({ ...options, source: civicSource({ baseUrl: source.url }) }).catch((error: Error) => {
      if (!isDiskFull(error)) throw error;
      // The import collects events in the temporary folder until it has all of them.
      throw diskFull(`${directory} or ${tmpdir()}`, error.message, error);
    });
  };
  if (!stores) return work();
  const folder = sharedFolder('import', { ledger: directory, verifiers }, config, stores, log);
  return folder.import(fingerprint, turnMs ?? wait * 1000, work);
}

/** The first machine that imports makes the key; the others need a copy of it. Throws config_invalid, and store_failed without a key. */
async function prepareImportKey({ importKey }: SourceConfig, { shared }: SharedStores): Promise<void> {
  if (!existsSync(importKey)) {
    const known = await shared.knownImportKey();
    if (known === null) return;
    const expected = `a copy of the import key of the other machines, whose fingerprint is ${known}`;
    throw badKeyFile(importKey, expected, 'no file');
  }
  const own = fingerprintOf(await readSecret(importKey));
  // Each import asks again.
  const known = await shared.knownImportKey().catch(() => null);
  assertSameKey(shared.name, known, own);
}

/** Puts the verifier key of an imported ledger beside it, where the commands for ledgers look for it, unless there is a file. */
async function writeVerifier(path: string, verifier: Verifier): Promise<void> {
  await makeFolder(dirname(path));
  await writeFile(path, `${formatVerifierKey(verifier)}\n`, { flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw badKeyFile(path, 'a place for a verifier key', error.code, error);
  });
}

/** The rows of a source that is a table or a file. */
async function rowSource(
  source: Exclude<RemoteSource, { kind: 'civic' }>,
  { mapping }: SourceConfig,
): Promise<RowSource> {
  const how = mapping === null ? null : await readMapping(mapping);
  if (how?.isWide)
    throw new CathedralError('config_invalid', {
      place: `${mapping}#/events`,
      expected: 'one event for each row of a source: a view or a query gives rows of a wide table',
      found: '"events", which `ledger append` reads',
    });
  if (source.kind === 'postgres') return postgresSource(parsePostgresAddress(source.url), how);
  return fileSource(source.kind, source.path, how);
}

/**
 * Who signs imported ledger snapshots, whose signatures count, and the secret that salts events. Rows may follow the genesis of a ledger that
 * `ledger init` made in the import folder, so their snapshots are signed with that ledger's key where it is given.
 */
async function importer(
  source: RemoteSource,
  { importKey, importFolder, ledgerKey, ledgerSigningKey, mustExist = false }: SourceConfig,
) {
  if (!mustExist) await makeSecret(importKey);
  const secret = await readSecret(importKey);
  const derived = signerFromSeed(originOf(source), derive(secret, 'signing key'));
  const salts = derive(secret, 'salts');
  const fingerprint = fingerprintOf(secret);
  if (source.kind === 'civic')
    return { signers: [derived] as const, verifiers: [derived.verifier], salts, fingerprint };
  const own = ledgerSigningKey
    ? await readSigners({ ledger: importFolder, keyFile: ledgerSigningKey })
    : ([derived] as const);
  const file = ledgerKey ?? besideLedger(importFolder, '.vkey');
  const known = ledgerKey !== null || existsSync(file) ? await readVerifiers(file) : [];
  // Another import key derives another key of the same name, and its snapshots are refused as before.
  const others = known.filter(({ name }) => name !== derived.verifier.name);
  return { signers: own, verifiers: [...others, ...own.map(({ verifier }) => verifier)], salts, fingerprint };
}

/** The log origin of an imported ledger, which is part of its key's name: no space and no plus sign. */
function originOf(source: RemoteSource): string {
  if ('path' in source) return `${encodeURIComponent(basename(source.path))}/imported`;
  const { host, pathname } = new URL(source.url);
  return source.kind === 'civic' ? `${host}/imported` : `${host}${pathname.replaceAll('+', '%2B')}/imported`;
}

/** Makes the secret of imports unless it exists, readable by its owner only. */
async function makeSecret(path: string): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error) => {
      if (error.code !== 'EEXIST') throw badKeyFile(path, 'a place for a new key', error.code, error);
    },
  );
}

async function readSecret(path: string): Promise<Buffer> {
  const hex = (await readKeyFile(path)).trim();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw badKeyFile(path, '64 hex digits', 'other text');
  return Buffer.from(hex, 'hex');
}

/** Tells import keys apart, and reveals nothing about them. */
function fingerprintOf(secret: Buffer): string {
  return Buffer.from(derive(secret, 'fingerprint')).toString('hex').slice(0, 16);
}

/** One secret, several uses that reveal nothing about each other (RFC 5869). */
function derive(secret: Buffer, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `cathedral import: ${use}`, 32));
}

async function readKeyFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badKeyFile(path, 'a readable file', error.code ?? error.message, error);
  });
}

function badKeyFile(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}
