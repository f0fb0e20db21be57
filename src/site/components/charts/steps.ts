import type { PlotScale } from '../../../../pipeline/charts/drawing/plot.ts';

/** A row of the chart's table as the page shows it. */
export interface ShownRow {
  cells: readonly string[];
}

/** What a reader steps through: a moment with all its rows, or one row. */
export interface Step {
  rows: readonly ShownRow[];
  /** Where it lies in each of the picture's plots, px; null: anywhere. */
  marks: readonly { x: number | null; y: number | null; top: number; bottom: number }[];
}

const DATE = /^\d{4}-\d{2}-\d{2}/;
const HALF_DAY_MS = 43_200_000;

/** The steps of a picture, from the left to the right or from the top to the bottom. */
export function stepsOf(scales: readonly PlotScale[], rows: readonly ShownRow[]): Step[] {
  const [scale] = scales;
  if (!scale) return [];
  if (scale.kind === 'time') return timeSteps(scales, rows);
  const places: readonly (readonly [number | null, number])[] =
    scale.kind === 'points' ? scale.points : scale.middles.map((y) => [null, y] as const);
  return places.flatMap(([x, y], index) => {
    const row = rows[index];
    return row ? [{ rows: [row], marks: [{ x, y, top: y, bottom: y }] }] : [];
  });
}

function timeSteps(scales: readonly PlotScale[], rows: readonly ShownRow[]): Step[] {
  const byTime = Map.groupBy(rows, timeOf);
  const times = [...byTime.keys()].filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  return times.map((time) => ({
    rows: byTime.get(time)!,
    marks: scales.flatMap((scale) => {
      if (scale.kind !== 'time') return [];
      const { from, to, box } = scale;
      const share = Math.min(1, Math.max(0, (time - from) / (to - from)));
      const x = box.left + share * (box.right - box.left);
      return [{ x, y: null, top: box.top, bottom: box.bottom }];
    }),
  }));
}

/** The middle of its days where a row has two, else the time that its first cell says; ms since 1970. */
function timeOf({ cells: [first = '', second = ''] }: ShownRow): number {
  const start = Date.parse(first);
  return DATE.test(second) && DATE.test(first) ? (start + Date.parse(second)) / 2 + HALF_DAY_MS : start;
}

/** The step that lies nearest to a place in the picture, and which of its marks does. */
export function nearestStep(
  steps: readonly Step[],
  at: { x: number; y: number },
): { step: number; mark: number } {
  const found = { step: -1, mark: 0, distance: Number.POSITIVE_INFINITY };
  for (const [step, { marks }] of steps.entries()) {
    for (const [mark, place] of marks.entries()) {
      const distance = distanceTo(place, at);
      if (distance < found.distance) Object.assign(found, { step, mark, distance });
    }
  }
  return found;
}

/** Above and below a plot is further away than beside a moment in it: that belongs to another plot. */
function distanceTo({ x, y, top, bottom }: Step['marks'][number], at: { x: number; y: number }): number {
  const beside = Math.max(0, top - at.y, at.y - bottom) * 4;
  return Math.hypot(x === null ? 0 : x - at.x, y === null ? beside : y - at.y);
}
