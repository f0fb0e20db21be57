import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { signNote, type Verifier } from '../ledger/notes/note.ts';
import {
  type NoteKey,
  newNoteKey,
  readNoteKeys,
  signerOf,
  verifierKeyOf,
  writeNoteKeys,
} from '../ledger/notes/note-keys.ts';
import { type LedgerDirectory, snapshotFile } from '../ledger/reading/directory.ts';
import { readVerifierKeys } from '../ledger/reading/ledger-verifiers.ts';
import { readCheckpoint } from '../ledger/reading/read-checkpoint.ts';
import type { NewFile } from '../release/format/manifest.ts';
import type { Proof, Provable } from '../release/format/proof-files.ts';
import type { Published } from '../release/format/release.ts';
import { fileRecords } from '../release/signing/file-records.ts';
import { withSharedKeys } from '../release/signing/shared-keys.ts';
import {
  assertExtendsLast,
  assertOneFolder,
  isStillCurrent,
  type SigningPlace,
  signRelease,
} from '../release/signing/sign-release.ts';
import {
  recordSnapshots,
  type Signed,
  type SigningRecords,
  type SnapshotHashes,
} from '../release/signing/signing-record.ts';
import { counted } from '../words/number.ts';
import { keysFile } from './keys-file.ts';
import { assertSnapshotsIntact } from './snapshots/restore.ts';

export type PublisherOptions =
  | {
      kind: 'signs';
      /** Created by the first run if nothing was published before. */
      keyFile: string;
      /** Default: the file beside the keys. */
      records?: SigningRecords;
      /** Verifier keys with which the server signs heads of its access log. Default: none. */
      accessLogKeys?: readonly string[];
      /** ms since 1970 */
      now: () => number;
      /** Continue although signed snapshots are missing. Default false: nothing is published then. */
      givesUp?: boolean;
      /**
       * False: nothing is signed yet, but a second folder, a ledger that was set back, and missing snapshots are refused already. Default: true.
       */
      lasts?: boolean;
    }
  /** For a rebuild that is compared but not signed: the verifier keys that the release shows. */
  | { kind: 'shown'; keys: readonly string[]; accessLogKeys: readonly string[] };

/** Whom a release shows as its publisher. */
export interface Publisher {
  /** Verifier keys, the one that stays first. */
  keys: readonly string[];
  /** Of the access log; see PublisherOptions. */
  accessLogKeys: readonly string[];
  /** Null: the release is not signed. */
  signing: Signing | null;
}

/** What signs, with the keys that are shown, and what is on record of it. */
interface Signing {
  sign: (release: Provable, about: { checkpoint: string; isServed: boolean }) => Promise<Proof>;
  /** Whether the current release needs no refresh. */
  isStillCurrent: (served: Published) => Promise<boolean>;
  /** Signs texts that accompany a signed release. */
  signText: (text: string) => string;
  /** Snapshots that were signed and are lost for good. */
  lost: SnapshotHashes;
  /** Records which snapshots are listed at this address. */
  record: (snapshots: SnapshotHashes) => Promise<void>;
}

/** The ledger. `rebuild`: it may have different snapshots of the same events. */
interface LedgerPlace {
  ledger: LedgerDirectory;
  verifiers: readonly Verifier[];
  rebuild: boolean;
}

/** Paths of the keys, below the service's root. */
export const PUBLISHER_KEYS_PATH = 'publisher.vkey';
const ACCESS_LOG_KEYS_PATH = 'access-log.vkey';

/** Of an address that is not on record: the list in OUT says what was published there. */
const NOTHING_SIGNED = { version: 0, snapshots: {}, lost: {} };

/**
 * The publisher's keys. Creates them if there are none and nothing was signed yet. Throws release_refused if none of them signed the
 * previous release: readers who trust its keys would refuse the next one.
 */
export async function openPublisher(
  options: PublisherOptions | null,
  place: Pick<SigningPlace, 'out' | 'baseUrl' | 'previous'> &
    LedgerPlace & {
      waitMs: number;
      /** Of a new key. */
      keyName: string;
    },
): Promise<Publisher | null> {
  const { previous, out, baseUrl, waitMs, keyName } = place;
  if (options === null) return null;
  if (options.kind === 'shown') {
    const { keys, accessLogKeys } = options;
    return { keys, accessLogKeys, signing: null };
  }
  const {
    keyFile,
    records = fileRecords(keyFile, { waitMs }),
    accessLogKeys = [],
    now,
    givesUp = false,
    lasts = true,
  } = options;
  const keys =
    (await readNoteKeys(keyFile)) ??
    (lasts ? await firstKeys({ ...options, records, keyName }, previous) : null);
  const verifierKeys = keys?.map(verifierKeyOf) ?? null;
  const record = await records.read();
  if (records.isShared) withSharedKeys(record, verifierKeys, keyFile);
  const { services, replaced } = record;
  if (verifierKeys) assertKeysFollow(keyFile, previous, verifierKeys, replaced);
  const signing: SigningPlace = { keyFile, records, out, baseUrl, previous, now };
  const recorded = services[baseUrl];
  if (recorded) {
    // Check this first: a second folder would otherwise be told that it lacks what the first one has.
    await assertOneFolder(recorded, await records.nameOf(out), signing);
    await assertSetBackNowhere(recorded, place, records);
  }
  const lost = await assertSnapshotsIntact(out, recorded ?? NOTHING_SIGNED, givesUp);
  if (!keys || !verifierKeys || !lasts) return null;
  const [first, ...others] = keys.map(signerOf);
  const own: Signing = {
    // A release that is never current must not look fresh: it is valid as long as its data would be.
    sign: (release, { checkpoint, isServed }) =>
      signRelease(
        release,
        { checkpoint, signers: [first!, ...others] },
        { ...signing, now: isServed ? now : () => 0 },
      ),
    isStillCurrent: (served) => isStillCurrent(served, signing),
    signText: (text) => signNote(text, first!, ...others),
    lost,
    record: (snapshots) => recordSnapshots(signing, { snapshots, lost }),
  };
  return { keys: verifierKeys, accessLogKeys, signing: own };
}

/** The verifier keys that a release shows, as files of it, one key per line. */
export function keyFilesOf({ keys, accessLogKeys }: Publisher): NewFile[] {
  const own = keysFile(PUBLISHER_KEYS_PATH, keys);
  return accessLogKeys.length === 0 ? [own] : [own, keysFile(ACCESS_LOG_KEYS_PATH, accessLogKeys)];
}

/** What a release shows, for a rebuild of it: its publisher's keys, and the folder of its public files. */
export async function shownBy(keys: readonly string[], folder: string): Promise<PublisherOptions | null> {
  if (keys.length === 0) return null;
  return { kind: 'shown', keys, accessLogKeys: await readVerifierKeys(join(folder, ACCESS_LOG_KEYS_PATH)) };
}

async function firstKeys(
  {
    keyFile,
    records,
    keyName,
    now,
  }: Extract<PublisherOptions, { kind: 'signs' }> & {
    records: SigningRecords;
    keyName: string;
  },
  previous: Published | null,
): Promise<NoteKey[]> {
  const { isShared } = records;
  if (isShared) withSharedKeys(await records.read(), null, keyFile);
  if (previous?.manifest.signed) throw lostKey(keyFile, previous, 'no such file');
  return records.change('first keys', async (record) => {
    // Another folder's first run may have created them meanwhile.
    const found = await readNoteKeys(keyFile);
    if (found) return { record: null, result: found };
    if (isShared) withSharedKeys(record, null, keyFile);
    const made = [newNoteKey(keyName, now())];
    await writeNoteKeys(keyFile, made);
    const keys = made.map(verifierKeyOf);
    return { record: isShared ? withSharedKeys(record, keys, keyFile) : null, result: made };
  });
}

function assertKeysFollow(
  keyFile: string,
  previous: Published | null,
  keys: readonly string[],
  replaced: readonly string[],
): void {
  const before = previous?.manifest.signed?.keys;
  if (!before || before.some((key) => keys.includes(key))) return;
  if (before.every((key) => replaced.includes(key))) return;
  throw lostKey(keyFile, previous, keys.join(', '));
}

/**
 * Asserts that the ledger contains what was signed last, whatever the output folder says: both may come from one old back-up. Throws
 * release_refused, and the errors of `readCheckpoint`.
 */
async function assertSetBackNowhere(
  recorded: Signed,
  { ledger, verifiers, rebuild }: LedgerPlace,
  records: SigningRecords,
): Promise<void> {
  const newest = (await ledger.snapshots(null)).at(-1);
  const { as_of: timestamp, release } = recorded;
  const files = [newest, rebuild ? undefined : snapshotFile(ledger.path, release.replace(/-[0-9a-f]+$/, ''))];
  for (const file of files) {
    if (!file || !existsSync(file.checkpoint)) continue;
    const { origin, size, root } = readCheckpoint(file, verifiers).checkpoint;
    assertExtendsLast(recorded, { timestamp, ledger: { origin, size, root } }, records);
    if (file === newest || size === recorded.ledger.size) continue;
    const place = `snapshots/${file.id}.checkpoint`;
    const expected = `${counted(recorded.ledger.size, 'event')}, as signed (nothing is published: restore the ledger that was published)`;
    throw new CathedralError('release_refused', { place, expected, found: counted(size, 'event') });
  }
}

function lostKey(place: string, previous: Published | null, found: string): CathedralError {
  const { release, signed } = previous!.manifest;
  const expected =
    `a key that signed ${release}: ${signed!.keys.join(' or ')} (nothing is published: restore the key file from its ` +
    'back-up, or copy that of another publisher; if the key is lost or stolen, see cathedral publisher replace)';
  return new CathedralError('release_refused', { place, expected, found });
}
