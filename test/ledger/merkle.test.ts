import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CompactRange, leafHash, nodeHash } from '../../pipeline/ledger/merkle.ts';

/** The vectors that Certificate Transparency's implementations share. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** MTH as RFC 6962 §2.1 writes it. */
function plainRoot(leaves: Buffer[]): Buffer {
  if (leaves.length === 0) return sha256(Buffer.alloc(0));
  if (leaves.length === 1) return sha256(Buffer.concat([Buffer.of(0), leaves[0]!]));
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha256(Buffer.concat([Buffer.of(1), plainRoot(leaves.slice(0, k)), plainRoot(leaves.slice(k))]));
}

function sha256(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}

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

  test('has the root that the definition gives, whatever is in it', () => {
    const leaves = fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 70 });
    fc.assert(
      fc.property(leaves, (bytes) => {
        const buffers = bytes.map((leaf) => Buffer.from(leaf));
        expect(rangeOf(buffers).root()).toBe(plainRoot(buffers).toString('hex'));
      }),
    );
  });

  test('goes on from JSON at any size as if it had never stopped', () => {
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

  test('goes on past 2^32 leaves', () => {
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
  ])('refuses to go on from size %d with hashes %j', (size, hashes) => {
    expect(() => CompactRange.resume(size, hashes)).toThrow(RangeError);
  });

  test('gives its hashes away as a copy', () => {
    const range = rangeOf([Buffer.from('a')]);
    range.hashes().pop();
    expect(range.hashes()).toHaveLength(1);
  });

  test('tells a leaf from an interior node', () => {
    const [left, right] = ['aa'.repeat(32), 'bb'.repeat(32)];
    expect(nodeHash(left, right)).not.toBe(leafHash(Buffer.from(left + right, 'hex')));
  });
});
