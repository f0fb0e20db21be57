import type { Changes } from './changes-between.ts';
import type { Extent } from './period.ts';

/** The content of `changes.json`: the changes with whole addresses. Without two days to compare, `changes` is null. */
export function changesDocument(changes: Changes | null, extent: Extent | null, baseUrl: string): object {
  const days = { first_day: extent?.first ?? null, last_day: extent?.last ?? null };
  const schema_version = '1.0.0';
  if (!changes) return { schema_version, ...days, changes: null };
  const { since, until, days: count, levels, flows, rows, ...happened } = changes;
  const source = (path: string) => `${baseUrl}/${path}`;
  const listed = Object.entries(happened).map(([name, records]) => [
    name,
    records.map(({ href, ...record }) => ({ ...record, url: `${baseUrl}${href}` })),
  ]);
  return {
    schema_version,
    ...days,
    changes: {
      since,
      until,
      days: count,
      url: `${baseUrl}/changes/?since=${since}&until=${until}`,
      figures: levels.map(({ name, unit, before, now, change, path }) => ({
        name,
        unit: unitOf(unit),
        since: before,
        until: now,
        change,
        source: source(path),
      })),
      counted: flows.map(({ name, unit, sum, path }) => ({
        name,
        unit: unitOf(unit),
        count: sum,
        source: source(path),
      })),
      ...Object.fromEntries(listed),
      rows: rows.map(({ path, rows }) => ({ path, rows, url: source(path) })),
    },
  };
}

function unitOf(unit: string): string {
  return unit === 'of 1' ? 'share' : unit === '' ? 'count' : unit;
}
