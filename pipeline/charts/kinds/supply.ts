import { supply as supplyNow } from '../../artifacts/economy/supply.ts';
import { supplyByDay } from '../../artifacts/economy/supply-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatDay } from '../../words/moment.ts';
import { formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { END_OF_STEP, heldEnds, withToday } from '../drawing/days.ts';
import { shortNumber } from '../drawing/label.ts';

const PARTS = [
  { name: 'circulating', label: 'Circulating', colour: 'part-1' },
  { name: 'locked', label: 'Locked', colour: 'part-2' },
  { name: 'burned', label: 'Burned', colour: 'part-4' },
] as const;
type Part = (typeof PARTS)[number];

type Level = Content<typeof supplyByDay>[number];

export const supply = defineChart({
  id: 'supply',
  area: 'economy',
  name: 'MIC supply',
  sources: [supplyByDay, supplyNow],
  controls: ['series', 'from', 'to', 'scale'],
  missing: { nothing: 'There are no MIC yet.', types: ['genesis', 'mic_mint'], wholeDays: false },
  prepare(files) {
    const { timestamp: asOf, ...now } = files.read(supplyNow);
    return { levels: withToday(files.read(supplyByDay), { date: asOf.slice(0, 10), ...now }), asOf };
  },
  series: () => PARTS,
  days: ({ levels }) => levels,
  asOf: ({ asOf }) => asOf,
  isMissing: ({ levels }) => levels.every(({ total_supply }) => total_supply === 0),
  view(_, { state: { scale }, series: parts, days, step }) {
    const ends = heldEnds(days, step);
    // Logarithms cannot be stacked.
    const isLog = scale === 'log';
    const whole = parts.length === PARTS.length ? '; the parts add up to the total supply' : '';
    return {
      title: `MIC supply over time: ${formatList(parts.map(({ label }) => label.toLowerCase()))}`,
      unit: `MIC, ${END_OF_STEP[step]}${isLog ? '; logarithmic scale' : whole}`,
      ...tableOf(ends, [
        ['date', 'Day'],
        ...parts.map(({ name, label }) => [name, label, 'MIC'] as const),
        ['total_supply', 'Total supply', 'MIC'],
      ]),
      finding: () => finding(ends, parts),
      mark: () => ({
        kind: 'over-time',
        panes: [
          {
            mark: isLog ? 'lines' : 'areas',
            scale,
            unit: 'MIC',
            drawn: parts.map(({ name, ...rest }) => ({
              column: name,
              ...rest,
              text: shortNumber(ends.at(-1)![name]),
            })),
          },
        ],
      }),
    };
  },
});

/** A smaller change would read as news where there is none. */
const LEAST_CHANGE = 0.01;

/** A factor above it says more of how little there was at first than of how much there is. */
const MOST_FOLD = 100;

/** How much the amount shown grew or fell between the first and the last level; above threefold as a factor. */
function finding(levels: readonly Level[], parts: readonly Part[]): string | null {
  const isAll = parts.length === PARTS.length;
  const amount = (level: Level) =>
    isAll ? level.total_supply : parts.reduce((sum, { name }) => sum + level[name], 0);
  const [before, now] = [amount(levels[0]!), amount(levels.at(-1)!)];
  if (levels.length < 2 || before <= 0) return null;
  const names = formatList(parts.map(({ label }, index) => (index === 0 ? label : label.toLowerCase())));
  const what = isAll ? 'The total supply has' : `${names} MIC${parts.length > 1 ? ' together' : ''} have`;
  const since = `since ${formatDay(levels[0]!.date)}`;
  const change = now / before - 1;
  if (now === before) return `${what} not changed ${since}`;
  if (Math.abs(change) < LEAST_CHANGE) return null;
  if (now / before > MOST_FOLD)
    return `${what} grown from ${formatNumber(before)} to ${formatNumber(now)} ${since}`;
  // The hyphen keeps the line together.
  if (change >= 2) return `${what} grown ${formatNumber(now / before, 1)}\u2011fold ${since}`;
  const share = formatPercent(Math.abs(change), Math.abs(change) < 0.1 ? 1 : 0);
  return `${what} ${change > 0 ? 'grown' : 'fallen'} by ${share} ${since}`;
}
