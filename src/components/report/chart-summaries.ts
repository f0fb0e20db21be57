import type { TransparencyReport } from '../../../pipeline/artifacts/government/transparency.ts';
import { formatMonth } from '../words/moment.ts';
import { formatMic, formatShare } from '../words/number.ts';
import { formatList } from '../words/phrase.ts';

/** What the chart of supply and minting shows, in words. */
export function supplySummary({ financial }: TransparencyReport): string {
  const { opening_supply, closing_supply, months } = financial;
  const course = `Total supply was ${formatMic(opening_supply)} when the period opened and ${formatMic(closing_supply)} at its end.`;
  const minting = months.filter(({ minted }) => minted > 0).toSorted((a, b) => b.minted - a.minted);
  const [most, least] = [minting[0], minting.at(-1)];
  if (!most || !least) return `${course} Nothing was minted in any month.`;
  const range =
    most === least
      ? `Minting took place in ${formatMonth(most.month)} only: ${formatMic(most.minted)}.`
      : `Most was minted in ${formatMonth(most.month)} (${formatMic(most.minted)}), least in ${formatMonth(least.month)} (${formatMic(least.minted)}).`;
  return `${course} ${range} ${burns(months)}`;
}

function burns(months: TransparencyReport['financial']['months']): string {
  const burning = months.filter(({ burned }) => burned > 0);
  if (burning.length === 0) return 'Nothing was burned.';
  if (burning.length === months.length) return 'Some was burned in every month.';
  return `Burns fell in ${formatList(burning.map(({ month }) => formatMonth(month)))}.`;
}

/** What the chart of the integrity index shows, in words. */
export function miiSummary({ financial }: TransparencyReport): string {
  const read = financial.months.flatMap(({ month, mii_mean, mii_min, threshold }) =>
    mii_mean === null || mii_min === null ? [] : [{ month, mii_mean, mii_min, threshold }],
  );
  const byMean = read.toSorted((a, b) => a.mii_mean - b.mii_mean);
  const [low, high] = [byMean[0], byMean.at(-1)];
  const [lowest] = read.toSorted((a, b) => a.mii_min - b.mii_min);
  if (!low || !high || !lowest) return 'No month has a reading of the integrity index.';
  const range =
    low === high
      ? `The mean of the index was ${formatShare(low.mii_mean)} in ${formatMonth(low.month)}.`
      : `The monthly mean of the index lay between ${formatShare(low.mii_mean)} (${formatMonth(low.month)}) and ` +
        `${formatShare(high.mii_mean)} (${formatMonth(high.month)}).`;
  return `${range} ${gate(read)} The lowest single reading was ${formatShare(lowest.mii_min)}, in ${formatMonth(lowest.month)}.`;
}

function gate(months: { month: string; mii_mean: number; threshold: number }[]): string {
  const below = months.filter(({ mii_mean, threshold }) => mii_mean < threshold);
  if (below.length === 0) return 'It was at or above the threshold in every month.';
  if (below.length === months.length) return 'It was below the threshold in every month.';
  return `It was below the threshold in ${formatList(below.map(({ month }) => formatMonth(month)))}.`;
}
