import { formatDay } from '../../../pipeline/words/moment.ts';
import type { SiteRelease } from '../layout/release.ts';
import { type Decision, decisionRecords } from './decisions.ts';
import { type Deliberation, deliberationRecords } from './deliberations.ts';
import type { Row } from './record.ts';
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
  const isBefore = (decision: Decision) =>
    'isReplaced' in one ? decision.index < one.index : one.date === null || decision.date < one.date;
  const [earlier, later] = [true, false].map((wanted) =>
    all.filter((decision) => decision.href !== one.href && isBefore(decision) === wanted),
  );
  return { earlier: earlier!.slice(-MOST_OTHERS), later: later!.slice(0, MOST_OTHERS) };
}

/** The newest first; `shown`: the decision that the page already links to. */
export function otherRows(
  release: SiteRelease,
  one: Decision | Deliberation,
  shown: Decision | null = null,
): Row[] {
  const { earlier, later } = otherDecisions(release, one);
  return [...earlier, ...later]
    .filter(({ href }) => href !== shown?.href)
    .map(({ href, date, topic }) => ({ href, title: topic, when: formatDay(date), notes: [] }))
    .reverse();
}
