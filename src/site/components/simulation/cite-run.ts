import type { RecordedRun } from './recorded.ts';

/** In running text. `year`: of the release, since a run has no date of its own; `address`: where it is replayed. */
export function citeRun(
  { scenario, seed, actions, tick }: RecordedRun,
  { title, author, year, address }: { title: string; author: string; year: string; address: string },
): string {
  const done = actions.length === 1 ? '1 action' : `${actions.length} actions`;
  return `${author} (${year}). ${title} [simulation run]. Scenario ${scenario}, seed ${seed}, ${done}, tick ${tick}. ${address}`;
}
