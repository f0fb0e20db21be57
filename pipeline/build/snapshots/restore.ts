import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PRINTED, YEARLY } from '../../artifacts/table.ts';
import { ifThere } from '../../disk/durable.ts';
import { CathedralError, withHint } from '../../errors.ts';
import { noteText } from '../../ledger/notes/note.ts';
import type { Manifest, ManifestFile } from '../../release/format/manifest.ts';
import {
  MANIFEST_PATH,
  type PublicFile,
  type PublicManifest,
  parsePublicManifest,
} from '../../release/format/public-manifest.ts';
import { type Published, readCurrent } from '../../release/format/release.ts';
import {
  LIST_SIGNATURE_PATH,
  parseSignedList,
  SNAPSHOTS,
  type SnapshotEntry,
} from '../../release/format/snapshot-index.ts';
import type { RecordedSnapshots, SnapshotHashes } from '../../release/signing/signing-record.ts';
import { publishedEntries, publishedIds, readIndex, readPublished } from './read-published.ts';
import { verifySnapshot } from './verify-published-snapshots.ts';

/** Asserts before a release is published that the snapshot list is readable. Throws release_invalid. */
export async function assertListReadable(out: string): Promise<void> {
  try {
    await readIndex(out);
  } catch (cause) {
    // Do not advise removing it: only the list tells which old histories are in use.
    throw withHint(cause, 'restore the list from a mirror or a back-up');
  }
}

/** The record beside the keys, and the version of the release that it was written with. */
export type Recorded = RecordedSnapshots & { version: number };

/**
 * Asserts that every signed snapshot exists with the signed bytes: cited addresses must keep them, and mirrors accept no others. The
 * snapshot list takes precedence if it was signed after the record, which may be lost or come from an older back-up. Returns the
 * lost snapshots; only `givesUp` adds to them. Throws release_refused.
 */
export async function assertSnapshotsIntact(
  out: string,
  { version, snapshots, lost }: Recorded,
  givesUp: boolean,
): Promise<SnapshotHashes> {
  const last = (await listedVersion(out)) > version ? hashesOf((await readIndex(out)) ?? []) : snapshots;
  const { known, unlisted } = await publishedEntries(out);
  const there = hashesOf([...known, ...unlisted]);
  const signed = Object.entries({ ...lost, ...last });
  for (const [id, hash] of signed) {
    const found = there[id];
    if (found !== undefined && found !== hash) throw otherBytes(out, id, hash, found);
  }
  const missing = Object.keys(last).filter((id) => !Object.hasOwn(there, id));
  if (missing.length > 0 && !givesUp) throw missingSnapshots(out, missing.sort());
  return Object.fromEntries(signed.filter(([id]) => !Object.hasOwn(there, id)));
}

/** By id. */
export function hashesOf(entries: readonly SnapshotEntry[]): SnapshotHashes {
  return Object.fromEntries(entries.map(({ id, index }) => [id, index.sha256]));
}

/** Throws release_refused if the snapshot to be published is a lost one: remaking it gives different bytes. */
export function assertNotRepublished(id: string, lost: SnapshotHashes): void {
  if (!Object.hasOwn(lost, id)) return;
  const expected =
    'a snapshot that was not published before: this one is lost and would get different bytes (nothing is published: ' +
    'restore its folder, or run again when the ledger has sealed its next snapshot)';
  throw new CathedralError('release_refused', { place: `${SNAPSHOTS}/${id}`, expected, found: id });
}

function missingSnapshots(out: string, missing: readonly string[]): CathedralError {
  const range = missing.length > 1 ? `${missing[0]} to ${missing.at(-1)}` : missing[0];
  const expected =
    `the signed snapshots (nothing is published: restore ${join(out, SNAPSHOTS)} from its back-up, or copy the ` +
    'folder snapshots of a mirror there; if no copy exists, run: cathedral build --gives-up-snapshots)';
  const found = `${missing.length} of them missing, ${range}`;
  return new CathedralError('release_refused', { place: join(out, SNAPSHOTS), expected, found });
}

function otherBytes(out: string, id: string, hash: string, found: string): CathedralError {
  const place = join(out, SNAPSHOTS, id);
  const expected =
    `the snapshot whose index has the signed SHA-256 ${hash} (nothing is published: restore this folder from ` +
    'its back-up or from a mirror)';
  return new CathedralError('release_refused', { place, expected, found });
}

/**
 * After the releases were lost: reconstructs the last release from the newest snapshot, for a run that rebuilds everything. So unchanged
 * files keep their modification times, a closed year's PDF keeps its bytes, and no version is used twice. Reads every byte of the
 * snapshots, because a copy may be truncated. Null if there is no snapshot of a signed release. Throws release_invalid and
 * release_refused.
 */
export async function restoredRelease(out: string): Promise<Published | null> {
  const ids = (await publishedIds(out)).sort().reverse();
  for (const id of ids) await assertWhole(out, id);
  const [id] = ids;
  if (id === undefined) return null;
  const { snapshot } = await readPublished(out, id);
  const listed = snapshot.files.find(({ path }) => path === MANIFEST_PATH);
  if (!listed) return null;
  const dir = join(out, SNAPSHOTS, id);
  const place = join(dir, MANIFEST_PATH);
  const text = await readFile(place, 'utf8');
  const manifest = parsePublicManifest(text, place);
  const version = Math.max(manifest.version, await listedVersion(out));
  return { dir, at: ({ path }) => path, manifest: manifestOf(manifest, version, listed), state: null };
}

/** The current release, or after the releases were lost the last one. Throws as `restoredRelease`. */
export async function lastRelease(out: string): Promise<Published | null> {
  return (await readCurrent(out)) ?? restoredRelease(out);
}

async function assertWhole(out: string, id: string): Promise<void> {
  const [problem, ...more] = await verifySnapshot(out, id);
  if (!problem) return;
  const expected =
    `${problem.expected} (nothing is published: restore ${join(out, SNAPSHOTS, id)} from its back-up or from a mirror; if ` +
    'no complete copy exists, remove it)';
  const found =
    more.length > 0 ? `${problem.found}, and ${more.length} more of its files are wrong` : problem.found;
  throw new CathedralError('release_refused', { place: problem.place, expected, found });
}

/** The version of the release that the list was signed with. A later release of the same ledger snapshot has no snapshot. */
async function listedVersion(out: string): Promise<number> {
  const place = join(out, LIST_SIGNATURE_PATH);
  const note = await ifThere(readFile(place), null);
  if (note === null) return 0;
  try {
    return parseSignedList(noteText(note, place), place).version;
  } catch (cause) {
    const expected = 'the signature over the list (restore it from a mirror or a back-up)';
    const found = (cause as Error).message;
    throw new CathedralError('release_invalid', { place, expected, found, cause });
  }
}

/** A release as its signed manifest describes it. */
function manifestOf(
  { keys, expires, release, as_of, log, snapshot, files }: PublicManifest,
  version: number,
  { sha256, bytes }: { sha256: string; bytes: number },
): Manifest {
  const root = Buffer.from(log.root_hash, 'base64').toString('hex');
  const proof = { path: MANIFEST_PATH, sha256, bytes, media_type: 'application/json', last_modified: as_of };
  return {
    format: 'cathedral-release/1',
    release,
    signed: { version, keys, expires },
    timestamp: as_of,
    ledger: { origin: log.origin, snapshot, size: log.size, root },
    software: '',
    inputs: '',
    files: [...files.map((file) => fileOf(file, 'data')), fileOf(proof, 'proof')],
    segments: {},
    unlisted: [],
    content: '',
    digest: '',
  };
}

function fileOf({ last_modified, rows, ...file }: PublicFile, kind: 'data' | 'proof'): ManifestFile {
  const about = { kind, area: null, restricted: false, encodings: {} };
  const immutable = isOfClosedYear(file.path);
  return { ...file, ...about, rows: rows ?? null, modified: last_modified, immutable };
}

function isOfClosedYear(path: string): boolean {
  const year = Number(/-(\d{4})\.\w+$/.exec(path)?.[1] ?? Number.NaN);
  return [...YEARLY, ...PRINTED].some(({ closedPath }) => closedPath(year) === path);
}
