import { showDirections } from '../../../artifacts/format/show-directions.ts';
import { compareTimestamps } from '../../../ledger/timestamp.ts';
import { formatAmount, parseAmount } from '../../../model/amount.ts';
import { DAY_MS } from '../../../model/window.ts';
import { formatIndex, formatMic } from '../../../words/number.ts';
import { formatToken } from '../../../words/phrase.ts';
import type { Row, Value } from '../../columns.ts';
import { TABLES, type Table } from '../../tables.ts';
import type { CatalogueFacts } from '../facts.ts';
import { cyclePath, pageNames } from '../page-names.ts';
import { type Change, FEED_DAYS, MOST_CHANGES } from './change.ts';

/** The last rows of the growing tables that feeds tell of, oldest first, by the table's name; of decisions all, which name their pages. */
export type RecentRows = ReadonlyMap<string, readonly Row[]>;

/** The tables that changes are read from. */
export const FEED_TABLES: readonly Table[] = [
  'supply_by_day',
  'minting_by_day',
  'mii_by_day',
  'cathedral_multipliers',
  'decisions',
].map((name) => TABLES.find((table) => table.name === name)!);

type Cells = Readonly<Record<string, Value>>;

/**
 * What changed in the data, newest first: each day that is over, each multiplier that was set, each decision. It is read
 * from published rows alone, so the same ledger tells the same.
 */
export function changesOf(rows: RecentRows, now: Pick<CatalogueFacts, 'asOf' | 'cycle'>): Change[] {
  const [supply, minting, mii, multipliers, decisions] = FEED_TABLES.map((table) =>
    named(table, rows.get(table.name)),
  );
  const days = supply!.slice(-FEED_DAYS).map((day) => {
    const isOfDay = ({ date }: Cells) => date === day.date;
    return dayChange(day, minting!.filter(isOfDay), { mii: mii!.find(isOfDay), path: dayPath(day, now) });
  });
  const names = pageNames(decisions!.map(({ id }) => id as string));
  const decided = decisions!.map((one) => decisionChange(one, names));
  const changes = [...multipliers!.map(multiplierChange), ...decided, ...days];
  return withOwnIds(changes)
    .reverse()
    .sort((a, b) => compareTimestamps(b.updated, a.updated))
    .slice(0, MOST_CHANGES);
}

/** A ledger may correct a decision under its id, and set a multiplier twice at one instant: each is an entry of its own. */
function withOwnIds(changes: readonly Change[]): Change[] {
  const taken = new Set<string>();
  return changes.map((change) => {
    let { id } = change;
    for (let count = 2; taken.has(id); count += 1) id = `${change.id}/${count}`;
    taken.add(id);
    const [title, summary] = [showDirections(change.title), showDirections(change.summary)];
    return { ...change, id, title, summary };
  });
}

function named({ columns }: Table, rows: readonly Row[] = []): Cells[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!])));
}

/** Of the cycle that the day is, counted from the current one as the pages count it. */
function dayPath({ date }: Cells, { asOf, cycle }: Pick<CatalogueFacts, 'asOf' | 'cycle'>): string {
  const back = (Date.parse(asOf.slice(0, 10)) - Date.parse(date as string)) / DAY_MS;
  return cyclePath(Number(cycle.slice('C-'.length)) - back, back) ?? 'cycles/';
}

function dayChange(
  day: Cells,
  minting: readonly Cells[],
  { mii, path }: { mii: Cells | undefined; path: string },
): Change {
  const date = day.date as string;
  const mints = minting.reduce((sum, { mints }) => sum + (mints as number), 0);
  const minted = formatAmount(minting.reduce((sum, row) => sum + parseAmount(row.minted as string), 0n));
  const index = mii
    ? ` Integrity index ${mii.mii}, ${thresholdWords(mii.threshold as number | null)}, minting ${mii.minting_active ? 'on' : 'off'}.`
    : '';
  return {
    id: `day/${date}`,
    // In whole MIC, to be read; the summary has the exact amounts.
    title: `${date}: ${formatMic(Number(minted))} minted, total supply ${formatMic(Number(day.total_supply))}`,
    summary: `The day’s rows are in the files by day. ${mints} mints, ${minted} MIC. Total supply ${day.total_supply} MIC, circulating ${day.circulating}, locked ${day.locked}, burned ${day.burned}.${index}`,
    updated: endOf(date),
    path,
  };
}

function thresholdWords(threshold: number | null): string {
  return threshold === null ? 'no threshold without a supply' : `threshold ${formatIndex(threshold)}`;
}

/** The day’s last second: a reader sees the day that it is about. */
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

/** The files have the day of a decision. Its first second: a later one might be yet to come. */
function decisionChange({ id, date, topic, outcome }: Cells, names: ReadonlyMap<string, string>): Change {
  return {
    id: `decision/${id}`,
    title: `Decision: ${topic}`,
    summary: String(outcome),
    updated: `${date}T00:00:00Z`,
    path: `decisions/${names.get(id as string)}/`,
  };
}
