import type { Artifact } from '../../../../pipeline/artifacts/artifact.ts';
import type { DraftFile } from '../../../../pipeline/release/format/manifest.ts';
import type { SiteRelease } from '../release.ts';
import { closedYears } from '../report/closed-years.ts';

/** A file of a year that is over: it never changes. */
export interface ClosedFile {
  year: number;
  path: string;
  /** Null where it is made after the pages. */
  file: DraftFile | null;
}

/** Newest first; none of an artifact that has no such files. */
export function closedFiles(release: SiteRelease, artifact: Artifact): ClosedFile[] {
  if (!('closedPath' in artifact)) return [];
  return closedYears(release)
    .map((year) => ({ year, path: artifact.closedPath(year) }))
    .filter(({ path }) => release.willHave(path))
    .map(({ year, path }) => ({ year, path, file: release.find(path) ?? null }));
}
