import { dirname, join } from 'node:path';
import { bytesOf, HASH_BYTES } from '../ledger/log/hash.ts';
import { fullTileOf, parseTilePath } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { isSlotId } from '../ledger/slot.ts';
import { exists, finished } from '../release/disk/durable.ts';
import { listTree, type Tree } from '../release/disk/list-tree.ts';
import { PROOF_PATHS, type PublicManifest } from '../release/format/public-manifest.ts';
import {
  ASSETS,
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  SNAPSHOTS,
} from '../release/format/snapshot-index.ts';
import { mismatch } from './mismatch.ts';
import { APART } from './origin/folder-origin.ts';
import { measure } from './origin/measure.ts';
import type { Origin } from './origin/origin.ts';
import { readSmall } from './origin/read-small.ts';
import { LOG } from './origin/read-tile.ts';
import type { Findings } from './verification.ts';

/** Looks at what is in a folder beside what is signed; each surplus is a finding. */
export interface NamesWork {
  origin: Origin;
  findings: Findings;
}

/** `root` has the release's files, variants of them, and settings of hosts, and nothing else. */
export async function verifyReleaseNames(
  root: string,
  { files }: PublicManifest,
  { findings }: NamesWork,
): Promise<void> {
  const listed = new Set([...files.map(({ path }) => path), ...PROOF_PATHS, '_headers']);
  const tree = await listTree(root);
  const isSurplus = (path: string) => !listed.has(path.replace(/\.(gz|br)$/, '')) && !isApart(path);
  await refuseSurplus(
    tree.files.filter(isSurplus).map((path) => join(root, path)),
    findings,
  );
  await refuseOthers(
    tree.others.filter((path) => !isApart(path)).map((path) => join(root, path)),
    findings,
  );
}

/** In a plain copy the log and the snapshots are in the same folder. */
function isApart(path: string): boolean {
  return APART.has(path.split('/')[0]!);
}

/** The log has its checkpoint and hash tiles of this tree, also parts of them, with what they begin with. */
export async function verifyLogNames(reader: TileReader, { origin, findings }: NamesWork): Promise<void> {
  const { files, others } = await treeOf(origin, LOG);
  const isKnown = (name: string) => finished(name) === 'checkpoint' || isTile(name, reader.head.size);
  await refuseSurplus(
    files.filter((name) => !isKnown(name)).map((name) => origin.placeOf(`${LOG}/${name}`)),
    findings,
  );
  await refuseOthers(
    others.map((name) => origin.placeOf(`${LOG}/${name}`)),
    findings,
  );
  for (const name of files) await findings.attempt(() => assertPart(name, reader, origin));
}

function isTile(name: string, size: number): boolean {
  return fullTileOf(name, size)?.kind === 'tile';
}

/** Whole tiles were read already. Throws mirror_mismatch and log_invalid. */
async function assertPart(name: string, reader: TileReader, origin: Origin): Promise<void> {
  const found = parseTilePath(name);
  if (found?.kind !== 'tile' || !isTile(name, reader.head.size)) return;
  const { level, index, width } = found.tile;
  const hashes = await reader.tile(level, index);
  if (width === hashes.length) return;
  const path = `${LOG}/${name}`;
  const bytes = (await readSmall(origin, path, { exactly: width * HASH_BYTES }))?.bytes;
  if (bytes && Buffer.from(bytes).equals(bytesOf(hashes.slice(0, width)))) return;
  const expected = `the first ${width} hashes of the tile`;
  throw mismatch(origin.placeOf(path), expected, 'others');
}

/**
 * The snapshots have what their list and their indexes name (`listed`), old histories, and, but for mirrors, the pages that a
 * service makes of them. `unread`: ids of those whose index was not looked at.
 */
export async function verifySnapshotNames(
  listed: ReadonlySet<string>,
  unread: ReadonlySet<string>,
  { origin, findings }: NamesWork,
): Promise<void> {
  const { files, others } = await treeOf(origin, SNAPSHOTS);
  const isMirror = await exists(join(dirname(origin.placeOf(LOG)), 'mirror.json'));
  const ids = new Set([...listed].map((path) => path.split('/')[1]!));
  const surplus: string[] = [];
  for (const name of files) {
    const path = `${SNAPSHOTS}/${finished(name)}`;
    const [, id = ''] = path.split('/');
    const isPage =
      !isMirror && (path === `${SNAPSHOTS}/index.html` || path === `${SNAPSHOTS}/${id}/index.html`);
    const isKnown = listed.has(path) || unread.has(id) || (isPage && (ids.has(id) || id === 'index.html'));
    if (!isKnown && !(await isNamedByHash(`${SNAPSHOTS}/${name}`, origin)))
      surplus.push(origin.placeOf(`${SNAPSHOTS}/${name}`));
  }
  await refuseSurplus(surplus, findings);
  await refuseOthers(
    others.map((name) => origin.placeOf(`${SNAPSHOTS}/${name}`)),
    findings,
  );
}

/** Ids of the snapshots in a folder that its list does not have. */
export async function keptBeside(list: readonly { id: string }[], origin: Origin): Promise<string[]> {
  const { folders } = await treeOf(origin, SNAPSHOTS);
  return folders.filter((name) => isSlotId(name) && !list.some(({ id }) => id === name));
}

export const OF_THE_LIST: readonly string[] = [LIST_PATH, LIST_SIGNATURE_PATH];
const OLD_HISTORY = new RegExp(`^${OLD_HISTORIES}/([0-9a-f]{64})$`);
/** Styles and fonts of pages. */
const ASSET = new RegExp(`^${ASSETS}/[\\w-]+-([0-9a-f]{12})\\.(css|woff2)$`);

/** What says its own hash, and has it, or is still being written. */
async function isNamedByHash(path: string, origin: Origin): Promise<boolean> {
  const [, digits] = OLD_HISTORY.exec(finished(path)) ?? ASSET.exec(finished(path)) ?? [];
  if (digits === undefined || path !== finished(path)) return digits !== undefined;
  const opened = await origin.open(path);
  if (opened === null || opened === 'unchanged') return false;
  return (await measure(opened.body)).sha256.startsWith(digits);
}

/** The folder may be a link itself, to another disk. */
async function treeOf(origin: Origin, folder: string): Promise<Tree> {
  return listTree(origin.placeOf(folder)).catch((error: NodeJS.ErrnoException) => {
    // What is not there, or no folder, is a finding of who reads the files in it.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { files: [], folders: [], others: [] };
    throw error;
  });
}

function refuseSurplus(places: readonly string[], findings: Findings): Promise<void> {
  return refuse(places, 'nothing', 'something that nobody signed', findings);
}

/** What a link leads to is outside of what was looked at, and another thing tomorrow. */
function refuseOthers(places: readonly string[], findings: Findings): Promise<void> {
  return refuse(places, 'a file of its own', 'a link, or what else is no file', findings);
}

async function refuse(
  places: readonly string[],
  expected: string,
  found: string,
  findings: Findings,
): Promise<void> {
  for (const place of places)
    await findings.attempt(async () => {
      throw mismatch(place, expected, found);
    });
}

/** The paths that the index of a snapshot names. */
export function pathsOfSnapshot(id: string, stored: readonly { url: string }[]): string[] {
  return [`${SNAPSHOTS}/${id}/${INDEX}`, ...stored.map(({ url }) => url)];
}
