import { z } from 'zod';
import { isOverdue } from '../../../../../pipeline/charts/drawing/days.ts';
import { formatDay } from '../../../../../pipeline/words/moment.ts';
import { formatCount, formatNumber, NOT_MEASURED } from '../../../../../pipeline/words/number.ts';
import { capitalise, formatToken } from '../../../../../pipeline/words/phrase.ts';
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
    value: system_health === 'not_measured' ? '–' : capitalise(formatToken(system_health)),
    unit: '',
    note: `${formatCount(alerts.length, 'open alert')}; ${system_health === 'not_measured' ? NOT_MEASURED : 'by heartbeats, index and alerts'}`,
  }),
);

export const compliance = stated(
  REPORT,
  z.looseObject({
    compliance: z.looseObject({
      status: z.string(),
      jurisdictions: z.record(z.string(), z.looseObject({ last_audit: z.string().nullable() })),
    }),
  }),
  ({ compliance: { status, jurisdictions } }) => {
    const all = Object.values(jurisdictions);
    const audited = all.filter(({ last_audit }) => last_audit !== null);
    return {
      label: 'Compliance',
      value: capitalise(formatToken(status)),
      unit: '',
      note:
        audited.length === all.length
          ? `the worst of ${formatCount(all.length, 'jurisdiction')}`
          : `${formatNumber(audited.length)} of ${formatCount(all.length, 'jurisdiction')} audited`,
    };
  },
);

export const nextAudit = stated(
  REPORT,
  z.looseObject({
    timestamp: z.string(),
    outlook: z.looseObject({
      next_audits: z.array(z.looseObject({ date: z.string(), jurisdiction: z.string() })),
    }),
  }),
  ({ timestamp, outlook: { next_audits } }) => {
    const [next] = next_audits;
    if (!next) return { label: 'Next audit', value: 'None', unit: '', note: 'none is scheduled' };
    const overdue = isOverdue(next.date, timestamp) ? ', overdue' : '';
    return {
      label: 'Next audit',
      value: formatDay(next.date),
      unit: '',
      note: `${next.jurisdiction}${overdue}`,
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
