import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { CathedralError } from '../errors.ts';
import { openDirectory, snapshotFile } from '../ledger/directory.ts';
import { formatVerifierKey, signNote, type Verifier } from '../ledger/note.ts';
import { readCheckpoint } from '../ledger/read-checkpoint.ts';
import { withLock } from '../release/disk/lock.ts';
import type { Manifest, NewFile } from '../release/format/manifest.ts';
import type { Proof } from '../release/format/proof-files.ts';
import type { Published } from '../release/format/release.ts';
import { type PublisherKey, signerOf } from '../release/signing/publisher-key-file.ts';
import { newPublisherKey, readPublisherKeys, writePublisherKeys } from '../release/signing/publisher-keys.ts';
import {
  assertFollows as assertExtendsLast,
  assertOneFolder,
  isStillCurrent,
  type SigningPlace,
  signRelease,
} from '../release/signing/sign-release.ts';
import {
  type RecordedSnapshots,
  readSigningRecord,
  recordSnapshots,
  type Signed,
  signingFolder,
} from '../release/signing/signing-record.ts';
import { keysFile } from './keys-file.ts';

export type PublisherOptions =
  | {
      kind: 'signs';
      /** Made by the first run, where nothing was published before. */
      keyFile: string;
      /** Of a key that is made. */
      name: string;
      /** ms since 1970 */
      now: () => number;
    }
  /** For a rebuild that is compared and not signed: whose verifier keys the release shows. */
  | { kind: 'shown'; keys: readonly string[] };

/** By whom a release is signed. */
export interface Publisher {
  /** Verifier keys, the one that stays first. */
  keys: readonly string[];
  /** Null: the release is not signed. */
  sign: ((release: Manifest, about: { checkpoint: string; isServed: boolean }) => Promise<Proof>) | null;
  /** Whether a release that is served need not be signed again. Null like `sign`. */
  isStillCurrent: ((served: Published) => Promise<boolean>) | null;
  /** Signs what goes with a release that was signed, by the same keys. Null like `sign`. */
  signText: ((text: string) => string) | null;
  /** The snapshots that were listed at this address, and how to put those on record that will be. Null like `sign`. */
  snapshots: {
    recorded: RecordedSnapshots & { version: number };
    record: (next: RecordedSnapshots) => Promise<void>;
  } | null;
}

/** The ledger that is published. `rebuild`: it may have other snapshots of the same events. */
interface LedgerPlace {
  ledger: string;
  verifiers: readonly Verifier[];
  rebuild: boolean;
}

/** Where readers find the keys, below the service's root. */
export const PUBLISHER_KEYS_PATH = 'publisher.vkey';

/**
 * The publisher's keys, made where there are none and nothing was signed yet. Throws release_refused where none of them
 * signed the release before: whoever trusts that one's keys would have to refuse the next.
 */
export async function openPublisher(
  options: PublisherOptions | null,
  { previous, ledger, verifiers, rebuild, ...place }: Omit<SigningPlace, 'keyFile' | 'now'> & LedgerPlace,
): Promise<Publisher | null> {
  if (options === null) return null;
  if (options.kind === 'shown')
    return { keys: options.keys, sign: null, isStillCurrent: null, signText: null, snapshots: null };
  const { keyFile, now } = options;
  const keys =
    (await readPublisherKeys(keyFile)) ?? (await firstKeys(options, { previous, waitMs: place.waitMs }));
  const verifierKeys = keys.map((key) => formatVerifierKey(signerOf(key).verifier));
  await assertFollows(keyFile, previous, verifierKeys);
  const recorded = (await readSigningRecord(keyFile)).services[place.baseUrl];
  if (recorded) {
    // Before a second folder is told that it lacks what the first one has.
    await assertOneFolder(recorded, await realpath(place.out), { keyFile, baseUrl: place.baseUrl });
    await assertSetBackNowhere(recorded, { ledger, verifiers, rebuild }, keyFile);
  }
  const [first, ...others] = keys.map(signerOf);
  return {
    keys: verifierKeys,
    // One that is never served is not to look like a fresh one: it is good for as long as its data are.
    sign: (release, { checkpoint, isServed }) =>
      signRelease(
        release,
        { checkpoint, signers: [first!, ...others] },
        { ...place, previous, keyFile, now: isServed ? now : () => 0 },
      ),
    isStillCurrent: (served) => isStillCurrent(served, { ...place, keyFile, now }),
    signText: (text) => signNote(text, first!, ...others),
    snapshots: {
      recorded: recorded ?? { version: 0, snapshots: {}, lost: {} },
      record: (next) => recordSnapshots({ keyFile, ...place }, next),
    },
  };
}

/** The verifier keys of a release as a file of it, a line each. */
export function publisherKeysFile({ keys }: Publisher): NewFile {
  return keysFile(PUBLISHER_KEYS_PATH, keys);
}

async function firstKeys(
  { keyFile, name, now }: Extract<PublisherOptions, { kind: 'signs' }>,
  { previous, waitMs }: Pick<SigningPlace, 'previous' | 'waitMs'>,
): Promise<PublisherKey[]> {
  if (previous?.manifest.signed) throw lost(keyFile, previous, 'no such file');
  const holder = `first keys, process ${process.pid}`;
  return withLock(signingFolder(keyFile), { waitMs, holder }, async () => {
    // Another folder's first run may have made them meanwhile.
    const found = await readPublisherKeys(keyFile);
    if (found) return found;
    const made = [newPublisherKey(name, now())];
    await writePublisherKeys(keyFile, made);
    return made;
  });
}

async function assertFollows(
  keyFile: string,
  previous: Published | null,
  keys: readonly string[],
): Promise<void> {
  const before = previous?.manifest.signed?.keys;
  if (!before || before.some((key) => keys.includes(key))) return;
  const { replaced } = await readSigningRecord(keyFile);
  if (before.every((key) => replaced.includes(key))) return;
  throw lost(keyFile, previous, keys.join(', '));
}

/**
 * The ledger holds what was signed last, whatever the folder of releases says: the two may have been put back together from
 * one back-up. Throws release_refused, and what `readCheckpoint` throws.
 */
async function assertSetBackNowhere(
  recorded: Signed,
  { ledger, verifiers, rebuild }: LedgerPlace,
  keyFile: string,
): Promise<void> {
  const newest = (await openDirectory(ledger).snapshots(null)).at(-1);
  const { as_of: timestamp, release } = recorded;
  const files = [newest, rebuild ? undefined : snapshotFile(ledger, release.replace(/-[0-9a-f]+$/, ''))];
  for (const file of files) {
    if (!file || !existsSync(file.checkpoint)) continue;
    const { origin, size, root } = readCheckpoint(file, verifiers).checkpoint;
    assertExtendsLast(recorded, { timestamp, ledger: { origin, size, root } }, keyFile);
    if (file === newest || size === recorded.ledger.size) continue;
    const place = `snapshots/${file.id}.checkpoint`;
    const expected = `${recorded.ledger.size} events, as they were signed (nothing is published: bring back the ledger that was published)`;
    throw new CathedralError('release_refused', { place, expected, found: `${size} events` });
  }
}

function lost(place: string, previous: Published | null, found: string): CathedralError {
  const { release, signed } = previous!.manifest;
  const expected =
    `a key that signed ${release}: ${signed!.keys.join(' or ')} (nothing is published: put the key file back from its ` +
    'backup; where the key is lost or was stolen, see cathedral publisher replace)';
  return new CathedralError('release_refused', { place, expected, found });
}
