/**
 * The tiles of a tree (c2sp.org/tlog-tiles): 256 adjacent hashes of one level or, at the right edge of the tree, fewer.
 */
export interface Tile {
  /** Of its hashes: each covers 256^level leaves. */
  level: number;
  /** Among the tiles of its level, from 0. */
  index: number;
  /** Number of hashes, 1 to 256. */
  width: number;
}

/** Entries 256·index … of the log, the leaves of the tile at level 0 with this index and width. */
export type Bundle = Omit<Tile, 'level'>;

export const TILE_WIDTH = 256;

/** Hashes of this level in a tree of `size` leaves: only whole subtrees have one. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tile at this place in a tree of `size` leaves; null if the tree does not reach it. */
export function tileAt(level: number, index: number, size: number): Tile | null {
  const width = Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH);
  return width > 0 ? { level, index, width } : null;
}

/** The partial tiles of a tree, at most one per level, from level 0 up. Appending starts from them. */
export function edgeTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const hashes = hashesAt(level, size);
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

/**
 * The partial tiles of an older tree that a log keeps when it has grown to `size`. Clients with the older checkpoint request them, and
 * use the full tile once there is one (c2sp.org/tlog-tiles).
 */
export function partialTiles(earlier: number, size: number): Tile[] {
  return edgeTiles(earlier).filter(({ level, index }) => tileAt(level, index, size)!.width < TILE_WIDTH);
}

/** The tiles of a tree of `to` leaves that a tree of `from` leaves lacks, from level 0 up. */
export function* newTiles(from: number, to: number): Generator<Tile> {
  for (let level = 0; hashesAt(level, to) > 0; level += 1) {
    const before = hashesAt(level, from);
    const hashes = hashesAt(level, to);
    if (hashes === before) continue;
    for (let index = Math.floor(before / TILE_WIDTH); index * TILE_WIDTH < hashes; index += 1)
      yield tileAt(level, index, to)!;
  }
}

/** `tile/0/x001/234`, `tile/1/000.p/17`: the path of a tile below the log's address. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level}/${formatIndex(index)}${formatWidth(width)}`;
}

/** `tile/entries/x001/234` */
export function bundlePath({ index, width }: Bundle): string {
  return `tile/entries/${bundleName({ index, width })}`;
}

/** `x001/234`, `000.p/17` */
function bundleName({ index, width }: Bundle): string {
  return `${formatIndex(index)}${formatWidth(width)}`;
}

/** `public/v1/x001/234`. `version`: of the decisions which events are public, see public-events.ts. */
export function publicPath({ index, width }: Bundle, version: number): string {
  return `public/v${version}/${bundleName({ index, width })}`;
}

const PATH =
  /^(?:tile\/(entries|0|[1-9]\d?)|public\/v([1-9]\d{0,8}))\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const MAX_LEVEL = 63;

/** What a path of the log stands for. */
export type LogFileName =
  | { kind: 'tile'; tile: Tile }
  | { kind: 'bundle'; bundle: Bundle }
  | { kind: 'public'; bundle: Bundle; version: number };

/** Parses a path; null unless it is spelled exactly as by `tilePath`, `bundlePath` or `publicPath`. */
export function parseTilePath(path: string): LogFileName | null {
  const [, level, version, digits, part] = PATH.exec(path) ?? [];
  if (digits === undefined) return null;
  const index = Number(digits.replaceAll(/[x/]/g, ''));
  const width = part === undefined ? TILE_WIDTH : Number(part);
  if (part !== undefined && width >= TILE_WIDTH) return null;
  // Refuses leading groups of zeros and numbers beyond a double.
  if (!Number.isSafeInteger(index) || formatIndex(index) !== digits) return null;
  if (version !== undefined) return { kind: 'public', bundle: { index, width }, version: Number(version) };
  if (level === 'entries') return { kind: 'bundle', bundle: { index, width } };
  return Number(level) > MAX_LEVEL ? null : { kind: 'tile', tile: { level: Number(level), index, width } };
}

/** 1234067 → `x001/x234/067` */
function formatIndex(index: number): string {
  const groups = [String(index % 1000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`x${String(rest % 1000).padStart(3, '0')}`);
  return groups.join('/');
}

function formatWidth(width: number): string {
  return width === TILE_WIDTH ? '' : `.p/${width}`;
}

/**
 * The tile or bundle of a tree of `size` leaves at a path, which may name a smaller part of it. Null for any other path.
 */
export function fullTileOf(path: string, size: number): LogFileName | null {
  const found = parseTilePath(path);
  if (!found) return null;
  const { index, width } = found.kind === 'tile' ? found.tile : found.bundle;
  const whole = tileAt(found.kind === 'tile' ? found.tile.level : 0, index, size);
  if (!whole || width > whole.width) return null;
  return found.kind === 'tile' ? { kind: 'tile', tile: whole } : { ...found, bundle: whole };
}
