import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bundlePath,
  edgeTiles,
  newTiles,
  parseTilePath,
  TILE_WIDTH,
  tileAt,
  tilePath,
} from '../../../pipeline/ledger/log/tile.ts';

const sizes = fc.oneof(
  fc.nat(70_000),
  fc.nat(3).map((n) => 65_536 * n),
  fc.nat(600).map((n) => 256 * n),
);
const indexes = fc.maxSafeNat();
const widths = fc.integer({ min: 1, max: TILE_WIDTH });

/** By the specification: one hash per complete subtree, 256 per tile, the rest in a partial tile. */
function plainTiles(size: number): Set<string> {
  const paths = new Set<string>();
  for (let level = 0; Math.floor(size / 256 ** level) > 0; level += 1) {
    const hashes = Math.floor(size / 256 ** level);
    for (let at = 0; at < hashes; at += 256)
      paths.add(tilePath({ level, index: at / 256, width: Math.min(256, hashes - at) }));
  }
  return paths;
}

describe('the tiles of a tree', () => {
  test('of 70 000 leaves are those of the example in the specification', () => {
    const tiles = [...newTiles(0, 70_000)];
    const count = (level: number, width: number) =>
      tiles.filter((tile) => tile.level === level && tile.width === width).length;
    expect(tiles).toHaveLength(277);
    expect([count(0, 256), count(0, 112), count(1, 256), count(1, 17), count(2, 1)]).toEqual([
      273, 1, 1, 1, 1,
    ]);
    expect(edgeTiles(70_000).map(tilePath)).toEqual([
      'tile/0/273.p/112',
      'tile/1/001.p/17',
      'tile/2/000.p/1',
    ]);
  });

  test('of 256 leaves are a full tile and, above it, a partial tile of one hash', () => {
    expect([...newTiles(0, 256)].map(tilePath)).toEqual(['tile/0/000', 'tile/1/000.p/1']);
    expect([...newTiles(0, 0)]).toEqual([]);
  });

  test('written by an extension are those of the longer tree that the shorter one lacks', () => {
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const before = plainTiles(from);
        const wanted = [...plainTiles(to)].filter((path) => !before.has(path));
        expect([...newTiles(from, to)].map(tilePath).sort()).toEqual(wanted.sort());
      }),
      { numRuns: 60 },
    );
  });

  test('at a position outside the tree do not exist', () => {
    expect(tileAt(0, 1, 256)).toBeNull();
    expect(tileAt(1, 0, 255)).toBeNull();
    expect(tileAt(0, 0, 255)).toEqual({ level: 0, index: 0, width: 255 });
  });
});

describe('the path of a tile', () => {
  test.each([
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 63, index: 0, width: 1 }, 'tile/63/000.p/1'],
    [{ level: 1, index: 999, width: 255 }, 'tile/1/999.p/255'],
    [{ level: 0, index: 1000, width: 256 }, 'tile/0/x001/000'],
  ])('of %j is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
  });

  test('parses back to the same tile', () => {
    fc.assert(
      fc.property(fc.nat(63), indexes, widths, (level, index, width) => {
        const [tile, bundle] = [
          { level, index, width },
          { index, width },
        ];
        expect(parseTilePath(tilePath(tile))).toEqual({ kind: 'tile', tile });
        expect(parseTilePath(bundlePath(bundle))).toEqual({ kind: 'bundle', bundle });
      }),
    );
  });

  test.each([
    ...'tile/0/1 tile/0/0001 tile/0/x000/001 tile/0/001/002 tile/0/x01/002 tile/00/001 tile/64/001'.split(
      ' ',
    ),
    ...'tile/-1/001 tile/0/001.p/0 tile/0/001.p/256 tile/0/001.p/017 tile/0/001.p tile/0/001.p/'.split(' '),
    ...'tile/0/001/ tile/0/../0/001 tile//001 /tile/0/001 tile/entries/001.p/999 tile/entries/../0/001'.split(
      ' ',
    ),
    ...['tile/Entries/001', 'tile/0/٠٠١', 'tile/0/001\n', `tile/0/${'x999/'.repeat(6)}999`, 'checkpoint', ''],
  ])('in another spelling is none: %j', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });
});
