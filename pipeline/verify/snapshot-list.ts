import { digestOf } from '../ledger/notes/digest.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { verifyNote } from '../ledger/notes/verify-note.ts';
import { LONGEST, type PublicManifest, SIGNATURE_PATH, textOf } from '../release/format/public-manifest.ts';
import {
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  LONGEST_INDEX,
  parseSignedList,
  parseSnapshotIndex,
  type SnapshotIndex,
} from '../release/format/snapshot-index.ts';
import type { SignedFile } from '../release/signing/signed-file.ts';
import { mismatchError } from './findings.ts';
import { type Origin, readSmall } from './origin.ts';

/** `/snapshots/index.json` */
export interface SnapshotList {
  bytes: Uint8Array;
  index: SnapshotIndex;
}

export interface SignedList extends SnapshotList {
  /** The signature file. */
  signature: Uint8Array;
}

interface Release {
  manifest: PublicManifest;
  /** The keys of the release. A retired key signs no list. */
  keys: readonly Verifier[];
}

/** The list without its signature, for hints and for copies that were verified before. Null if there is none. Throws release_invalid. */
export async function readSnapshotList(origin: Origin): Promise<SnapshotList | null> {
  const found = await readSmall(origin, LIST_PATH, { most: LONGEST_INDEX });
  return found && parseList(found.bytes, origin.placeOf(LIST_PATH));
}

/**
 * The snapshot list that belongs to a release: a key of the release signed it with the release's version or a later one, so
 * nobody can serve an older list. The list is published before its release; entries beyond this release are left out. Throws
 * mirror_mismatch, ledger_signature, ledger_corrupt, release_invalid and mirror_unreachable.
 */
export async function readSignedList(origin: Origin, { manifest, keys }: Release): Promise<SignedList> {
  const place = origin.placeOf(LIST_SIGNATURE_PATH);
  const signature = await readSignature(origin, place);
  const { text } = await verifyNote(signature, keys, place);
  const signed = parseSignedList(text, place);
  if (signed.version < manifest.version)
    throw mismatchError(
      place,
      `the snapshot list signed with version ${manifest.version}, ${manifest.release}, or later`,
      `an older list, of version ${signed.version}`,
    );
  const list = await readAsSigned(origin, signed);
  if (signed.version > manifest.version) {
    const index = list.index.filter(({ log_size }) => log_size <= manifest.log.size);
    return { ...list, index, signature };
  }
  if (list.index.some(({ id }) => id === manifest.snapshot)) return { ...list, signature };
  const expected = `snapshot ${manifest.snapshot}, which the release was made from`;
  throw mismatchError(origin.placeOf(LIST_PATH), expected, 'a list without it');
}

async function readSignature(origin: Origin, place: string): Promise<Uint8Array> {
  const found = await readSmall(origin, LIST_SIGNATURE_PATH, { most: LONGEST[SIGNATURE_PATH] });
  if (found) return found.bytes;
  // The message depends on whether the list itself is missing.
  const opened = await origin.retrying(LIST_PATH, async () => {
    const list = await origin.open(LIST_PATH);
    if (list === null || list === 'unchanged') return false;
    for await (const _ of list.body) break;
    return true;
  });
  if (!opened)
    throw mismatchError(
      origin.placeOf(LIST_PATH),
      'the snapshot list, which accompanies every signed release',
      'no such file',
    );
  throw mismatchError(place, 'the publisher’s signature of the snapshot list', 'no such file');
}

async function readAsSigned(origin: Origin, { sha256, bytes }: SignedFile): Promise<SnapshotList> {
  const place = origin.placeOf(LIST_PATH);
  if (bytes > LONGEST_INDEX)
    throw mismatchError(place, `a list of at most ${LONGEST_INDEX} bytes`, `${bytes}`);
  const found = await readSmall(origin, LIST_PATH, { exactly: bytes });
  if (!found) throw mismatchError(place, 'the snapshot list that was signed', 'no such file');
  const digest = await digestOf(found.bytes);
  if (digest !== sha256) throw mismatchError(place, `SHA-256 ${sha256}, which was signed`, digest);
  return parseList(found.bytes, place);
}

function parseList(bytes: Uint8Array<ArrayBuffer>, place: string): SnapshotList {
  return { bytes, index: parseSnapshotIndex(textOf(bytes, place), place) };
}
