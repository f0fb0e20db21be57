import { z } from 'zod';
import { formatNumber } from '../../../../../pipeline/words/number.ts';
import { DAILY } from '../daily-values.ts';
import { measured, stated } from '../key-figure.ts';

const COORDINATION = 'academics/sentinel-coordination.json';

export const coordination = measured({
  label: 'Mean coordination',
  unit: 'points',
  path: COORDINATION,
  members: z.looseObject({ average_coordination: z.number().nullable() }),
  now: ({ average_coordination }) => average_coordination,
  note: () => 'of the active sentinels',
  daily: DAILY.coordination,
  places: 1,
});

export const consensus = measured({
  label: 'Consensus rate',
  unit: 'of 1',
  path: COORDINATION,
  members: z.looseObject({ consensus_rate: z.number().nullable() }),
  now: ({ consensus_rate }) => consensus_rate,
  note: () => 'deliberations closed in the last 30 days',
  daily: DAILY.consensusRate,
  places: 3,
});

export const papers = stated(
  'academics/papers.json',
  z.looseObject({ papers: z.array(z.unknown()) }),
  ({ papers }) => ({
    label: 'Papers',
    value: formatNumber(papers.length),
    unit: '',
    note: 'each with its standing, none hidden',
  }),
);
