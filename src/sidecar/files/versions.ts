import { hash } from 'node:crypto';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { hashChunks } from '../../../pipeline/disk/hash-file.ts';
import { formPath, TABLES } from '../../../pipeline/formats/tables.ts';
import { isSlotId, slotTime } from '../../../pipeline/ledger/events/slot.ts';
import { MANIFEST_PATH } from '../../../pipeline/release/format/public-manifest.ts';
import { CACHE_CONTROL, snapshotHeaders } from '../../../pipeline/release/format/response-headers.ts';
import {
  INDEX,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotFile,
  type SnapshotIndex,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { firstSnapshotOf, slotAsOf, snapshotsAround } from '../../../pipeline/release/format/version-at.ts';
import { Problem } from '../../api/problem.ts';
import type { VersionQuery } from '../../api/query/version-query.ts';
import { resourceOf, type ServedRelease } from './releases.ts';
import { answerWith, type Content, Resource } from './representation.ts';
import { PAGE, type ServedSnapshots } from './served-snapshots.ts';

/** A file as it was, and the headers beside those of its bytes. */
interface Version {
  resource: Resource;
  headers: Readonly<Record<string, string>>;
}

interface Found {
  snapshot: Snapshot;
  entry: SnapshotEntry;
  file: SnapshotFile;
}

/** The snapshots beside a release, which has what the histories of these end with. */
interface Kept {
  snapshots: ServedSnapshots;
  release: ServedRelease;
}

/** A file as it was: at a time, or with a hash. Throws a Problem not_found, before_first_snapshot or version_not_kept. */
export async function versionOf(kept: Kept, path: string, { as_of, sha256 }: VersionQuery): Promise<Version> {
  if (sha256 !== undefined) {
    const { resource, id } = await withHash(kept, path, sha256);
    return {
      resource,
      headers: { 'Cache-Control': CACHE_CONTROL.immutable, ...(id && headersOf(path, id)) },
    };
  }
  const { resource, id, isFinal } = await fileAt(kept, path, slotAsOf(as_of!)!);
  const freshness = isFinal ? CACHE_CONTROL.immutable : CACHE_CONTROL.data;
  return { resource, headers: { 'Cache-Control': freshness, ...headersOf(path, id) } };
}

/** A file below `snapshots/<id>/` that the snapshot does not store: a history, or a file of a snapshot that is not kept and whose bytes another one has. */
export async function versionBelow(kept: Kept, path: string): Promise<Version | null> {
  const [, slot = '', below = ''] = new RegExp(`^${SNAPSHOTS}/([^/]+)/(.+)$`).exec(path) ?? [];
  if (!isSlotId(slot) || isOfSnapshot(below)) return null;
  const { before, after } = snapshotsAround(await listed(kept), slot);
  // What is newer than the newest snapshot is not there yet.
  if (before?.id !== slot && !after) return null;
  const { resource, id } = await fileAt(kept, below, slot);
  return { resource, headers: headersOf(below, id) };
}

/** RFC 9110 §8.7, RFC 7089 */
function headersOf(path: string, id: string): Record<string, string> {
  return {
    'Content-Location': addressOf(path, id),
    'Memento-Datetime': new Date(slotTime(id)).toUTCString(),
    Link: `</${path}>; rel="original"`,
  };
}

/**
 * A file as it was at a slot: that of the last snapshot at or before it. Where a snapshot between the two was removed or never made,
 * it is an answer only if the file is known to have been the same. `isFinal`: the same question will always have this answer.
 */
async function fileAt(kept: Kept, path: string, slot: string) {
  const { before, after, isExact } = snapshotsAround(await listed(kept), slot);
  const [older, newer] = await Promise.all([fileIn(kept, before, path), fileIn(kept, after, path)]);
  if (isExact) {
    if (older) return { ...(await open(kept, older)), isFinal: after !== null || before!.id === slot };
    throw new Problem('not_found', `${notIn(before!, path)}${newer ? ` ${newer.entry.id} does.` : ''}`);
  }
  if (older && newer?.file.sha256 === older.file.sha256)
    return { ...(await open(kept, older)), isFinal: true };
  if (newer) {
    const version = await open(kept, newer);
    if ((await firstSnapshotIn(path, version.resource)) <= slot) return { ...version, isFinal: true };
  }
  const nearest = before ?? after;
  if (!nearest) throw new Problem('not_found', 'No snapshot is published yet.');
  if (!older && !newer) throw new Problem('not_found', notIn(nearest, path));
  if (!before) throw beforeFirst(path, slot, nearest);
  throw notKept(path, slot, [older, newer]);
}

/** A file by its SHA-256, with the snapshot that has it; null: the release. */
async function withHash(
  kept: Kept,
  path: string,
  sha256: string,
): Promise<{ resource: Resource; id: string | null }> {
  const { snapshots, release } = kept;
  const file = release.files.get(path)!;
  if (file.sha256 === sha256) return { resource: resourceOf(release, file), id: null };
  const list = await listed(kept);
  const id = await inTurn(() => snapshots.having({ path, sha256 }, list));
  const found = await fileIn(kept, list.find((entry) => entry.id === id) ?? null, path);
  if (found) return open(kept, found);
  const detail = `Neither the release nor a snapshot has ${path} with this SHA-256.`;
  throw new Problem('version_not_kept', detail);
}

/** The list may be ahead of the release, for a moment or after a run was killed. */
async function listed({ snapshots, release }: Kept): Promise<SnapshotIndex> {
  const { size } = release.manifest.ledger;
  return (await snapshots.list()).filter(({ log_size }) => log_size <= size);
}

async function fileIn({ snapshots }: Kept, entry: SnapshotEntry | null, path: string): Promise<Found | null> {
  const snapshot = entry && (await snapshots.snapshot(entry.id));
  const file = snapshot?.files.find((one) => one.path === path);
  return snapshot && file ? { snapshot, entry: entry!, file } : null;
}

async function open(
  kept: Kept,
  { snapshot, entry, file }: Found,
): Promise<{ resource: Resource; id: string }> {
  const { id } = snapshot;
  if ('url' in file) {
    const stored = await kept.snapshots.find(file.url);
    if (!stored || 'movedTo' in stored) throw lost(file.path, id);
    return { resource: stored, id };
  }
  const assemble = () => assembled(kept, file, entry, snapshot);
  return { resource: await kept.release.assembled.get(`${id}/${file.path}`, assemble), id };
}

/** A history: its own header, and the end of today's file. Verified once, before the first byte is sent. */
async function assembled(
  { snapshots, release }: Kept,
  { path, sha256, bytes, media_type, head, range }: Extract<SnapshotFile, { range: unknown }>,
  { histories }: SnapshotEntry,
  { id, as_of }: Snapshot,
): Promise<Resource> {
  const moved = histories?.[range.of];
  if (moved === null) throw lost(path, id);
  const end = moved === undefined ? publicResource(release, range.of) : await snapshots.find(moved);
  if (!end || 'movedTo' in end) throw lost(path, id);
  const content = endOf(end.in(null).content, { head: Buffer.from(head), last: range.last, bytes, sha256 });
  const found = await inTurn(() => digestOf(content));
  const place = `${SNAPSHOTS}/${id}/${path}`;
  if (found !== sha256) throw new Error(`${place}: expected SHA-256 ${sha256}, found ${found}`);
  const headers = snapshotHeaders(place, media_type, true);
  return new Resource({ headers, modified: as_of, content: () => content });
}

function publicResource(release: ServedRelease, path: string): Resource | null {
  const file = release.files.get(path);
  return file && !file.restricted ? resourceOf(release, file) : null;
}

/** Told from the beginning of the file; after every snapshot if it does not say. */
async function firstSnapshotIn(path: string, resource: Resource): Promise<string> {
  const request = { method: 'GET', headers: { range: `bytes=0-${BEGINNING - 1}` } };
  if (resource.in(null).content.bytes === 0) return '~';
  const { body } = await answerWith(request, resource);
  const parts: Buffer[] = [];
  if (Buffer.isBuffer(body)) parts.push(body);
  else for await (const part of body!) parts.push(Buffer.from(part));
  return firstSnapshotOf(path, Buffer.concat(parts).toString()) ?? '~';
}

/** Enough for a header and a row, bytes. */
const BEGINNING = 4096;

/** What describes a snapshot as a whole: another one has its own. */
function isOfSnapshot(path: string): boolean {
  return path === INDEX || path === PAGE || path.startsWith(MANIFEST_PATH);
}

interface Ended {
  head: Buffer;
  /** Bytes of the end. */
  last: number;
  bytes: number;
  sha256: string;
}

/** A header and the last bytes of another content, which is small and in memory, or streamed. */
function endOf({ source }: Content, { head, last, bytes, sha256 }: Ended): Content {
  if (last === 0) return { sha256, bytes, source: head };
  if (!Buffer.isBuffer(source) && typeof source !== 'function')
    return { sha256, bytes, source: { ...source, head } };
  const read = async () => {
    const whole = Buffer.isBuffer(source) ? source : await source();
    return Buffer.concat([head, whole.subarray(Math.max(0, whole.length - last))]);
  };
  return { sha256, bytes, source: read };
}

async function digestOf(content: Content): Promise<string> {
  const resource = new Resource({ headers: {}, modified: 0, content: () => content });
  const { body } = await answerWith({ method: 'GET', headers: {} }, resource);
  return Buffer.isBuffer(body) ? hash('sha256', body) : (await hashChunks(body!)).sha256;
}

let turn: Promise<unknown> = Promise.resolve();

/** One after another: a history may have hundreds of megabytes, and reading several at once delays everyone. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => {});
  return mine;
}

function notIn({ id }: SnapshotEntry, path: string): string {
  return `The snapshot ${id} has no file ${path}.${hintOf(path)}`;
}

/** Snapshots have tables in their own format only. */
function hintOf(path: string): string {
  if (ARTIFACTS.some((artifact) => artifact.path === path)) return '';
  const stem = path.replace(/(-\d{4})?\.\w+$/, '');
  const table = TABLES.find((one) => formPath(one, '') === stem);
  return table ? ` Snapshots have it as ${table.artifact.path}.` : '';
}

function addressOf(path: string, id: string): string {
  return `/${SNAPSHOTS}/${id}/${path}`;
}

function beforeFirst(path: string, slot: string, { id }: SnapshotEntry): Problem {
  const detail = `The first snapshot is ${id}, after ${slot}: ${addressOf(path, id)}.`;
  return new Problem('before_first_snapshot', detail);
}

function notKept(path: string, slot: string, nearest: readonly (Found | null)[]): Problem {
  const addresses = nearest.flatMap((one) => (one ? [addressOf(path, one.entry.id)] : []));
  const detail = `No snapshot of ${slot} is kept, and the file has changed since the one before. The nearest: ${addresses.join(', ')}.`;
  return new Problem('version_not_kept', detail);
}

function lost(path: string, id: string): Problem {
  return new Problem(
    'version_not_kept',
    `The bytes of ${path} in the snapshot ${id} were lost; cathedral as-of rebuilds them.`,
  );
}
