import { transparency } from '../../../../pipeline/artifacts/government/transparency.ts';
import type { SiteRelease } from '../../layout/release.ts';

/** The years that have a final report in the release, newest first. */
export function closedYears(release: SiteRelease): number[] {
  return release
    .paths(transparency.path.replace(/\.json$/, '-'))
    .map((path) => ({ path, year: Number(/-(\d{4})\.json$/.exec(path)?.[1]) }))
    .filter(({ path, year }) => transparency.closedPath(year) === path)
    .map(({ year }) => year)
    .sort((a, b) => b - a);
}
