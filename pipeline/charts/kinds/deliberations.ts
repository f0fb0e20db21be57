import { deliberations as published } from '../../artifacts/philosophy/deliberations.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import type { Matrix } from '../drawing/matrix.ts';
import { namedSeries } from '../series.ts';

type Data = Content<typeof published>;

/** More rows than this would be a list, not a picture. */
const MOST_ROWS = 20;

const SYMBOLS: Matrix['symbols'] = [
  { word: 'support', text: 'Support', shape: 'circle', colour: 'subject' },
  { word: 'support with conditions', text: 'With conditions', shape: 'half', colour: 'subject' },
  { word: 'oppose', text: 'Oppose', shape: 'cross', colour: 'contrast' },
  { word: 'abstain', text: 'Abstain', shape: 'ring', colour: 'muted' },
];

const OUTCOMES: Matrix['outcomes'] = {
  reached: { text: 'Consensus', colour: 'muted' },
  'not reached': { text: 'No consensus', colour: 'contrast' },
  pending: { text: 'Open', colour: 'muted' },
};

function positionOf({ sentinels }: Data['deliberations'][number], name: string): string | null {
  const own = sentinels.findLast(({ id }) => id === name);
  return own ? formatToken(own.position) : null;
}

export const deliberations = defineChart({
  id: 'deliberations',
  area: 'philosophy',
  name: 'Positions in deliberations',
  sources: [published],
  controls: ['series'],
  missing: {
    nothing: 'No deliberation has been open in the last ninety days.',
    types: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
    wholeDays: false,
  },
  prepare: (files) => files.read(published),
  series: ({ deliberations }) =>
    namedSeries(deliberations.flatMap(({ sentinels }) => sentinels.map(({ id }) => id))),
  asOf: ({ timestamp }) => timestamp,
  view(data, { series }) {
    const names = series.map(({ name }) => name);
    const shown = data.deliberations.slice(0, MOST_ROWS);
    const older = data.deliberations.length - shown.length;
    const closed = shown.filter(({ consensus }) => consensus !== 'pending').length;
    const reached = shown.filter(({ consensus }) => consensus === 'reached').length;
    return {
      title: `What each sentinel said in the last ${shown.length === 1 ? 'deliberation' : shown.length === 0 ? 'deliberations' : formatCount(shown.length, 'deliberation')}`,
      unit: 'The position that each took last; the last opened deliberation first',
      ...tableOf(shown, [
        ['deliberation', 'Deliberation', '', ({ id }) => id],
        ['topic', 'Topic'],
        ['consensus', 'Consensus', '', ({ consensus }) => formatToken(consensus)],
        ...names.map(
          (name) => [name, name, 'position', (one: (typeof shown)[number]) => positionOf(one, name)] as const,
        ),
      ]),
      /** The share with consensus, of those that are closed. */
      finding() {
        if (closed < 2) return null;
        const of = `of the last ${formatNumber(closed)} closed deliberations reached consensus`;
        return `${reached === closed ? 'All' : reached === 0 ? 'None' : formatNumber(reached)} ${of}`;
      },
      note: () => (older > 0 ? `The file has ${formatCount(older, 'older one')}.` : ''),
      mark: () => ({
        kind: 'matrix',
        texts: 'Positions',
        name: 'topic',
        outcome: 'consensus',
        from: 3,
        symbols: SYMBOLS,
        outcomes: OUTCOMES,
      }),
    };
  },
});
