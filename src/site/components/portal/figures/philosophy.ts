import { z } from 'zod';
import { formatNumber } from '../../../../../pipeline/words/number.ts';
import { formatToken } from '../../../../../pipeline/words/phrase.ts';
import { DAILY } from '../daily-values.ts';
import { measured, stated } from '../key-figure.ts';

const REPORT = 'government/transparency.json';

export const virtues = measured({
  label: 'Five virtues',
  unit: 'mean, of 1',
  path: 'philosophy/virtues.json',
  members: z.looseObject({ overall_compliance: z.number().nullable() }),
  now: ({ overall_compliance }) => overall_compliance,
  note: () => 'over the last 30 days',
  daily: DAILY.virtues,
  places: 3,
});

export const drift = measured({
  label: 'Drift score',
  unit: 'mean change, of 1',
  path: 'philosophy/drift-analysis.json',
  members: z.looseObject({ drift_score: z.number().nullable(), status: z.string() }),
  now: ({ drift_score }) => drift_score,
  note: ({ status }) => `status: ${formatToken(status)}`,
  daily: DAILY.driftScore,
  places: 3,
});

export const closed = stated(
  REPORT,
  z.looseObject({
    year: z.number(),
    governance: z.looseObject({ deliberations_closed: z.number(), consensus_reached: z.number() }),
  }),
  ({ year, governance: { deliberations_closed, consensus_reached } }) => ({
    label: `Deliberations closed in ${year}`,
    value: formatNumber(deliberations_closed),
    unit: '',
    note: `${formatNumber(consensus_reached)} of them with consensus`,
  }),
);

export const decided = stated(
  REPORT,
  z.looseObject({ year: z.number(), governance: z.looseObject({ decisions_recorded: z.number() }) }),
  ({ year, governance: { decisions_recorded } }) => ({
    label: `Decisions in ${year}`,
    value: formatNumber(decisions_recorded),
    unit: '',
    note: 'each with its reasons',
  }),
);

export const open = stated(
  REPORT,
  z.looseObject({ outlook: z.looseObject({ open_deliberations: z.array(z.unknown()) }) }),
  ({ outlook: { open_deliberations } }) => ({
    label: 'Open deliberations',
    value: formatNumber(open_deliberations.length),
    unit: '',
    note: 'not closed yet',
  }),
);
