import type { TransparencyReport } from '../../../../pipeline/artifacts/government/transparency.ts';
import { formatMonth } from '../../../../pipeline/words/moment.ts';
import { formatIndex, formatMic } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';

type Month = TransparencyReport['financial']['months'][number];

/** A month, and the first or last day that is counted of it where it is not whole. */
export type CountedMonth = Month & { partial: { from: string; to: string } | null };

/**
 * The months of the report. Not whole are the one in which the ledger began and the one that goes on: what they have is no
 * match for a whole month.
 */
export function countedMonths({ financial, period, closed }: TransparencyReport): CountedMonth[] {
  return financial.months.map((month) => {
    const begins = period.from.startsWith(month.month) && !period.from.startsWith(`${month.month}-01`);
    const extendsHistory = !closed && period.to.startsWith(month.month);
    if (!begins && !extendsHistory) return { ...month, partial: null };
    const first = begins ? period.from.slice(0, 10) : `${month.month}-01`;
    return {
      ...month,
      partial: { from: first, to: extendsHistory ? period.to.slice(0, 10) : lastDayOf(month.month) },
    };
  });
}

function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** `May 2026`; of a month that is not whole `November 2026, 1 to 20`. */
export function monthWords({ month, partial }: CountedMonth): string {
  if (!partial) return formatMonth(month);
  const [first, last] = [partial.from, partial.to].map((date) => Number(date.slice(8)));
  return `${formatMonth(month)}, ${first === last ? first : `${first} to ${last}`}`;
}

/** Which months the comparison leaves out, for charts and tables; empty where all are whole. */
export function partialMonths(months: readonly CountedMonth[]): string {
  const partial = months.filter((month) => month.partial !== null);
  if (partial.length === 0) return '';
  return `${formatList(partial.map(monthWords))} ${partial.length === 1 ? 'is not a whole month' : 'are not whole months'}`;
}

/** What the chart of supply and minting shows, in words. */
export function supplySummary(report: TransparencyReport): string {
  const { opening_supply, closing_supply } = report.financial;
  const months = countedMonths(report);
  const course = `Total supply was ${formatMic(opening_supply)} when the period opened and ${formatMic(closing_supply)} at its end.`;
  if (months.every(({ minted }) => minted === 0)) return `${course} Nothing was minted in any month.`;
  return [course, ...mintingRange(months), burns(months)].join(' ');
}

/** The most and the least of the whole months; what the others have is said as theirs. */
function mintingRange(months: CountedMonth[]): string[] {
  const whole = months.filter(({ partial }) => partial === null).toSorted((a, b) => b.minted - a.minted);
  const [most, least] = [whole[0], whole.at(-1)];
  const amount = (month: CountedMonth) => `${monthWords(month)} (${formatMic(month.minted)})`;
  const partial = months.filter((month) => month.partial !== null);
  return [
    ...(most && least && most !== least
      ? [`Of the whole months, most was minted in ${amount(most)}, least in ${amount(least)}.`]
      : whole.map((month) => `Minted in ${amount(month)}.`)),
    ...(partial.length > 0
      ? [
          `Hatched, since ${partialMonths(months)}: ${formatList(partial.map(({ minted }) => formatMic(minted)))}.`,
        ]
      : []),
  ];
}

function burns(months: TransparencyReport['financial']['months']): string {
  const burning = months.filter(({ burned }) => burned > 0);
  if (burning.length === 0) return 'Nothing was burned.';
  if (burning.length === months.length) return 'Some was burned in every month.';
  return `Burns fell in ${formatList(burning.map(({ month }) => formatMonth(month)))}.`;
}

/** What the chart of the integrity index shows, in words. */
export function miiSummary(report: TransparencyReport): string {
  const read = countedMonths(report).flatMap(({ mii_mean, mii_min, ...month }) =>
    mii_mean === null || mii_min === null ? [] : [{ ...month, mii_mean, mii_min }],
  );
  const [lowest] = read.toSorted((a, b) => a.mii_min - b.mii_min);
  if (!lowest) return 'No month has a reading of the integrity index.';
  const partial = partialMonths(read);
  return [
    ...meanRange(read),
    gate(read),
    `The lowest single reading was ${formatIndex(lowest.mii_min)}, in ${formatMonth(lowest.month)}.`,
    ...(partial === '' ? [] : [`${partial}.`]),
  ].join(' ');
}

type ReadMonth = CountedMonth & { mii_mean: number };

function meanRange(read: readonly ReadMonth[]): string[] {
  const whole = read.filter(({ partial }) => partial === null).toSorted((a, b) => a.mii_mean - b.mii_mean);
  const [low, high] = [whole[0], whole.at(-1)];
  const mean = (month: ReadMonth) => `${formatIndex(month.mii_mean)} (${monthWords(month)})`;
  if (low && high && low !== high)
    return [`The mean of the index in a whole month lay between ${mean(low)} and ${mean(high)}.`];
  return read.length === 1 ? [`The mean of the index was ${mean(read[0]!)}.`] : [];
}

function gate(months: readonly ReadMonth[]): string {
  const held = months.filter(({ threshold }) => threshold !== null);
  const below = held.filter(({ mii_mean, threshold }) => mii_mean < threshold!);
  if (held.length === 0) return 'Without a supply there was no threshold.';
  if (below.length === 0) return 'It was at or above the threshold in every month.';
  if (below.length === held.length) return 'It was below the threshold in every month.';
  return `It was below the threshold in ${formatList(below.map(({ month }) => formatMonth(month)))}.`;
}
