import type { Hash, TreeHead } from '../../../pipeline/ledger/log/hash.ts';
import { leafHash, nodeHash } from '../../../pipeline/ledger/log/merkle.ts';
import { tilePath } from '../../../pipeline/ledger/log/tile.ts';
import { type ReadTile, TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import {
  EMPTY_TREE,
  type LogFile,
  TreeBuilder,
  type TreeEdge,
} from '../../../pipeline/ledger/log/tree-builder.ts';

/** All files of a log with these entries, by path. `from` is the tree that it extends. */
export function buildTree(entries: Iterable<Uint8Array>, from: TreeEdge = EMPTY_TREE) {
  const builder = new TreeBuilder(from);
  const files = new Map<string, Uint8Array>();
  const add = ({ path, bytes }: LogFile) => files.set(path, bytes);
  for (const entry of entries) builder.append(entry).forEach(add);
  builder.partial().forEach(add);
  return { files, head: { size: builder.size, root: builder.root() } };
}

export function leaves(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`entry ${index}`));
}

export function tilesOf(files: ReadonlyMap<string, Uint8Array>): ReadTile {
  return async (tile) => {
    const bytes = files.get(tilePath(tile));
    if (!bytes) throw new Error(`no ${tilePath(tile)}`);
    return bytes;
  };
}

export async function readerOf(entries: readonly Uint8Array[]): Promise<TileReader> {
  const { files, head } = buildTree(entries);
  return TileReader.open(head, tilesOf(files));
}

/** MTH(D) of RFC 6962 §2.1 over leaf hashes. */
export function plainTree(hashes: readonly Hash[]): Hash {
  if (hashes.length === 1) return hashes[0]!;
  const k = plainSplit(hashes.length);
  return nodeHash(plainTree(hashes.slice(0, k)), plainTree(hashes.slice(k)));
}

/** PATH(m, D) of §2.1.1. */
export function plainPath(m: number, hashes: readonly Hash[]): Hash[] {
  if (hashes.length === 1) return [];
  const k = plainSplit(hashes.length);
  const [left, right] = [hashes.slice(0, k), hashes.slice(k)];
  return m < k ? [...plainPath(m, left), plainTree(right)] : [...plainPath(m - k, right), plainTree(left)];
}

/** SUBPROOF(m, D, b) of §2.1.2. */
export function plainSubproof(m: number, hashes: readonly Hash[], b = true): Hash[] {
  if (m === hashes.length) return b ? [] : [plainTree(hashes)];
  const k = plainSplit(hashes.length);
  const [left, right] = [hashes.slice(0, k), hashes.slice(k)];
  return m <= k
    ? [...plainSubproof(m, left, b), plainTree(right)]
    : [...plainSubproof(m - k, right, false), plainTree(left)];
}

export function headOf(entries: readonly Uint8Array[]): TreeHead {
  return { size: entries.length, root: plainTree(entries.map(leafHash)) };
}

function plainSplit(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}
