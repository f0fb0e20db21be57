import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCompanions } from '../../pipeline/artifacts/read-companions.ts';
import type { Flag } from '../../pipeline/config/setting.ts';
import type { Config, LedgerSource } from '../../pipeline/config/settings.ts';
import { diskFull, isDiskFull } from '../../pipeline/disk/durable.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { type ImportReport, importCivicLedger } from '../../pipeline/ledger/civic/import.ts';
import { parseVerifierKey, type Verifier } from '../../pipeline/ledger/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/signer-from-seed.ts';
import { importPeriodically } from '../sidecar/live/import-periodically.ts';
import { type Context, SWITCH } from './command.ts';

export const SOURCE_SETTINGS = ['ledgerKey', 'importFolder', 'importKey', 'wait'] as const;
export type SourceConfig = Pick<Config, (typeof SOURCE_SETTINGS)[number]> & {
  importFull?: boolean;
  /** For a command that only reads: it makes no import key, so an import must have been made before. */
  mustExist?: boolean;
};

export const importFull = {
  flag: 'full',
  description:
    'Reads all of a remote ledger, and compares every event with the one that was imported before.',
  ...SWITCH,
} as const satisfies Flag;

/** Pages of older events that a command compares again. The server imports every minute and compares one. */
const AUDIT_PAGES = 25;

/** A ledger on the disk, and the keys that may have signed it. */
export interface LocalLedger {
  ledger: string;
  verifiers: Verifier[];
}

/** The ledger as a folder. New events of a remote ledger are imported first. */
export async function openSource(
  source: LedgerSource,
  config: SourceConfig,
  context: Context,
): Promise<LocalLedger> {
  const { progress, now } = context;
  if (source.kind === 'civic') {
    progress.stage(`importing ${source.url}`);
    const { imported, sealed, findings } = await importNew(source.url, config, now, AUDIT_PAGES);
    progress.note(`new events imported: ${imported}, snapshots sealed: ${sealed.length}`);
    for (const { kind, message } of findings) progress.note(`finding: ${kind}: ${message}`);
  }
  return localLedger(source, config);
}

/** The ledger as a folder; of a remote ledger, what was imported before. */
export async function localLedger(source: LedgerSource, config: SourceConfig): Promise<LocalLedger> {
  if (source.kind === 'directory')
    return { ledger: source.path, verifiers: await readVerifiers(config.ledgerKey) };
  const { signer } = await importer(source.url, config);
  return { ledger: config.importFolder, verifiers: [signer.verifier] };
}

/** The folder of a ledger; of a remote one, where it is imported to. */
export function ledgerFolder(source: LedgerSource, { importFolder }: Pick<Config, 'importFolder'>): string {
  return source.kind === 'directory' ? source.path : importFolder;
}

export const FOLLOW_SETTINGS = [...SOURCE_SETTINGS, 'importInterval'] as const;
type FollowConfig = Pick<Config, (typeof FOLLOW_SETTINGS)[number] | 'companions'>;

/**
 * The ledger that the live state follows. A remote one is imported repeatedly until `signal` aborts, first after one
 * interval; events imported before are followed from the start. Throws config_invalid, also for companions that this ledger
 * must not have.
 */
export async function followLedger(
  source: LedgerSource,
  config: FollowConfig,
  { now, progress }: Pick<Context, 'now' | 'progress'>,
  signal: AbortSignal,
): Promise<LocalLedger> {
  if (source.kind === 'civic') {
    void importPeriodically({
      importNew: () => importNew(source.url, config, now),
      intervalMs: config.importInterval * 1000,
      report: (error) =>
        progress.note(`The remote ledger could not be imported: ${(error as Error).message}`),
      sleep: (ms, ending) => sleep(ms, undefined, { signal: ending, ref: false }),
      signal,
    });
  }
  const local = await localLedger(source, config);
  // Refused here, so that the server does not start; later it would only be a line in a log.
  await readCompanions(config.companions, local.verifiers);
  return local;
}

/** The keys in a file, one per line. Throws config_invalid. */
export async function readVerifiers(path: string): Promise<Verifier[]> {
  const keys = (await readKeyFile(path)).split('\n').filter((line) => line.trim() !== '');
  if (keys.length === 0) throw badKeyFile(path, 'a verifier key', 'none');
  return keys.map(parseVerifierKey);
}

/** Imports what a remote ledger has beyond the import folder; waits for another import into the same folder. */
async function importNew(
  baseUrl: string,
  config: SourceConfig,
  now: () => number,
  auditPages = 1,
): Promise<ImportReport> {
  const { importFolder: directory, wait, importFull: full = false } = config;
  const { signer, salts } = await importer(baseUrl, config);
  const options = { baseUrl, directory, signer, secret: salts, now: now(), full, auditPages };
  return importCivicLedger({ ...options, waitMs: wait * 1000 }).catch((error: Error) => {
    if (!isDiskFull(error)) throw error;
    // The import collects events in the temporary folder until it has all of them.
    throw diskFull(`${directory} or ${tmpdir()}`, error.message, error);
  });
}

/** Who signs imported ledger snapshots, and the secret that salts their events. */
async function importer(baseUrl: string, { importKey, mustExist = false }: SourceConfig) {
  if (!mustExist) await makeSecret(importKey);
  const secret = await readSecret(importKey);
  const origin = `${new URL(baseUrl).host}/imported`;
  return {
    signer: signerFromSeed(origin, derive(secret, 'signing key')),
    salts: derive(secret, 'salts'),
  };
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
