import type { HistoryArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SiteRelease } from '../layout/release.ts';

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
  const path = artifact.path.replace(/\.[a-z]+$/, '.ndjson');
  if (!release.find(path)) return null;
  const lines = release.text(path).split('\n').slice(0, -1);
  const rows = release.find(artifact.path)?.rows;
  if (lines.length !== rows) {
    const [expected, found] = [`${rows} lines`, `${lines.length}`];
    throw new CathedralError('site_failed', { place: path, expected, found });
  }
  // No text contains the member's name as it stands there, since its quotation marks are escaped.
  return lines.map((line) => JSON.parse(`{${line.slice(line.lastIndexOf('"event":'))}`) as RowEvents);
}
