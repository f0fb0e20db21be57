import { digestOf } from '../ledger/digest.ts';
import type { Verifier } from '../ledger/note.ts';
import { verifyNote } from '../ledger/verify-note.ts';
import { LONGEST, type PublicManifest, SIGNATURE_PATH } from '../release/format/public-manifest.ts';
import {
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  LONGEST_INDEX,
  parseSignedList,
  type SnapshotEntry,
} from '../release/format/snapshot-index.ts';
import type { SignedFile } from '../release/signing/signed-file.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin/origin.ts';
import { readSmall, type SmallFile } from './origin/read-small.ts';
import { parseList, type SnapshotList } from './snapshot-list.ts';

/** A release as its publisher has signed it. */
interface Release {
  manifest: PublicManifest;
  /** Those that sign it; a key that was retired signs no list. */
  keys: readonly Verifier[];
}

export interface SignedList extends SnapshotList {
  /** The note, byte for byte. */
  signature: Uint8Array;
}

const LONGEST_SIGNATURE = LONGEST[SIGNATURE_PATH];

/**
 * The list of snapshots that goes with a release: a key of the release has signed these bytes with its version or a later one,
 * so it is no older list. The list is published before its release, and the next release may be still to come, or its run may
 * have been killed; what such a list has beyond this release is left out. Throws mirror_mismatch, ledger_signature,
 * ledger_corrupt, release_invalid and mirror_unreachable.
 */
export async function readSignedList(origin: Origin, { manifest, keys }: Release): Promise<SignedList> {
  const signature = await need(
    await readSmall(origin, LIST_SIGNATURE_PATH, { most: LONGEST_SIGNATURE }),
    origin,
  );
  const place = origin.placeOf(LIST_SIGNATURE_PATH);
  const { text } = await verifyNote(signature, keys, place);
  const signed = parseSignedList(text, place);
  assertOfRelease(signed, manifest, place);
  const list = await readAsSigned(origin, signed);
  if (signed.version > manifest.version)
    return { ...list, index: list.index.filter(isWithin(manifest)), signature };
  if (list.index.some(({ id }) => id === manifest.snapshot)) return { ...list, signature };
  throw mismatch(
    origin.placeOf(LIST_PATH),
    `snapshot ${manifest.snapshot}, of which the release is`,
    'a list without it',
  );
}

/** Whether it is the list that is gone or its signature makes a difference to who looks for the reason. */
async function need(found: SmallFile | null, origin: Origin): Promise<SmallFile['bytes']> {
  if (found) return found.bytes;
  if (!(await isThere(origin)))
    throw mismatch(
      origin.placeOf(LIST_PATH),
      'the list of snapshots, which there is with every signed release',
      'no such file',
    );
  const expected =
    'the publisher’s signature over the list of snapshots (a service of a version that made none has it with its next run)';
  throw mismatch(origin.placeOf(LIST_SIGNATURE_PATH), expected, 'no such file');
}

function isThere(origin: Origin): Promise<boolean> {
  return origin.retrying(LIST_PATH, async () => {
    const opened = await origin.open(LIST_PATH);
    if (opened === null || opened === 'unchanged') return false;
    for await (const _ of opened.body) break;
    return true;
  });
}

function assertOfRelease({ version }: SignedFile, manifest: PublicManifest, place: string): void {
  if (version >= manifest.version) return;
  throw mismatch(
    place,
    `the list of snapshots that was signed with version ${manifest.version}, ${manifest.release}, or later`,
    `an older one, of version ${version}`,
  );
}

function isWithin({ log }: PublicManifest): (entry: SnapshotEntry) => boolean {
  return ({ log_size }) => log_size <= log.size;
}

async function readAsSigned(origin: Origin, { sha256, bytes }: SignedFile): Promise<SnapshotList> {
  const place = origin.placeOf(LIST_PATH);
  if (bytes > LONGEST_INDEX) throw mismatch(place, `a list of at most ${LONGEST_INDEX} bytes`, `${bytes}`);
  const found = await readSmall(origin, LIST_PATH, { exactly: bytes });
  if (!found) throw mismatch(place, 'the list of snapshots that was signed', 'no such file');
  const digest = await digestOf(found.bytes);
  if (digest !== sha256) throw mismatch(place, `SHA-256 ${sha256}, as it is signed`, digest);
  return parseList(found.bytes, place);
}
