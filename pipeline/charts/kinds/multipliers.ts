import { cathedralMultipliers } from '../../artifacts/economy/cathedral-multipliers.ts';
import { roi } from '../../artifacts/economy/roi.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatNumber } from '../../words/number.ts';
import { formatCathedral, formatToken } from '../../words/phrase.ts';
import { defineChart, MOST_ANNOTATIONS, type Series } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralSeries } from '../series.ts';

type Setting = Content<typeof cathedralMultipliers>[number];

export const multipliers = defineChart({
  id: 'multipliers',
  area: 'economy',
  name: 'Cathedral multipliers',
  sources: [cathedralMultipliers, roi],
  controls: ['series'],
  missing: {
    nothing: 'No multiplier has been set yet.',
    types: ['genesis', 'multiplier_set'],
    wholeDays: false,
  },
  prepare: (files) => ({ settings: files.read(cathedralMultipliers), asOf: files.read(roi).timestamp }),
  series: ({ settings }) => cathedralSeries(settings.map(({ cathedral }) => cathedral)),
  asOf: ({ asOf }) => asOf,
  view(data, { series }) {
    const settings = data.settings.filter(({ cathedral }) => series.some(({ name }) => name === cathedral));
    const changes = settings.filter(({ reason }) => reason !== 'genesis');
    return {
      title: 'Cathedral multipliers since genesis',
      unit: 'Factor of the reward formula, from 1.0 to 2.0; a dot marks each setting',
      ...tableOf(settings, [
        ['timestamp', 'Time'],
        ['cathedral', 'Cathedral'],
        ['multiplier', 'Multiplier', 'factor'],
        ['reason', 'Reason'],
      ]),
      finding: () => finding(settings, series),
      /** The newest changes, with their reasons. */
      annotations: () =>
        changes.slice(-MOST_ANNOTATIONS).map(({ timestamp, cathedral, multiplier, reason }) => ({
          day: timestamp.slice(0, 10),
          label: `${formatCathedral(cathedral)} ${formatNumber(multiplier, 2)}, ${formatToken(reason)}`,
        })),
      mark() {
        const [last] = [data.asOf, ...settings.map(({ timestamp }) => timestamp)].sort().slice(-1);
        return {
          kind: 'over-time',
          // The lines go on to the end of the day, so that the picture stays as it is while only the hour changes.
          until: timeOfDay(addDays(last!.slice(0, 10), 1)),
          panes: [
            {
              mark: 'lines',
              unit: 'Multiplier',
              leastSpan: 0,
              covers: [1, 2],
              limits: [1, 2],
              drawn: series.map(({ name, label }) => ({
                column: 'multiplier',
                of: name,
                label,
                text: formatNumber(settings.findLast(({ cathedral }) => cathedral === name)!.multiplier, 2),
                colour: cathedralColour(name),
                steps: true,
              })),
            },
          ],
        };
      },
    };
  },
});

/** Who has the highest multiplier and how far it has moved, or that none was ever changed. */
function finding(settings: readonly Setting[], series: readonly Series[]): string | null {
  if (settings.every(({ reason }) => reason === 'genesis')) return 'No multiplier has changed since genesis';
  const [highest, second] = series
    .map(({ name, label }) => ({ label, own: settings.filter(({ cathedral }) => cathedral === name) }))
    .map(({ label, own }) => ({ label, first: own[0]!, now: own.at(-1)!.multiplier }))
    .sort((a, b) => b.now - a.now);
  if (!highest || (second && second.now === highest.now)) return null;
  const { label, first, now } = highest;
  const moved =
    now === first.multiplier
      ? `the same as ${first.reason === 'genesis' ? 'at genesis' : 'when it was first set'}`
      : `${now > first.multiplier ? 'up' : 'down'} from ${formatNumber(first.multiplier, 2)}`;
  return `${label} has the ${second ? 'highest multiplier,' : 'multiplier'} ${formatNumber(now, 2)}, ${moved}`;
}
