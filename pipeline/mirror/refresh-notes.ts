import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile } from '../disk/durable.ts';
import { MAX_NOTE_BYTES, noteText } from '../ledger/note.ts';
import { SIGNATURE_PATH } from '../release/format/public-manifest.ts';
import { LIST_SIGNATURE_PATH } from '../release/format/snapshot-index.ts';
import { LOG, type Origin, readSmall } from '../verify/origin.ts';
import type { LocalRelease } from './mirror-state.ts';

interface LocalNote {
  path: string;
  /** On the disk. */
  place: string;
  /** The name of its author's keys, whose signatures were verified when it came. */
  name: string;
}

/**
 * Others may cosign a checkpoint or a release after it was published: fetches their signatures. A note stays as it is if the
 * origin has a different text, as of the next release, other signatures of the author, or fewer signatures. Throws
 * ledger_corrupt, mirror_unreachable and publish_failed.
 */
export async function refreshNotes(
  origin: Origin,
  folder: string,
  { manifest, root }: LocalRelease,
): Promise<void> {
  const checkpoint = `${LOG}/checkpoint`;
  const notes: LocalNote[] = [
    { path: checkpoint, place: join(folder, checkpoint), name: manifest.log.origin },
    { path: SIGNATURE_PATH, place: join(root, SIGNATURE_PATH), name: manifest.publisher },
    { path: LIST_SIGNATURE_PATH, place: join(folder, LIST_SIGNATURE_PATH), name: manifest.publisher },
  ];
  for (const note of notes) await refresh(origin, note);
}

async function refresh(origin: Origin, { path, place, name }: LocalNote): Promise<void> {
  const offered = await readSmall(origin, path, { most: MAX_NOTE_BYTES });
  const local = await readFile(place).catch(() => null);
  if (!offered || !local || local.equals(offered.bytes)) return;
  if (noteText(offered.bytes, origin.placeOf(path)) !== noteText(local, place)) return;
  const [before, after] = [signaturesOf(local), signaturesOf(offered.bytes)];
  const own = (lines: readonly string[]) => lines.filter((line) => line.startsWith(`— ${name} `));
  // A further signature under the author's key that does not verify would make every reader refuse the note.
  if (!isDeepStrictEqual(own(before), own(after)) || after.length < before.length) return;
  await replaceFile(place, offered.bytes);
}

/** The signature lines of a note. */
function signaturesOf(note: Uint8Array): string[] {
  const text = new TextDecoder().decode(note);
  return text
    .slice(text.lastIndexOf('\n\n') + 2)
    .trimEnd()
    .split('\n');
}
