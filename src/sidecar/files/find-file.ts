import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import { ENTRIES_PATH, LOG_PREFIX } from './log-path.ts';

/** The audit trail's export; the second is for a host of its own, whose root it stands below. */
export const EXPORT_PATHS: ReadonlySet<string> = new Set(['government/ledger/export', 'export']);

/** Also of what stands in a release with its segments only. */
const GATED: ReadonlyMap<string, Area> = new Map(
  ARTIFACTS.filter(({ restricted }) => restricted).map(({ path, area }) => [path, area]),
);

/** Characters that a path may not hide: a separator, and the end of a C string. */
const HIDDEN = /%(?:2f|5c|00)/i;

/**
 * `/economy/` → `economy/`, percent-encoding undone. Throws a Problem bad_request, and not_found for another spelling of an
 * address of the log, which has one only.
 */
export function parsePath(path: string): string {
  if (path.startsWith('/') && !path.includes('%')) return path.slice(1);
  const decoded = decode(path);
  if (decoded === null) throw new Problem('bad_request', 'The path is not well-formed.');
  if (!decoded.startsWith(LOG_PREFIX)) return decoded;
  throw new Problem('not_found', 'An address of the log has one spelling, without percent-encoding.');
}

/** Null where that is not UTF-8 in percent-encoding, or hides something. */
function decode(path: string): string | null {
  try {
    return path.startsWith('/') && !HIDDEN.test(path) ? decodeURIComponent(path.slice(1)) : null;
  } catch {
    return null;
  }
}

/** The area whose key a path needs; null for none. */
export function gatedArea(path: string): Area | null {
  if (EXPORT_PATHS.has(path) || path.startsWith(ENTRIES_PATH)) return 'government';
  return GATED.get(path) ?? null;
}

/** The file at a path, a page's at its folder; or the folder that the client should have asked for; null for neither. */
export function findFile(
  path: string,
  files: ReadonlyMap<string, ManifestFile>,
): ManifestFile | { movedTo: string } | null {
  const found = files.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  if (found) return found;
  if (files.has(`${path}/index.html`)) return { movedTo: `/${path}/` };
  return null;
}
