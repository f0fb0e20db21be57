import { formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import type { Position } from './deliberations.ts';
import type { SentinelEntry } from './sentinels.ts';
import { tally } from './tally.ts';

const RANKS = ['highest', 'second highest', 'third highest'];

/** What stands out of one sentinel among all: where it ranks, and how often it said no. */
export function sentinelSentences(
  one: SentinelEntry,
  all: readonly SentinelEntry[],
  taken: readonly Position[],
): string[] {
  const active = all.filter(({ status }) => status !== 'retired');
  const facts = [
    ...ranked('coordination score', one, active, ({ coordination }) => coordination),
    ...ranked('integrity score', one, active, ({ gi_score }) => gi_score),
    ...ranked('ROI', one, active, ({ roi }) => roi),
  ];
  const since =
    one.status === 'retired' ? 'is retired' : `is ${one.status}, ${formatCount(one.uptime_days, 'day')} up`;
  const rank =
    facts.length > 0 ? ` Of ${formatNumber(active.length)} sentinels it has ${formatList(facts)}.` : '';
  return [`${one.id} ${since}.${rank}`, ...stands(one, taken)];
}

function ranked(
  what: string,
  one: SentinelEntry,
  all: readonly SentinelEntry[],
  measure: (entry: SentinelEntry) => number | null,
): string[] {
  const own = measure(one);
  const measured = all.map(measure).filter((value) => value !== null);
  if (own === null || !all.includes(one) || measured.every((value) => value === own)) return [];
  const higher = measured.filter((value) => value > own).length;
  if (higher === measured.length - 1) return [`the lowest ${what}`];
  return RANKS[higher] === undefined ? [] : [`the ${RANKS[higher]} ${what}`];
}

function stands({ id }: SentinelEntry, taken: readonly Position[]): string[] {
  if (taken.length === 0) return [];
  const { favour, conditions, against, abstained } = tally(taken);
  const withConditions = conditions > 0 ? `, ${formatNumber(conditions)} of them with conditions` : '';
  return [
    `${id} took part in ${formatCount(taken.length, 'published deliberation')}: in favour ${times(favour)}${withConditions}; against ${times(against)}; abstaining ${times(abstained)}.`,
  ];
}

function times(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${formatNumber(count)} times`;
}
