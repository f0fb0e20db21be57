import { CHART_PATHS } from '../../../pipeline/charts/files/chart-forms.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { COUNTED_AS, STATUS_PATH, VERIFY_PATH } from '../../api/paths.ts';
import { EXPORT_PATHS, findFile } from '../files/find-file.ts';
import { type LogPath, parseLogPath } from '../files/log-path.ts';
import type { ServedRelease } from '../files/releases.ts';
import { isOfSnapshots } from '../files/snapshot-files.ts';
import { OEMBED_PATH } from '../oembed/answer-oembed.ts';
import type { Visit } from './visit.ts';

/** What a path is the address of. */
export type Target =
  | { kind: 'file'; file: ManifestFile }
  /** A chart's file in a state that the query tells. */
  | { kind: 'chart'; file: ManifestFile }
  | { kind: 'export' }
  /** A document that comes as the body. */
  | { kind: 'verify' }
  /** Of the attestation of that id or UUID. */
  | { kind: 'status'; name: string }
  | { kind: 'log'; file: LogPath }
  /** Kept beside the releases. */
  | { kind: 'snapshot' }
  | { kind: 'oembed' }
  | { kind: 'moved'; to: string }
  | { kind: 'nothing' };

const NO_FILES: ReadonlyMap<string, ManifestFile> = new Map();

/** Looks up what a visit is for, and notes the area, whether it is gated and whether it counts. */
export function aim(visit: Visit, release: ServedRelease | null): Target {
  const { path, query } = visit;
  const found = findFile(path!, release?.files ?? NO_FILES);
  if (EXPORT_PATHS.has(path!)) return { kind: 'export' };
  if (!found) return aimAtAttestations(visit) ?? aimBesideRelease(path!);
  if ('movedTo' in found) return { kind: 'moved', to: found.movedTo };
  // A page costs nothing and asks for no key, whatever its area. What is of all areas is in none, and no limit is for it.
  if (found.kind === 'data' || found.restricted)
    Object.assign(visit, { area: found.area, gated: found.restricted, counted: found.area !== null });
  return { kind: query !== '' && CHART_PATHS.has(path!) ? 'chart' : 'file', file: found };
}

function aimAtAttestations(visit: Visit): Target | null {
  const path = visit.path!;
  const [, name] = STATUS_PATH.exec(path) ?? [];
  if (path !== VERIFY_PATH && name === undefined) return null;
  Object.assign(visit, { area: COUNTED_AS, counted: true });
  return name === undefined ? { kind: 'verify' } : { kind: 'status', name };
}

/** Hash tiles and checkpoint are of no area and not counted, since a proof takes a dozen of them. */
function aimBesideRelease(path: string): Target {
  if (path === OEMBED_PATH) return { kind: 'oembed' };
  if (isOfSnapshots(path)) return { kind: 'snapshot' };
  const file = parseLogPath(path);
  return file ? { kind: 'log', file } : { kind: 'nothing' };
}
