import type { z } from 'zod';
import { decisions as published } from '../../../../pipeline/artifacts/philosophy/decisions.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { perRelease } from '../release.ts';

export type Decision = z.output<typeof published.schema>['decisions'][number] & {
  /** The path of its page. Two decisions with the same id have two pages. */
  href: string;
};

/** The whole archive, newest first. */
export const decisions = perRelease((release): Decision[] => {
  const all = release.read(published).decisions;
  const names = pageNames(all.map(({ id }) => id).reverse());
  return all.map((decision) => ({ ...decision, href: `/decisions/${names.get(decision.id)}/` }));
});

/** `2026` → `in-2026`: the page name of a year's list, distinct from the ids that name the other pages. */
export function yearName(year: string): string {
  return `in-${year}`;
}
