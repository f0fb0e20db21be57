import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, exists, ifThere, TEMPORARY_SUFFIX } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { parseCosignedPath } from '../ledger/log/cosigned-path.ts';
import { POLICY_PATH } from '../ledger/log/public-events.ts';
import { parseTilePath } from '../ledger/log/tile.ts';
import { listTree } from '../release/disk/list-tree.ts';
import { sha256, storedAt } from '../release/format/manifest.ts';
import { mediaTypeOf } from '../release/format/media-types.ts';
import { LATEST_PATH, MANIFEST_PATH, SIGNATURE_PATH } from '../release/format/public-manifest.ts';
import type { Published } from '../release/format/release.ts';
import {
  CACHE_CONTROL,
  headersFor,
  LOG_HEADERS,
  snapshotHeaders,
} from '../release/format/response-headers.ts';
import {
  INDEX,
  LIST_FILES,
  LIST_PATH,
  OLD_HISTORIES,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
} from '../release/format/snapshot-index.ts';
import { LOG_FOLDER } from '../release/log/log-folder.ts';

/** Files by when they may appear: each refers only to files of its own step and of earlier ones. */
export const STEPS = ['immutable', 'release', 'lists', 'proofs'] as const;

/** A file that a static host serves. */
export interface SiteFile {
  /** Below the service's root: `economy/supply`. */
  path: string;
  /** Where its bytes are on this machine. */
  file: string;
  /** Null: as the file has them. */
  bytes: number | null;
  /** Null: its path alone says which bytes it has, as with tiles and snapshots. */
  sha256: string | null;
  /** Those that an object can carry: `content-type` and `cache-control`. */
  headers: Readonly<Record<string, string>>;
  step: (typeof STEPS)[number];
}

const STATUS = 'status.json';
const STATUS_HEADERS = { 'Content-Type': mediaTypeOf(STATUS), 'Cache-Control': CACHE_CONTROL.live };
const CHECKPOINT = `${LOG_FOLDER}/checkpoint`;

/** In this order, one after the other: whoever sees one of them finds those before it. */
const LAST = [SIGNATURE_PATH, MANIFEST_PATH, LATEST_PATH, STATUS];

/**
 * Every file of the current release that everybody may read, with the log, the snapshots and the status: no restricted file, no
 * entries of the log, and nothing without an address. In the order in which they may appear. Throws release_invalid, log_invalid.
 */
export async function siteFiles(out: string, release: Published): Promise<SiteFile[]> {
  const all = [
    ...(await tiles(out)),
    ...(await snapshotFiles(out)),
    ...releaseFiles(release),
    ...(await fileIfThere(out, STATUS, STATUS_HEADERS)),
  ];
  const rank = ({ step, path }: SiteFile) => STEPS.indexOf(step) * LAST.length + LAST.indexOf(path);
  return all.sort((one, other) => rank(one) - rank(other));
}

function releaseFiles({ dir, manifest }: Published): SiteFile[] {
  const open = manifest.files.filter(({ restricted }) => !restricted);
  return open.map((file) => {
    const headers = carried(headersFor(file));
    const isImmutable = headers['cache-control'] === CACHE_CONTROL.immutable;
    const step = LAST.includes(file.path) ? 'proofs' : isImmutable ? 'immutable' : 'release';
    return {
      path: file.path,
      file: join(dir, storedAt(file)),
      bytes: file.bytes,
      sha256: file.sha256,
      headers,
      step,
    };
  });
}

async function tiles(out: string): Promise<SiteFile[]> {
  const folder = join(out, LOG_FOLDER);
  if (!(await exists(join(out, CHECKPOINT)))) return [];
  const { files } = await asDiskErrors(folder, () => listTree(folder));
  const ofKind = (kind: 'tile' | 'public') =>
    files
      .filter((path) => parseTilePath(path)?.kind === kind)
      .map((path) => fixed(out, `${LOG_FOLDER}/${path}`, LOG_HEADERS[kind]));
  const cosigned = files.filter((path) => parseCosignedPath(path) !== null);
  const notes = cosigned.map((path) => fileIfThere(out, `${LOG_FOLDER}/${path}`, LOG_HEADERS.checkpoint));
  return [
    ...ofKind('tile'),
    ...ofKind('public'),
    ...(await Promise.all(notes)).flat(),
    ...(await fileIfThere(out, `${LOG_FOLDER}/${POLICY_PATH}`, LOG_HEADERS.policy)),
    ...(await fileIfThere(out, CHECKPOINT, LOG_HEADERS.checkpoint)),
  ];
}

async function snapshotFiles(out: string): Promise<SiteFile[]> {
  const text = await ifThere(readFile(join(out, LIST_PATH), 'utf8'), null);
  if (text === null) return [];
  const all: SiteFile[] = [];
  for (const path of LIST_FILES)
    all.push(...(await fileIfThere(out, path, snapshotHeaders(path, mediaTypeOf(path), false))));
  const histories = await ifThere(readdir(join(out, OLD_HISTORIES)), []);
  for (const name of histories.filter((name) => !name.endsWith(TEMPORARY_SUFFIX))) {
    const path = `${OLD_HISTORIES}/${name}`;
    all.push(fixed(out, path, snapshotHeaders(path, 'application/octet-stream', true)));
  }
  for (const { id } of parseSnapshotIndex(text)) all.push(...(await oneSnapshot(out, `${SNAPSHOTS}/${id}`)));
  return all;
}

async function oneSnapshot(out: string, folder: string): Promise<SiteFile[]> {
  const index = `${folder}/${INDEX}`;
  const text = await readFile(join(out, index), 'utf8').catch((cause) => {
    const fault = { place: join(out, index), expected: 'the index of a listed snapshot' };
    throw new CathedralError('release_invalid', { ...fault, found: `${cause.code ?? cause}`, cause });
  });
  const data = parseSnapshot(text, index).files.filter((file) => 'url' in file);
  return [
    ...data.map(({ url, media_type: type }) => fixed(out, url, snapshotHeaders(url, type, true))),
    fixed(out, index, snapshotHeaders(index, mediaTypeOf(index), true)),
  ];
}

async function fileIfThere(out: string, path: string, headers: Record<string, string>): Promise<SiteFile[]> {
  const bytes = await ifThere(readFile(join(out, path)), null);
  if (bytes === null) return [];
  const step = path === STATUS ? 'proofs' : 'lists';
  return [
    {
      path,
      file: join(out, path),
      bytes: bytes.length,
      sha256: sha256(bytes),
      headers: carried(headers),
      step,
    },
  ];
}

function fixed(out: string, path: string, headers: Record<string, string>): SiteFile {
  return {
    path,
    file: join(out, path),
    bytes: null,
    sha256: null,
    headers: carried(headers),
    step: 'immutable',
  };
}

/** Of the headers of a response, those that an object store returns with an object. */
function carried(headers: Record<string, string>): SiteFile['headers'] {
  const { 'Content-Type': type, 'Cache-Control': cache } = headers;
  return { 'content-type': type!, 'cache-control': cache! };
}
