import type { Area, Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { formatBytes, formatNumber } from '../../../pipeline/words/number.ts';
import type { SiteRelease } from '../layout/release.ts';

/** A row of a portal's file table. */
export interface FileRow {
  /** `mic-history-csv`; existing links use it. */
  anchor: string;
  title: string;
  path: string;
  /** The path of its page. */
  href: string;
  restricted: boolean;
  /** How soon a change in the ledger appears. */
  changes: string;
  size: string;
  rows: string;
  /** False for a file that this release does not have. */
  there: boolean;
}

/** The files of an area in the order of the table. */
export function fileRows(release: SiteRelease, area: Area): FileRow[] {
  return ARTIFACTS.filter((artifact) => artifact.area === area).map((artifact) => {
    const file = release.find(artifact.path);
    return {
      anchor: anchorOf(artifact),
      title: artifact.title,
      path: artifact.path,
      href: `/files/${artifact.path}/`,
      restricted: artifact.restricted,
      changes: artifact.refresh === 'real-time' ? 'with each event' : 'every six hours',
      size: file ? formatBytes(file.bytes) : '–',
      rows: typeof file?.rows === 'number' ? formatNumber(file.rows) : '–',
      there: artifact.restricted || release.willHave(artifact.path),
    };
  });
}

/** `economy/mic-history.csv` → `mic-history-csv`. */
function anchorOf({ path, area }: Artifact): string {
  return path.slice(area.length + 1).replaceAll(/[^a-z0-9]+/g, '-');
}
