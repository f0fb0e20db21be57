import { leafHash, nodeHash } from '#hashing';
import { EMPTY_ROOT, type Hash } from './hash.ts';

export { leafHash, nodeHash };

const HASH_HEX = /^[0-9a-f]{64}$/;

/**
 * The Merkle tree over [0, size) as the hashes of its perfect subtrees, largest first: one per 1 bit of `size`.
 * Appending needs nothing else, so a run resumes from a few stored hashes and never reads old events again.
 */
export class CompactRange {
  #size = 0;
  readonly #hashes: string[] = [];

  /** Restores a tree from its `size` and `hashes()`. Throws a RangeError if the two do not match. */
  static resume(size: number, hashes: readonly string[]): CompactRange {
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`tree size ${size} is not a count`);
    if (hashes.length !== countOnes(size)) {
      throw new RangeError(`a tree of ${size} leaves has ${countOnes(size)} subtrees, not ${hashes.length}`);
    }
    for (const hex of hashes) if (!HASH_HEX.test(hex)) throw new RangeError(`${hex} is not a SHA-256 hash`);
    const range = new CompactRange();
    range.#size = size;
    range.#hashes.push(...hashes);
    return range;
  }

  static of(leaves: Iterable<Hash>): CompactRange {
    const range = new CompactRange();
    for (const leaf of leaves) range.append(leaf);
    return range;
  }

  get size(): number {
    return this.#size;
  }

  append(leafHashHex: string): void {
    const hashes = this.#hashes;
    let node = leafHashHex;
    // Each trailing 1 bit of the old size is a subtree as large as the new one. Merge the two.
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) node = nodeHash(hashes.pop()!, node);
    hashes.push(node);
    this.#size += 1;
  }

  /** The RFC 6962 root hash, hex. */
  root(): string {
    return this.#hashes.length === 0
      ? EMPTY_ROOT
      : this.#hashes.reduceRight((right, left) => nodeHash(left, right));
  }

  hashes(): string[] {
    return [...this.#hashes];
  }
}

/** Sizes may exceed 2³², so no bit operators. */
function countOnes(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}

/** The largest power of two up to `n`. */
export function largestPower(n: number): number {
  let power = 1;
  while (power * 2 <= n) power *= 2;
  return power;
}
