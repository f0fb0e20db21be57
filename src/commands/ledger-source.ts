import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCompanions } from '../../pipeline/artifacts/read-companions.ts';
import type { Flag } from '../../pipeline/config/setting.ts';
import {
  type Config,
  type LedgerSource,
  nameOfSource,
  type RemoteSource,
} from '../../pipeline/config/settings.ts';
import { diskFull, isDiskFull } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { importCivicLedger } from '../../pipeline/ledger/civic/import.ts';
import { INDEX_FILES } from '../../pipeline/ledger/civic/known-events.ts';
import {
  keyFileBeside,
  ledgerVerifiers,
  readSigners,
  readVerifiers,
} from '../../pipeline/ledger/ledger-keys.ts';
import { assertMaySign } from '../../pipeline/ledger/ledger-writer.ts';
import { formatVerifierKey, type Verifier } from '../../pipeline/ledger/note.ts';
import { readMapping } from '../../pipeline/ledger/rows/mapping.ts';
import { signerFromSeed } from '../../pipeline/ledger/signer-from-seed.ts';
import { fileSource } from '../../pipeline/ledger/sources/file/file-source.ts';
import { importRows } from '../../pipeline/ledger/sources/import-rows.ts';
import { parsePostgresAddress } from '../../pipeline/ledger/sources/postgres/address.ts';
import { postgresSource } from '../../pipeline/ledger/sources/postgres/postgres-source.ts';
import type { RowSource } from '../../pipeline/ledger/sources/source.ts';
import type { ImportProgress } from '../sidecar/health/service-metrics.ts';
import { importPeriodically } from '../sidecar/live/import-periodically.ts';
import { type Context, SWITCH } from './command.ts';
import { ownLedger, sealLedger, sealWarnings } from './ledger/own-ledger.ts';

export const SOURCE_SETTINGS = ['ledgerKey', 'importFolder', 'importKey', 'mapping', 'wait'] as const;
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

/** Pages of older events, or blocks of older rows, that a command compares again. The server imports every minute and compares one. */
const AUDIT_PAGES = 25;

/** A ledger on the disk, and the keys that may have signed it. */
export interface LocalLedger {
  ledger: string;
  verifiers: Verifier[];
}

/** The ledger as a folder. New events of a source are imported first; finished slots are sealed where the key is given. */
export async function openSource(
  source: LedgerSource,
  config: SourceConfig,
  context: Context,
): Promise<LocalLedger> {
  const { progress, now } = context;
  if (source.kind !== 'directory') {
    progress.stage(`importing ${nameOfSource(source)}`);
    const { imported, sealed, findings } = await importNew(source, config, now, AUDIT_PAGES);
    progress.note(`new events imported: ${imported}, snapshots sealed: ${sealed.length}`);
    for (const { kind, message } of findings) progress.note(`finding: ${kind}: ${message}`);
  } else if (config.ledgerSigningKey) {
    progress.stage(`sealing ${source.path}`);
    const { ledgerKey, ledgerSigningKey, wait } = config;
    const files = ownLedger({ ledger: source, ledgerKey, ledgerSigningKey });
    const sealed = await sealLedger(files, { quiet: 'alive', waitMs: wait * 1000, now });
    if (sealed.snapshots.length > 0) progress.note(`snapshots sealed: ${sealed.snapshots.length}`);
    for (const warning of sealWarnings(sealed, files.ledger, now())) progress.note(warning);
  }
  return localLedger(source, config);
}

/** The ledger as a folder; of a source, what was imported before. */
export async function localLedger(source: LedgerSource, config: SourceConfig): Promise<LocalLedger> {
  if (source.kind === 'directory')
    return { ledger: source.path, verifiers: await ledgerVerifiers(config.ledgerKey, source.path) };
  const { verifiers } = await importer(source, config);
  return { ledger: config.importFolder, verifiers };
}

/** The folder of a ledger; of a source, where it is imported to. */
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
  const isImported = existsSync(join(source.path, INDEX_FILES[0]));
  if (isImported) throw refused(`${source.path}, which is imported from a remote ledger`);
  return { ledger: source.path, verifiers: await ledgerVerifiers(ledgerKey, source.path) };
}

export const FOLLOW_SETTINGS = [...SOURCE_SETTINGS, 'importInterval'] as const;
type FollowConfig = Pick<Config, (typeof FOLLOW_SETTINGS)[number] | 'companions'> & {
  ledgerSigningKey?: string | null;
};

/**
 * The ledger that the live state follows. A source is imported repeatedly until `signal` aborts, first after one
 * interval; events imported before are followed from the start. Throws config_invalid, also for companions that this ledger
 * must not have.
 */
export async function followLedger(
  source: LedgerSource,
  config: FollowConfig,
  { now, progress }: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<LocalLedger & { imports: ImportProgress | null }> {
  const imports = source.kind === 'directory' ? null : { succeededAt: null, failures: 0 };
  if (source.kind !== 'directory') {
    void importPeriodically({
      progress: imports!,
      now,
      async importNew() {
        const { findings } = await importNew(source, config, now);
        for (const { kind, message } of findings) progress.note(`finding: ${kind}: ${message}`);
      },
      intervalMs: config.importInterval * 1000,
      report: (error) => progress.note(`The import failed: ${(error as Error).message}`),
      sleep: (ms, ending) => sleep(ms, undefined, { signal: ending, ref: false }),
      signal,
    });
  }
  const local = await localLedger(source, config);
  // Refused here, so that the server does not start; later it would only be a line in a log.
  await readCompanions(config.companions, local.verifiers);
  const { ledgerSigningKey: keyFile } = config;
  if (keyFile) assertMaySign(await readSigners({ ledger: local.ledger, keyFile }), local.verifiers);
  return { ...local, imports };
}

/** What an import did, whatever its source. */
interface ImportReport {
  imported: number;
  sealed: string[];
  findings: { kind: string; message: string }[];
}

/** Imports what a source has beyond the import folder; waits for another import into the same folder. */
async function importNew(
  source: RemoteSource,
  config: SourceConfig,
  now: () => number,
  auditPages = 1,
): Promise<ImportReport> {
  const { importFolder: directory, wait, importFull: full = false } = config;
  const { signers, verifiers, salts: secret } = await importer(source, config);
  await writeVerifier(keyFileBeside(directory, '.vkey'), signers[0].verifier);
  const common = { directory, secret, full, waitMs: wait * 1000 };
  if (source.kind === 'civic') {
    const options = { ...common, baseUrl: source.url, signer: signers[0], now: now(), auditPages };
    return importCivicLedger(options).catch((error: Error) => {
      if (!isDiskFull(error)) throw error;
      // The import collects events in the temporary folder until it has all of them.
      throw diskFull(`${directory} or ${tmpdir()}`, error.message, error);
    });
  }
  const rows = await rowSource(source, config);
  return importRows({ ...common, signers, verifiers, source: rows, now, auditBlocks: auditPages });
}

/** Puts the verifier key of an imported ledger beside it, where the commands for ledgers look for it, unless there is a file. */
async function writeVerifier(path: string, verifier: Verifier): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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
  if (source.kind === 'civic') return { signers: [derived] as const, verifiers: [derived.verifier], salts };
  const own = ledgerSigningKey
    ? await readSigners({ ledger: importFolder, keyFile: ledgerSigningKey })
    : ([derived] as const);
  const file = ledgerKey ?? keyFileBeside(importFolder, '.vkey');
  const known = ledgerKey !== null || existsSync(file) ? await readVerifiers(file) : [];
  // Another import key derives another key of the same name, and its snapshots are refused as before.
  const others = known.filter(({ name }) => name !== derived.verifier.name);
  return { signers: own, verifiers: [...others, ...own.map(({ verifier }) => verifier)], salts };
}

/** The log origin of an imported ledger, which is part of its key's name: no space and no plus sign. */
function originOf(source: RemoteSource): string {
  if ('path' in source) return `${encodeURIComponent(basename(source.path))}/imported`;
  const { host, pathname } = new URL(source.url);
  return source.kind === 'civic' ? `${host}/imported` : `${host}${pathname.replaceAll('+', '%2B')}/imported`;
}

/** Makes the secret of imports unless it exists, readable by its owner only. */
async function makeSecret(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
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

/** One secret, two uses that reveal nothing about each other (RFC 5869). */
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
