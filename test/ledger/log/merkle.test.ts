import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../pipeline/ledger/log/hashing.ts';
import { CompactRange, leafHash, nodeHash } from '../../../pipeline/ledger/log/merkle.ts';
import * as page from '../../../pipeline/ledger/log/page-hashing.ts';
import { LEAVES, plainRoot, ROOTS } from './ct-vectors.ts';

function rangeOf(leaves: Buffer[]): CompactRange {
  const range = new CompactRange();
  for (const leaf of leaves) range.append(leafHash(leaf));
  return range;
}

describe('the Merkle tree', () => {
  test.each(ROOTS.map((root, size) => ({ size, root })))(
    'of $size leaves has the root of the shared vectors',
    ({ size, root }) => {
      expect(rangeOf(LEAVES.slice(0, size).map((leaf) => Buffer.from(leaf, 'hex'))).root()).toBe(root);
    },
  );

  test('has the root hash of the definition for any content', () => {
    const leaves = fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 70 });
    fc.assert(
      fc.property(leaves, (bytes) => {
        const buffers = bytes.map((leaf) => Buffer.from(leaf));
        expect(rangeOf(buffers).root()).toBe(plainRoot(buffers).toString('hex'));
      }),
    );
  });

  test('resumes from JSON at any size with the same result', () => {
    fc.assert(
      fc.property(fc.nat(130), fc.nat(130), (before, after) => {
        const leaves = Array.from({ length: before + after }, (_, i) => Buffer.from(`leaf ${i}`));
        const first = rangeOf(leaves.slice(0, before));
        const stored = JSON.parse(JSON.stringify({ size: first.size, hashes: first.hashes() }));
        const range = CompactRange.resume(stored.size, stored.hashes);
        for (const leaf of leaves.slice(before)) range.append(leafHash(leaf));
        expect([range.size, range.root()]).toEqual([before + after, rangeOf(leaves).root()]);
      }),
    );
  });

  test('continues past 2^32 leaves', () => {
    const subtree = leafHash(Buffer.from('a perfect subtree'));
    const range = CompactRange.resume(2 ** 33 - 1, Array(33).fill(subtree));
    range.append(subtree);
    expect([range.size, range.hashes().length]).toEqual([2 ** 33, 1]);
  });

  test.each([
    [-1, []],
    [1.5, []],
    [2 ** 53, []],
    [0, ['aa'.repeat(32)]],
    [3, ['aa'.repeat(32)]],
    [1, ['AA'.repeat(32)]],
    [1, ['aa'.repeat(31)]],
    [1, ['aa']],
  ])('refuses to resume from size %d with hashes %j', (size, hashes) => {
    expect(() => CompactRange.resume(size, hashes)).toThrow(RangeError);
  });

  test('returns a copy of its hashes', () => {
    const range = rangeOf([Buffer.from('a')]);
    range.hashes().pop();
    expect(range.hashes()).toHaveLength(1);
  });

  test('distinguishes a leaf from an interior node', () => {
    const [left, right] = ['aa'.repeat(32), 'bb'.repeat(32)];
    expect(nodeHash(left, right)).not.toBe(leafHash(Buffer.from(left + right, 'hex')));
  });

  test('has the same hashes in a browser', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (one, other) => {
        const [left, right] = [leafHash(one), leafHash(other)];
        expect([page.leafHash(one), page.leafHash(other)]).toEqual([left, right]);
        expect(page.nodeHash(left, right)).toBe(nodeHash(left, right));
        const [here, there] = [sha256(), page.sha256()];
        for (const part of [one, other]) for (const stream of [here, there]) stream.update(part);
        expect(there.digest()).toBe(here.digest());
      }),
    );
  });
});
