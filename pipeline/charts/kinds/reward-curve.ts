import { type ScaleLinear, scaleLinear } from 'd3';
import { sentinelRoi } from '../../artifacts/economy/sentinel-roi.ts';
import { REWARD, reward } from '../../model/formulas.ts';
import { formatNumber } from '../../words/number.ts';
import { formatCathedral } from '../../words/phrase.ts';
import { type ChartTable, defineChart } from '../chart.ts';
import { element, linePath } from '../drawing/element.ts';
import { LABEL_SIZE, label, sideLabelRoom, sideLabels, TICK_SIZE, textWidth } from '../drawing/label.ts';
import { type Box, NARROW, type Plot, timePlotHeight, widthOf } from '../drawing/plot.ts';
import { type ChartTheme, cathedralColour } from '../drawing/theme.ts';
import { valueAxis } from '../drawing/time-frame.ts';

interface Named {
  text: string;
  x: number;
  y: number;
}

interface NamePlace {
  x: number;
  y: number;
  anchor: 'start' | 'end';
}

const AWAY = 8;
const HEIGHT = LABEL_SIZE * 1.15;

/** The positions of a name around its point, best first. */
const OFFSETS: readonly (readonly [dx: number, dy: number, anchor: 'start' | 'end'])[] = [
  [-AWAY, -AWAY, 'end'],
  [AWAY, AWAY, 'start'],
  [-AWAY, 0, 'end'],
  [AWAY, 0, 'start'],
  [AWAY, -AWAY, 'start'],
  [-AWAY, AWAY, 'end'],
];

/** A place for each point's name that touches no other name or point; null if there is none. */
function placeNames(points: readonly Named[], box: Box): (NamePlace | null)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  return points.map((point) => {
    for (const [dx, dy, anchor] of OFFSETS) {
      const place = { x: point.x + dx, y: point.y + dy, anchor };
      const area = areaOf(point.text, place);
      if (!isWithin(area, box) || taken.some((other) => touches(area, other))) continue;
      taken.push(area);
      return place;
    }
    return null;
  });
}

function areaOf(text: string, { x, y, anchor }: NamePlace): Box {
  const width = textWidth(text, LABEL_SIZE);
  const left = anchor === 'start' ? x : x - width;
  return { left, right: left + width, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

function touches(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

interface Sentinel {
  id: string;
  cathedral: string;
  score: number;
  multiplier: number;
}

interface Shown {
  sentinels: readonly Sentinel[];
  /** One curve per multiplier, highest first. */
  multipliers: readonly number[];
  /** The curves end here; points. */
  most: number;
  /** The point that the reader added. */
  own: { s: number; multiplier: number } | null;
}

/** The range of the multiplier, and its middle. */
const SPAN = [2, 1.5, 1] as const;
const FORMULA = `${formatNumber(REWARD.L)} ÷ (1 + e^(−${REWARD.k}(s − ${REWARD.x0}))) × M`;
const LEAST_MOST = 120;
/** Beyond it the curves are flat; dots further out are drawn at the end. */
const MOST = 400;
const STEP = 2;

export const rewardCurve = defineChart<{ sentinels: Sentinel[]; asOf: string }, Shown>({
  id: 'reward-curve',
  area: 'economy',
  name: 'Reward curve',
  sources: [sentinelRoi],
  controls: ['s', 'multiplier'],
  prepare(files) {
    const { timestamp: asOf, sentinels } = files.read(sentinelRoi);
    const scored = sentinels.flatMap(({ id, cathedral, coordination_score: score, multiplier }) =>
      score === null ? [] : [{ id, cathedral, score, multiplier }],
    );
    return { sentinels: scored, asOf };
  },
  asOf: ({ asOf }) => asOf,
  show({ sentinels }, { s, multiplier }) {
    const own = s === null && multiplier === null ? null : { s: s ?? REWARD.x0, multiplier: multiplier ?? 1 };
    const highest = Math.max(0, ...sentinels.map(({ score }) => score), own?.s ?? 0);
    return {
      sentinels,
      multipliers: SPAN,
      most: Math.min(MOST, Math.max(LEAST_MOST, Math.ceil(highest / 20) * 20)),
      own,
    };
  },
  isEmpty: () => false,
  missing: null,
  title: () => 'What a mint earns, by coordination score and multiplier',
  finding,
  unit: () =>
    `Reward in MIC for a score of s points and a multiplier M: ${FORMULA.replaceAll(' ', '\u00a0')}`,
  note: ({ sentinels }) =>
    sentinels.length > 0
      ? 'Dots: the sentinels, at their present score and multiplier, named where there is room.'
      : '',
  summary,
  table,
  plotHeight: (_, width) => timePlotHeight(width) + (width < NARROW ? 40 : 0),
  plot,
});

/** What the reader’s own point earns; otherwise how many sentinels are on the upper half of the curve. */
function finding({ sentinels, own }: Shown): string | null {
  if (own)
    return `${formatNumber(own.s, 1)} points with the multiplier ${formatNumber(own.multiplier, 2)} earn ${formatNumber(micOf(own), 1)} MIC`;
  const above = sentinels.filter(({ score }) => score >= REWARD.x0).length;
  if (sentinels.length < 2) return null;
  const half = `the ${REWARD.x0} points that earn half of the highest reward`;
  if (above === 0) return `No sentinel has ${half}`;
  if (above === sentinels.length) return `All ${formatNumber(above)} sentinels have ${half}`;
  return `${formatNumber(above)} of ${formatNumber(sentinels.length)} sentinels ${above === 1 ? 'has' : 'have'} ${half}`;
}

const micOf = ({ s, multiplier }: NonNullable<Shown['own']>) => reward(s, multiplier);

function summary({ sentinels, own }: Shown): string[] {
  const earning = sentinels
    .map((one) => ({ ...one, mic: reward(one.score, one.multiplier) }))
    .sort((a, b) => b.mic - a.mic);
  const [first, last] = [earning[0], earning.at(-1)];
  return [
    `A score of ${REWARD.x0} points earns ${formatNumber(reward(REWARD.x0, 1))} MIC with the multiplier 1 and ${formatNumber(reward(REWARD.x0, 2))} MIC with 2; no mint earns more than ${formatNumber(REWARD.L * 2)} MIC.`,
    ...(own
      ? [
          `A score of ${formatNumber(own.s, 1)} points with the multiplier ${formatNumber(own.multiplier, 2)} earns ${formatNumber(micOf(own), 1)} MIC.`,
        ]
      : []),
    ...(first && last
      ? [
          first === last
            ? `At present a mint for ${first.id} (${formatCathedral(first.cathedral)}) would earn ${formatNumber(first.mic)} MIC.`
            : `At present a mint for ${first.id} (${formatCathedral(first.cathedral)}) would earn most, ${formatNumber(first.mic)} MIC, and one for ${last.id} least, ${formatNumber(last.mic)} MIC.`,
        ]
      : []),
  ];
}

function table({ sentinels, multipliers, most, own }: Shown): ChartTable {
  const row = (what: string, s: number, multiplier: number) => [
    what,
    s,
    multiplier,
    Math.round(reward(s, multiplier) * 1e6) / 1e6,
  ];
  const scores = Array.from({ length: most / 10 + 1 }, (_, index) => index * 10);
  return {
    columns: [
      { name: 'what', title: 'Curve or sentinel', unit: '' },
      { name: 's', title: 'Coordination score', unit: 'points' },
      { name: 'multiplier', title: 'Multiplier', unit: 'factor' },
      { name: 'reward', title: 'Reward of a mint', unit: 'MIC' },
    ],
    rows: [
      ...(own ? [row('your point', own.s, own.multiplier)] : []),
      ...sentinels.map(({ id, score, multiplier }) => row(id, score, multiplier)),
      ...multipliers.flatMap((multiplier) => scores.map((s) => row('curve', s, multiplier))),
    ],
  };
}

function plot(shown: Shown, { box, theme, id, onScale }: Plot): string[] {
  const { multipliers, most } = shown;
  const curveNames = multipliers.map((multiplier) => `M = ${formatNumber(multiplier, 1)}`);
  const inside = {
    ...box,
    right:
      box.right -
      sideLabelRoom(
        curveNames.map((text) => ({ text })),
        box,
      ),
    top: box.top + 24,
    bottom: box.bottom - 44,
  };
  const axis = valueAxis(inside, theme, {
    values: [0, REWARD.L * 2],
    fromZero: true,
    scale: 'linear',
    format: (value) => formatNumber(value),
  });
  const { y, inner } = axis;
  const x = scaleLinear([0, most], [inner.left, inner.right]);
  const curves = multipliers.map((multiplier) =>
    curve(most, (s) => ({ x: x(s), y: y(reward(s, multiplier)) }), theme.muted),
  );
  const ends = multipliers.map((multiplier, index) => ({
    text: curveNames[index]!,
    y: y(reward(most, multiplier)),
    colour: theme.muted,
  }));
  return [
    label('Reward, MIC', box.left, box.top + TICK_SIZE / 2, { fill: theme.muted, size: TICK_SIZE }),
    ...axis.marks,
    ...scoreAxis(x, box.bottom - 32, theme),
    label('Coordination score, points', inner.left + widthOf(inner) / 2, box.bottom - 10, {
      fill: theme.muted,
      size: TICK_SIZE,
      anchor: 'middle',
    }),
    ...curves,
    ...sideLabels(ends, inner, box.right, theme),
    ...dots(shown, (s, multiplier) => ({ x: x(Math.min(s, most)), y: y(reward(s, multiplier)) }), {
      box: inner,
      theme,
      id,
      onScale,
    }),
  ];
}

/** The reader's point and the sentinels, named if there is room; the table lists all of them. */
function dots(
  { sentinels, own }: Shown,
  at: (s: number, multiplier: number) => { x: number; y: number },
  { box, theme, onScale }: Plot,
): string[] {
  const points = [
    ...(own
      ? [{ text: `${formatNumber(micOf(own), 1)} MIC`, colour: theme.ink, ...at(own.s, own.multiplier) }]
      : []),
    ...sentinels.map(({ id, cathedral, score, multiplier }) => ({
      text: id,
      colour: cathedralColour(theme, cathedral),
      ...at(score, multiplier),
    })),
  ];
  onScale?.({ kind: 'points', points: points.map(({ x, y }) => [x, y]) });
  const places = placeNames(points, box);
  const circles = points.map(({ x, y, colour }) =>
    element('circle', { cx: x, cy: y, r: 4.5, fill: colour, stroke: theme.paper, 'stroke-width': 1 }),
  );
  const names = points.flatMap(({ text, colour }, index) => {
    const place = places[index];
    return place
      ? [label(text, place.x, place.y, { fill: colour, anchor: place.anchor, ground: theme.paper })]
      : [];
  });
  return [...names, ...circles];
}

function curve(most: number, at: (s: number) => { x: number; y: number }, stroke: string): string {
  const scores = Array.from({ length: most / STEP + 1 }, (_, index) => index * STEP);
  return linePath(scores.map(at), { stroke, width: 1.5 });
}

function scoreAxis(x: ScaleLinear<number, number>, y: number, { muted }: ChartTheme): string[] {
  const style = { fill: muted, size: TICK_SIZE, anchor: 'middle' } as const;
  return x
    .ticks(Math.max(2, Math.min(6, (x.range()[1]! - x.range()[0]!) / 34)))
    .map((s) => label(formatNumber(s), x(s), y, style));
}
