import type { SiteRelease } from '../release.ts';
import { perRelease } from '../release.ts';
import { type Decision, decisions } from './decisions.ts';
import { type Deliberation, deliberations } from './deliberations.ts';

/** The prefix of a topic that reviews an earlier deliberation. */
const REVIEW = /^Review of [^:]{1,200}: (?=\S)/;

/** The question of a topic, the same for its reviews: `Review of D-7: whether …` and `Whether …` are equal. */
export function questionOf(topic: string): string {
  return topic.replace(REVIEW, '').toLowerCase();
}

interface Questions {
  decisions: ReadonlyMap<string, readonly Decision[]>;
  deliberations: ReadonlyMap<string, readonly Deliberation[]>;
}

const byQuestion = perRelease(
  (release): Questions => ({
    decisions: Map.groupBy(decisions(release), ({ topic }) => questionOf(topic)),
    deliberations: Map.groupBy(deliberations(release), ({ topic }) => questionOf(topic)),
  }),
);

/**
 * The decision on a deliberation. The files do not state it, so this is the decision with the same topic, if there is exactly
 * one.
 */
export function decisionAfter(release: SiteRelease, { topic }: Deliberation): Decision | null {
  return onlyOne(byQuestion(release).decisions.get(questionOf(topic)), topic);
}

/** The deliberation before a decision, found in the same way. */
export function deliberationBefore(release: SiteRelease, { topic }: Decision): Deliberation | null {
  return onlyOne(byQuestion(release).deliberations.get(questionOf(topic)), topic);
}

/** Other decisions on the same question, newest first: reviews, or what was reviewed. */
export function otherDecisions(release: SiteRelease, topic: string, own: Decision | null): Decision[] {
  const all = byQuestion(release).decisions.get(questionOf(topic)) ?? [];
  return all.filter(({ href }) => href !== own?.href);
}

/** The newest record with the topic, if all of them are on one page. */
function onlyOne<T extends { topic: string; href: string }>(
  found: readonly T[] = [],
  topic: string,
): T | null {
  const same = found.filter((one) => one.topic === topic);
  return new Set(same.map(({ href }) => href)).size === 1 ? same[0]! : null;
}
