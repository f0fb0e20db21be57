import { sentinelsByDay } from '../../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { miiByDay } from '../../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../../../pipeline/artifacts/economy/supply-by-day.ts';
import { metricsByDay } from '../../../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import { meanOf } from '../../../../pipeline/model/formulas.ts';
import { perRelease } from '../explore/per-release.ts';
import { publishedRows } from '../explore/published-rows.ts';
import type { SiteRelease } from '../release.ts';

/** A figure's value at the end of each whole day, by date. */
export type DailyValues = ReadonlyMap<string, number>;

const supplyRows = perRelease((release) => publishedRows(release, supplyByDay));
const mintingRows = perRelease((release) => publishedRows(release, mintingByDay));
const indexRows = perRelease((release) => publishedRows(release, miiByDay));
const sentinelRows = perRelease((release) => publishedRows(release, sentinelsByDay));
const metricsRows = perRelease((release) => publishedRows(release, metricsByDay));

/** Figures that are published by day, each from one file; a figure without a value on a day has no entry for it. */
export const DAILY = {
  totalSupply: daily(supplyRows, ([row]) => row!.total_supply),
  circulating: daily(supplyRows, ([row]) => row!.circulating),
  burned: daily(supplyRows, ([row]) => row!.burned),
  minted: perRelease(mintedByDay),
  mii: daily(indexRows, ([row]) => row!.mii),
  threshold: daily(indexRows, ([row]) => row!.threshold),
  operational: daily(sentinelRows, (rows) => rows.filter(({ status }) => status === 'operational').length),
  coordination: daily(sentinelRows, (rows) =>
    meanOf(rows.map(({ coordination_score }) => coordination_score)),
  ),
  consensusRate: daily(metricsRows, ([row]) => row!.consensus_rate),
  driftScore: daily(metricsRows, ([row]) => row!.drift_score),
  virtues: daily(metricsRows, ([row]) => {
    const { integrity, temperance, justice, prudence, courage } = row!;
    return meanOf([integrity, temperance, justice, prudence, courage]);
  }),
} satisfies Record<string, (release: SiteRelease) => DailyValues>;

function daily<Row extends { date: string }>(
  rowsOf: (release: SiteRelease) => Row[],
  measure: (rows: Row[]) => number | null,
): (release: SiteRelease) => DailyValues {
  return perRelease((release) => {
    const byDay = Map.groupBy(rowsOf(release), ({ date }) => date);
    const values = [...byDay].map(([date, rows]) => [date, measure(rows)] as const);
    return new Map(values.filter((entry): entry is readonly [string, number] => entry[1] !== null));
  });
}

/** A day without a mint has no row in its file: nothing was minted then. */
function mintedByDay(release: SiteRelease): DailyValues {
  const byDay = Map.groupBy(mintingRows(release), ({ date }) => date);
  return new Map(
    supplyRows(release).map(({ date }) => [date, sum((byDay.get(date) ?? []).map(({ minted }) => minted))]),
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
