import { hash } from 'node:crypto';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { hashChunks } from '../../../pipeline/disk/hash-file.ts';
import { formPath, TABLES } from '../../../pipeline/formats/tables.ts';
import { isSlotId, slotTime } from '../../../pipeline/ledger/events/slot.ts';
import { snapshotHeaders } from '../../../pipeline/release/format/headers.ts';
import { MANIFEST_PATH } from '../../../pipeline/release/format/public-manifest.ts';
import {
  INDEX,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotFile,
  type SnapshotIndex,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { firstSnapshotOf, snapshotsAround } from '../../../pipeline/release/format/version-at.ts';
import { Problem } from '../../api/problem.ts';
import { resourceOf, type ServedRelease } from './releases.ts';
import { answerWith, type Content, Resource } from './representation.ts';
import { PAGE, type SnapshotFiles } from './snapshot-files.ts';

/** A file as it was in a snapshot. */
export interface Version {
  resource: Resource;
  /** The snapshot's id. */
  id: string;
  /** Whether the same question will always have this answer. */
  isFinal: boolean;
}

interface Found {
  snapshot: Snapshot;
  entry: SnapshotEntry;
  file: SnapshotFile;
}

/** Finds files as they were, in the snapshots beside a release, which has what the histories of these end with. */
export class Versions {
  readonly #snapshots: SnapshotFiles;
  readonly #release: ServedRelease;

  constructor(snapshots: SnapshotFiles, release: ServedRelease) {
    this.#snapshots = snapshots;
    this.#release = release;
  }

  /**
   * A file as it was at a slot: that of the last snapshot at or before it. Where a snapshot between the two was removed or never made,
   * it is an answer only if the file is known to have been the same. Throws a Problem not_found, before_first_snapshot or
   * version_not_kept.
   */
  async at(path: string, slot: string): Promise<Version> {
    const { before, after, isExact } = snapshotsAround(await this.#listed(), slot);
    const [older, newer] = await Promise.all([this.#fileIn(before, path), this.#fileIn(after, path)]);
    if (isExact) {
      if (older) return { ...(await this.#open(older)), isFinal: after !== null || before!.id === slot };
      throw new Problem('not_found', `${notIn(before!, path)}${newer ? ` ${newer.entry.id} does.` : ''}`);
    }
    if (older && newer?.file.sha256 === older.file.sha256)
      return { ...(await this.#open(older)), isFinal: true };
    if (newer) {
      const version = await this.#open(newer);
      if ((await this.#firstSnapshotOf(path, version.resource)) <= slot) return { ...version, isFinal: true };
    }
    const nearest = before ?? after;
    if (!nearest) throw new Problem('not_found', 'No snapshot is published yet.');
    if (!older && !newer) throw new Problem('not_found', notIn(nearest, path));
    if (!before) throw beforeFirst(path, slot, nearest);
    throw notKept(path, slot, [older, newer]);
  }

  /** A file below `snapshots/<id>/` that the snapshot does not store: a history, or a file of a snapshot that is not kept. */
  async below(path: string): Promise<Version | null> {
    const [, id = '', below = ''] = new RegExp(`^${SNAPSHOTS}/([^/]+)/(.+)$`).exec(path) ?? [];
    if (!isSlotId(id) || isOfSnapshot(below)) return null;
    const { before, after } = snapshotsAround(await this.#listed(), id);
    // What is newer than the newest snapshot is not there yet.
    return before?.id === id || after ? this.at(below, id) : null;
  }

  /** A file by its SHA-256. Throws a Problem version_not_kept. */
  async withHash(path: string, sha256: string): Promise<{ resource: Resource; id: string | null }> {
    const file = this.#release.files.get(path)!;
    if (file.sha256 === sha256) return { resource: resourceOf(this.#release, file), id: null };
    const listed = await this.#listed();
    const id = await inTurn(() => this.#snapshots.having({ path, sha256 }, listed));
    const found = await this.#fileIn(listed.find((entry) => entry.id === id) ?? null, path);
    if (found) return this.#open(found);
    throw new Problem(
      'version_not_kept',
      `Neither the release nor a snapshot has ${path} with this SHA-256.`,
    );
  }

  /** The list may be ahead of the release, for a moment or after a run was killed. */
  async #listed(): Promise<SnapshotIndex> {
    const { size } = this.#release.manifest.ledger;
    return (await this.#snapshots.list()).filter(({ log_size }) => log_size <= size);
  }

  async #fileIn(entry: SnapshotEntry | null, path: string): Promise<Found | null> {
    const snapshot = entry && (await this.#snapshots.snapshot(entry.id));
    const file = snapshot?.files.find((one) => one.path === path);
    return snapshot && file ? { snapshot, entry: entry!, file } : null;
  }

  async #open({ snapshot, entry, file }: Found): Promise<{ resource: Resource; id: string }> {
    const { id } = snapshot;
    if ('url' in file) {
      const stored = await this.#snapshots.find(file.url);
      if (!stored || 'movedTo' in stored) throw lost(file.path, id);
      return { resource: stored, id };
    }
    const { assembled } = this.#release;
    const resource = await assembled.get(`${id}/${file.path}`, () => this.#assemble(file, entry, snapshot));
    return { resource, id };
  }

  /** A history: its own header, and the end of today's file. Verified once, before the first byte is sent. */
  async #assemble(
    { path, sha256, bytes, media_type, head, range }: Extract<SnapshotFile, { range: unknown }>,
    { histories }: SnapshotEntry,
    { id, as_of }: Snapshot,
  ): Promise<Resource> {
    const moved = histories?.[range.of];
    if (moved === null) throw lost(path, id);
    const end = moved === undefined ? this.#ofRelease(range.of) : await this.#snapshots.find(moved);
    if (!end || 'movedTo' in end) throw lost(path, id);
    const content = endOf(end.in(null).content, { head: Buffer.from(head), last: range.last, bytes, sha256 });
    const found = await inTurn(() => digestOf(content));
    if (found !== sha256)
      throw new Error(`${SNAPSHOTS}/${id}/${path}: expected SHA-256 ${sha256}, found ${found}`);
    const headers = snapshotHeaders(`${SNAPSHOTS}/${id}/${path}`, media_type, true);
    return new Resource({ headers, modified: as_of, content: () => content });
  }

  #ofRelease(path: string): Resource | null {
    const file = this.#release.files.get(path);
    return file && !file.restricted ? resourceOf(this.#release, file) : null;
  }

  /** Told from the beginning of the file; after every snapshot if it does not say. */
  async #firstSnapshotOf(path: string, resource: Resource): Promise<string> {
    const request = { method: 'GET', headers: { range: `bytes=0-${BEGINNING - 1}` } };
    if (resource.in(null).content.bytes === 0) return '~';
    const { body } = await answerWith(request, resource);
    const parts: Buffer[] = [];
    if (Buffer.isBuffer(body)) parts.push(body);
    else for await (const part of body!) parts.push(Buffer.from(part));
    return firstSnapshotOf(path, Buffer.concat(parts).toString()) ?? '~';
  }
}

/** Enough for a header and a row, bytes. */
const BEGINNING = 4096;

/** What describes a snapshot as a whole: another one has its own. */
function isOfSnapshot(path: string): boolean {
  return path === INDEX || path === PAGE || path.startsWith(MANIFEST_PATH);
}

/** The headers of a version beside those of its bytes (RFC 9110 §8.7, RFC 7089). */
export function versionHeaders(path: string, id: string): Record<string, string> {
  return {
    'Content-Location': `/${SNAPSHOTS}/${id}/${path}`,
    'Memento-Datetime': new Date(slotTime(id)).toUTCString(),
    Link: `</${path}>; rel="original"`,
  };
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
