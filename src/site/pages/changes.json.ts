import { changesDocument } from '../../../pipeline/forms/changes/changes-document.ts';
import { extentOf, latestPeriodChanges } from '../components/changes/year-file.ts';
import { openRelease } from '../components/release.ts';

/** What changed in the default period. */
export function GET(): Response {
  const release = openRelease();
  const document = changesDocument(latestPeriodChanges(release), extentOf(release), release.baseUrl);
  return new Response(`${JSON.stringify(document, null, 2)}\n`);
}
