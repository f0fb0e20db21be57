import type { z } from 'zod';
import { deliberationArchive } from '../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { deliberations as current } from '../../../pipeline/artifacts/philosophy/deliberations.ts';
import { yearName } from './decisions.ts';
import { pageNames } from './page-names.ts';
import { perRelease } from './per-release.ts';

type Current = z.output<typeof current.schema>['deliberations'][number];
type Archived = z.output<typeof deliberationArchive.schema>['deliberations'][number];

export type Position = Current['sentinels'][number];

export interface Deliberation {
  id: string;
  /** Of its page. */
  href: string;
  topic: string;
  /** When it was opened and closed; null while it is not in the archive, which is of days that are over. */
  opened: string | null;
  closed: string | null;
  /** One of each sentinel that took part, in the order in which they were taken. */
  positions: readonly Position[];
  consensus: Current['consensus'];
  outcome: string;
}

/** All since genesis: what the archive has not yet first, and within that and the archive the last opened first. */
export const deliberations = perRelease((release): Deliberation[] => {
  const closed = release.read(deliberationArchive.path, deliberationArchive.schema).deliberations;
  const archived = new Map(closed.toReversed().map((one) => [one.id, one]));
  const fresh = release
    .read(current.path, current.schema)
    .deliberations.filter(({ id, consensus }) => consensus === 'pending' || !archived.has(id));
  for (const { id } of fresh) archived.delete(id);
  const old = [...archived.values()].sort((one, other) => byText(other.opened, one.opened));
  const all = [...fresh, ...old];
  const years = new Set(closed.map((one) => yearName(one.closed.slice(0, 4))));
  // The archive is never taken anything from, so what it names first keeps its name.
  const names = pageNames(
    [...old.toReversed(), ...fresh.toReversed()].map(({ id }) => id),
    [...years],
  );
  return all.map((one) => toDeliberation(one, `/deliberations/${names.get(one.id)}/`));
});

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function toDeliberation(one: Current | Archived, href: string): Deliberation {
  const { id, topic, sentinels, consensus, outcome } = one;
  const times = 'closed' in one ? { opened: one.opened, closed: one.closed } : { opened: null, closed: null };
  return { id, href, topic, ...times, positions: sentinels, consensus, outcome };
}
