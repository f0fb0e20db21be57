import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_ROOT } from '../../../pipeline/ledger/log/hash.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import {
  consistencyProof,
  inclusionProof,
  verifyConsistency,
  verifyInclusion,
} from '../../../pipeline/ledger/log/proofs.ts';
import { TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import { LEAVES, ROOTS } from './ct-vectors.ts';
import { buildTree, headOf, leaves, plainPath, plainSubproof, readerOf, tilesOf } from './test-tree.ts';

const SHARED = LEAVES.map((leaf) => Buffer.from(leaf, 'hex'));
const many = leaves(1500);
const hashes = many.map(leafHash);
const OTHER = leafHash(Buffer.from('another entry'));

describe('an inclusion proof', () => {
  /** Vectors of Certificate Transparency implementations, which count leaves from 1. */
  test.each([
    [1, 1, []],
    [
      1,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      6,
      8,
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [3, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
    [
      2,
      5,
      [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('of leaf %d of %d is the one of the shared vectors', async (leaf, size, path) => {
    const reader = await readerOf(SHARED.slice(0, size));
    expect(reader.head.root).toBe(ROOTS[size]);
    expect(await inclusionProof(reader, leaf - 1)).toEqual(path);
  });

  test('from tiles is the one of the definition, and verifies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: many.length }), fc.nat(), async (size, seed) => {
        const index = seed % size;
        const reader = await readerOf(many.slice(0, size));
        const path = await inclusionProof(reader, index);
        expect(path).toEqual(plainPath(index, hashes.slice(0, size)));
        const proof = { index, leaf: hashes[index]!, path };
        expect(verifyInclusion(proof, headOf(many.slice(0, size)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('of a tree with three levels of tiles verifies at its ends and at the tiles’ borders', async () => {
    const entries = leaves(70_000);
    const reader = await readerOf(entries);
    for (const index of [0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]) {
      const proof = { index, leaf: leafHash(entries[index]!), path: await inclusionProof(reader, index) };
      expect([index, verifyInclusion(proof, reader.head)]).toEqual([index, true]);
    }
  });

  test('with anything in it changed does not verify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 600 }), fc.nat(), async (size, seed) => {
        const index = seed % size;
        const reader = await readerOf(many.slice(0, size));
        const { head } = reader;
        const path = await inclusionProof(reader, index);
        const leaf = hashes[index]!;
        const wrong = [
          [{ index, leaf: OTHER, path }, head],
          [{ index: (index + 1) % size, leaf, path }, head],
          [{ index: size, leaf, path }, head],
          [{ index: -1, leaf, path }, head],
          [{ index: 0.5, leaf, path }, head],
          [{ index, leaf, path: path.slice(1) }, head],
          [{ index, leaf, path: path.slice(0, -1) }, head],
          [{ index, leaf, path: [...path, OTHER] }, head],
          [{ index, leaf, path: path.with(seed % path.length, OTHER) }, head],
          [
            { index, leaf, path },
            { ...head, root: OTHER },
          ],
        ] as const;
        for (const [proof, of] of wrong) expect(verifyInclusion(proof, of)).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  test('of a missing leaf is rejected', async () => {
    const reader = await readerOf(many.slice(0, 3));
    for (const index of [3, -1, 1.5]) await expect(inclusionProof(reader, index)).rejects.toThrow(RangeError);
  });
});

describe('a consistency proof', () => {
  test.each([
    [
      1,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      6,
      8,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      5,
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('from %d to %d is the one of the shared vectors', async (from, to, proof) => {
    expect(await consistencyProof(await readerOf(SHARED.slice(0, to)), from)).toEqual(proof);
  });

  test('from tiles is the one of the definition, and verifies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: many.length }), fc.nat(), async (size, seed) => {
        const from = 1 + (seed % size);
        const reader = await readerOf(many.slice(0, size));
        const proof = await consistencyProof(reader, from);
        expect(proof).toEqual(plainSubproof(from, hashes.slice(0, size)));
        const before = headOf(many.slice(0, from));
        expect(verifyConsistency(before, reader.head, proof)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('for every pair of small sizes verifies, and with anything changed does not', async () => {
    for (let size = 1; size <= 20; size += 1) {
      const reader = await readerOf(many.slice(0, size));
      const { head } = reader;
      for (let from = 1; from <= size; from += 1) {
        const before = headOf(many.slice(0, from));
        const proof = await consistencyProof(reader, from);
        const ask = (b = before, a = head, p = proof) => verifyConsistency(b, a, p);
        expect([from, size, await ask()]).toEqual([from, size, true]);
        expect(await ask({ ...before, root: OTHER })).toBe(false);
        expect(await ask(before, { ...head, root: OTHER })).toBe(false);
        expect(await ask(before, head, [...proof, OTHER])).toBe(false);
        if (from < size) expect(await ask(head, before)).toBe(false);
        for (let at = 0; at < proof.length; at += 1) {
          expect(await ask(before, head, proof.with(at, OTHER))).toBe(false);
          expect(await ask(before, head, proof.toSpliced(at, 1))).toBe(false);
        }
      }
    }
  });

  test('from the empty tree is empty and valid for every tree', async () => {
    const reader = await readerOf(many.slice(0, 5));
    expect(await consistencyProof(reader, 0)).toEqual([]);
    const nothing = { size: 0, root: EMPTY_ROOT };
    expect(verifyConsistency(nothing, reader.head, [])).toBe(true);
    expect(verifyConsistency(nothing, reader.head, [OTHER])).toBe(false);
    for (const head of [reader.head, { size: 0, root: OTHER }])
      expect(verifyConsistency({ size: 0, root: OTHER }, head, [])).toBe(false);
  });

  test('from a larger tree is rejected', async () => {
    await expect(consistencyProof(await readerOf(many.slice(0, 5)), 6)).rejects.toThrow(RangeError);
  });
});

describe('a reader of tiles', () => {
  const { files, head } = buildTree(leaves(66_000));

  test('opens the empty tree without reading', async () => {
    const nothing = { size: 0, root: EMPTY_ROOT };
    expect((await TileReader.open(nothing, tilesOf(new Map()))).head).toEqual(nothing);
  });

  test.each(
    [...files.keys()].filter((path) => !path.startsWith('tile/entries/')).filter((_, at) => at % 40 === 0),
  )('rejects a tile with a changed byte: %s', async (path) => {
    const bytes = Uint8Array.from(files.get(path)!);
    bytes[bytes.length - 1]! ^= 1;
    const changed = new Map(files).set(path, bytes);
    const index = Number(path.replaceAll(/tile\/\d+\/|\.p.*|[x/]/g, ''));
    const level = Number(path.split('/')[1]);
    const read = async () => (await TileReader.open(head, tilesOf(changed))).tile(level, index);
    await expect(read()).rejects.toMatchObject({ code: 'log_invalid' });
  });

  test.each([0, 31, 8191, 8193, 1_000_000])('refuses a tile of %d bytes', async (length) => {
    const reader = await TileReader.open(head, tilesOf(files));
    const broken = new Map(files).set('tile/0/007', new Uint8Array(length));
    const other = await TileReader.open(head, tilesOf(broken));
    expect(await reader.tile(0, 7)).toHaveLength(256);
    await expect(other.tile(0, 7)).rejects.toMatchObject({ code: 'log_invalid', place: 'tile/0/007' });
  });

  test('retries a tile that could not be read', async () => {
    let fails = true;
    const flaky = async (tile: Parameters<ReturnType<typeof tilesOf>>[0]) => {
      if (fails && tile.index === 9) throw new Error('for now');
      return tilesOf(files)(tile);
    };
    const reader = await TileReader.open(head, flaky);
    await expect(reader.leaf(9 * 256)).rejects.toThrow('for now');
    fails = false;
    expect(await reader.leaf(9 * 256)).toBe(leafHash(Buffer.from(`entry ${9 * 256}`)));
  });
});
