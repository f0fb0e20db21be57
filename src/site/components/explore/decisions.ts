import { z } from 'zod';
import { decisions as published } from '../../../../pipeline/artifacts/philosophy/decisions.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { perRelease } from './per-release.ts';

const Archive = z.looseObject({
  timestamp: z.string(),
  decisions: z.array(
    z.looseObject({
      id: z.string(),
      date: z.iso.date(),
      topic: z.string(),
      frameworks_applied: z.array(z.string()),
      sentinels_involved: z.array(z.string()),
      reasoning: z.string(),
      outcome: z.string(),
      lessons_learned: z.string(),
    }),
  ),
});

export type Decision = z.output<typeof Archive>['decisions'][number] & {
  /** Of its page: of all that were recorded under its id. */
  href: string;
};

/** The whole archive, newest first. */
export const decisions = perRelease((release): Decision[] => {
  const all = release.read(published.path, Archive).decisions;
  const names = pageNames(all.map(({ id }) => id).reverse());
  return all.map((decision) => ({ ...decision, href: `/decisions/${names.get(decision.id)}/` }));
});

/** `2026` → `in-2026`: what a year's list is called among pages that are called by ids. */
export function yearName(year: string): string {
  return `in-${year}`;
}
