import type { Hash, NodeHash, TreeHead } from './hash.ts';
import { half, splitOf } from './subtree.ts';
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
export async function verifyInclusion(
  { index, leaf, path }: { index: number; leaf: Hash; path: readonly Hash[] },
  { size, root }: TreeHead,
  nodeHash: NodeHash,
): Promise<boolean> {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [node, last, found] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      found = await nodeHash(sibling, found);
      // Without a right neighbour a node is its own parent, as often as that goes on.
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else found = await nodeHash(found, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && found === root;
}
