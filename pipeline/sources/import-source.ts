import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import type { RemoteSource } from '../config/ledger-address.ts';
import type { Config, SOURCE_SETTINGS } from '../config/settings.ts';
import { diskFull, isDiskFull, makeFolder } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { formatVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { signerFromSeed } from '../ledger/notes/signer-from-seed.ts';
import { besideLedger, readVerifiers } from '../ledger/reading/ledger-verifiers.ts';
import { readSigners } from '../ledger/writing/ledger-keys.ts';
import { civicSource } from './civic/civic-source.ts';
import { fileSource } from './file/file-source.ts';
import { badImportKey, makeImportKey, readImportKey } from './import/import-key.ts';
import { type ImportReport, importRows } from './import/import-rows.ts';
import type { RowFinding, RowSource } from './import/source.ts';
import { parsePostgresAddress } from './postgres/address.ts';
import { postgresSource } from './postgres/postgres-source.ts';
import { readMapping } from './rows/mapping.ts';
import { assertNotShared } from './shared/copied-ledger.ts';
import { assertSameKey, SharedFolder, type SharedStores } from './shared/open-shared.ts';

/** Where a ledger's folder and keys are, and how it is imported or shared. */
export type SourceConfig = Pick<Config, (typeof SOURCE_SETTINGS)[number]> & {
  /** Reads all of a source, and compares every row with what was imported. */
  importFull?: boolean;
  /** Where it is given, the finished slots of a ledger in a folder are sealed first. */
  ledgerSigningKey?: string | null;
  /** For a command that only reads: it makes no import key, so an import must have been made before. */
  mustExist?: boolean;
};

export interface Importing {
  now: () => number;
  log: (line: string) => void;
  /** Null: this machine is the only one that imports. */
  stores: SharedStores | null;
  /** How long to wait for another machine that imports, ms. Default: as for another writer of the folder. */
  turnMs?: number;
  /** Windows of older rows, which are pages of a remote ledger, that are compared again. Default 1. */
  auditWindows?: number;
}

/**
 * Imports what a source has beyond the import folder; waits for another import into the same folder, and of many machines for one on
 * another.
 */
export async function importSource(
  source: RemoteSource,
  config: SourceConfig,
  { now, log, stores, turnMs, auditWindows = 1 }: Importing,
): Promise<ImportReport> {
  const { importFolder: directory, wait, importFull: full = false } = config;
  if (stores) await prepareImportKey(config, stores);
  else assertNotShared(directory);
  const { signers, verifiers, salts: secret, fingerprint } = await importerOf(source, config);
  await writeVerifier(besideLedger(directory, '.vkey'), signers[0].verifier);
  const tell = ({ kind, message }: RowFinding) => log(`finding: ${kind}: ${message}`);
  const how = { now, waitMs: wait * 1000, full, auditWindows, tell };
  const options = { directory, signers, verifiers, secret, ...how };
  const work = async (): Promise<ImportReport> => {
    if (source.kind !== 'civic') return importRows({ ...options, source: await rowSource(source, config) });
    return importRows({ ...options, source: civicSource({ baseUrl: source.url }) }).catch((error: Error) => {
      if (!isDiskFull(error)) throw error;
      // The import collects events in the temporary folder until it has all of them.
      throw diskFull(`${directory} or ${tmpdir()}`, error.message, error);
    });
  };
  if (!stores) return work();
  const local = { ledger: directory, verifiers };
  const folder = new SharedFolder('import', local, wait * 1000, stores, log);
  return folder.import(fingerprint, turnMs ?? wait * 1000, work);
}

/** The first machine that imports makes the key; the others need a copy of it. Throws config_invalid, and store_failed without a key. */
export async function prepareImportKey(
  { importKey }: Pick<SourceConfig, 'importKey'>,
  { shared }: SharedStores,
): Promise<void> {
  if (!existsSync(importKey)) {
    const known = await shared.knownImportKey();
    if (known === null) return;
    const expected = `a copy of the import key of the other machines, whose fingerprint is ${known}`;
    throw badImportKey(importKey, expected, 'no file');
  }
  const { fingerprint } = await readImportKey(importKey);
  // Each import asks again.
  const known = await shared.knownImportKey().catch(() => null);
  assertSameKey(shared.name, known, fingerprint);
}

/**
 * Who signs imported ledger snapshots, whose signatures count, and the secret that salts events. Rows may follow the genesis of a ledger that
 * `ledger init` made in the import folder, so their snapshots are signed with that ledger's key where it is given.
 */
export async function importerOf(
  source: RemoteSource,
  { importKey, importFolder, ledgerKey, ledgerSigningKey, mustExist = false }: SourceConfig,
) {
  if (!mustExist) await makeImportKey(importKey);
  const { signingSeed, salts, fingerprint } = await readImportKey(importKey);
  const derived = signerFromSeed(originOf(source), signingSeed);
  if (source.kind === 'civic')
    return { signers: [derived] as const, verifiers: [derived.verifier], salts, fingerprint };
  const signers = ledgerSigningKey
    ? await readSigners({ ledger: importFolder, keyFile: ledgerSigningKey })
    : ([derived] as const);
  const file = ledgerKey ?? besideLedger(importFolder, '.vkey');
  const known = ledgerKey !== null || existsSync(file) ? await readVerifiers(file) : [];
  // Another import key derives another key of the same name, and its snapshots are refused as before.
  const others = known.filter(({ name }) => name !== derived.verifier.name);
  return { signers, verifiers: [...others, ...signers.map(({ verifier }) => verifier)], salts, fingerprint };
}

/** The log origin of an imported ledger, which is part of its key's name: no space and no plus sign. */
function originOf(source: RemoteSource): string {
  if ('path' in source) return `${encodeURIComponent(basename(source.path))}/imported`;
  const { host, pathname } = new URL(source.url);
  return source.kind === 'civic' ? `${host}/imported` : `${host}${pathname.replaceAll('+', '%2B')}/imported`;
}

/** Puts the verifier key of an imported ledger beside it, where the commands for ledgers look for it, unless there is a file. */
async function writeVerifier(path: string, verifier: Verifier): Promise<void> {
  await makeFolder(dirname(path));
  await writeFile(path, `${formatVerifierKey(verifier)}\n`, { flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw badImportKey(path, 'a place for a verifier key', error.code, error);
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
