import type { Cited } from '../../../pipeline/artifacts/academics/citations.ts';
import { eventsByDay } from '../../../pipeline/artifacts/academics/events-by-day.ts';
import type { SiteRelease } from '../layout/release.ts';

/** What citations and descriptions of files follow from, as far as the release's files give it: `since` is a day. */
export interface FileFacts extends Cited {
  since: string;
}

/** Each is read when it is asked for, so that a page depends on nothing that it does not show. */
export function siteFacts(release: SiteRelease): FileFacts {
  return {
    baseUrl: release.baseUrl,
    versions: { get: (path) => release.find(path) },
    get organisation() {
      return release.organisation;
    },
    get asOf() {
      return release.draft.timestamp;
    },
    get since() {
      return release.read(eventsByDay)[0]?.date ?? release.draft.timestamp.slice(0, 10);
    },
  };
}
