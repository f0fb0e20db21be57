import { showDirections } from '../../artifacts/format/show-directions.ts';
import type { RecentCheckpoint } from '../../ledger/recent-checkpoints.ts';
import { compareTimestamps } from '../../ledger/timestamp.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import { formatCount, formatIndex, formatMic } from '../../words/number.ts';
import { formatToken } from '../../words/phrase.ts';
import type { Row, Value } from '../columns.ts';
import { TABLES, type Table } from '../tables.ts';
import { cyclePath, pageNames } from './page-names.ts';

/** One change to the data, as feeds show it. */
export interface Change {
  /** Stable, and unique in the feed: `day/2026-09-29`. */
  id: string;
  title: string;
  /** Plain text. */
  summary: string;
  /** When it happened, UTC: the time of the event, the start of a decision's day, or the end of the day that is summed up. */
  updated: string;
  /** The page about it: `decisions/decision-506-1/`. */
  path: string;
}

/** Entries in a feed. */
export const MOST_CHANGES = 50;
/** Days in a feed. */
export const FEED_DAYS = 30;

/** The newest rows of the tables that feeds show, oldest first, by the name of the table. */
export type RecentRows = ReadonlyMap<string, readonly Row[]>;

/** What feeds are made of. */
export interface Recent {
  /** The newest checkpoints, newest first. */
  checkpoints: readonly RecentCheckpoint[];
  rows: RecentRows;
  /** The ids of all decisions, oldest first: the name of a decision's page, and of its entry, depends on the ids before it. */
  decisionIds: readonly string[];
}

/** The tables that changes are read from. */
export const FEED_TABLES: readonly Table[] = [
  'supply_by_day',
  'minting_by_day',
  'mii_by_day',
  'cathedral_multipliers',
  'decisions',
].map((name) => TABLES.find((table) => table.name === name)!);

type Cells = Readonly<Record<string, Value>>;

/** What changed in the data, newest first: each closed day, each multiplier that was set, each decision. */
export function changesOf({ rows, decisionIds }: Pick<Recent, 'rows' | 'decisionIds'>): Change[] {
  const [supply, minting, mii, multipliers, decisions] = FEED_TABLES.map((table) =>
    named(table, rows.get(table.name)),
  );
  const days = supply!.slice(-FEED_DAYS).map((day) => {
    const isOfDay = ({ date }: Cells) => date === day.date;
    return dayChange(day, minting!.filter(isOfDay), mii!.find(isOfDay));
  });
  const names = pageNames(decisionIds);
  const decided = decisions!.map((one) => decisionChange(one, names));
  const older = decisionIds.slice(0, decisionIds.length - decided.length).map(decisionEntry);
  const changes = [...multipliers!.map(multiplierChange), ...decided, ...days];
  return withOwnIds(changes, older)
    .reverse()
    .sort((a, b) => compareTimestamps(b.updated, a.updated))
    .slice(0, MOST_CHANGES);
}

/**
 * Numbers repeated ids: a ledger may correct a decision under its id, or set a multiplier twice at one instant. `older`: ids of
 * entries that the feed no longer shows.
 */
function withOwnIds(changes: readonly Change[], older: readonly string[]): Change[] {
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
    const [title, summary] = [showDirections(change.title), showDirections(change.summary)];
    return { ...change, id, title, summary };
  });
}

function named({ columns }: Table, rows: readonly Row[] = []): Cells[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!])));
}

function dayChange(day: Cells, minting: readonly Cells[], mii: Cells | undefined): Change {
  const date = day.date as string;
  const mints = minting.reduce((sum, { mints }) => sum + (mints as number), 0);
  const minted = formatAmount(minting.reduce((sum, row) => sum + parseAmount(row.minted as string), 0n));
  const index = mii
    ? ` Integrity index ${mii.mii}, ${thresholdWords(mii.threshold as number | null)}, minting ${mii.minting_active ? 'on' : 'off'}.`
    : '';
  return {
    id: `day/${date}`,
    // Whole MIC are easier to read; the summary has the exact amounts.
    title: `${date}: ${mints === 0 ? 'nothing' : formatMic(Number(minted))} minted, total supply ${formatMic(Number(day.total_supply))}`,
    summary: `The day’s rows are in the daily files. ${mints === 0 ? 'No mints' : `${formatCount(mints, 'mint')}, ${minted} MIC`}. Total supply ${day.total_supply} MIC, circulating ${day.circulating}, locked ${day.locked}, burned ${day.burned}.${index}`,
    updated: endOf(date),
    path: cyclePath(date),
  };
}

function thresholdWords(threshold: number | null): string {
  return threshold === null ? 'no threshold without a supply' : `threshold ${formatIndex(threshold)}`;
}

/** The day’s last second, so that feed readers show the day itself. */
function endOf(date: string): string {
  return `${date}T23:59:59Z`;
}

function multiplierChange({ timestamp, cathedral, multiplier, reason }: Cells): Change {
  return {
    id: `multiplier/${timestamp}/${cathedral}`,
    title: `Multiplier of ${cathedral} set to ${multiplier}`,
    summary: `From ${timestamp} on, mints for the sentinels of ${cathedral} are multiplied by ${multiplier}. Reason: ${formatToken(String(reason))}.`,
    updated: timestamp as string,
    path: 'files/economy/cathedral-multipliers.csv/',
  };
}

function decisionEntry(id: string): string {
  return `decision/${id}`;
}

/** The files have only the day of a decision. Its first second, since a later one may lie in the future. */
function decisionChange({ id, date, topic, outcome }: Cells, names: ReadonlyMap<string, string>): Change {
  return {
    id: decisionEntry(id as string),
    title: `Decision: ${topic}`,
    summary: String(outcome),
    updated: `${date}T00:00:00Z`,
    path: `decisions/${names.get(id as string)}/`,
  };
}
