import { CathedralError } from '../../errors.ts';
import { findLeaf } from '../../ledger/log/find-leaf.ts';
import { EMPTY_ROOT, type Hash } from '../../ledger/log/hash.ts';
import { leafHash, nodeHash } from '../../ledger/log/merkle.ts';
import { inclusionProof } from '../../ledger/log/proofs.ts';
import type { TlogProof } from '../../ledger/log/tlog-proof.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readLines } from '../../ledger/reading/read-lines.ts';
import { counted } from '../../words/number.ts';
import { LOG, type Origin } from '../origin.ts';
import { openSignedLog } from '../signed-log.ts';

/** Proves from the hash tiles of a published log that it contains the event with this hash. Throws proof_refused, and as `openSignedLog`. */
export async function proveFromLog(
  origin: Origin,
  event: Hash,
  verifiers: readonly Verifier[],
): Promise<TlogProof> {
  const { checkpoint, note, reader } = await openSignedLog(origin, verifiers);
  const all = { from: 0, to: checkpoint.size, first: 'oldest', parallel: 1 } as const;
  const index = await findLeaf(reader, event, all);
  if (index === null) throw missing(event, origin.placeOf(LOG), checkpoint.size);
  return { index, path: await inclusionProof(reader, index), checkpoint: note, extra: null };
}

/**
 * The same from a ledger folder, in one pass over its events up to the last snapshot, whose checkpoint must have the same root.
 * Throws proof_refused, ledger_root and what reading a snapshot throws.
 */
export async function proveFromLedger(
  ledger: string,
  event: Hash,
  verifiers: readonly Verifier[],
): Promise<TlogProof> {
  const snapshots = await openDirectory(ledger).snapshots(null);
  const newest = snapshots.at(-1);
  if (!newest) throw missing(event, ledger, 0);
  const { checkpoint, note } = readCheckpoint(newest, verifiers);
  const path = new PathTo(event);
  for (const snapshot of snapshots)
    for await (const lines of readLines(snapshot)) for (const line of lines) path.append(leafHash(line));
  const { root, found } = path.end();
  if (path.size !== checkpoint.size || root !== checkpoint.root) {
    const place = `snapshots/${newest.id}.checkpoint`;
    const expected = `root ${root} of the ${counted(path.size, 'event')} read`;
    throw new CathedralError('ledger_root', { place, expected, found: `root ${checkpoint.root}` });
  }
  if (!found) throw missing(event, ledger, checkpoint.size);
  return { ...found, checkpoint: note, extra: null };
}

interface Subtree {
  height: number;
  hash: Hash;
  /** Siblings so far, if the leaf is in this subtree. */
  path: Hash[] | null;
}

/** Collects the siblings of one leaf while the tree grows. Keeps one hash per level in memory. */
class PathTo {
  readonly #leaf: Hash;
  readonly #subtrees: Subtree[] = [];
  #index = -1;
  size = 0;

  constructor(leaf: Hash) {
    this.#leaf = leaf;
  }

  append(hash: Hash): void {
    const isLeaf = hash === this.#leaf && this.#index < 0;
    if (isLeaf) this.#index = this.size;
    this.size += 1;
    let top: Subtree = { height: 0, hash, path: isLeaf ? [] : null };
    while (this.#subtrees.at(-1)?.height === top.height) top = join(this.#subtrees.pop()!, top);
    this.#subtrees.push(top);
  }

  end(): { root: Hash; found: Pick<TlogProof, 'index' | 'path'> | null } {
    if (this.size === 0) return { root: EMPTY_ROOT, found: null };
    const { hash, path } = this.#subtrees.reduceRight((right, left) => join(left, right));
    return { root: hash, found: path && { index: this.#index, path } };
  }
}

function join(left: Subtree, right: Subtree): Subtree {
  left.path?.push(right.hash);
  right.path?.push(left.hash);
  const path = left.path ?? right.path;
  return { height: left.height + 1, hash: nodeHash(left.hash, right.hash), path };
}

function missing(event: Hash, place: string, size: number): CathedralError {
  return new CathedralError('proof_refused', {
    place,
    expected: `an event with the hash 0x${event}`,
    found: `none among the ${counted(size, 'event')} of its checkpoint`,
  });
}
