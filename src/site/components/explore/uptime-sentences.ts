import { addDays } from '../../../../pipeline/charts/drawing/days.ts';
import { formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';

interface SentinelDay {
  date: string;
  sentinel: string;
  status: 'operational' | 'degraded' | 'offline';
  /** Hours. */
  longest_silence: number;
}

const DAYS = 90;

/** How one sentinel was up in the last 90 of all whole days; rows oldest first. */
export function uptimeSentences(id: string, rows: readonly SentinelDay[]): string[] {
  const last = rows.at(-1)?.date;
  if (last === undefined) return [];
  const own = rows.filter(({ sentinel, date }) => sentinel === id && date > addDays(last, -DAYS));
  if (own.length === 0) return [`${id} has no day on record in the last ${DAYS}.`];
  const on = (status: SentinelDay['status']) => own.filter((day) => day.status === status).length;
  const parts = (['operational', 'degraded', 'offline'] as const)
    .filter((status) => on(status) > 0)
    .map((status) => `${status} on ${formatNumber(on(status))}`);
  const silence = Math.max(...own.map(({ longest_silence }) => longest_silence));
  return [
    `Of ${formatCount(own.length, 'day')}, ${id} was ${formatList(parts)}. Its longest silence was ${formatNumber(silence, { max: 1 })} hours.`,
  ];
}
