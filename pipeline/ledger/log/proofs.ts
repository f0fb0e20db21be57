import { nodeHash } from '#hashing';
import { EMPTY_ROOT, type Hash, type TreeHead } from './hash.ts';
import { largestPower } from './merkle.ts';
import type { TileReader } from './tile-reader.ts';

/** PATH(index, D[size]) of RFC 6962 §2.1.1, from the leaf's sibling up, for the tree of the reader. */
export async function inclusionProof(reader: TileReader, index: number): Promise<Hash[]> {
  const { size } = reader.head;
  if (!Number.isSafeInteger(index) || index < 0 || index >= size)
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const path: Hash[] = [];
  for (let from = 0, to = size; to - from > 1; ) {
    const middle = from + splitOf(to - from);
    const [begin, end] = index < middle ? [middle, to] : [from, middle];
    path.push(await reader.subtree(begin, end));
    if (index < middle) to = middle;
    else from = middle;
  }
  return path.reverse();
}

/** Whether `path` leads from the leaf at `index` to the head's root (RFC 9162 §2.1.3.2). */
export function verifyInclusion(
  { index, leaf, path }: { index: number; leaf: Hash; path: readonly Hash[] },
  { size, root }: TreeHead,
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [node, last, found] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      found = nodeHash(sibling, found);
      // A node without right sibling is promoted to the next level.
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else found = nodeHash(found, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && found === root;
}

/** PROOF(from, D[size]) of RFC 6962 §2.1.2: proves that the reader's tree extends that of `from` leaves. */
export async function consistencyProof(reader: TileReader, from: number): Promise<Hash[]> {
  const { size } = reader.head;
  if (!Number.isSafeInteger(from) || from < 0 || from > size)
    throw new RangeError(`a tree of ${size} leaves does not extend one of ${from}`);
  const proof: Hash[] = [];
  if (from === 0 || from === size) return proof;
  let [begin, end, isOldTree] = [0, size, true];
  while (end !== from) {
    const middle = begin + splitOf(end - begin);
    if (from <= middle) {
      proof.push(await reader.subtree(middle, end));
      end = middle;
    } else {
      proof.push(await reader.subtree(begin, middle));
      begin = middle;
      isOldTree = false;
    }
  }
  if (!isOldTree) proof.push(await reader.subtree(begin, end));
  return proof.reverse();
}

/**
 * Whether `proof` shows that `after` extends `before` (RFC 9162 §2.1.4.2). Every tree extends the empty one, which has only one possible
 * root.
 */
export function verifyConsistency(before: TreeHead, after: TreeHead, proof: readonly Hash[]): boolean {
  if (before.size > after.size || (before.size === 0 && before.root !== EMPTY_ROOT)) return false;
  if (before.size === after.size) return proof.length === 0 && before.root === after.root;
  if (before.size === 0) return proof.length === 0;
  const isPerfect = splitOf(before.size * 2) === before.size;
  const [first, ...rest] = isPerfect ? [before.root, ...proof] : proof;
  if (first === undefined) return false;
  let [node, last] = [before.size - 1, after.size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let [oldRoot, newRoot] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldRoot = nodeHash(hash, oldRoot);
      newRoot = nodeHash(hash, newRoot);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else newRoot = nodeHash(newRoot, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && oldRoot === before.root && newRoot === after.root;
}

/** Whether the reader's tree extends an earlier one. Not one that is longer. */
export async function isExtended(reader: TileReader, earlier: TreeHead): Promise<boolean> {
  if (earlier.size > reader.head.size) return false;
  const proof = await consistencyProof(reader, earlier.size);
  return verifyConsistency(earlier, reader.head, proof);
}

/** RFC 6962's k: the largest power of two below n. */
function splitOf(n: number): number {
  return largestPower(n - 1);
}

/** Sizes may exceed 2³², so no bit operators. */
function half(n: number): number {
  return Math.floor(n / 2);
}
