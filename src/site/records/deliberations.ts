import type { z } from 'zod';
import { deliberationArchive } from '../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { deliberations as current } from '../../../pipeline/artifacts/philosophy/deliberations.ts';
import { POSITIONS } from '../../../pipeline/ledger/events/vocabulary.ts';
import { DELIBERATION_DAYS, within } from '../../../pipeline/model/window.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { deliberationNames } from '../../../pipeline/words/page-names.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';
import { forEachLine, type LinePlace, readRows, TEXT, unreadable } from './history-rows.ts';
import { type Archive, archiveOf, type Entry } from './records.ts';
import { type RowEvents, rowEvents } from './row-events.ts';

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

type Current = z.output<typeof current.schema>['deliberations'][number];

export type Position = Current['sentinels'][number];
type Stance = Pick<Position, 'id' | 'position'>;

/** A deliberation in short. One that is not in the archive has all its texts, since they are in memory anyway. */
export interface DeliberationEntry extends Entry {
  consensus: Current['consensus'];
  /** When it was closed; only the date until it is in the archive, null while it is open. */
  closed: string | null;
  /** Who took which position. */
  stances: readonly Stance[];
  /** Null until it is in the archive, and for a release without other formats. */
  events: RowEvents | null;
  from: LinePlace | Current;
}

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
  events: DeliberationEntry['events'];
}

const ROW = deliberationArchive.schema.shape.deliberations.element;
const HEAD = new RegExp(
  `^\\{"id":(${TEXT}),"closed":(${TEXT}),"opened":(${TEXT}),"topic":(${TEXT}),"sentinels":`,
);
// A text cannot contain these, since its quotation marks are escaped.
const STANCE = new RegExp(`\\{"id":${TEXT},"position":"(?:${POSITIONS.join('|')})"`, 'g');
const CONSENSUS = /"consensus":"reached"/;

/** All since genesis: the archive in the order of closing, then those that are not in it yet, in the order of opening. */
export const deliberationRecords = perRelease((release): Archive<DeliberationEntry> => {
  const archived = archivedEntries(release);
  const { timestamp, deliberations } = release.read(current);
  const fresh = notArchived(deliberations, archived, timestamp).reverse();
  const all = [...archived, ...fresh.map((one) => freshEntry(one, timestamp.slice(0, 10)))];
  const names = deliberationNames(
    archived,
    deliberations.map(({ id }) => id),
  );
  return archiveOf(
    all.map((one, index) => ({ ...one, index, href: `/deliberations/${names.get(one.id)}/` })),
  );
});

type Unnamed = Omit<DeliberationEntry, 'href' | 'index'>;
type Archived = Unnamed & { opened: string; closed: string };

function archivedEntries(release: SiteRelease): Archived[] {
  const found: Archived[] = [];
  const stanceOf = stances();
  const events = rowEvents(release, deliberationArchive);
  forEachLine(release, deliberationArchive.path, (line, from) => {
    const [head, id, closed, opened, topic] = HEAD.exec(line) ?? [];
    if (head === undefined) throw unreadable(deliberationArchive.path, line, from);
    const closedAt = JSON.parse(closed!) as string;
    const stances: Stance[] = [];
    STANCE.lastIndex = head.length;
    for (let match = STANCE.exec(line); match; match = STANCE.exec(line)) stances.push(stanceOf(match[0]));
    found.push({
      id: JSON.parse(id!),
      topic: JSON.parse(topic!),
      date: closedAt.slice(0, 10),
      closed: closedAt,
      opened: JSON.parse(opened!),
      consensus: CONSENSUS.test(line) ? 'reached' : 'not_reached',
      stances,
      events: events?.[found.length] ?? null,
      from,
    });
  });
  return found.reverse();
}

/** The few stances that there are, by their text in the file. */
function stances(): (text: string) => Stance {
  const known = new Map<string, Stance>();
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const stance = JSON.parse(`${text}}`) as Stance;
    known.set(text, stance);
    return stance;
  };
}

/** One that is closed and not in the archive was closed `today`. */
function freshEntry(one: Current, today: string): Unnamed {
  const { id, topic, consensus } = one;
  const closed = consensus === 'pending' ? null : today;
  return { id, topic, date: closed, closed, consensus, stances: one.sentinels, events: null, from: one };
}

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

/** The last so many are compared with a deliberation, so that old ones need not be read for it. */
const MOST_COMPARED = 100;

/** How the deliberations ended that had been closed before one was; `isAll`: whether these are all of them. */
export interface Ended {
  outcomes: readonly { consensus: Current['consensus']; share: number | null }[];
  isAll: boolean;
}

/** Only those that are in the archive. */
export function endedBefore(release: SiteRelease, { index }: DeliberationEntry): Ended {
  const archived = deliberationRecords(release)
    .entries.slice(Math.max(0, index - MOST_COMPARED), index)
    .filter(({ from }) => 'bytes' in from);
  const outcomes = archived.map(({ consensus, stances }) => ({ consensus, share: tally(stances).share }));
  return { outcomes, isAll: index <= MOST_COMPARED };
}

/** The deliberations with their texts. */
export function readDeliberations(
  release: SiteRelease,
  entries: readonly DeliberationEntry[],
): Deliberation[] {
  if (entries.length === 0) return [];
  return readRows(release, { path: deliberationArchive.path, schema: ROW }, (rowAt) =>
    entries.map(({ href, closed, events, from }) => {
      const row = 'bytes' in from ? rowAt(from) : { ...from, opened: null };
      const { sentinels: positions, ...rest } = row;
      return { ...rest, href, closed, events, positions };
    }),
  );
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
