import { leafHash } from '#hashing';
import { orNull } from '../errors.ts';
import { parseCosignedPath } from '../ledger/log/cosigned-path.ts';
import { formatBundle, MAX_BUNDLE_BYTES, parseBundle } from '../ledger/log/entry-bundle.ts';
import { bytesOf, HASH_BYTES, type TreeHead } from '../ledger/log/hash.ts';
import { MAX_POLICY_BYTES, POLICY_PATH, parsePolicy } from '../ledger/log/public-events.ts';
import { fullTileOf, parseTilePath, publicPath } from '../ledger/log/tile.ts';
import type { TileReader } from '../ledger/log/tile-reader.ts';
import { parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { digestOf } from '../ledger/notes/digest.ts';
import { MAX_NOTE_BYTES, noteText } from '../ledger/notes/note.ts';
import type { Tree } from '../release/disk/list-tree.ts';
import { PROOF_PATHS, type PublicManifest } from '../release/format/public-manifest.ts';
import { HOST_FILES } from '../release/format/response-headers.ts';
import {
  INDEX,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  SNAPSHOTS,
} from '../release/format/snapshot-index.ts';
import { counted } from '../words/number.ts';
import { type Findings, mismatchError } from './findings.ts';
import { assertExtends } from './log.ts';
import { type Disk, LOG, measure, type Origin, readSmall } from './origin.ts';
import type { VerifiedSnapshot } from './snapshots.ts';

export interface NamesWork {
  origin: Origin;
  disk: Disk;
  findings: Findings;
}

/** The release's folder holds its files, their compressed variants and what hosts read, and nothing else. */
export async function verifyReleaseNames({ files }: PublicManifest, work: NamesWork): Promise<void> {
  const listed = new Set([...files.map(({ path }) => path), ...PROOF_PATHS, ...HOST_FILES]);
  const tree = await work.disk.list('');
  await refuse('', tree, (path) => listed.has(path.replace(/\.(gz|br)$/, '')), work);
}

/**
 * The log holds its checkpoint, earlier ones that witnesses cosigned, the tiles of this tree, partial ones too, which must be the beginning of
 * their tile, and public events. Earlier versions compressed these as well. `head`: of the tree whose public events the check `events` reads.
 */
export async function verifyLogNames(reader: TileReader, head: TreeHead, work: NamesWork): Promise<void> {
  const tree = await work.disk.list(LOG);
  const { size } = reader.head;
  const isTile = (name: string) => fullTileOf(name, size)?.kind === 'tile';
  const isPublic = (name: string) => fullTileOf(name.replace(/\.gz$/, ''), size)?.kind === 'public';
  const isNote = (name: string) => parseCosignedPath(name) !== null;
  const isAlone = (name: string) => ['checkpoint', POLICY_PATH].includes(name) || isNote(name);
  const isKnown = (name: string) => isAlone(work.disk.finished(name)) || isTile(name) || isPublic(name);
  await refuse(LOG, tree, isKnown, work);
  if (tree.files.some(isPublic))
    await work.findings.attempt(async () => assertPolicy(tree.files, work.origin));
  for (const name of tree.files.filter(isNote))
    await work.findings.attempt(() => assertCosigned(name, reader, work.origin));
  for (const name of tree.files.filter(isTile))
    await work.findings.attempt(() => assertPartialTile(name, reader, work.origin));
  const version = await publishedVersion(work.origin);
  const isReadAnyway = (name: string) => {
    const whole = fullTileOf(name, head.size);
    return (
      whole?.kind === 'public' && whole.version === version && name === publicPath(whole.bundle, version)
    );
  };
  for (const name of tree.files.filter((one) => isPublic(one) && !isReadAnyway(one)))
    await work.findings.attempt(() => assertPublicBundle(name, reader, work));
}

/** Public events need the policy: where it is missing, the check `events` takes the log for one without any. Throws mirror_mismatch. */
function assertPolicy(names: readonly string[], origin: Origin): void {
  if (names.includes(POLICY_PATH)) return;
  const place = origin.placeOf(`${LOG}/${POLICY_PATH}`);
  throw mismatchError(place, 'the decisions about the public events beside it', 'no such file');
}

/** By which decisions the check `events` reads public events; null where it says itself what is wrong. */
async function publishedVersion(origin: Origin): Promise<number | null> {
  const bytes = await origin.readLogFile(POLICY_PATH, MAX_POLICY_BYTES);
  return orNull(() => bytes && parsePolicy(new TextDecoder().decode(bytes), POLICY_PATH).version);
}

/** A note that witnesses cosigned is of a tree that this one extends. Throws mirror_mismatch, mirror_forked and ledger_corrupt. */
async function assertCosigned(name: string, reader: TileReader, origin: Origin): Promise<void> {
  const path = `${LOG}/${name}`;
  const place = origin.placeOf(path);
  const note = (await readSmall(origin, path, { most: MAX_NOTE_BYTES }))?.bytes ?? '';
  const { size, root } = parseCheckpoint(noteText(note, place), place);
  if (size !== parseCosignedPath(name))
    throw mismatchError(place, `a checkpoint of ${name}`, counted(size, 'event'));
  // A later one may stand beside a copy that was made meanwhile.
  if (size <= reader.head.size) await assertExtends(reader, { size, root }, place);
}

/** The `log` check has read full tiles. Throws mirror_mismatch and log_invalid. */
async function assertPartialTile(name: string, reader: TileReader, origin: Origin): Promise<void> {
  const found = parseTilePath(name);
  if (found?.kind !== 'tile') return;
  const { level, index, width } = found.tile;
  const hashes = await reader.tile(level, index);
  if (width === hashes.length) return;
  const path = `${LOG}/${name}`;
  const bytes = (await readSmall(origin, path, { exactly: width * HASH_BYTES }))?.bytes;
  const expected = bytesOf(hashes.slice(0, width));
  if (bytes && expected.every((byte, at) => byte === bytes[at])) return;
  throw mismatchError(origin.placeOf(path), `the first ${width} hashes of the tile`, 'different ones');
}

/**
 * Each event in a bundle has the hash of its leaf. A partial bundle is the beginning of the newest one, and a compressed one is its bundle. Of an
 * earlier version of the decisions, the newest one may be gone.
 */
async function assertPublicBundle(
  name: string,
  reader: TileReader,
  { origin, disk }: NamesWork,
): Promise<void> {
  const path = name.replace(/\.gz$/, '');
  const bytes = (await origin.readLogFile(path, MAX_BUNDLE_BYTES)) ?? NO_BYTES;
  if (name !== path) {
    const plain = { path, sha256: await digestOf(new Uint8Array(bytes)), bytes: bytes.length };
    return disk.verifyEncoding(`${LOG}/${name}`, plain);
  }
  const [own, whole] = [parseTilePath(path), fullTileOf(path, reader.head.size)];
  if (own?.kind !== 'public' || whole?.kind !== 'public') return;
  const { index, width } = own.bundle;
  const place = origin.placeOf(`${LOG}/${path}`);
  const hashes = await reader.tile(0, index);
  for (const [at, entry] of parseBundle(bytes, width, place).entries()) {
    const found = entry.length === 0 ? hashes[at] : leafHash(entry);
    if (found !== hashes[at]) throw mismatchError(`${place}, entry ${at}`, `hash ${hashes[at]}`, `${found}`);
  }
  const newest = await origin.readLogFile(publicPath(whole.bundle, whole.version), MAX_BUNDLE_BYTES);
  if (!newest || width === whole.bundle.width) return;
  const expected = formatBundle(parseBundle(newest, whole.bundle.width, place).slice(0, width));
  if (bytes.length === expected.length && expected.every((byte, at) => byte === bytes[at])) return;
  throw mismatchError(place, `the first ${width} entries of the newest bundle`, 'others');
}

const NO_BYTES = new Uint8Array();

/** The snapshots that a verification has read, and the ids of those whose index it did not read. */
export interface SnapshotsSeen {
  verified: readonly VerifiedSnapshot[];
  unread: ReadonlySet<string>;
}

/** Styles, scripts and fonts of the pages that earlier versions made of snapshots; 12 digits of their SHA-256. */
const ASSET = new RegExp(`^${SNAPSHOTS}/assets/[\\w-]+-([0-9a-f]{12})\\.(css|js|woff2)$`);
const OLD_HISTORY = new RegExp(`^${OLD_HISTORIES}/([0-9a-f]{64})$`);

/**
 * `snapshots/` holds what its list and indexes name, old histories and, except in mirrors, the pages that a service makes of
 * them.
 */
export async function verifySnapshotNames(
  { verified, unread }: SnapshotsSeen,
  work: NamesWork,
): Promise<void> {
  const { disk } = work;
  const tree = await disk.list(SNAPSHOTS);
  const listed = new Set([LIST_PATH, LIST_SIGNATURE_PATH, ...verified.flatMap(pathsOf)]);
  const pages = (await disk.isMirror())
    ? []
    : [SNAPSHOTS, ...[...listed].map((path) => path.split('/').slice(0, 2).join('/'))];
  for (const folder of pages) listed.add(`${folder}/index.html`);
  const named = new Set<string>();
  for (const name of tree.files) if (await isNamedByHash(`${SNAPSHOTS}/${name}`, work)) named.add(name);
  const isKnown = (name: string) => {
    const path = `${SNAPSHOTS}/${disk.finished(name)}`;
    return listed.has(path) || unread.has(path.split('/')[1]!) || named.has(name);
  };
  await refuse(SNAPSHOTS, tree, isKnown, work);
}

/** A snapshot's own folder holds its index, its files and perhaps its page. */
export async function verifyNamesOfSnapshot(
  snapshot: Pick<VerifiedSnapshot, 'entry' | 'stored'>,
  work: NamesWork,
): Promise<void> {
  const folder = `${SNAPSHOTS}/${snapshot.entry.id}`;
  const listed = new Set([...pathsOf(snapshot), `${folder}/index.html`]);
  const isKnown = (name: string) => listed.has(`${folder}/${work.disk.finished(name)}`);
  await refuse(folder, await work.disk.list(folder), isKnown, work);
}

function pathsOf({ entry, stored }: Pick<VerifiedSnapshot, 'entry' | 'stored'>): string[] {
  return [`${SNAPSHOTS}/${entry.id}/${INDEX}`, ...stored.map(({ url }) => url)];
}

/** Whether a file's name is its hash, or the file is still being written. */
async function isNamedByHash(path: string, { origin, disk }: NamesWork): Promise<boolean> {
  const finished = disk.finished(path);
  const [, digits] = OLD_HISTORY.exec(finished) ?? ASSET.exec(finished) ?? [];
  if (digits === undefined || path !== finished) return digits !== undefined;
  const opened = await origin.open(path);
  if (opened === null || opened === 'unchanged') return false;
  return (await measure(opened.body)).sha256.startsWith(digits);
}

/** Links count as surplus: they lead outside of what was verified, and elsewhere tomorrow. */
async function refuse(
  folder: string,
  { files, others }: Tree,
  isKnown: (name: string) => boolean,
  { origin, findings }: NamesWork,
): Promise<void> {
  const placeOf = (name: string) => origin.placeOf(folder === '' ? name : `${folder}/${name}`);
  const refused = [
    ...files
      .filter((name) => !isKnown(name))
      .map((name) => mismatchError(placeOf(name), 'nothing', 'a file that nobody signed')),
    ...others.map((name) => mismatchError(placeOf(name), 'a regular file', 'a link or a special file')),
  ];
  for (const error of refused)
    await findings.attempt(async () => {
      throw error;
    });
}
