import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { sentinelsByDay } from '../../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { cathedralMultipliers } from '../../../../pipeline/artifacts/economy/cathedral-multipliers.ts';
import { miiByDay } from '../../../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../../../pipeline/artifacts/economy/supply-by-day.ts';
import { sentinelStatus } from '../../../../pipeline/artifacts/government/sentinel-status.ts';
import { transparency } from '../../../../pipeline/artifacts/government/transparency.ts';
import { decisions } from '../../../../pipeline/artifacts/philosophy/decisions.ts';
import { deliberationArchive } from '../../../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { metricsByDay } from '../../../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import { ARTIFACTS, HISTORIES } from '../../../../pipeline/artifacts/table.ts';
import { type Changes, changesBetween, yearsOf } from '../../../../pipeline/forms/changes/changes-between.ts';
import { defaultPeriod, type Extent, type Period } from '../../../../pipeline/forms/changes/period.ts';
import {
  COUNTED,
  FLOWS,
  type FlowName,
  LEVELS,
  type LevelName,
  type Outage,
  type SchemaChange,
  YEAR_FORMAT,
  type YearOfDays,
  yearPath,
} from '../../../../pipeline/forms/changes/year-of-days.ts';
import { meanOf } from '../../../../pipeline/model/formulas.ts';
import { yearText } from '../../../../pipeline/model/period.ts';
import { decisionRecords } from '../explore/decisions.ts';
import { deliberationRecords } from '../explore/deliberations.ts';
import { linesOfDays, rowsOfDays } from '../explore/history-rows.ts';
import { daysWithEvents, sentinelPages } from '../explore/sentinels.ts';
import { perRelease, type SiteRelease } from '../release.ts';

/** The finished days with an event, oldest first. The day of the release is not over. */
const finishedDays = perRelease((release): string[] => daysWithEvents(release).slice(0, -1));

/** The first and the last finished day with an event; null if no day is over. */
export function extentOf(release: SiteRelease): Extent | null {
  const days = finishedDays(release);
  return days.length === 0 ? null : { first: days[0]!, last: days.at(-1)! };
}

/** The years with a finished day with an event, oldest first. */
export const yearsWithDays = perRelease((release): string[] => [
  ...new Set(finishedDays(release).map((day) => day.slice(0, 4))),
]);

/** The addresses of the files by year. */
export function yearFiles(release: SiteRelease): string[] {
  return yearsWithDays(release).map((year) => `/${yearPath(year)}`);
}

/**
 * Those that may have changed since an earlier release: of its year, of later ones, and of the one before, which was the newest while the
 * first day of its year was not over. The newest has the alerts that are open.
 */
export function touchedYears(release: SiteRelease, since: string): string[] {
  const years = yearsWithDays(release);
  const before = years.findLast((year) => year < since.slice(0, 4)) ?? '';
  return years.filter((year) => year >= before).map((year) => `/${yearPath(year)}`);
}

/** What changed in the default period; null while there are no two days to compare. */
export const latestPeriodChanges = perRelease((release): Changes | null => {
  const extent = extentOf(release);
  const period = extent && defaultPeriod(extent);
  return period && changesIn(release, period);
});

function changesIn(release: SiteRelease, period: Period): Changes {
  const years = yearsOf(period, yearsWithDays(release)).map((year) => yearOfDays(release, year));
  return changesBetween(years, period);
}

/** Rows of a day by its date. */
type ByDay<Row> = ReadonlyMap<string, readonly Row[]>;

/** The content of `changes/<year>.json`. */
export function yearOfDays(release: SiteRelease, year: string): YearOfDays {
  const all = finishedDays(release);
  const own = all.filter((day) => day.startsWith(year));
  const days = [...all.slice(all.indexOf(own[0]!) - 1, all.indexOf(own[0]!)), ...own];
  const [from, to] = [days[0]!, days.at(-1)!];
  const read = <Row extends { date: string }>(rows: readonly Row[]): ByDay<Row> =>
    Map.groupBy(rows, ({ date }) => date);
  const supply = read(rowsOfDays(release, supplyByDay, from, to));
  const mii = read(rowsOfDays(release, miiByDay, from, to));
  const metrics = read(rowsOfDays(release, metricsByDay, from, to));
  const sentinels = read(rowsOfDays(release, sentinelsByDay, from, to));
  const minting = read(rowsOfDays(release, mintingByDay, from, to));
  const events = read(rowsOfDays(release, eventsByDay, from, to));
  const heardSince = firstHeartbeat(release);
  const levelOf = (name: LevelName, day: string): number | null => {
    const own = sentinels.get(day) ?? [];
    if (name === 'sentinels') return own.length;
    if (name === 'up')
      return heardSince !== null && day >= heardSince
        ? own.filter(({ status }) => status === 'operational').length
        : null;
    if (name === 'coordination') return meanOf(own.map(({ coordination_score }) => coordination_score));
    const rows = { ...supply.get(day)?.[0], ...metrics.get(day)?.[0] } as Record<string, unknown>;
    if (name in rows) return rows[name] as number | null;
    // The index keeps its last reading, on days without one too.
    return (lastReading(mii, days, day) as Record<string, number | null> | null)?.[name] ?? null;
  };
  const flowOf = (name: FlowName, day: string): number => {
    const counts = events.get(day) ?? [];
    if (name === 'events') return sum(counts.map(({ events }) => events));
    if (name === 'minted' || name === 'mints') return sum((minting.get(day) ?? []).map((row) => row[name]));
    if (name === 'minting_off') return mii.get(day)?.[0]?.minting_active === false ? 1 : 0;
    if (name === 'offline')
      return (sentinels.get(day) ?? []).filter(({ status }) => status === 'offline').length;
    return counts.find(({ event_type }) => event_type === COUNTED[name])?.events ?? 0;
  };
  const isOfYear = ({ date }: { date: string | null }) => date?.startsWith(year) ?? false;
  const closed = deliberationRecords(release).entries.filter(({ date }) => date !== null && date <= to);
  return {
    format: YEAR_FORMAT,
    year,
    days,
    levels: table(Object.keys(LEVELS) as LevelName[], days, levelOf),
    flows: table(Object.keys(FLOWS) as FlowName[], days, flowOf),
    rows: rowsByDay(release, days, year),
    decisions: decisionRecords(release)
      .entries.filter(isOfYear)
      .filter(({ date }) => date <= to)
      .map(({ date, id, topic, href }) => ({ date, href, id, topic })),
    deliberations: closed.filter(isOfYear).map(({ date, id, topic, href, consensus }) => ({
      date: date!,
      href,
      id,
      topic,
      consensus: consensus === 'reached' ? 'reached' : 'not_reached',
    })),
    multipliers: settingsOf(release).filter(({ date }) => date.startsWith(year) && date <= to),
    outages: outagesOf(
      release,
      sentinels,
      days.filter((day) => day.startsWith(year)),
    ),
    audits: auditsOf(release, year, to),
    alerts: year === yearsWithDays(release).at(-1) ? alertsOf(release, to) : [],
    schemas: SCHEMA_CHANGES.filter(isOfYear),
  };
}

/** The versions of the schemas of public files, oldest first. */
const SCHEMA_CHANGES = ARTIFACTS.flatMap((artifact): SchemaChange[] => {
  if (artifact.restricted || !('schemaHistory' in artifact)) return [];
  const { path, schemaHistory } = artifact;
  const href = `/files/${path}/`;
  return schemaHistory.map(({ date, version, change }) => ({ date, href, path, version, change }));
}).sort(byDate);

function byDate(one: { date: string }, other: { date: string }): number {
  return one.date < other.date ? -1 : one.date > other.date ? 1 : 0;
}

function table<Name extends string, Value>(
  names: readonly Name[],
  days: readonly string[],
  of: (name: Name, day: string) => Value,
): Record<Name, Value[]> {
  return Object.fromEntries(
    names.map((name) => [name, days.map((day) => shortened(of(name, day)))]),
  ) as Record<Name, Value[]>;
}

/** To the six decimals of an amount, which is more than any page shows. */
function shortened<Value>(value: Value): Value {
  return (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value) as Value;
}

function lastReading<Row>(mii: ByDay<Row>, days: readonly string[], day: string): Row | null {
  const found = days.findLast((date) => date <= day && mii.has(date));
  return found === undefined ? null : mii.get(found)![0]!;
}

/** The first day on which a sentinel sent a heartbeat; null before. A registration counts as a sign of life, but it is no heartbeat. */
const firstHeartbeat = perRelease((release): string | null => {
  for (const year of yearsWithDays(release)) {
    const lines = linesOfDays(release, eventsByDay.path, `${year}-01-01`, `${year}-12-31`);
    const first = lines.findLast((line) => line.includes(',heartbeat,'));
    if (first !== undefined) return first.slice(0, 10);
  }
  return null;
});

/** How many rows each growing public file has for each day. */
function rowsByDay(release: SiteRelease, days: readonly string[], year: string): YearOfDays['rows'] {
  const from = days[0]!;
  const to = days.at(-1)!;
  const counted: [string, ReadonlyMap<string, readonly unknown[]>][] = HISTORIES.filter(
    ({ restricted, mediaType }) => !restricted && mediaType.startsWith('text/csv'),
  ).map(({ path }) => [path, Map.groupBy(linesOfDays(release, path, from, to), (line) => line.slice(0, 10))]);
  const recorded: typeof counted = [
    [decisions.path, Map.groupBy(decisionRecords(release).entries, ({ date }) => date)],
    [deliberationArchive.path, Map.groupBy(deliberationRecords(release).entries, ({ date }) => date ?? '')],
  ];
  const counts = [...counted, ...recorded].map(
    ([path, rows]) =>
      [path, days.map((day) => (day.startsWith(year) ? (rows.get(day)?.length ?? 0) : 0))] as const,
  );
  return Object.fromEntries(counts.filter(([, rows]) => rows.some((count) => count > 0)));
}

/** Every multiplier that was set, oldest first, with the one before. */
const settingsOf = perRelease((release) => {
  const last = new Map<string, number>();
  return release.read(cathedralMultipliers).map(({ timestamp, cathedral, multiplier, reason }) => {
    const before = last.get(cathedral) ?? null;
    last.set(cathedral, multiplier);
    const date = timestamp.slice(0, 10);
    return { date, href: `/files/${cathedralMultipliers.path}/`, cathedral, multiplier, before, reason };
  });
});

/** Days in a row on which a sentinel was offline. */
function outagesOf(
  release: SiteRelease,
  rows: ByDay<{ sentinel: string; status: string }>,
  days: readonly string[],
): Outage[] {
  const pages = sentinelPages(release);
  const found: Outage[] = [];
  const open = new Map<string, Outage>();
  for (const day of days) {
    const down = (rows.get(day) ?? []).filter(({ status }) => status === 'offline');
    const names = new Set(down.map(({ sentinel }) => sentinel));
    for (const sentinel of open.keys()) if (!names.has(sentinel)) open.delete(sentinel);
    for (const sentinel of names) {
      const before = open.get(sentinel);
      if (before) before.to = day;
      else {
        const outage = { date: day, href: pages.get(sentinel) ?? '/sentinels/', sentinel, to: day };
        open.set(sentinel, outage);
        found.push(outage);
      }
    }
  }
  return found;
}

/** The last audit of each jurisdiction in a year, by the report of that year. */
function auditsOf(release: SiteRelease, year: string, to: string): YearOfDays['audits'] {
  const number = Number(year);
  const closed = { ...transparency, path: transparency.closedPath(number) };
  const isClosed = release.willHave(closed.path);
  const report = release.read(isClosed ? closed : transparency);
  if (report.year !== number) return [];
  const href = isClosed ? `/government/transparency/${yearText(number)}/` : '/government/transparency/';
  return Object.entries(report.compliance.jurisdictions)
    .flatMap(([jurisdiction, { status, last_audit: date }]) =>
      date?.startsWith(year) && date <= to ? [{ date, href, jurisdiction, status }] : [],
    )
    .sort(byDate);
}

function alertsOf(release: SiteRelease, to: string): YearOfDays['alerts'] {
  const pages = sentinelPages(release);
  return release
    .read(sentinelStatus)
    .alerts.map(({ id, severity, message, raised_at, sentinel }) => ({
      date: raised_at.slice(0, 10),
      href: (sentinel && pages.get(sentinel)) || `/files/${sentinelStatus.path}/`,
      id,
      severity,
      message,
    }))
    .filter(({ date }) => date <= to)
    .sort(byDate);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
