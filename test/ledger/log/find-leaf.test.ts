import { expect, test } from 'vitest';
import { type FindOptions, findLeaf } from '../../../pipeline/ledger/log/find-leaf.ts';
import { leafHash } from '../../../pipeline/ledger/log/merkle.ts';
import { type Tile, tilePath } from '../../../pipeline/ledger/log/tile.ts';
import { TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import { buildTree } from './test-tree.ts';

const SIZE = 1500;
const entries = Array.from({ length: SIZE }, (_, index) => Buffer.from(`entry ${index}`));
const { files, head } = buildTree(entries);

async function finding(index: number, options: Partial<FindOptions>) {
  const readTile = async (tile: Tile) => files.get(tilePath(tile))!;
  const reader = await TileReader.open(head, readTile);
  const all: FindOptions = { from: 0, to: SIZE, first: 'oldest', parallel: 3, ...options };
  return findLeaf(reader, leafHash(entries[index]!), all);
}

test.each([0, 255, 256, 1279, 1280, SIZE - 1])('leaf %d is found from either end', async (index) => {
  expect(await finding(index, {})).toBe(index);
  expect(await finding(index, { first: 'newest', parallel: 1 })).toBe(index);
});

test('nothing is found outside the searched part, in whole tiles', async () => {
  expect(await finding(700, { from: 1024, to: SIZE })).toBeNull();
  expect(await finding(700, { from: 600, to: 650 })).toBe(700);
  expect(await finding(700, { from: 0, to: 512 })).toBeNull();
});

test('a search reports progress and can be stopped', async () => {
  const seen: string[] = [];
  await finding(0, {
    first: 'newest',
    parallel: 4,
    progress: (read, all) => void seen.push(`${read} of ${all}`),
  });
  expect(seen).toEqual(['0 of 6', '4 of 6']);
  const stop = () => {
    throw new Error('stopped');
  };
  await expect(finding(0, { progress: stop })).rejects.toThrow('stopped');
});
