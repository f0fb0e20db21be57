import { hkdfSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../disk/durable.ts';
import { readGiven } from '../../disk/read-given.ts';
import { errorOf } from '../../errors.ts';

export const badImportKey = errorOf('config_invalid');

/** The secret of imports: from it come the key that signs imported snapshots, and the salts of events. */
export interface ImportKey {
  /** 32 bytes. */
  signingSeed: Uint8Array;
  salts: Uint8Array;
  /** Tells import keys apart, and reveals nothing about them. */
  fingerprint: string;
}

/** Throws config_invalid. */
export async function readImportKey(path: string): Promise<ImportKey> {
  const text = (await readGiven(path)).toString().trim();
  if (!/^[0-9a-f]{64}$/.test(text)) throw badImportKey(path, '64 hex digits', 'other text');
  const secret = Buffer.from(text, 'hex');
  return {
    signingSeed: derive(secret, 'signing key'),
    salts: derive(secret, 'salts'),
    fingerprint: Buffer.from(derive(secret, 'fingerprint')).toString('hex').slice(0, 16),
  };
}

/** Makes the secret unless it exists, readable by its owner only. Throws config_invalid. */
export async function makeImportKey(path: string): Promise<void> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const secret = `${randomBytes(32).toString('hex')}\n`;
  await writeFile(path, secret, { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (error.code !== 'EEXIST') throw badImportKey(path, 'a place for a new key', error.code, error);
  });
}

/** One secret, several uses that reveal nothing about each other (RFC 5869). */
function derive(secret: Buffer, use: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `cathedral import: ${use}`, 32));
}
