import { CHART_PATHS } from '../../../pipeline/charts/files/chart-formats.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { COUNTED_AS, STATUS_PATH, VERIFY_PATH } from '../../api/paths.ts';
import { OEMBED_PATH } from '../charts/oembed.ts';
import { type LogPath, parseLogPath } from '../files/log-files.ts';
import type { ServedRelease } from '../files/releases.ts';
import { isSnapshotPath } from '../files/snapshot-files.ts';
import { EXPORT_PATHS, type RequestContext } from './request-context.ts';

/** What a path leads to. */
export type Route =
  | { kind: 'file'; file: ManifestFile }
  /** A chart's file in the state that the query describes. */
  | { kind: 'chart'; file: ManifestFile }
  | { kind: 'export' }
  /** Verifies the attestation in the request body. */
  | { kind: 'verify' }
  /** Of the attestation with this id or UUID. */
  | { kind: 'status'; name: string }
  | { kind: 'log'; file: LogPath }
  | { kind: 'snapshot' }
  | { kind: 'oembed' }
  | { kind: 'moved'; to: string }
  | { kind: 'nothing' };

const NO_FILES: ReadonlyMap<string, ManifestFile> = new Map();

/** Finds out what a request is for, and notes its area, whether it is restricted and whether it counts. */
export function routeRequest(context: RequestContext, release: ServedRelease | null): Route {
  const { path, query } = context;
  if (EXPORT_PATHS.has(path!)) return { kind: 'export' };
  const found = findFile(path!, release?.files ?? NO_FILES);
  if (!found) return routeToAttestations(context) ?? routeBesideRelease(path!);
  if ('movedTo' in found) return { kind: 'moved', to: found.movedTo };
  // Pages are free and need no key, whatever their area. A file of all areas belongs to none, and no quota applies to it.
  if (found.kind === 'data' || found.restricted) {
    context.area = found.area;
    context.restricted = found.restricted;
    context.counted = found.area !== null;
  }
  return { kind: query !== '' && CHART_PATHS.has(path!) ? 'chart' : 'file', file: found };
}

/** The file at a path, or a folder's page; where to redirect to if the slash is missing; null for neither. */
function findFile(
  path: string,
  files: ReadonlyMap<string, ManifestFile>,
): ManifestFile | { movedTo: string } | null {
  const found = files.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  if (found) return found;
  return files.has(`${path}/index.html`) ? { movedTo: `/${path}/` } : null;
}

function routeToAttestations(context: RequestContext): Route | null {
  const path = context.path!;
  const [, name] = STATUS_PATH.exec(path) ?? [];
  if (path !== VERIFY_PATH && name === undefined) return null;
  context.area = COUNTED_AS;
  context.counted = true;
  return name === undefined ? { kind: 'verify' } : { kind: 'status', name };
}

/** Hash tiles and checkpoints belong to no area and are not counted, since one proof takes a dozen. */
function routeBesideRelease(path: string): Route {
  if (path === OEMBED_PATH) return { kind: 'oembed' };
  if (isSnapshotPath(path)) return { kind: 'snapshot' };
  const file = parseLogPath(path);
  return file ? { kind: 'log', file } : { kind: 'nothing' };
}
