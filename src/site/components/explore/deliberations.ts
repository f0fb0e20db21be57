import type { z } from 'zod';
import { deliberationArchive } from '../../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { deliberations as current } from '../../../../pipeline/artifacts/philosophy/deliberations.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { compareTimestamps } from '../../../../pipeline/ledger/timestamp.ts';
import { DELIBERATION_DAYS, within } from '../../../../pipeline/model/window.ts';
import { perRelease } from './per-release.ts';

type Current = z.output<typeof current.schema>['deliberations'][number];
type Archived = z.output<typeof deliberationArchive.schema>['deliberations'][number];

export type Position = Current['sentinels'][number];

export interface Deliberation {
  id: string;
  /** Of its page: of all that were opened under its id. */
  href: string;
  topic: string;
  /** When it was opened; null while it is not in the archive, which is of days that are over. */
  opened: string | null;
  /** When it was closed: the day alone where it is not in the archive yet, null while it is open. */
  closed: string | null;
  /** One of each sentinel that took part, in the order in which they were taken. */
  positions: readonly Position[];
  consensus: Current['consensus'];
  outcome: string;
}

/** All since genesis: what the archive has not yet first, and within that and the archive the last opened first. */
export const deliberations = perRelease((release): Deliberation[] => {
  const archive = release.read(deliberationArchive).deliberations;
  const { timestamp, deliberations } = release.read(current);
  const fresh = notArchived(deliberations, archive, timestamp);
  const old = archive.toSorted((one, other) => compareTimestamps(other.opened, one.opened));
  // The archive is never taken anything from, so what it names first keeps its name.
  const names = pageNames([...old.toReversed(), ...fresh.toReversed()].map(({ id }) => id));
  return [...fresh, ...old].map((one) => {
    return toDeliberation(one, `/deliberations/${names.get(one.id)}/`, timestamp.slice(0, 10));
  });
});

/**
 * Those of the file that the archive has not yet. Under one id several may have been opened, one after the other. The file
 * has those of the last 90 days, the archive those closed before today, so both have the earliest of the file's.
 */
function notArchived(recent: readonly Current[], archive: readonly Archived[], asOf: string): Current[] {
  const both = new Map<string, number>();
  for (const { id } of within(archive, asOf, ({ closed }) => closed, DELIBERATION_DAYS))
    both.set(id, (both.get(id) ?? 0) + 1);
  return recent
    .toReversed()
    .filter(({ id }) => {
      const left = both.get(id) ?? 0;
      both.set(id, left - 1);
      return left <= 0;
    })
    .reverse();
}

/** What is closed and not in the archive was closed `today`, which is not over. */
function toDeliberation(one: Current | Archived, href: string, today: string): Deliberation {
  const { id, topic, sentinels, consensus, outcome } = one;
  const times =
    'closed' in one
      ? { opened: one.opened, closed: one.closed }
      : { opened: null, closed: consensus === 'pending' ? null : today };
  return { id, href, topic, ...times, positions: sentinels, consensus, outcome };
}
