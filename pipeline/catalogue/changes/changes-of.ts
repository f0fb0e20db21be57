import type { Row, Value } from '../../formats/row.ts';
import { TABLES, type Table } from '../../formats/tables.ts';
import { compareTimestamps } from '../../ledger/timestamp-order.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import { type Change, FEED_DAYS, MOST_CHANGES } from './change.ts';

/** The last rows of the growing tables that feeds tell of, oldest first, by the table's name. */
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
export function changesOf(rows: RecentRows): Change[] {
  const [supply, minting, mii, multipliers, decisions] = FEED_TABLES.map((table) =>
    named(table, rows.get(table.name)),
  );
  const days = supply!.slice(-FEED_DAYS).map((day) => {
    const isOfDay = ({ date }: Cells) => date === day.date;
    return dayChange(day, minting!.filter(isOfDay), mii!.find(isOfDay));
  });
  const changes = [...multipliers!.map(multiplierChange), ...decisions!.map(decisionChange), ...days];
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
    return { ...change, id };
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
    ? ` Integrity index ${mii.mii}, threshold ${(mii.threshold as number).toFixed(4)}, minting ${mii.minting_active ? 'on' : 'paused'}.`
    : '';
  return {
    id: `day/${date}`,
    // In whole MIC, to be read; the summary has the exact amounts.
    title: `${date}: ${whole(minted)} MIC minted, total supply ${whole(day.total_supply as string)} MIC`,
    summary: `The day’s rows are in the files by day. ${mints} mints, ${minted} MIC. Total supply ${day.total_supply} MIC, circulating ${day.circulating}, locked ${day.locked}, burned ${day.burned}.${index}`,
    updated: endOf(date),
    path: 'economy/supply-by-day.csv',
  };
}

/** `12345678.100002` → `12,345,678`. */
function whole(amount: string): string {
  return Math.round(Number(amount)).toLocaleString('en-GB');
}

/** A day is over when the next one begins. */
function endOf(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().replace('.000', '');
}

function multiplierChange({ timestamp, cathedral, multiplier, reason }: Cells): Change {
  return {
    id: `multiplier/${timestamp}/${cathedral}`,
    title: `Multiplier of ${cathedral} set to ${multiplier}`,
    summary: `From ${timestamp} on, mints for the sentinels of ${cathedral} are multiplied by ${multiplier}. Reason: ${String(reason).replaceAll('_', ' ')}.`,
    updated: timestamp as string,
    path: 'economy/cathedral-multipliers.csv',
  };
}

function decisionChange({ id, date, topic, outcome }: Cells): Change {
  return {
    id: `decision/${id}`,
    title: `Decision: ${topic}`,
    summary: String(outcome),
    updated: endOf(date as string),
    path: 'philosophy/decisions.json',
  };
}
