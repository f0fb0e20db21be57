import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MAX_NOTE_BYTES, noteText } from '../ledger/note.ts';
import { replaceFile } from '../release/disk/durable.ts';
import { SIGNATURE_PATH } from '../release/format/public-manifest.ts';
import { LIST_SIGNATURE_PATH } from '../release/format/snapshot-index.ts';
import type { Held } from '../verify/origin/held.ts';
import type { Origin } from '../verify/origin/origin.ts';
import { readSmall } from '../verify/origin/read-small.ts';
import { LOG } from '../verify/origin/read-tile.ts';

interface HeldNote {
  path: string;
  /** On the disk. */
  place: string;
  /** Of its maker's keys, whose signatures were looked at when it came. */
  name: string;
}

/**
 * Others may sign a checkpoint, or a release, after it was published: brings their signatures for what is held. Left as it is
 * where the origin has another text, as of the next release, other signatures of the maker, or fewer ones. Throws
 * ledger_corrupt, mirror_unreachable and publish_failed.
 */
export async function refreshNotes(origin: Origin, folder: string, { manifest, root }: Held): Promise<void> {
  const checkpoint = `${LOG}/checkpoint`;
  const notes: HeldNote[] = [
    { path: checkpoint, place: join(folder, checkpoint), name: manifest.log.origin },
    { path: SIGNATURE_PATH, place: join(root, SIGNATURE_PATH), name: manifest.publisher },
    { path: LIST_SIGNATURE_PATH, place: join(folder, LIST_SIGNATURE_PATH), name: manifest.publisher },
  ];
  for (const note of notes) await refresh(origin, note);
}

async function refresh(origin: Origin, { path, place, name }: HeldNote): Promise<void> {
  const found = await readSmall(origin, path, { most: MAX_NOTE_BYTES });
  const before = await readFile(place).catch(() => null);
  if (!found || !before || before.equals(found.bytes)) return;
  if (noteText(found.bytes, origin.placeOf(path)) !== noteText(before, place)) return;
  const [held, offered] = [signaturesOf(before), signaturesOf(found.bytes)];
  const own = (lines: readonly string[]) => lines.filter((line) => line.startsWith(`— ${name} `));
  // One more by the maker's key, which does not verify, would make every reader refuse the note.
  if (!isDeepStrictEqual(own(held), own(offered)) || offered.length < held.length) return;
  await replaceFile(place, found.bytes);
}

/** Of a note that was read already, a line each. */
function signaturesOf(note: Uint8Array): string[] {
  const text = new TextDecoder().decode(note);
  return text
    .slice(text.lastIndexOf('\n\n') + 2)
    .trimEnd()
    .split('\n');
}
