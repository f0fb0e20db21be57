import { deliberations as published } from '../../artifacts/philosophy/deliberations.ts';
import { formatCount } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import { type ChartTable, defineChart } from '../chart.ts';
import { chosenSeries } from '../chosen-series.ts';
import {
  type Deliberation,
  type PositionTable,
  positionMatrix,
  positionMatrixHeight,
} from '../drawing/position-matrix.ts';

/** More rows than this are a list, not a picture. */
const MOST_ROWS = 20;

const seriesOf = (all: readonly Deliberation[]) =>
  [...new Set(all.flatMap(({ positions }) => [...positions.keys()]))]
    .sort()
    .map((name) => ({ name, label: name }));

export const deliberations = defineChart<{ all: Deliberation[]; asOf: string }, PositionTable>({
  id: 'deliberations',
  area: 'philosophy',
  name: 'Positions in deliberations',
  sources: [published],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, deliberations } = files.read(published);
    const all = deliberations.map(({ id, topic, sentinels, consensus }) => ({
      id,
      topic,
      positions: new Map(sentinels.map(({ id, position }) => [id, position])),
      consensus,
    }));
    return { all, asOf };
  },
  series: ({ all }) => seriesOf(all),
  asOf: ({ asOf }) => asOf,
  show({ all }, state) {
    const sentinels = chosenSeries(seriesOf(all), state).map(({ name }) => name);
    return { deliberations: all.slice(0, MOST_ROWS), sentinels, older: Math.max(0, all.length - MOST_ROWS) };
  },
  isEmpty: ({ deliberations }) => deliberations.length === 0,
  title: ({ deliberations }) =>
    deliberations.length === 0
      ? 'What each sentinel said in the last deliberations'
      : `What each sentinel said in the last ${formatCount(deliberations.length, 'deliberation')}`,
  unit: () => 'The position that each took last; the last opened deliberation first',
  note: ({ older }) => (older > 0 ? `The file has ${formatCount(older, 'older one')}.` : ''),
  summary,
  table,
  plotHeight: positionMatrixHeight,
  plot: positionMatrix,
});

function summary({ deliberations, sentinels }: PositionTable): string[] {
  const count = (consensus: Deliberation['consensus']) =>
    deliberations.filter((one) => one.consensus === consensus).length;
  const dissent = sentinels
    .map((name) => ({
      name,
      times: deliberations.filter(({ positions }) => positions.get(name) === 'oppose').length,
    }))
    .sort((a, b) => b.times - a.times);
  const most = dissent.filter(({ times }) => times > 0 && times === dissent[0]!.times);
  return [
    `Of the last ${formatCount(deliberations.length, 'deliberation')}, ${count('reached')} reached consensus, ${count('not_reached')} did not, and ${count('pending')} ${count('pending') === 1 ? 'is' : 'are'} open.`,
    ...(most.length > 0
      ? [
          `${formatList(most.map(({ name }) => name))} opposed most often: ${formatCount(most[0]!.times, 'time')}${most.length > 1 ? ' each' : ''}.`,
        ]
      : []),
  ];
}

function table({ deliberations, sentinels }: PositionTable): ChartTable {
  return {
    columns: [
      { name: 'deliberation', title: 'Deliberation', unit: '' },
      { name: 'topic', title: 'Topic', unit: '' },
      { name: 'consensus', title: 'Consensus', unit: '' },
      ...sentinels.map((name) => ({ name, title: name, unit: 'position' })),
    ],
    rows: deliberations.map(({ id, topic, consensus, positions }) => [
      id,
      topic,
      formatToken(consensus),
      ...sentinels.map((name) => {
        const position = positions.get(name);
        return position === undefined ? null : formatToken(position);
      }),
    ]),
  };
}
