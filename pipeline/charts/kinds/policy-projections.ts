import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import { formatMonth } from '../../words/moment.ts';
import { formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { isWhole } from '../drawing/days.ts';
import { flowOf } from './flows.ts';

const TYPE = 'policy_projected';
const LEAST_MONTHS = 3;
const SERIES = { name: 'projections', label: 'Policy projections' };

export const policyProjections = defineChart({
  id: 'policy-impact',
  area: 'government',
  name: 'Policy impact projections',
  sources: [eventsByDay],
  controls: ['from', 'to'],
  missing: {
    nothing: 'There is no whole day yet on which a policy projection was recorded.',
    types: ['policy_projected'],
    wholeDays: true,
  },
  prepare: (files) => files.read(eventsByDay),
  days: (rows) => rows,
  isMissing: (rows) => !rows.some(({ event_type }) => event_type === TYPE),
  view(_, { days }) {
    const flow = flowOf({
      days,
      step: 'month',
      series: [SERIES],
      amount: ({ event_type, events }) => ({ name: SERIES.name, value: event_type === TYPE ? events : 0 }),
      unit: 'count',
    });
    return {
      title: 'How many policy projections were recorded',
      unit: 'Projections per calendar month',
      ...flow,
      /** Only a record among at least three whole months is news. */
      finding() {
        const whole = flow.bins
          .filter((bin) => isWhole(bin, 'month'))
          .map(({ from, sums }) => ({ from, count: sums.get(SERIES.name)! }));
        const highest = Math.max(0, ...whole.map(({ count }) => count));
        const most = whole.filter(({ count }) => count === highest);
        if (whole.length < LEAST_MONTHS || highest === 0 || most.length > 2) return null;
        const months = formatList(most.map(({ from }) => formatMonth(from)));
        return `${months} had the most policy projections of the ${formatNumber(whole.length)} whole months, ${formatNumber(highest)}${most.length > 1 ? ' each' : ''}`;
      },
      note: () =>
        `${flow.note} What each projects, and its risks, is in government/policy-impact.json, which needs a government key.`.trim(),
      mark: () => flow.mark(['part-1'], 'Projections'),
    };
  },
});
