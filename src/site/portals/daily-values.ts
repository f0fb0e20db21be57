import type { z } from 'zod';
import { sentinelsByDay } from '../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { miiByDay } from '../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../../pipeline/artifacts/economy/supply-by-day.ts';
import { metricsByDay } from '../../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import type { PublishedFile } from '../../../pipeline/artifacts/published-files.ts';
import { meanOf } from '../../../pipeline/model/formulas.ts';
import { NO_HEARTBEAT_YET } from '../../../pipeline/model/sentinel-status.ts';
import type { SiteRelease } from '../layout/release.ts';
import { perRelease } from '../layout/release.ts';

/** The value of a figure at the end of each whole day, by date. */
export type DailyValues = ReadonlyMap<string, number>;

/** Figures that are published by day, each from one file. A day without a value has no entry. */
export const DAILY = {
  totalSupply: daily(supplyByDay, ([row]) => row!.total_supply),
  circulating: daily(supplyByDay, ([row]) => row!.circulating),
  burned: daily(supplyByDay, ([row]) => row!.burned),
  minted: perRelease(mintedByDay),
  mii: daily(miiByDay, ([row]) => row!.mii),
  threshold: daily(miiByDay, ([row]) => row!.threshold),
  operational: perRelease(operationalByDay),
  coordination: daily(sentinelsByDay, (rows) =>
    meanOf(rows.map(({ coordination_score }) => coordination_score)),
  ),
  consensusRate: daily(metricsByDay, ([row]) => row!.consensus_rate),
  driftScore: daily(metricsByDay, ([row]) => row!.drift_score),
  virtues: daily(metricsByDay, ([row]) => {
    const { integrity, temperance, justice, prudence, courage } = row!;
    return meanOf([integrity, temperance, justice, prudence, courage]);
  }),
} satisfies Record<string, (release: SiteRelease) => DailyValues>;

/** Each virtue at the end of each whole day. */
export const virtueValues = {
  integrity: daily(metricsByDay, ([row]) => row!.integrity),
  temperance: daily(metricsByDay, ([row]) => row!.temperance),
  justice: daily(metricsByDay, ([row]) => row!.justice),
  prudence: daily(metricsByDay, ([row]) => row!.prudence),
  courage: daily(metricsByDay, ([row]) => row!.courage),
} satisfies Record<string, (release: SiteRelease) => DailyValues>;

interface ByDay<Row extends z.ZodType> extends PublishedFile {
  mediaType: `text/csv${string}`;
  schema: Row;
}

function daily<Row extends z.ZodType<{ date: string }>>(
  file: ByDay<Row>,
  measure: (rows: z.output<Row>[]) => number | null,
): (release: SiteRelease) => DailyValues {
  return perRelease((release) => {
    const byDay = Map.groupBy(release.read(file), ({ date }) => date);
    const values = [...byDay].map(([date, rows]) => [date, measure(rows)] as const);
    return new Map(values.filter((entry): entry is readonly [string, number] => entry[1] !== null));
  });
}

/** Sentinels that were up all day, on days after the first heartbeat of one that was not retired. */
function operationalByDay(release: SiteRelease): DailyValues {
  const heard = release.read(sentinelsByDay).filter(({ status }) => status !== NO_HEARTBEAT_YET);
  return new Map(
    [...Map.groupBy(heard, ({ date }) => date)].map(([date, own]) => [
      date,
      own.filter(({ status }) => status === 'operational').length,
    ]),
  );
}

/** A day without a mint has no row in the file of mints, and counts as 0. */
function mintedByDay(release: SiteRelease): DailyValues {
  const byDay = Map.groupBy(release.read(mintingByDay), ({ date }) => date);
  return new Map(
    release
      .read(supplyByDay)
      .map(({ date }) => [date, sum((byDay.get(date) ?? []).map(({ minted }) => minted))]),
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
