import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { LedgerSource } from '../../pipeline/config/publishing-settings.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { type ImportReport, importCivicLedger } from '../../pipeline/ledger/civic/import.ts';
import { parseVerifierKey, type Verifier } from '../../pipeline/ledger/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/signer-from-seed.ts';
import { diskFull, isDiskFull } from '../../pipeline/release/disk/durable.ts';
import { withLock } from '../../pipeline/release/disk/lock.ts';
import type { Context } from './command.ts';

export const SOURCE_SETTINGS = ['ledgerKey', 'importFolder', 'importKey', 'wait'] as const;
export type SourceConfig = Pick<Config, (typeof SOURCE_SETTINGS)[number]> &
  Partial<Pick<Config, 'importFull'>>;

/** Pages of the past that a command compares again; the server, which imports once a minute, compares one. */
const AUDIT_PAGES = 25;

/** A ledger that can be read from the disk, and the keys that may have signed it. */
export interface LocalLedger {
  ledger: string;
  verifiers: Verifier[];
}

/** The ledger as a folder: a remote one is imported first, as far as it has something new. */
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

/** The ledger as a folder, a remote one as far as it was imported. */
export async function localLedger(source: LedgerSource, config: SourceConfig): Promise<LocalLedger> {
  if (source.kind === 'directory')
    return { ledger: source.path, verifiers: await readVerifiers(config.ledgerKey) };
  const { signer } = await importer(source.url, config);
  return { ledger: config.importFolder, verifiers: [signer.verifier] };
}

/** Imports what a remote ledger has beyond the import folder; waits for another import of the same folder. */
export async function importNew(
  baseUrl: string,
  config: SourceConfig,
  now: () => number,
  auditPages = 1,
): Promise<ImportReport> {
  const { importFolder: directory, wait, importFull: full = false } = config;
  const { signer, origin, salts } = await importer(baseUrl, config);
  const holder = `import, process ${process.pid}`;
  const options = { baseUrl, directory, signer, origin, secret: salts, now: now(), full, auditPages };
  return withLock(directory, { waitMs: wait * 1000, holder }, () => importCivicLedger(options)).catch(
    (error: Error) => {
      if (!isDiskFull(error)) throw error;
      // What is read waits in the temporary folder until all of it is there.
      throw diskFull(`${directory} or ${tmpdir()}`, error.message, error);
    },
  );
}

/** The keys of a file, one a line. Throws config_invalid. */
export async function readVerifiers(path: string): Promise<Verifier[]> {
  const keys = (await readKeyFile(path)).split('\n').filter((line) => line.trim() !== '');
  if (keys.length === 0) throw badKeyFile(path, 'a verifier key', 'none');
  return keys.map(parseVerifierKey);
}

/** As whom imported snapshots are signed, and what their events are salted with. */
async function importer(baseUrl: string, { importKey }: SourceConfig) {
  const secret = await readSecret(importKey);
  const origin = `${new URL(baseUrl).host}/imported`;
  return {
    origin,
    signer: signerFromSeed(origin, derive(secret, 'signing key')),
    salts: derive(secret, 'salts'),
  };
}

/** The import's secret, made where there is none: readable by its owner alone. */
async function readSecret(path: string): Promise<Buffer> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error) => {
      if (error.code !== 'EEXIST') throw badKeyFile(path, 'a place for a new key', error.code, error);
    },
  );
  const hex = (await readKeyFile(path)).trim();
  if (!/^[0-9a-f]{64}$/.test(hex)) throw badKeyFile(path, '64 hex digits', 'something else');
  return Buffer.from(hex, 'hex');
}

/** One secret, two uses that tell nothing about each other (RFC 5869). */
function derive(secret: Buffer, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `cathedral import: ${use}`, 32));
}

async function readKeyFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badKeyFile(path, 'a file that can be read', error.code ?? error.message, error);
  });
}

function badKeyFile(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}
