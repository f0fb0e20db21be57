import { formatVerifierKey } from '../ledger/notes/note.ts';
import { formatWitnessing } from '../ledger/notes/witness-quorum.ts';
import { witnessesOf } from '../verify/reader.ts';
import { formatCount } from '../words/number.ts';
import type { Mirrored } from './mirror.ts';

/** What an update of a mirror did: what an operator should know, one line for people, and for programs. `now`: ms since 1970. */
export function describeMirrored(
  mirrored: Mirrored,
  traffic: { requests: number; bytes: number },
  now: number,
) {
  const { firstUse, unvouched, manifest } = mirrored;
  const notes: string[] = [];
  if (firstUse)
    notes.push(
      `Trust on first use: no key was given, so this one is trusted from now on:\n${manifest.keys.join('\n')}\nCompare it with the key that the publisher gives out of band.`,
    );
  if (unvouched > 0)
    notes.push(
      `Not signed by any current key: ${formatCount(unvouched, 'snapshot')}. The place in the log is proved, but not who published.`,
    );
  const { requests, bytes } = traffic;
  const sentence = `${sentenceOf(mirrored, now)}; ${formatCount(requests, 'request')}, ${bytes} bytes`;
  return { notes, sentence, facts: factsOf(mirrored, traffic) };
}

function sentenceOf(
  { outcome, manifest, files, tiles, snapshots, witnessing }: Mirrored,
  now: number,
): string {
  const { version, release, expires } = manifest;
  const what = `version ${version}, ${release}, expires ${expires}`;
  const witnesses = witnessing ? `; ${formatWitnessing(witnessing, now)}` : '';
  if (outcome === 'unchanged') return `unchanged: ${what}${witnesses}`;
  const fetched = [
    formatCount(files.files, 'new file'),
    formatCount(tiles, 'tile'),
    formatCount(snapshots, 'snapshot'),
  ];
  return `mirrored: ${what}: ${fetched.join(', ')}${witnesses}`;
}

function factsOf(
  { outcome, manifest, signedBy, firstUse, witnessing, ...fetched }: Mirrored,
  traffic: object,
) {
  const { version, release, snapshot, as_of, expires, log } = manifest;
  return {
    outcome,
    version,
    release,
    snapshot,
    as_of,
    expires,
    log: { size: log.size, root_hash: log.root_hash },
    signed_by: signedBy && formatVerifierKey(signedBy),
    first_use: firstUse,
    witnesses: witnessing && witnessesOf(witnessing),
    fetched: { ...fetched, ...traffic },
  };
}
