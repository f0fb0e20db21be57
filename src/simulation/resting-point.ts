import { influenceMatrix } from './influence.ts';
import { ownOpinions, stubbornnessOf } from './opinions.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Sentinel, World } from './world.ts';

/** A pivot below this comes from rounding: the system has no single solution. */
const SINGULAR = 1e-9;

interface Known {
  matrix: Float64Array;
  /** The lever, by which every stubbornness is multiplied. */
  factor: number;
  total: Float64Array | null;
}

/** Cached by the list of sentinels, which only events and choices change. */
const TOTALS = new WeakMap<readonly Sentinel[], Known>();

/**
 * V = (I − ΛW)⁻¹(I − Λ), n × n in row order: the share of sentinel j’s own opinion in the opinion that sentinel i ends up with, directly
 * and by way of others (Friedkin and Johnsen’s total effects). Each row of a sentinel that is online sums to 1; the row of one that is
 * offline is 0. Null if V does not exist: somebody listens, directly or by way of others, to nobody who keeps an opinion of its own.
 */
export function totalInfluence({
  sentinels,
  levers,
}: Pick<World, 'sentinels' | 'levers'>): Float64Array | null {
  const matrix = influenceMatrix(sentinels, levers);
  const known = TOTALS.get(sentinels);
  if (known?.matrix === matrix && known.factor === levers.stubbornness) return known.total;
  const total = solve(sentinels, levers, matrix);
  TOTALS.set(sentinels, { matrix, factor: levers.stubbornness, total });
  return total;
}

/** Gauss–Jordan elimination with partial pivoting, in a fixed order, so that every engine gets the same bits. */
function solve(
  sentinels: readonly Sentinel[],
  levers: World['levers'],
  matrix: Float64Array,
): Float64Array | null {
  const size = sentinels.length;
  const width = 2 * size;
  // Left half: I − ΛW; right half: I − Λ. The row of an offline sentinel is that of the identity on the left.
  const rows = sentinels.map((sentinel, i) => {
    const row = new Float64Array(width);
    row[i] = 1;
    if (!sentinel.isOnline) return row;
    const stubbornness = stubbornnessOf(sentinel, levers);
    for (let j = 0; j < size; j += 1) row[j]! -= (1 - stubbornness) * matrix[i * size + j]!;
    row[size + i] = stubbornness;
    return row;
  });
  for (let column = 0; column < size; column += 1) {
    const pivot = largestIn(rows, column);
    if (Math.abs(rows[pivot]![column]!) < SINGULAR) return null;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    clearColumn(rows, column);
  }
  const total = new Float64Array(size * size);
  for (const [i, row] of rows.entries())
    for (let j = 0; j < size; j += 1) total[i * size + j] = row[size + j]! / row[i]!;
  return total;
}

/** The row, from the diagonal downwards, with the largest entry; the first of equals. */
function largestIn(rows: readonly Float64Array[], column: number): number {
  let largest = column;
  for (let i = column + 1; i < rows.length; i += 1)
    if (Math.abs(rows[i]![column]!) > Math.abs(rows[largest]![column]!)) largest = i;
  return largest;
}

/** Subtracts the pivot’s row from all others, so that the pivot is the only entry left in its column. */
function clearColumn(rows: readonly Float64Array[], column: number): void {
  const pivot = rows[column]!;
  for (const row of rows) {
    const factor = row === pivot ? 0 : row[column]! / pivot[column]!;
    if (factor === 0) continue;
    for (let j = column; j < row.length; j += 1) row[j]! -= factor * pivot[j]!;
  }
}

/**
 * Where the opinions come to rest if nothing changes any more: x = (I − ΛW)⁻¹(I − Λ)u. Offline sentinels keep their opinion. Null if the
 * equation has no single solution, which needs a sentinel that nobody stubborn is heard by: opinions then settle, but where depends on
 * where they are now.
 */
export function restingPoint(world: World): number[] | null {
  const total = totalInfluence(world);
  if (total === null) return null;
  const own = ownOpinions(world);
  const size = own.length;
  return world.sentinels.map(({ isOnline }, i) => {
    if (!isOnline) return world.conditions.opinion[i]!;
    let sum = 0;
    for (let j = 0; j < size; j += 1) sum += total[i * size + j]! * own[j]!;
    return roundTo6(sum);
  });
}
