import { EMPTY_ROOT, type Hash, type NodeHash } from './hash.ts';

/** The root of a perfect tree over these hashes, a power of two of them. */
export async function perfectRoot(hashes: readonly Hash[], nodeHash: NodeHash): Promise<Hash> {
  let level = hashes;
  while (level.length > 1) {
    const above: Hash[] = [];
    for (let index = 0; index < level.length; index += 2) {
      const node = nodeHash(level[index]!, level[index + 1]!);
      // For a synchronous hash, a promise per node would cost as much as the hashing.
      above.push(typeof node === 'string' ? node : await node);
    }
    level = above;
  }
  return level[0]!;
}

/** The largest perfect trees over these hashes, largest first: one per 1 bit of their number. */
export async function perfectRoots(hashes: readonly Hash[], nodeHash: NodeHash): Promise<Hash[]> {
  const roots: Hash[] = [];
  for (let at = 0; at < hashes.length; ) {
    const length = largestPower(hashes.length - at);
    roots.push(await perfectRoot(hashes.slice(at, at + length), nodeHash));
    at += length;
  }
  return roots;
}

/** The RFC 6962 root of the tree whose perfect subtrees these are, largest first. */
export async function joinRoots(roots: readonly Hash[], nodeHash: NodeHash): Promise<Hash> {
  let root = roots.at(-1) ?? EMPTY_ROOT;
  for (const left of roots.slice(0, -1).reverse()) root = await nodeHash(left, root);
  return root;
}

/** The largest power of two up to `n`. Sizes may exceed 2³², so no bit operators. */
export function largestPower(n: number): number {
  let power = 1;
  while (power * 2 <= n) power *= 2;
  return power;
}

/** RFC 6962's k: the largest power of two below n. */
export function splitOf(n: number): number {
  return largestPower(n - 1);
}

export function half(n: number): number {
  return Math.floor(n / 2);
}
