import { z } from 'zod';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { capitalise, formatToken } from '../../words/phrase.ts';
import { DAILY } from '../daily-values.ts';
import { ofLastDay, stated } from '../key-figure.ts';

const STATUS = 'government/sentinel-status.json';
const REPORT = 'government/transparency.json';

const Sized = z.array(z.unknown());

export const operational = stated(
  STATUS,
  z.looseObject({ sentinels: z.array(z.looseObject({ status: z.string() })) }),
  ({ sentinels }) => {
    const active = sentinels.filter(({ status }) => status !== 'retired');
    const up = active.filter(({ status }) => status === 'operational');
    return {
      label: 'Sentinels operational',
      value: formatNumber(up.length),
      unit: `of ${formatNumber(active.length)}`,
      note: 'heartbeat at most 12 hours old',
    };
  },
);

export const upAllDay = ofLastDay({
  label: 'Up for a whole day',
  unit: 'sentinels',
  path: 'academics/sentinels-by-day.csv',
  note: 'no silence over 12 hours on the last whole day',
  daily: DAILY.operational,
  places: 0,
});

export const health = stated(
  STATUS,
  z.looseObject({ system_health: z.string(), alerts: Sized }),
  ({ system_health, alerts }) => ({
    label: 'System health',
    value: capitalise(formatToken(system_health)),
    unit: '',
    note: `${formatCount(alerts.length, 'open alert')}; by heartbeats, index and alerts`,
  }),
);

export const compliance = stated(
  REPORT,
  z.looseObject({
    compliance: z.looseObject({ status: z.string(), jurisdictions: z.record(z.string(), z.unknown()) }),
  }),
  ({ compliance: { status, jurisdictions } }) => ({
    label: 'Compliance',
    value: capitalise(formatToken(status)),
    unit: '',
    note: `the worst of ${formatCount(Object.keys(jurisdictions).length, 'jurisdiction')}`,
  }),
);

export const nextAudit = stated(
  REPORT,
  z.looseObject({
    outlook: z.looseObject({
      next_audits: z.array(z.looseObject({ date: z.string(), jurisdiction: z.string() })),
    }),
  }),
  ({ outlook: { next_audits } }) => {
    const [next] = next_audits;
    return {
      label: 'Next audit',
      value: next ? formatDay(next.date) : 'None',
      unit: '',
      note: next ? next.jurisdiction : 'none is scheduled',
    };
  },
);

export const recorded = stated(
  REPORT,
  z.looseObject({ year: z.number(), operations: z.looseObject({ events: z.number() }) }),
  ({ year, operations: { events } }) => ({
    label: `Events in ${year}`,
    value: formatNumber(events),
    unit: '',
    note: 'written to the ledger this year so far',
  }),
);
