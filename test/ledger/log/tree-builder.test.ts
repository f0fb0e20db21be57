import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBundle, MAX_ENTRY_BYTES, parseBundle } from '../../../pipeline/ledger/log/entry-bundle.ts';
import { hashesIn } from '../../../pipeline/ledger/log/hash.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import {
  bundlePath,
  edgeTiles,
  newTiles,
  parseTilePath,
  tilePath,
} from '../../../pipeline/ledger/log/tile.ts';
import { buildTree, leaves, plainTree, readerOf } from './test-tree.ts';

describe('the builder of a tree', () => {
  test('makes all tiles and bundles with their hashes and entries', () => {
    const entries = leaves(66_700);
    const { files, head } = buildTree(entries);
    const bundles = [...newTiles(0, entries.length)].filter(({ level }) => level === 0);
    const wanted = [...[...newTiles(0, entries.length)].map(tilePath), ...bundles.map(bundlePath)];
    expect([...files.keys()].sort()).toEqual(wanted.sort());
    const hashes = entries.map(leafHash);
    expect(head).toEqual({ size: entries.length, root: plainTree(hashes) });
    for (const [path, bytes] of files) {
      const found = parseTilePath(path)!;
      const { index, width } = found.kind === 'tile' ? found.tile : found.bundle;
      if (found.kind === 'bundle') {
        const parsed = parseBundle(bytes, width, path).map((entry) => Buffer.from(entry).toString());
        expect(parsed).toEqual(entries.slice(index * 256, index * 256 + width).map(String));
        continue;
      }
      if (found.kind !== 'tile') throw new Error(path);
      const leavesOf = 256 ** found.tile.level;
      const roots = Array.from({ length: width }, (_, at) => {
        const first = (index * 256 + at) * leavesOf;
        return plainTree(hashes.slice(first, first + leavesOf));
      });
      expect([path, hashesIn(bytes)]).toEqual([path, roots]);
    }
  });

  test('resumes from the edge of a tree with the same result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1400), fc.nat(1400), async (first, more) => {
        const entries = leaves(first + more);
        const reader = await readerOf(entries.slice(0, first));
        const edge = {
          size: first,
          hashes: (level: number) => reader.edge(level),
          entries: entries.slice(first - (first % 256), first),
        };
        const grown = buildTree(entries.slice(first), edge);
        const whole = buildTree(entries);
        expect(grown.head).toEqual(whole.head);
        for (const [path, bytes] of grown.files) expect([path, bytes]).toEqual([path, whole.files.get(path)]);
        for (const tile of newTiles(first, first + more)) expect(grown.files.has(tilePath(tile))).toBe(true);
      }),
      { numRuns: 8 },
    );
  });

  test('has no files for no entries', () => {
    expect(buildTree([]).files.size).toBe(0);
    expect(edgeTiles(0)).toEqual([]);
  });
});

describe('a bundle of entries', () => {
  test('gives its entries back, including empty and longest ones', () => {
    const entry = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(MAX_ENTRY_BYTES)));
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 256 }), (entries) => {
        const bytes = formatBundle(entries);
        expect(parseBundle(bytes, entries.length, 'a bundle')).toEqual(entries);
      }),
      { numRuns: 50 },
    );
  });

  test('rejects an entry whose length does not fit into two bytes', () => {
    expect(() => formatBundle([new Uint8Array(MAX_ENTRY_BYTES + 1)])).toThrow(RangeError);
  });

  test('that is truncated, too short or too long is refused', () => {
    const bytes = formatBundle(leaves(3));
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => parseBundle(bytes.subarray(0, length), 3, 'here')).toThrow('here: expected');
    expect(() => parseBundle(bytes, 4, 'here')).toThrow('expected 4 entries, found 3');
    expect(() => parseBundle(bytes, 2, 'here')).toThrow('bytes more');
  });
});
