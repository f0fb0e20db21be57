import { expect, test } from 'vitest';
import { findLeaf } from '../../../pipeline/ledger/log/find-leaf.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { type Tile, tilePath } from '../../../pipeline/ledger/log/tile.ts';
import { TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import { buildTree } from './test-tree.ts';

const SIZE = 2100;
const entries = Array.from({ length: SIZE }, (_, index) => Buffer.from(`entry ${index}`));
const { files, head } = buildTree(entries);

async function finding(
  index: number,
  part = { from: 0, to: SIZE },
  progress?: Parameters<typeof findLeaf>[3],
) {
  const readTile = async (tile: Tile) => files.get(tilePath(tile))!;
  const reader = await TileReader.open(head, readTile);
  return findLeaf(reader, leafHash(entries[index]!), part, progress);
}

test.each([0, 255, 256, 1279, 1280, SIZE - 1])('leaf %d is found', async (index) => {
  expect(await finding(index)).toBe(index);
});

test('nothing is found outside the searched part, in whole tiles', async () => {
  expect(await finding(700, { from: 1024, to: SIZE })).toBeNull();
  expect(await finding(700, { from: 600, to: 650 })).toBe(700);
  expect(await finding(700, { from: 0, to: 512 })).toBeNull();
});

test('a search begins at the newest leaves, reports progress and can be stopped', async () => {
  const seen: string[] = [];
  const note = (read: number, all: number) => void seen.push(`${read} of ${all}`);
  await finding(0, undefined, note);
  expect(seen.splice(0)).toEqual(['0 of 9', '6 of 9']);
  await finding(SIZE - 1, undefined, note);
  expect(seen).toEqual(['0 of 9']);
  const stop = () => {
    throw new Error('stopped');
  };
  await expect(finding(0, undefined, stop)).rejects.toThrow('stopped');
});
