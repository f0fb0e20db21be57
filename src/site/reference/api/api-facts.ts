import { AREAS, type Area } from '../../../../pipeline/artifacts/artifact.ts';
import { exampleOf } from '../../../api/routes/examples.ts';
import { type ApiFacts, type Group, OTHER_GROUPS, type Route } from '../../../api/routes/route.ts';
import { AREA_WORDS } from '../../layout/areas.ts';
import { perRelease } from '../../layout/release.ts';

/** What the description of this release’s service names, with examples from its files. */
export const apiFacts = perRelease((release): ApiFacts => {
  const subjects = AREAS.map((area) => [area, AREA_WORDS[area].subject]);
  return {
    baseUrl: release.baseUrl,
    version: release.version,
    organisation: release.organisation,
    subjects: Object.fromEntries(subjects) as Record<Area, string>,
    example: (artifact) => exampleOf(artifact, release),
  };
});

export function groupTitle(group: Group): string {
  return group in OTHER_GROUPS
    ? OTHER_GROUPS[group as keyof typeof OTHER_GROUPS].title
    : AREA_WORDS[group as Area].title;
}

/** The page about a group of routes. */
export function groupAddress(group: Group): string {
  return `/api/${group}/`;
}

/** Where the API reference describes a route. */
export function routeAddress({ group, id }: Pick<Route, 'group' | 'id'>): string {
  return `${groupAddress(group)}#${id}`;
}
