import { readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { replaceFile } from '../../disk/durable.ts';
import { givenText } from '../../disk/read-given.ts';
import { realOf } from '../../disk/real-path.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { DAY_MS } from '../../words/day.ts';
import { counted } from '../../words/number.ts';
import {
  type NoteKey,
  newNoteKey,
  readNoteKeys,
  signerOf,
  verifierKeyOf,
  writeNoteKeys,
} from '../notes/note-keys.ts';
import { openDirectory, type SnapshotFile } from '../reading/directory.ts';
import { readVerifiers } from '../reading/ledger-verifiers.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import type { Signers } from './head-and-snapshot-files.ts';
import { lockLedger } from './lock-ledger.ts';

const refusal = errorOf('key_refused');
const badKeyFile = errorOf('config_invalid');

/** The files of a ledger's keys. */
export interface LedgerKeyFiles {
  /** The ledger's folder. */
  ledger: string;
  /** The signing keys, the one that stays first; only its owner can read it. */
  keyFile: string;
  /** The verifier keys of which one has signed each checkpoint, one per line. */
  verifierFile: string;
}

/** The keys that sign a ledger's checkpoints. Throws config_invalid. */
export async function readSigners({
  ledger,
  keyFile,
}: Omit<LedgerKeyFiles, 'verifierFile'>): Promise<Signers> {
  assertOutside(ledger, keyFile);
  const [first, ...others] = (await requireKeys(keyFile)).map(signerOf);
  return [first!, ...others];
}

/** Whoever can read a ledger must not get a secret, and a copy of a ledger must not contain it. Throws config_invalid. */
export function assertOutside(
  ledger: string,
  path: string,
  { setting, what } = { setting: '--ledger-signing-key', what: 'a file' },
): void {
  if (!`${realOf(path)}${sep}`.startsWith(`${realOf(ledger)}${sep}`)) return;
  throw badKeyFile(setting, `${what} outside the ledger`, path);
}

interface KeyChange extends LedgerKeyFiles {
  /** ms since 1970 */
  now: number;
  /** How long to wait for another writer of the ledger, ms. */
  waitMs: number;
}

/**
 * Adds a new key in front of the current one. From the next ledger snapshot on, both sign. Publishes the new key in the file of verifier
 * keys. Throws key_refused, config_invalid, locked and the errors of writing a file.
 */
export async function rotateLedgerKey({ now, ...change }: KeyChange): Promise<NoteKey[]> {
  return changing(change, (keys) => {
    if (keys.length > 1) {
      const expected = 'one key (first: cathedral ledger retire)';
      throw refusal(change.keyFile, expected, counted(keys.length, 'key'));
    }
    return [newNoteKey(keys[0]!.name, now), ...keys];
  });
}

/**
 * Ends a rotation: the older key stops signing. Its verifier key stays in the file, because the earlier checkpoints have no other
 * signature. Refused until the new key is `days` old and has signed the newest checkpoint. Throws as `rotateLedgerKey`.
 */
export async function retireLedgerKey(
  { now, ...change }: KeyChange,
  { days }: { days: number },
): Promise<NoteKey[]> {
  const { ledger, keyFile } = change;
  const newest = (await openDirectory(ledger).snapshots(null)).at(-1);
  return changing(change, (keys) => {
    const [first, ...older] = keys;
    if (older.length === 0) throw refusal(keyFile, 'two keys (first: cathedral ledger rotate)', 'one');
    const age = Math.floor((now - Date.parse(first!.made)) / DAY_MS);
    if (age < days)
      throw refusal(keyFile, `a new key that is ${days} days old (--overlap-days)`, `one of ${age} days`);
    if (newest) assertSignedBy(first!, newest);
    return [first!];
  });
}

function assertSignedBy(key: NoteKey, newest: SnapshotFile): void {
  try {
    readCheckpoint(newest, [signerOf(key).verifier]);
  } catch (cause) {
    if (!(cause instanceof CathedralError && cause.code === 'ledger_signature')) throw cause;
    const expected = 'the new key to have signed the newest ledger snapshot (first: cathedral ledger seal)';
    throw new CathedralError('key_refused', { place: cause.place, expected, found: cause.found, cause });
  }
}

/**
 * `decide` throws if the change is refused. It runs before the lock is taken, because taking it creates a folder and a refused command
 * must create nothing.
 */
async function changing(
  { ledger, keyFile, verifierFile, waitMs }: Omit<KeyChange, 'now'>,
  decide: (keys: NoteKey[]) => NoteKey[],
): Promise<NoteKey[]> {
  assertOutside(ledger, keyFile);
  await openDirectory(ledger).snapshots(null);
  decide(await requireKeys(keyFile));
  await readVerifiers(verifierFile);
  using _ = await lockLedger(ledger, { waitMs, holder: `a change of keys, process ${process.pid}` });
  const keys = decide(await requireKeys(keyFile));
  // First: a checkpoint may never be signed only by keys that are not in this file.
  await publishKeys(verifierFile, keys);
  await writeNoteKeys(keyFile, keys);
  return keys;
}

/** Adds the keys' lines to the file of verifier keys. */
async function publishKeys(path: string, keys: readonly NoteKey[]): Promise<void> {
  const lines = givenText(await readFile(path), path)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const added = keys.map(verifierKeyOf).filter((key) => !lines.includes(key));
  if (added.length > 0) await replaceFile(realOf(path), `${[...lines, ...added].join('\n')}\n`);
}

async function requireKeys(keyFile: string): Promise<NoteKey[]> {
  const keys = await readNoteKeys(keyFile);
  if (keys) return keys;
  throw badKeyFile(
    keyFile,
    'the signing keys of a ledger (cathedral ledger init makes them)',
    'no such file',
  );
}
