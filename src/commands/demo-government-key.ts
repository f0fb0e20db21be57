import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { issueKey } from '../sidecar/keys/issue-key.ts';
import type { KeyStore } from '../sidecar/keys/key-store.ts';
import { hashKey } from '../sidecar/keys/key-text.ts';
import { openKeyStore } from '../sidecar/keys/sqlite-key-store.ts';

interface DemoKeyOptions {
  /** Of the key store. The key itself, which the store does not hold, is in a file beside it. */
  keys: string;
  baseUrl: string;
  now: () => number;
}

/** A government key of the demo for as long as it is good, then another one; so a visitor may try the restricted files. */
export async function demoGovernmentKey({ keys, baseUrl, now }: DemoKeyOptions): Promise<string> {
  const store = openKeyStore(keys);
  try {
    const path = `${keys}.demo`;
    const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (kept !== '' && (await isGood(store, kept, now()))) return kept;
    const { key } = await issueKey(APPLICANT, { store, mailer: null, now, randomBytes, baseUrl });
    await writeFile(path, `${key!}\n`, { mode: 0o600 });
    return key!;
  } finally {
    await store.close();
  }
}

const APPLICANT = {
  tier: 'government',
  email: 'visitor@demo.example',
  name: 'A visitor of the demo',
  affiliation: 'none',
  purpose: 'To look at the restricted files of a made-up ledger',
  basis: 'a demo: the data is made up',
  deliver: 'print',
};

async function isGood(store: KeyStore, key: string, now: number): Promise<boolean> {
  const record = await store.keyByHash(hashKey(key));
  return record !== null && record.revokedAt === null && record.expiresAt > now;
}
