import type { HistoryArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SiteRelease } from '../layout/release.ts';
import { forEachLine } from './history-rows.ts';

/** The events that a row follows from, by their index in the log. */
export interface RowEvents {
  /** The event that the row states; the close of a deliberation. */
  event: number;
  opened_event?: number;
  /** In the order of the positions. */
  position_events?: readonly number[];
}

/**
 * The events of each row of a history with a row per event, newest first, from its JSON lines: a line ends with them. Null for a release
 * without other formats.
 */
export function rowEvents(release: SiteRelease, artifact: HistoryArtifact): RowEvents[] | null {
  const path = linesPath(release, artifact);
  if (path === null) return null;
  const events: RowEvents[] = [];
  forEachLine(release, path, (line) => {
    // No text contains it, since its quotation marks are escaped.
    const at = line.lastIndexOf('"event":');
    events.push(JSON.parse(`{${line.slice(at)}`) as RowEvents);
  });
  const rows = release.find(artifact.path)?.rows;
  if (events.length === rows) return events;
  const [expected, found] = [`${rows} lines`, `${events.length}`];
  throw new CathedralError('site_failed', { place: path, expected, found });
}

/** The table of all tables would be in the scripts of pages that import this. */
function linesPath(release: SiteRelease, { path: own }: HistoryArtifact): string | null {
  const path = own.replace(/\.[a-z]+$/, '.ndjson');
  return release.find(path) ? path : null;
}
