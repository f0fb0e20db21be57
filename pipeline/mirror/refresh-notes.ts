import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../disk/durable.ts';
import { unlessRefused } from '../errors.ts';
import { cosignedPath } from '../ledger/log/cosigned-path.ts';
import { isExtended } from '../ledger/log/proofs.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { mergeNotes } from '../ledger/notes/merge-notes.ts';
import {
  formatSignature,
  MAX_NOTE_BYTES,
  noteText,
  readSignatures,
  type Verifier,
} from '../ledger/notes/note.ts';
import type { WitnessPolicy } from '../ledger/notes/witness-policy.ts';
import {
  assertQuorum,
  readWitnesses,
  type Witnessing,
  withoutInvalidCosignatures,
} from '../ledger/notes/witness-quorum.ts';
import { MANIFEST_PATH, type PublicManifest, SIGNATURE_PATH } from '../release/format/public-manifest.ts';
import { LIST_SIGNATURE_PATH } from '../release/format/snapshot-index.ts';
import { FolderOrigin } from '../verify/folder-origin.ts';
import { CHECKPOINT, headOf, openLog, readPublishedCheckpoint } from '../verify/log.ts';
import { LOG, type Origin, readSmall } from '../verify/origin.ts';
import { readCosigned } from '../verify/witnesses.ts';
import type { LocalRelease } from './mirror-state.ts';

export interface RefreshOptions {
  origin: Origin;
  folder: string;
  /** Keys that may have signed the ledger's checkpoint; null: that signature is not verified. */
  ledgerKeys: readonly Verifier[] | null;
  policy: WitnessPolicy | null;
  /** ms since 1970. */
  now: () => number;
}

/**
 * Others may cosign a checkpoint or a release after it was published: adds their signatures to the notes that the mirror has, and drops
 * none. A signature of a note's own author was verified when the note came, and no other is added. Returns the witnesses of the policy.
 * Throws mirror_forked for a checkpoint that contradicts the mirror's, witness_signature and witness_quorum, ledger_corrupt,
 * mirror_unreachable and publish_failed.
 */
export async function refreshNotes(
  options: RefreshOptions,
  { manifest, root }: LocalRelease,
): Promise<Witnessing | null> {
  const { origin, folder, policy, now } = options;
  const offered = await offeredCheckpoint(manifest, options);
  if (policy && offered) await readWitnesses(offered.note, policy, { place: offered.place, now: now() });
  const note = await mergedCheckpoint(folder, manifest, { cosigned: offered?.note ?? null, policy });
  await replaceIfChanged(join(folder, CHECKPOINT), note);
  for (const [path, place] of [
    [SIGNATURE_PATH, join(root, SIGNATURE_PATH)],
    [LIST_SIGNATURE_PATH, join(folder, LIST_SIGNATURE_PATH)],
  ] as const) {
    const [found, held] = [await readSmall(origin, path, { most: MAX_NOTE_BYTES }), await readHeld(place)];
    if (!found || held === null) continue;
    const added = { note: new TextDecoder().decode(found.bytes), place: origin.placeOf(path) };
    await replaceIfChanged(place, withSignatures(held, added, manifest.publisher));
  }
  if (!policy) return null;
  const witnessing = await readWitnesses(note, policy, { place: origin.placeOf(CHECKPOINT), now: now() });
  assertQuorum(witnessing, origin.placeOf(CHECKPOINT));
  return witnessing;
}

/** The checkpoint of this release at the origin, with its cosignatures; null: the origin has none any more. */
async function offeredCheckpoint(
  { log }: PublicManifest,
  { origin, folder, ledgerKeys }: RefreshOptions,
): Promise<{ note: string; place: string } | null> {
  const place = origin.placeOf(CHECKPOINT);
  const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
  if (!found) return null;
  const own = { note: log.checkpoint, place: `${MANIFEST_PATH}: log.checkpoint` };
  if (noteText(found.bytes, place) === noteText(own.note, own.place))
    return { note: new TextDecoder().decode(found.bytes), place };
  // The log may have grown since the release, or is still the previous one. It must be the same log.
  const reader = await openLog(await FolderOrigin.at(folder), headOf(log));
  await readPublishedCheckpoint(origin, reader, { origin: log.origin, keys: ledgerKeys });
  return readCosigned(origin, own, log.size);
}

export interface Cosignatures {
  /** A note of the release's checkpoint, with verified cosignatures by the policy's witnesses. */
  cosigned: string | null;
  policy: WitnessPolicy | null;
}

/** The checkpoint of a former release, which `reader` extends, keeps its place and its cosignatures when the log has grown, as it does at the origin. */
export async function keepFormerCheckpoint(folder: string, reader: TileReader): Promise<void> {
  const place = join(folder, CHECKPOINT);
  const held = await readHeld(place);
  if (held === null) return;
  const { text, signatures } = readSignatures(held, place);
  const checkpoint = unlessRefused(() => parseCheckpoint(text, place));
  if (!checkpoint || checkpoint.size >= reader.head.size || !(await isExtended(reader, checkpoint))) return;
  if (signatures.every(({ name }) => name === checkpoint.origin)) return;
  await replaceIfChanged(join(folder, LOG, cosignedPath(checkpoint.size)), held);
}

/** The checkpoint of a release with all cosignatures that the mirror has or is offered, but for invalid ones by witnesses of the policy. */
export async function mergedCheckpoint(
  folder: string,
  { log }: PublicManifest,
  { cosigned, policy }: Cosignatures,
): Promise<string> {
  const place = join(folder, CHECKPOINT);
  const held = await readHeld(place);
  const sound = held !== null && policy ? await withoutInvalidCosignatures(held, policy, place) : held;
  return [sound, cosigned].reduce<string>(
    (note, more) => (more === null ? note : withSignatures(note, { note: more, place }, log.origin)),
    log.checkpoint,
  );
}

/**
 * A note with the signatures of another note of the same text. `author`: the name of the keys whose signatures stay as they are: a further
 * one that does not verify would make every reader refuse the note. Throws ledger_corrupt.
 */
function withSignatures(
  held: string,
  { note, place }: { note: string; place: string },
  author: string,
): string {
  const { text, signatures } = readSignatures(note, place);
  const others = signatures.filter(({ name }) => name !== author).map(formatSignature);
  if (text !== noteText(held, place) || others.length === 0) return held;
  const merged = mergeNotes(held, `${text}\n${others.join('')}`, place);
  return merged.length > MAX_NOTE_BYTES ? held : merged;
}

/** A note of the mirror; null if it has none, or a damaged one, in whose place comes that of the origin. */
async function readHeld(place: string): Promise<string | null> {
  const note = await readText(place);
  return note === null ? null : unlessRefused(() => readSignatures(note, place) && note);
}

async function readText(place: string): Promise<string | null> {
  return readFile(place, 'utf8').catch(() => null);
}

async function replaceIfChanged(place: string, text: string): Promise<void> {
  if ((await readText(place)) !== text) await replaceFile(place, text);
}
