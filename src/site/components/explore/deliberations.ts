import type { z } from 'zod';
import { deliberationArchive } from '../../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { deliberations as current } from '../../../../pipeline/artifacts/philosophy/deliberations.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { compareTimestamps } from '../../../../pipeline/ledger/timestamp.ts';
import { DELIBERATION_DAYS, within } from '../../../../pipeline/model/window.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { capitalise } from '../../../../pipeline/words/phrase.ts';
import { perRelease } from '../release.ts';

const SMALL = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `4` → `four`; above ten in figures. */
export function inWords(count: number): string {
  return SMALL[count] ?? formatNumber(count);
}

/** `form` helps readers who cannot tell the colours apart. Screen readers skip it, because `words` say the same. */
export const POSITION_WORDS: Readonly<Record<Position['position'], { words: string; form: string }>> = {
  support: { words: 'In favour', form: '●' },
  support_with_conditions: { words: 'In favour, with conditions', form: '◐' },
  oppose: { words: 'Against', form: '✕' },
  abstain: { words: 'Abstained', form: '○' },
};

export const CONSENSUS_WORDS = {
  reached: 'Consensus reached',
  not_reached: 'No consensus',
  pending: 'Open',
} as const;

/** The closed deliberations with their closing dates, most recently closed first. */
export const closedDeliberations = perRelease((release): (Deliberation & { date: string })[] =>
  deliberations(release)
    .flatMap((one) => (one.closed === null ? [] : [{ ...one, date: one.closed.slice(0, 10) }]))
    .sort((one, other) => (one.closed! < other.closed! ? 1 : -Number(one.closed! > other.closed!))),
);

type Current = z.output<typeof current.schema>['deliberations'][number];
type Archived = z.output<typeof deliberationArchive.schema>['deliberations'][number];

export type Position = Current['sentinels'][number];

export interface Deliberation {
  id: string;
  /** The path of its page. Deliberations with the same id share a page. */
  href: string;
  topic: string;
  /** When it was opened; null until it is in the archive, which has completed days only. */
  opened: string | null;
  /** When it was closed; only the date until it is in the archive, null while it is open. */
  closed: string | null;
  /** One per participating sentinel, in the order in which they were taken. */
  positions: readonly Position[];
  consensus: Current['consensus'];
  outcome: string;
}

/** All since genesis: first those that are not in the archive yet, then the archive; each with the last opened first. */
export const deliberations = perRelease((release): Deliberation[] => {
  const archive = release.read(deliberationArchive).deliberations;
  const { timestamp, deliberations } = release.read(current);
  const fresh = notArchived(deliberations, archive, timestamp);
  const old = archive.toSorted((one, other) => compareTimestamps(other.opened, one.opened));
  // The archive is append-only, so its entries keep their page names.
  const names = pageNames([...old.toReversed(), ...fresh.toReversed()].map(({ id }) => id));
  return [...fresh, ...old].map((one) => {
    return toDeliberation(one, `/deliberations/${names.get(one.id)}/`, timestamp.slice(0, 10));
  });
});

/**
 * The recent deliberations that are not in the archive yet. Several can have the same id. The file has those of the last 90
 * days and the archive those closed before today, so the oldest ones of the file are in both.
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

/** A closed deliberation that is not in the archive was closed `today`. */
function toDeliberation(one: Current | Archived, href: string, today: string): Deliberation {
  const { id, topic, sentinels, consensus, outcome } = one;
  const times =
    'closed' in one
      ? { opened: one.opened, closed: one.closed }
      : { opened: null, closed: consensus === 'pending' ? null : today };
  return { id, href, topic, ...times, positions: sentinels, consensus, outcome };
}

export interface Tally {
  /** With or without conditions. */
  favour: number;
  conditions: number;
  against: number;
  abstained: number;
  /** The share in favour among those for or against; null if there are none. */
  share: number | null;
}

/** How many took which position. */
export function tally(positions: readonly Pick<Position, 'position'>[]): Tally {
  const count = (name: Position['position']) => positions.filter(({ position }) => position === name).length;
  const conditions = count('support_with_conditions');
  const favour = count('support') + conditions;
  const against = count('oppose');
  const share = favour + against === 0 ? null : favour / (favour + against);
  return { favour, conditions, against, abstained: count('abstain'), share };
}

/** `Four in favour (two with conditions), one against`; positions that nobody took are left out. */
export function tallyWords({ favour, conditions, against, abstained }: Tally): string {
  const all = favour === 1 ? 'with conditions' : 'all with conditions';
  const withConditions = conditions === favour ? all : `${inWords(conditions)} with conditions`;
  const parts = [
    `${inWords(favour)} in favour${conditions > 0 ? ` (${withConditions})` : ''}`,
    ...(against > 0 ? [`${inWords(against)} against`] : []),
    ...(abstained > 0 ? [`${inWords(abstained)} abstaining`] : []),
  ];
  return capitalise(parts.join(', '));
}
