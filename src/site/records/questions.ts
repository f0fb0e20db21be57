import type { SiteRelease } from '../layout/release.ts';
import { type Decision, decisionRecords } from './decisions.ts';
import { type Deliberation, deliberationRecords } from './deliberations.ts';
import { questionOf } from './records.ts';

/**
 * How many other decisions on its question a page lists on either side of it. Without a limit, the pages of a question that comes
 * up every week would change every week.
 */
export const MOST_OTHERS = 10;

/**
 * The deliberation before a decision. The files do not state it, so this is the last one with the same topic that was closed by the
 * day of the decision.
 */
export function deliberationBefore(
  release: SiteRelease,
  { topic, date }: Pick<Decision, 'topic' | 'date'>,
): Deliberation | null {
  const all = deliberationRecords(release).questions.get(questionOf(topic)) ?? [];
  return all.findLast((one) => one.topic === topic && one.date !== null && one.date <= date) ?? null;
}

/** The decision on a deliberation: the first that has it before it. */
export function decisionAfter(release: SiteRelease, one: Deliberation): Decision | null {
  const { later } = otherDecisions(release, one);
  return later.find((decision) => deliberationBefore(release, decision) === one) ?? null;
}

/** Other decisions on the same question, the oldest first: reviews, or what was reviewed. */
export function otherDecisions(
  release: SiteRelease,
  one: Decision | Deliberation,
): { earlier: readonly Decision[]; later: readonly Decision[] } {
  const all = decisionRecords(release).questions.get(questionOf(one.topic)) ?? [];
  const isLater =
    'isReplaced' in one
      ? all.indexOf(one)
      : all.findIndex(({ date }) => one.date !== null && date >= one.date);
  const at = isLater < 0 ? all.length : isLater;
  const others = all.slice(at).filter(({ href }) => href !== one.href);
  return {
    earlier: all
      .slice(0, at)
      .filter(({ href }) => href !== one.href)
      .slice(-MOST_OTHERS),
    later: others.slice(0, MOST_OTHERS),
  };
}
