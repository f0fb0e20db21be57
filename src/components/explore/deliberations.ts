import type { z } from 'zod';
import { deliberations as published } from '../../../pipeline/artifacts/philosophy/deliberations.ts';
import { pageNames } from './page-names.ts';
import { perRelease } from './per-release.ts';

type Published = z.output<typeof published.schema>['deliberations'][number];

export type Position = Published['sentinels'][number];

export interface Deliberation {
  id: string;
  /** Of its page. */
  href: string;
  topic: string;
  /** One of each sentinel that took part, in the order in which they were taken. */
  positions: readonly Position[];
  consensus: Published['consensus'];
  outcome: string;
}

/** The open ones and those closed in the last 90 days, the last opened first. */
export const deliberations = perRelease((release): Deliberation[] => {
  const all = release.read(published.path, published.schema).deliberations;
  const names = pageNames(all.map(({ id }) => id).reverse());
  return all.map(({ id, topic, sentinels, consensus, outcome }) => {
    const href = `/deliberations/${names.get(id)}/`;
    return { id, href, topic, positions: sentinels, consensus, outcome };
  });
});
