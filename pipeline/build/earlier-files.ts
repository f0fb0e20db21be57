import type { PrintedArtifact, YearlyArtifact } from '../artifacts/artifact.ts';
import { yearOf } from '../model/period.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Folded } from './fold-snapshots.ts';

type Closing = Pick<YearlyArtifact | PrintedArtifact, 'closedPath'>;

/** The closed years' files that the release before has and that this run did not close itself. */
export function earlierFiles(
  { previous }: Staging,
  folded: Folded,
  { closedPath }: Closing,
): { path: string }[] {
  const published = new Set(previous?.manifest.files.map(({ path }) => path));
  return yearsBetween(yearOf(folded.state.since), folded.resumedYear)
    .map((year) => ({ path: closedPath(year) }))
    .filter(({ path }) => published.has(path));
}

/** From `first` to the year before `end`. */
export function yearsBetween(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}
