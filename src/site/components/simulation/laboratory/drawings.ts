import { bin, scaleLinear } from 'd3';
import { formatNumber } from '../../../../../pipeline/words/number.ts';
import { escapeXml } from '../../../../../pipeline/words/xml.ts';
import type { EndingShare } from './endings.ts';

const round = (value: number) => Math.round(value * 10) / 10;

function svg(width: number, height: number, label: string, parts: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">${parts.join('')}</svg>`;
}

const BAR = { width: 320, height: 14 };

/** Shares of an ending as bars from 0 to all runs, each with its 95 % interval as a line. Stretches to its cell. */
export function shareBars(bars: readonly EndingShare[]): string {
  const { width, height } = BAR;
  const x = (share: number) => round(4 + share * (width - 8));
  const drawn = bars.flatMap(({ share, low, high }, place) => {
    const top = place * (height + 4);
    const middle = top + height / 2;
    return [
      `<rect class="bar bar-${place}" x="${x(0)}" y="${top}" width="${round(x(share) - x(0))}" height="${height}"/>`,
      `<path class="whisker" d="M${x(low)} ${middle}H${x(high)}M${x(low)} ${middle - 4}v8M${x(high)} ${middle - 4}v8"/>`,
    ];
  });
  const total = bars.length * (height + 4) - 4;
  // The cells beside it say the same in figures.
  return `<svg class="share-bars" viewBox="0 0 ${width} ${total}" width="${width}" height="${total}" preserveAspectRatio="none" aria-hidden="true"><path class="axis" d="M${x(0)} 0V${total}"/>${drawn.join('')}</svg>`;
}

const HISTOGRAM = { width: 320, height: 130, top: 8, bottom: 24, side: 10 };
const BINS = 16;
/** Whole numbers get a bar each up to this many. */
const MOST_WHOLE = 40;

/** How often each value occurs, as a share of the runs: bars for the batch, an outline for the comparison. */
export function histogram(
  series: readonly (readonly number[])[],
  { label, decimals }: { label: string; decimals: number },
): string {
  const { width, height, top, bottom, side } = HISTOGRAM;
  const all = series.flat();
  const edges = edgesOf(all, decimals === 0);
  const bins = series.map((values) => {
    const counts = bin()
      .domain([edges[0]!, edges.at(-1)!])
      .thresholds(edges.slice(1, -1))(values);
    return counts.map(({ length }) => length / Math.max(1, values.length));
  });
  const x = scaleLinear([edges[0]!, edges.at(-1)!], [side, width - side]);
  const y = scaleLinear([0, Math.max(...bins.flat())], [height - bottom, top]);
  const base = height - bottom;
  const bars = bins[0]!.map((share, place) => {
    const [left, right] = [x(edges[place]!), x(edges[place + 1]!)];
    return `<rect class="bar bar-0" x="${round(left + 0.5)}" y="${round(y(share))}" width="${round(Math.max(1, right - left - 1))}" height="${round(base - y(share))}"/>`;
  });
  const outline = (shares: readonly number[]) =>
    shares.map((share, place) => `V${round(y(share))}H${round(x(edges[place + 1]!))}`).join('');
  const other = bins[1]
    ? [`<path class="outline" d="M${round(x(edges[0]!))} ${base}${outline(bins[1])}V${base}"/>`]
    : [];
  const ticks = x
    .ticks(4)
    .filter((tick) => decimals > 0 || Number.isInteger(tick))
    .map(
      (tick) =>
        `<text x="${round(x(tick))}" y="${height - 6}" text-anchor="${anchorOf(x(tick), width)}">${formatNumber(tick, { max: decimals })}</text><path class="axis" d="M${round(x(tick))} ${base}v4"/>`,
    );
  return svg(width, height, label, [
    ...bars,
    ...other,
    `<path class="axis" d="M${side} ${base}H${width - side}"/>`,
    ...ticks,
  ]);
}

function anchorOf(x: number, width: number): string {
  if (x < 24) return 'start';
  return x > width - 24 ? 'end' : 'middle';
}

/** The bounds of the bins. Whole numbers lie in the middle of theirs. */
function edgesOf(values: readonly number[], isWhole: boolean): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (isWhole && most - least < MOST_WHOLE && values.every(Number.isInteger))
    return Array.from({ length: most - least + 2 }, (_, place) => least - 0.5 + place);
  const scale = scaleLinear([least, most === least ? least + 1 : most], [0, 1]).nice(BINS);
  const inner = scale.ticks(BINS);
  const [first, last] = scale.domain() as [number, number];
  return [...new Set([first, ...inner.filter((edge) => edge > first && edge < last), last])];
}

export interface LinePoint {
  value: number;
  share: number;
  low: number;
  high: number;
}

const LINE = { width: 260, height: 150, top: 10, bottom: 26, left: 40, right: 14 };

/** The share of one ending by the value of a parameter, with its 95 % interval as a band, and the value of the batch. */
export function shareLine(
  points: readonly LinePoint[],
  { label, own }: { label: string; own: number | null },
): string {
  const { width, height, top, bottom, left, right } = LINE;
  const [first, last] = [points[0]!.value, points.at(-1)!.value];
  const x = scaleLinear([first, last], [left, width - right]);
  const y = scaleLinear([0, 1], [height - bottom, top]);
  const at = (value: number, share: number) => `${round(x(value))} ${round(y(share))}`;
  const line = points.map(({ value, share }) => at(value, share)).join('L');
  const band = [
    ...points.map(({ value, high }) => at(value, high)),
    ...points.toReversed().map(({ value, low }) => at(value, low)),
  ].join('L');
  const levels = [0, 0.5, 1].map(
    (share) =>
      `<path class="grid" d="M${left} ${round(y(share))}H${width - right}"/><text x="${left - 6}" y="${round(y(share) + 4)}" text-anchor="end">${share * 100} %</text>`,
  );
  const ends = [first, last].map(
    (value, place) =>
      `<text x="${round(x(value))}" y="${height - 8}" text-anchor="${place === 0 ? 'start' : 'end'}">${value}</text>`,
  );
  const mark =
    own !== null && own >= first && own <= last
      ? [`<path class="own" d="M${round(x(own))} ${top}V${height - bottom}"/>`]
      : [];
  const dots = points.map(
    ({ value, share }) => `<circle cx="${round(x(value))}" cy="${round(y(share))}" r="3"/>`,
  );
  return svg(width, height, label, [
    ...levels,
    ...mark,
    `<path class="band" d="M${band}Z"/>`,
    `<path class="line" d="M${line}"/>`,
    ...dots,
    ...ends,
  ]);
}

const SPARK = { width: 84, height: 28 };

/** The same without axes, for the cell of a table that says its ends in figures. */
export function spark(points: readonly LinePoint[]): string {
  const { width, height } = SPARK;
  const x = scaleLinear([points[0]!.value, points.at(-1)!.value], [3, width - 3]);
  const y = scaleLinear([0, 1], [height - 3, 3]);
  const line = points.map(({ value, share }) => `${round(x(value))} ${round(y(share))}`).join('L');
  return `<svg class="spark" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true"><path class="grid" d="M3 ${height - 3}H${width - 3}"/><path class="line" d="M${line}"/></svg>`;
}
