import { AREAS, type Area } from '../../artifacts/artifact.ts';
import { showDirections } from '../../artifacts/format/show-directions.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { CATHEDRALS } from '../../ledger/events/vocabulary.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import type { JurisdictionStanding } from '../../model/queries/compliance.ts';
import type { Alert, Deliberation } from '../../model/state.ts';
import { within } from '../../model/window.ts';
import { daysFrom } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatIndex, formatMic } from '../../words/number.ts';
import { deliberationNames, pageNames } from '../../words/page-names.ts';
import { capitalise, formatToken, shortText } from '../../words/phrase.ts';
import type { Row, Value } from '../columns.ts';
import { TABLES, type Table } from '../tables.ts';

/** One change to the data, as feeds show it. */
export interface Change {
  /** Stable, and unique in the feed: `day/2026-09-29`. */
  id: string;
  title: string;
  /** Plain text. */
  summary: string;
  /** When it happened, UTC: the time of the event, the start of a decision's day, or the end of the day that is summed up. */
  published: string;
  /** When title or summary became what they are. Follows from the ledger alone, so a rebuild gives the same. */
  updated: string;
  /** The page about it: `decisions/decision-506-1/`. */
  path: string;
}

/** A change, and the areas in whose feeds it is besides the feed of all changes. */
export interface PlacedChange extends Change {
  areas: readonly Area[];
}

/** Entries in a feed. */
export const MOST_CHANGES = 50;
/** Characters of an entry's title, which readers show in one line. */
const MOST_TITLE = 200;
/** Days in a feed. */
export const FEED_DAYS = 30;

/** The newest rows of the tables that feeds show, oldest first, by the name of the table. */
export type RecentRows = ReadonlyMap<string, readonly Row[]>;

/** What feeds are made of. */
export interface Recent {
  rows: RecentRows;
  /** The ids of all decisions, oldest first: the name of a decision's page, and of its entry, depends on the ids before it. */
  decisionIds: readonly string[];
  /** The deliberations in the archive: the name of a page depends on those opened before. */
  archived: readonly { id: string; opened: string }[];
  standing: Standing;
}

/** What public documents say at the time of the release. */
export interface Standing {
  asOf: string;
  /** Raised and not cleared. */
  alerts: readonly Alert[];
  /** All open ones, and those that were closed recently, in the order of their opening. */
  deliberations: readonly Deliberation[];
  audits: readonly JurisdictionStanding[];
  /** Every sentinel ever registered, in that order. */
  sentinels: readonly string[];
}

const FEED_TABLE_NAMES: ReadonlySet<string> = new Set([
  'supply_by_day',
  'minting_by_day',
  'mii_by_day',
  'cathedral_multipliers',
  'decisions',
  'sentinels_by_day',
]);

/** The tables that feeds are made from. */
const FEED_TABLES: readonly Table[] = TABLES.filter(({ name }) => FEED_TABLE_NAMES.has(name));

type Cells = Readonly<Record<string, Value>>;

/** What changed in the data, newest first. */
export function changesOf(recent: Recent): PlacedChange[] {
  const { rows, decisionIds, standing } = recent;
  const cellsOf = (name: string) => named(FEED_TABLES.find((table) => table.name === name)!, rows.get(name));
  const [supply, minting, mii] = ['supply_by_day', 'minting_by_day', 'mii_by_day'].map(cellsOf);
  const days = supply!.slice(-FEED_DAYS).map((day) => {
    const isOfDay = ({ date }: Cells) => date === day.date;
    return dayChange(day, minting!.filter(isOfDay), mii!.find(isOfDay));
  });
  const decided = cellsOf('decisions');
  const names = pageNames(decisionIds);
  const older = decisionIds.slice(0, decisionIds.length - decided.length).map(decisionEntry);
  const sentinels = pageNames(standing.sentinels);
  const changes = [
    ...cellsOf('cathedral_multipliers').map(multiplierChange),
    ...decided.map((one, index) =>
      decisionChange(
        one,
        names,
        decided.slice(index + 1).find(({ id }) => id === one.id),
      ),
    ),
    ...deliberationChanges(recent),
    ...standing.audits.flatMap(auditChange),
    ...outages(cellsOf('sentinels_by_day'), sentinels),
    ...standing.alerts.map((alert) => alertChange(alert, sentinels)),
    ...days,
    ...crossings(mii!),
  ];
  return withOwnIds(changes, older)
    .reverse()
    .sort((a, b) => compareTimestamps(b.updated, a.updated));
}

/**
 * Numbers repeated ids: a ledger may correct a decision under its id, or set a multiplier twice at one instant. `older`: ids of
 * entries that the feed no longer shows.
 */
function withOwnIds(changes: readonly PlacedChange[], older: readonly string[]): PlacedChange[] {
  const taken = new Set<string>();
  const takeOwn = (given: string): string => {
    let id = given;
    for (let count = 2; taken.has(id); count += 1) id = `${given}/${count}`;
    taken.add(id);
    return id;
  };
  for (const id of older) takeOwn(id);
  return changes.map((change) => {
    const id = takeOwn(change.id);
    const title = shortText(showDirections(change.title).replaceAll(/\s+/g, ' ').trim(), MOST_TITLE);
    return { ...change, id, title, summary: showDirections(change.summary) };
  });
}

function named({ columns }: Table, rows: readonly Row[] = []): Cells[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!])));
}

function dayChange(day: Cells, minting: readonly Cells[], mii: Cells | undefined): PlacedChange {
  const date = day.date as string;
  const mints = minting.reduce((sum, { mints }) => sum + (mints as number), 0);
  const minted = formatAmount(minting.reduce((sum, row) => sum + parseAmount(row.minted as string), 0n));
  const index = mii
    ? ` Integrity index ${mii.mii}, ${thresholdWords(mii.threshold as number | null)}${mii.minting_active === null ? '' : `, minting ${mii.minting_active ? 'on' : 'off'}`}.`
    : '';
  return {
    id: `day/${date}`,
    // Whole MIC are easier to read; the summary has the exact amounts.
    title: `${date}: ${mints === 0 ? 'nothing' : formatMic(Number(minted))} minted, total supply ${formatMic(Number(day.total_supply))}`,
    summary: `The day’s rows are in the daily files. ${mints === 0 ? 'No mints' : `${formatCount(mints, 'mint')}, ${minted} MIC`}. Total supply ${day.total_supply} MIC, circulating ${day.circulating}, locked ${day.locked}, burned ${day.burned}.${index}`,
    ...at(endOf(date)),
    path: `files/economy/supply-by-day.csv/rows/?filter=date:eq:${date}`,
    areas: ['economy'],
  };
}

function thresholdWords(threshold: number | null): string {
  return threshold === null ? 'no threshold without a supply' : `threshold ${formatIndex(threshold)}`;
}

/** Of a change whose text stays as it is. */
function at(time: string): Pick<Change, 'published' | 'updated'> {
  return { published: time, updated: time };
}

/** The day’s last second, so that feed readers show the day itself. */
function endOf(date: string): string {
  return `${date}T23:59:59Z`;
}

function multiplierChange({ timestamp, cathedral, multiplier, reason }: Cells): PlacedChange {
  return {
    id: `multiplier/${timestamp}/${cathedral}`,
    title: `Multiplier of ${cathedral} set to ${multiplier}`,
    summary: `From ${timestamp} on, mints for the sentinels of ${cathedral} are multiplied by ${multiplier}. Reason: ${formatToken(String(reason))}.`,
    ...at(timestamp as string),
    path: 'files/economy/cathedral-multipliers.csv/',
    areas: [...new Set<Area>(['economy', areaOf(cathedral)])],
  };
}

function decisionEntry(id: string): string {
  return `decision/${id}`;
}

/**
 * The files have only the day of a decision. Its first second, since a later one may lie in the future. A decision may be replaced on
 * its own day, so that it is replaced is stated a second later.
 */
function decisionChange(
  { id, date, topic, outcome }: Cells,
  names: ReadonlyMap<string, string>,
  replacement: Cells | undefined,
): PlacedChange {
  const published = `${date}T00:00:00Z`;
  return {
    id: decisionEntry(id as string),
    title: `${replacement ? 'Replaced decision' : 'Decision'}: ${topic}`,
    summary: `${replacement ? 'A later record with the same id replaces this one. ' : ''}${outcome}`,
    published,
    updated: replacement ? `${replacement.date}T00:00:01Z` : published,
    path: `decisions/${names.get(id as string)}/`,
    areas: ['philosophy'],
  };
}

/** The area that a cathedral works for: both lists have the same order. */
function areaOf(cathedral: Value | undefined): Area {
  return AREAS[(CATHEDRALS as readonly unknown[]).indexOf(cathedral)] ?? 'economy';
}

/** Deliberations that were opened or closed in the last thirty days. */
function deliberationChanges({ archived, standing }: Recent): PlacedChange[] {
  const { deliberations, asOf } = standing;
  const names = deliberationNames(archived, deliberations.map(({ id }) => id).toReversed());
  const placed = ({ id }: Deliberation) => ({
    path: `deliberations/${names.get(id)}/`,
    areas: ['philosophy' as const],
  });
  const opened = within(deliberations, asOf, ({ opened_at }) => opened_at, FEED_DAYS).map((one) => ({
    ...placed(one),
    id: `deliberation/${one.id}/opened/${one.opened_at}`,
    title: `Deliberation opened: ${one.topic}`,
    // Not whether it is still open: that changes.
    summary: `Opened on ${formatDay(one.opened_at)}, in cycle ${one.opened_cycle}.`,
    ...at(one.opened_at),
  }));
  const closed = within(deliberations, asOf, ({ closed_at }) => closed_at, FEED_DAYS).map((one) => ({
    ...placed(one),
    id: `deliberation/${one.id}/closed/${one.closed_at}`,
    title: `Deliberation closed: ${one.topic}`,
    summary: `${one.consensus === 'reached' ? 'Consensus was reached' : 'No consensus was reached'}. Outcome: ${one.outcome}`,
    ...at(one.closed_at!),
  }));
  return [...opened, ...closed];
}

function auditChange({ jurisdiction, statuses, last_audit: date }: JurisdictionStanding): PlacedChange[] {
  if (date === null) return [];
  const found = Object.entries(statuses).map(
    ([regime, status]) => `${regime.replaceAll('_', ' ')} ${formatToken(status)}`,
  );
  return [
    {
      // Another audit may follow on the same day.
      id: `audit/${jurisdiction}/${date}/${Object.values(statuses).join('/')}`,
      title: `Audit: ${jurisdiction}`,
      summary: `Status since the audit of ${formatDay(date)}: ${found.join(', ')}.`,
      ...at(`${date}T00:00:00Z`),
      path: 'government/transparency/',
      areas: ['government'],
    },
  ];
}

/** Days on which a sentinel was offline and was not on the day before that has a row: days without events have none. */
function outages(rows: readonly Cells[], names: ReadonlyMap<string, string>): PlacedChange[] {
  const before = new Map<Value, Cells>();
  return rows.flatMap((row) => {
    const { date, sentinel, cathedral, status, longest_silence: hours } = row;
    const last = before.get(sentinel!);
    before.set(sentinel!, row);
    if (last === undefined || last.status === status || status !== 'offline') return [];
    const day = last.date as string;
    const when = daysFrom(day, date as string) === 2 ? 'the day before' : `on ${formatDay(day)}`;
    return {
      id: `status/${date}/${sentinel}`,
      title: `${sentinel} was offline: silent for more than 24 hours`,
      summary: `On ${formatDay(date as string)}, the longest time without a heartbeat of ${sentinel} was ${formatCount(hours as number, 'hour')}. Its status was ${formatToken(last.status as string)} ${when}.`,
      ...at(endOf(date as string)),
      path: `sentinels/${names.get(sentinel as string)}/`,
      areas: [...new Set<Area>(['government', areaOf(cathedral)])],
    };
  });
}

/** What an alert is about, as an area. */
const ALERT_AREAS: Readonly<Partial<Record<Alert['scope'], Area>>> = {
  economy: 'economy',
  drift: 'philosophy',
};

function alertChange(alert: Alert, names: ReadonlyMap<string, string>): PlacedChange {
  const { id, severity, scope, message, raised_at, sentinel } = alert;
  const page = sentinel === undefined ? undefined : names.get(sentinel);
  return {
    id: `alert/${id}/${raised_at}`,
    title: `${capitalise(severity)} alert${sentinel === undefined ? '' : ` about ${sentinel}`}: ${message}`,
    summary: `Severity ${severity}, about: ${scope}. Raised at ${raised_at}, and open when this feed was made.`,
    ...at(raised_at),
    path: page === undefined ? 'files/government/sentinel-status.json/' : `sentinels/${page}/`,
    areas: [...new Set<Area>(['government', ALERT_AREAS[scope] ?? 'government'])],
  };
}

/** Days at whose end minting was on or off, and was not at the end of the day before. */
function crossings(rows: readonly Cells[]): PlacedChange[] {
  return rows.flatMap(({ date, mii, threshold, minting_active: isOn }, index) => {
    const before = rows[index - 1];
    if (!before || before.minting_active === isOn || threshold === null || before.threshold === null)
      return [];
    const side = isOn ? 'back above' : 'below';
    return {
      id: `threshold/${date}`,
      title: `The integrity index is ${side} its threshold: minting is ${isOn ? 'on' : 'off'}`,
      summary: `At the end of ${formatDay(date as string)}, the index was ${formatIndex(mii as number)} and the threshold ${formatIndex(threshold as number)}.`,
      ...at(endOf(date as string)),
      path: 'charts/mii/',
      areas: ['economy'],
    };
  });
}
