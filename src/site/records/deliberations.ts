import type { z } from 'zod';
import { deliberationArchive } from '../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { deliberations as current } from '../../../pipeline/artifacts/philosophy/deliberations.ts';
import { DELIBERATION_DAYS, within } from '../../../pipeline/model/window.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { deliberationNames } from '../../../pipeline/words/page-names.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';
import { type Archive, type ArchiveKind, archiveOf, type Entry, rowEvents } from './archive.ts';
import { type Note, noteOf } from './record.ts';

const SMALL = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `4` → `four`; above ten in figures. */
export function inWords(count: number): string {
  return SMALL[count] ?? formatNumber(count);
}

export const CONSENSUS_WORDS = {
  reached: 'Consensus reached',
  not_reached: 'No consensus',
  pending: 'Open',
} as const;

/** How each position is called and drawn. */
const POSITION_NOTES = {
  support: { text: 'In favour', mark: '●' },
  support_with_conditions: { text: 'In favour, with conditions', mark: '◐' },
  oppose: { text: 'Against', mark: '✕' },
  abstain: { text: 'Abstained', mark: '○' },
} as const;

export function positionNote(position: Position['position']): Note & { mark: string } {
  return { ...POSITION_NOTES[position], class: `position ${position}` };
}

export function virtueNotes({ virtue_tags: names }: Pick<Position, 'virtue_tags'>): Note[] {
  return noteOf(names.length > 0 && `appeals to ${names.join(', ')}`);
}

type Current = z.output<typeof current.schema>['deliberations'][number];

export type Position = Current['sentinels'][number];

/** A row of the archive, or a deliberation that is not in it yet. */
export interface Deliberation extends Entry {
  consensus: Current['consensus'];
  /** When it was opened; null until it is in the archive, which has completed days only. */
  opened: string | null;
  /** When it was closed; only the date until it is in the archive, null while it is open. */
  closed: string | null;
  /** One per participating sentinel, in the order in which they were taken. */
  positions: readonly Position[];
  outcome: string;
  isArchived: boolean;
}

/** All since genesis: the archive in the order of closing, then those that are not in it yet, in the order of opening. */
export const deliberationRecords = perRelease((release): Archive<Deliberation> => {
  const archived = release.read(deliberationArchive).deliberations;
  const events = rowEvents(release, deliberationArchive);
  const closed = archived.map(({ sentinels: positions, ...row }, at) => {
    const date = row.closed.slice(0, 10);
    return { ...row, date, positions, isArchived: true, events: events?.[at] ?? null };
  });
  const { timestamp, deliberations } = release.read(current);
  const fresh = notArchived(deliberations, archived, timestamp).map(({ sentinels: positions, ...row }) => {
    // One that is closed and not in the archive was closed today.
    const date = row.consensus === 'pending' ? null : timestamp.slice(0, 10);
    return { ...row, date, opened: null, closed: date, positions, isArchived: false, events: null };
  });
  const all = [...closed.reverse(), ...fresh.reverse()];
  const names = deliberationNames(
    closed,
    deliberations.map(({ id }) => id),
  );
  return archiveOf(
    all.map((one, index) => ({ ...one, index, href: `/deliberations/${names.get(one.id)}/` })),
  );
});

/**
 * The recent deliberations that are not in the archive yet. Several can have the same id. The file has those of the last 90
 * days and the archive those closed before today, so the oldest ones of the file are in both.
 */
function notArchived(
  recent: readonly Current[],
  archive: readonly { id: string; closed: string }[],
  asOf: string,
): Current[] {
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

/** How many of the last ones a deliberation is compared with, so that old ones need not be read for it. */
const MOST_COMPARED = 100;

/** Those in the archive that had been closed before one was; `isAll`: whether these are all of them. */
export function closedBefore(release: SiteRelease, { index }: Deliberation) {
  const cases = deliberationRecords(release)
    .entries.slice(Math.max(0, index - MOST_COMPARED), index)
    .filter(({ isArchived }) => isArchived);
  return { cases, isAll: index <= MOST_COMPARED };
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

/** How it ended, and who took which side. */
export function endNotes(
  consensus: Current['consensus'],
  positions: readonly Pick<Position, 'position'>[],
): Note[] {
  return [
    { text: CONSENSUS_WORDS[consensus], class: `consensus ${consensus}` },
    { text: tallyWords(tally(positions)) },
  ];
}

export const DELIBERATIONS: ArchiveKind<Deliberation> = {
  folder: 'deliberations',
  term: 'deliberation',
  title: 'Deliberations',
  yearly: 'Deliberations closed in',
  dated: 'closed',
  types: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
  records: deliberationRecords,
  rows: (entries) =>
    entries.map(({ href, topic, closed, consensus, positions }) => ({
      href,
      title: topic,
      when: closed === null ? '' : formatDay(closed),
      notes: endNotes(consensus, positions),
    })),
  lead(entries) {
    const count = (wanted: string) => entries.filter(({ consensus }) => consensus === wanted).length;
    const words = (number: number) => (number === 0 ? 'none' : formatNumber(number));
    const open = count('pending');
    const openWords = open === 0 ? 'none is' : open === 1 ? 'one is' : `${formatNumber(open)} are`;
    const all =
      entries.length === 0
        ? ''
        : `${formatCount(entries.length, 'deliberation')} since genesis: ${words(count('reached'))} ended with consensus, ${words(count('not_reached'))} without, ${openWords} open. `;
    return `${all}Each page lists the positions with their reasons and explains how the deliberation ended.`;
  },
};
