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

/** The form is for those who do not tell the colours apart, and is not read out: the words say the same. */
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

/** Those that are closed, with the day on which each was; the last closed first. */
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

export interface Tally {
  /** With conditions or without. */
  favour: number;
  conditions: number;
  against: number;
  abstained: number;
  /** Of those who spoke for or against, the share in favour; null where nobody did. */
  share: number | null;
}

/** Who stood where. */
export function tally(positions: readonly Pick<Position, 'position'>[]): Tally {
  const count = (name: Position['position']) => positions.filter(({ position }) => position === name).length;
  const conditions = count('support_with_conditions');
  const favour = count('support') + conditions;
  const against = count('oppose');
  const share = favour + against === 0 ? null : favour / (favour + against);
  return { favour, conditions, against, abstained: count('abstain'), share };
}

/** `Four in favour (two with conditions), one against`; what nobody did is left out. */
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
