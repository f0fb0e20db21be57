import { type CathedralError, errorOf } from '../../errors.ts';
import {
  type NoteKey,
  newNoteKey,
  readNoteKeys,
  verifierKeyOf,
  writeNoteKeys,
} from '../../ledger/notes/note-keys.ts';
import { DAY_MS } from '../../words/day.ts';
import { counted } from '../../words/number.ts';
import { type Published, readCurrent } from '../format/release.ts';
import { withChangedKeys } from './shared-keys.ts';
import type { SigningRecord, SigningRecords } from './signing-record.ts';

const refusal = errorOf('release_refused');

export interface KeyChange {
  keyFile: string;
  records: SigningRecords;
  /** ms since 1970 */
  now: number;
}

/** The keys in the file. Throws release_refused if the file does not exist. */
export async function requireKeys(keyFile: string): Promise<NoteKey[]> {
  const keys = await readNoteKeys(keyFile);
  if (keys) return keys;
  throw noKeys(keyFile);
}

/** Adds a new key in front of the current one. From the next release on, both sign. */
export async function rotatePublisher({ keyFile, records, now }: KeyChange): Promise<NoteKey[]> {
  return changing({ keyFile, records }, async () => {
    const keys = await requireKeys(keyFile);
    if (keys.length > 1)
      throw refusal(keyFile, 'one key (first: cathedral publisher retire)', counted(keys.length, 'key'));
    return { keys: [newNoteKey(keys[0]!.name, now), ...keys] };
  });
}

/**
 * Ends a rotation: the older key stops signing. Refused until readers could learn of the new key, which must have signed the release
 * in `out` and be `days` old.
 */
export async function retirePublisher(
  { keyFile, records, now }: KeyChange,
  { out, days }: { out: string; days: number },
): Promise<NoteKey[]> {
  return changing({ keyFile, records }, async () => {
    const [first, ...older] = await requireKeys(keyFile);
    if (older.length === 0) throw refusal(keyFile, 'two keys (first: cathedral publisher rotate)', 'one');
    const age = Math.floor((now - Date.parse(first!.made)) / DAY_MS);
    if (age < days)
      throw refusal(keyFile, `a new key that is ${days} days old (--overlap-days)`, `one of ${age} days`);
    const signed = (await readCurrent(out))?.manifest.signed?.keys ?? [];
    const own = verifierKeyOf(first!);
    if (!signed.includes(own))
      throw refusal(out, `a release that ${own} has signed`, signed.join(', ') || 'none');
    return { keys: [first!], retired: older.map(verifierKeyOf) };
  });
}

/**
 * Introduces a key that nothing vouches for, after the old one was lost or stolen. `givesUp`: the id of a key that is in the file or
 * signed the `previous` release, from which the next run continues.
 */
export async function replacePublisher(
  { keyFile, records, now }: KeyChange,
  { previous, givesUp }: { previous: () => Promise<Published | null>; givesUp: string },
): Promise<NoteKey[]> {
  return changing({ keyFile, records }, async (record) => {
    const keys = (await readNoteKeys(keyFile)) ?? [];
    const signed = (await previous())?.manifest.signed?.keys ?? [];
    const shared = record.keys?.current ?? [];
    const old = [...new Set([...signed, ...shared, ...keys.map(verifierKeyOf)])];
    if (old.length === 0) throw noKeys(keyFile);
    if (!old.some((key) => key.split('+')[1] === givesUp))
      throw refusal('--gives-up', `the id in one of ${old.join(', ')}`, givesUp);
    const [name = ''] = old[0]!.split('+');
    return { keys: [newNoteKey(keys[0]?.name ?? name, now)], replaced: old };
  });
}

interface Change {
  /** The new content of the file. */
  keys: NoteKey[];
  /** Verifier keys that are abandoned. */
  replaced?: readonly string[];
  /** Verifier keys whose rotation is over. */
  retired?: readonly string[];
}

/**
 * `decide` throws if the change is refused. It runs before the record is locked, because locking creates a folder and a refused
 * command must create nothing; and again under the lock, because a run may have come in between.
 */
async function changing(
  { keyFile, records }: Omit<KeyChange, 'now'>,
  decide: (record: SigningRecord) => Promise<Change>,
): Promise<NoteKey[]> {
  await decide(await records.read());
  return records.change('publisher', async (record) => {
    const change = await decide(record);
    return {
      // First: a process killed in between would otherwise leave keys that no run accepts.
      record: recordOf(record, change, records),
      result: change.keys,
      afterwards: () => writeNoteKeys(keyFile, change.keys),
    };
  });
}

/** Null: nothing ends. The first run that signs with a new key beside the current one records it. */
function recordOf(
  record: SigningRecord,
  { keys, replaced = [], retired = [] }: Change,
  { isShared }: SigningRecords,
): SigningRecord | null {
  const ends =
    replaced.length > 0 ? { ...record, replaced: [...new Set([...record.replaced, ...replaced])] } : null;
  if (!isShared || (!ends && retired.length === 0)) return ends;
  return withChangedKeys(ends ?? record, keys.map(verifierKeyOf), retired);
}

function noKeys(keyFile: string): CathedralError {
  return refusal(keyFile, 'the publisher’s keys (the first run makes them)', 'no such file');
}
