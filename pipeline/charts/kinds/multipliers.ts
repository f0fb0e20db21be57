import { curveStepAfter } from 'd3';
import { cathedralMultipliers } from '../../artifacts/economy/cathedral-multipliers.ts';
import { roi } from '../../artifacts/economy/roi.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatCathedral, formatList, formatToken } from '../../words/phrase.ts';
import { type Annotation, defineChart, MOST_ANNOTATIONS, type Series } from '../chart.ts';
import { roomFor } from '../drawing/annotations.ts';
import { element, linePath } from '../drawing/element.ts';
import { type Plot, timePlotHeight } from '../drawing/plot.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { timeFrame } from '../drawing/time-frame.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';

type Setting = Content<typeof cathedralMultipliers>[number];

interface Shown {
  settings: readonly Setting[];
  series: readonly Series[];
  asOf: string;
}

export const multipliers = defineChart<{ settings: readonly Setting[]; asOf: string }, Shown>({
  id: 'multipliers',
  area: 'economy',
  name: 'Cathedral multipliers',
  sources: [cathedralMultipliers, roi],
  controls: ['series'],
  prepare: (files) => ({
    settings: files.read(cathedralMultipliers),
    asOf: files.read(roi).timestamp,
  }),
  series: ({ settings }) => cathedralSeries(settings.map(({ cathedral }) => cathedral)),
  asOf: ({ asOf }) => asOf,
  show({ settings, asOf: published }, state) {
    const asOf = [published, ...settings.map(({ timestamp }) => timestamp)].sort().at(-1)!;
    const series = chosenSeries(cathedralSeries(settings.map(({ cathedral }) => cathedral)), state);
    const names = new Set(series.map(({ name }) => name));
    return { settings: settings.filter(({ cathedral }) => names.has(cathedral)), series, asOf };
  },
  isEmpty: ({ settings }) => settings.length === 0,
  missing: {
    nothing: 'No multiplier has been set yet.',
    types: ['genesis', 'multiplier_set'],
    wholeDays: false,
  },
  title: () => 'Cathedral multipliers since genesis',
  finding,
  annotations: annotationsOf,
  unit: () => 'Factor of the reward formula, from 1.0 to 2.0; a dot marks each setting',
  summary,
  table: ({ settings }) => ({
    columns: [
      { name: 'timestamp', title: 'Time', unit: '' },
      { name: 'cathedral', title: 'Cathedral', unit: '' },
      { name: 'multiplier', title: 'Multiplier', unit: 'factor' },
      { name: 'reason', title: 'Reason', unit: '' },
    ],
    rows: settings.map(({ timestamp, cathedral, multiplier, reason }) => [
      timestamp,
      cathedral,
      multiplier,
      reason,
    ]),
  }),
  plotHeight: (shown, width) => timePlotHeight(width) + roomFor(annotationsOf(shown), width),
  plot,
});

const ofCathedral = ({ settings }: Shown, name: string) =>
  settings.filter(({ cathedral }) => cathedral === name);

function summary(shown: Shown): string[] {
  const { settings, series } = shown;
  const present = series.map(
    ({ name, label }) => `${label} ${formatNumber(ofCathedral(shown, name).at(-1)!.multiplier, 2)}`,
  );
  const changes = settings.filter(({ reason }) => reason !== 'genesis');
  const last = changes.at(-1);
  return [
    `The multipliers are: ${formatList(present)}.`,
    `Since genesis there ${changes.length === 1 ? 'was' : 'were'} ${formatCount(changes.length, 'change')}.`,
    ...(last
      ? [
          `The last one, on ${formatDay(last.timestamp)}, set that of ${formatCathedral(last.cathedral)} to ${formatNumber(last.multiplier, 2)} (${formatToken(last.reason)}).`,
        ]
      : []),
  ];
}

/** The newest changes, with their reasons. */
function annotationsOf(shown: Shown): Annotation[] {
  const changes = shown.settings.filter(({ reason }) => reason !== 'genesis').slice(-MOST_ANNOTATIONS);
  return changes.map(({ timestamp, cathedral, multiplier, reason }) => {
    const label = `${formatCathedral(cathedral)} ${formatNumber(multiplier, 2)}, ${formatToken(reason)}`;
    return { day: timestamp.slice(0, 10), label };
  });
}

/** Who has the highest multiplier and how far it has moved, or that none was ever changed. */
function finding(shown: Shown): string | null {
  const { settings, series } = shown;
  if (settings.every(({ reason }) => reason === 'genesis')) return 'No multiplier has changed since genesis';
  const present = series
    .map(({ name, label }) => ({ name, label, own: ofCathedral(shown, name) }))
    .map(({ name, label, own }) => ({ name, label, first: own[0]!.multiplier, now: own.at(-1)!.multiplier }))
    .sort((a, b) => b.now - a.now);
  const [highest, second] = present;
  if (!highest || (second && second.now === highest.now)) return null;
  const has = second ? 'has the highest multiplier' : 'has the multiplier';
  const moved =
    highest.now === highest.first
      ? `the same as ${ofCathedral(shown, highest.name)[0]!.reason === 'genesis' ? 'at genesis' : 'when it was first set'}`
      : `${highest.now > highest.first ? 'up' : 'down'} from ${formatNumber(highest.first, 2)}`;
  return `${highest.label} ${has}, ${formatNumber(highest.now, 2)}, ${moved}`;
}

function plot(shown: Shown, frame: Plot): string[] {
  const { settings, series, asOf } = shown;
  const { theme } = frame;
  // The lines go on to the end of the day, so that the picture stays as it is while only the hour changes.
  const end = timeOfDay(addDays(asOf.slice(0, 10), 1));
  const present = series.map(({ name }) => ofCathedral(shown, name).at(-1)!.multiplier);
  const annotations = annotationsOf(shown);
  const { x, y, marks, names, annotated } = timeFrame(frame, {
    annotations,
    values: [1, 2],
    fromZero: false,
    limits: [1, 2],
    scale: 'linear',
    from: Date.parse(settings[0]!.timestamp),
    to: end,
    format: (value) => formatNumber(value, 1),
    unit: 'Multiplier',
    drawn: series.map(({ name }) => ({
      column: 'multiplier',
      of: name,
      colour: cathedralColour(theme, name),
      mark: 'line',
    })),
    series: series.map(({ name, label }, index) => ({
      text: `${label} ${formatNumber(present[index]!, 2)}`,
      colour: cathedralColour(theme, name),
    })),
  });
  const lines = series.flatMap(({ name }, index) => {
    const stroke = cathedralColour(theme, name);
    const points = ofCathedral(shown, name).map(({ timestamp, multiplier }) => ({
      x: x(Date.parse(timestamp)),
      y: y(multiplier),
    }));
    const last = { x: x(end), y: y(present[index]!) };
    return [
      linePath([...points, last], { stroke, curve: curveStepAfter }),
      ...points.map(({ x, y }) => element('circle', { cx: x, cy: y, r: 3, fill: stroke })),
    ];
  });
  const changed = settings.filter(({ reason }) => reason !== 'genesis').slice(-annotations.length);
  const heights = new Map(annotations.map((one, index) => [one, y(changed[index]!.multiplier) - 4]));
  return [...marks, ...lines, ...annotated((one) => heights.get(one)!), ...names(present.map(y))];
}
