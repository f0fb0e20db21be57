import type { SiteRelease } from '../release.ts';
import { perRelease } from '../release.ts';
import { type Decision, decisions } from './decisions.ts';
import { type Deliberation, deliberations } from './deliberations.ts';

/** How a question that is asked again names the deliberation that it was asked in first. */
const REVIEW = /^Review of [^:]{1,200}: (?=\S)/;

/** What is asked, alike for the first time and for each review: `Review of D-7: whether …` and `Whether …` are one. */
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
 * The decision that was recorded on a deliberation. The files do not say which that is: it is the one with the same topic,
 * where there is exactly one.
 */
export function decisionAfter(release: SiteRelease, { topic }: Deliberation): Decision | null {
  return onlyOne(byQuestion(release).decisions.get(questionOf(topic)), topic);
}

/** The published deliberation before a decision, found in the same way. */
export function deliberationBefore(release: SiteRelease, { topic }: Decision): Deliberation | null {
  return onlyOne(byQuestion(release).deliberations.get(questionOf(topic)), topic);
}

/** The other decisions on the same question, newest first: it was reviewed, or is a review itself. */
export function otherDecisions(release: SiteRelease, topic: string, own: Decision | null): Decision[] {
  const all = byQuestion(release).decisions.get(questionOf(topic)) ?? [];
  return all.filter(({ href }) => href !== own?.href);
}

/** The newest record of the one page there is with the topic. */
function onlyOne<T extends { topic: string; href: string }>(
  found: readonly T[] = [],
  topic: string,
): T | null {
  const same = found.filter((one) => one.topic === topic);
  return new Set(same.map(({ href }) => href)).size === 1 ? same[0]! : null;
}
