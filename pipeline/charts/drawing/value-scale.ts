import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3';

export type ValueScale = ScaleContinuousNumeric<number, number>;

export interface ValueAxis {
  /** What is drawn; from it the scale takes its ends. Numbers that are not finite are left out. */
  values: Iterable<number>;
  /** Linear scales only: whether zero is on the scale. Columns and areas need it, lines do not. */
  fromZero: boolean;
  scale: 'linear' | 'log';
  /** Least span of a linear scale that need not begin at zero: less would make noise look like news. */
  leastSpan?: number;
  /** The scale goes no further than this, whatever is round: shares end at 0 and 1. */
  limits?: readonly [number, number];
}

/** From the values to `bottom` … `top`, with round ends. */
export function valueScale(axis: ValueAxis, bottom: number, top: number, ticks: number): ValueScale {
  return axis.scale === 'log' ? logScale(axis, bottom, top) : linearScale(axis, bottom, top, ticks);
}

/** Of a linear scale: nothing that is published is finer, and rounding would find no ticks. */
const LEAST_SPAN = 1e-9;
/** An amount has six places. */
const LEAST_LOGARITHM = 1e-6;

/** A logarithm has no zero: values of 0 and less lie on the lower end. */
function logScale({ values }: ValueAxis, bottom: number, top: number): ValueScale {
  const [least, most] = extentOf(
    values,
    (value) => value >= LEAST_LOGARITHM && value < Number.POSITIVE_INFINITY,
  ) ?? [1, 10];
  const low = 10 ** Math.floor(Math.log10(least));
  const high = 10 ** Math.ceil(Math.log10(most));
  return scaleLog([low, high > low ? high : low * 10], [bottom, top]).clamp(true);
}

function linearScale(axis: ValueAxis, bottom: number, top: number, ticks: number): ValueScale {
  const [least, most] = extentOf(axis.values, Number.isFinite) ?? [0, 0];
  const ends = axis.fromZero
    ? [Math.min(0, least), Math.max(0, most)]
    : widened(least, most, axis.leastSpan ?? 0);
  const [low, high] =
    ends[1]! - ends[0]! < LEAST_SPAN ? [ends[0]!, ends[0]! + 1] : (ends as [number, number]);
  const scale = scaleLinear([low, high], [bottom, top]).nice(ticks);
  const [from, to] = scale.domain() as [number, number];
  const [floor, ceiling] = axis.limits ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return scale.domain([Math.max(from, Math.min(floor, low)), Math.min(to, Math.max(ceiling, high))]);
}

function widened(least: number, most: number, span: number): [number, number] {
  const missing = Math.max(0, Math.max(span, Math.abs(most) * 1e-6, LEAST_SPAN) - (most - least)) / 2;
  return [least - missing, most + missing];
}

function extentOf(values: Iterable<number>, counts: (value: number) => boolean): [number, number] | null {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!counts(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return most < least ? null : [least, most];
}

/** Values for grid lines; of a logarithm whole powers of ten, with twos and fives where those are few. */
export function ticksOf(scale: ValueScale, kind: 'linear' | 'log', count: number): number[] {
  if (kind === 'linear') return scale.ticks(count);
  const [low, high] = scale.domain().map(Math.log10).map(Math.round) as [number, number];
  const stride = Math.max(1, Math.ceil((high - low) / count));
  const factors = high - low <= 2 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: high - low + 1 }, (_, index) => index).filter(
    (index) => index % stride === 0,
  );
  return powers
    .flatMap((index) => factors.map((factor) => factor * 10 ** (low + index)))
    .filter((value) => value <= 10 ** high);
}
