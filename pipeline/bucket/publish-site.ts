import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { hashFile } from '../disk/hash-file.ts';
import { inParallel } from '../disk/in-parallel.ts';
import { withLock } from '../disk/lock.ts';
import { errorOf } from '../errors.ts';
import { MAX_NOTE_BYTES } from '../ledger/notes/note.ts';
import type { ObjectStore, When } from '../objects/object-store.ts';
import { type Manifest, sha256 } from '../release/format/manifest.ts';
import { readCurrent } from '../release/format/release.ts';
import { SNAPSHOTS } from '../release/format/snapshot-index.ts';
import { LOG_FOLDER } from '../release/log/log-folder.ts';
import { openLog } from '../release/log/open-log.ts';
import { BLOBS, POINTER_KEY, SERVICE_KEY } from './layout.ts';
import { assertExtends } from './log-objects.ts';
import { parseNote } from './pull-log.ts';
import { type SiteFile, STEPS, siteFiles } from './site-files.ts';

export interface SiteOptions {
  out: string;
  store: ObjectStore;
  /** How long to wait for a run that uses the same folder, ms. */
  waitMs: number;
  /** How long objects stay that no page refers to any more, ms. */
  graceMs: number;
  now: () => number;
  /** Whether each page of a folder is also stored at the folder's address: `government/`. */
  folderPages: boolean;
  /** Asks the store for the hash of every object, instead of relying on the record of the last time. */
  recheck: boolean;
  log: (line: string) => void;
}

export interface SiteReport {
  version: number;
  release: string;
  uploaded: { files: number; bytes: number };
  unchanged: number;
  removed: number;
  /** No longer referred to, and removed once the grace is over. */
  kept: number;
}

/** What the last publication left in the bucket, so that the next one knows without asking for each object. */
const RECORD = '.cathedral-site.json';
const LONGEST_RECORD = 64 << 20;
const PARALLEL = 16;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const SiteRecord = z.strictObject({
  format: z.literal('cathedral-site/1'),
  /** Origin of the ledger. A bucket holds one service. */
  ledger: z.string(),
  /** Of the signed manifest; 0 while the first publication is not complete. */
  version: z.int().min(0),
  /** By key: the content and the entity tag of the object, and the headers that it was stored with. */
  files: z.record(
    z.string(),
    z.strictObject({ sha256: Sha256, etag: z.string(), headers: z.record(z.string(), z.string()) }),
  ),
  /** By key: since when no release refers to it. */
  removed: z.record(z.string(), z.iso.datetime()),
});
type SiteRecord = z.infer<typeof SiteRecord>;

/**
 * Brings a bucket up to date that a CDN or a web server shows to everybody, so that it answers as a static host with a copy of OUT
 * does. Uploads what changed, what is referred to before what refers to it. An interrupted publication continues with the next one.
 * Throws release_invalid, release_refused, log_forked, publish_failed, store_failed and locked.
 */
export async function publishSite(options: SiteOptions): Promise<SiteReport> {
  const { out, store, waitMs, now, log } = options;
  // Taking the lock makes a folder, which a mistyped path would leave.
  await readSigned(out);
  // A run renames one file after the other: the lock keeps the lists and the release that are uploaded together together.
  return withLock(out, { waitMs, holder: `publish, process ${process.pid}` }, async () => {
    const { release, version } = await readSigned(out);
    const [objects, found, files] = await Promise.all([
      listObjects(store),
      store.read(RECORD, LONGEST_RECORD),
      siteFiles(out, release).then((files) => (options.folderPages ? withFolderPages(files) : files)),
    ]);
    const { record, etag } = await openRecord(store, found, release.manifest, version);
    if (record.version !== version) await assertSameLog(store, out);
    const site = new Site(options, record, objects);
    for (const step of STEPS) {
      const own = files.filter((file) => file.step === step);
      log(`${own.length} files: ${step}`);
      // New addresses first, so that the files that are replaced change within the shortest time.
      const order = step === 'proofs' ? own : own.toSorted((one, other) => site.has(one) - site.has(other));
      await inParallel(order, step === 'proofs' ? 1 : PARALLEL, (file) => site.bring(file));
    }
    await site.removeOld(files, now());
    const next = site.next(version);
    if (JSON.stringify(next) !== JSON.stringify(record)) await writeRecord(store, next, { etag });
    return { version, release: release.manifest.release, ...site.report };
  });
}

/** Throws release_invalid. */
async function readSigned(out: string) {
  const release = await readCurrent(out);
  const version = release?.manifest.signed?.version;
  if (release && version !== undefined) return { release, version };
  throw errorOf('release_invalid')(out, 'a signed release', release ? 'an unsigned one' : 'none');
}

class Site {
  readonly #options: SiteOptions;
  readonly #record: SiteRecord;
  readonly #objects: ReadonlyMap<string, Listed>;
  readonly #files: SiteRecord['files'] = {};
  readonly #removed: SiteRecord['removed'] = {};
  readonly report = { uploaded: { files: 0, bytes: 0 }, unchanged: 0, removed: 0, kept: 0 };

  constructor(options: SiteOptions, record: SiteRecord, objects: ReadonlyMap<string, Listed>) {
    this.#options = options;
    this.#record = record;
    this.#objects = objects;
  }

  has({ path }: SiteFile): number {
    return this.#objects.has(path) ? 1 : 0;
  }

  async bring(file: SiteFile): Promise<void> {
    const { path, headers } = file;
    const size = file.bytes ?? (await stat(file.file)).size;
    const etag = await this.#sameAs(file, size);
    if (etag !== null) {
      this.report.unchanged += 1;
      if (file.sha256 !== null) this.#files[path] = { sha256: file.sha256, etag, headers };
      return;
    }
    const hash = file.sha256 ?? (await hashFile(file.file)).sha256;
    const stored = await this.#options.store.put(path, { file: file.file, sha256: hash, headers });
    if (stored === 'refused') throw new Error(`${path}: an unconditional write was refused`);
    this.report.uploaded.files += 1;
    this.report.uploaded.bytes += size;
    if (file.sha256 !== null) this.#files[path] = { sha256: hash, etag: stored.etag, headers };
  }

  /** The entity tag of the object, if it is this file with these headers; otherwise null. */
  async #sameAs({ path, file, sha256, headers }: SiteFile, size: number): Promise<string | null> {
    const { store, recheck } = this.#options;
    const listed = this.#objects.get(path);
    if (listed?.bytes !== size) return null;
    if (!recheck && sha256 === null) return listed.etag;
    const known = this.#record.files[path];
    if (!recheck && known?.etag === listed.etag)
      return known.sha256 === sha256 && isEqual(known.headers, headers) ? listed.etag : null;
    // Not what the last publication left: what an interrupted one uploaded, or something else.
    const head = await store.head(path);
    const isSame =
      head?.sha256 === (sha256 ?? (await hashFile(file)).sha256) &&
      Object.entries(headers).every(([name, value]) => head.headers[name] === value);
    return isSame ? head.etag : null;
  }

  /** Removes objects that no release has referred to for the time of grace. Touches nothing that it did not upload. */
  async removeOld(files: readonly SiteFile[], now: number): Promise<void> {
    const wanted = new Set(files.map(({ path }) => path));
    const { files: uploaded, removed } = this.#record;
    const isKnown = (key: string) => Object.hasOwn(uploaded, key) || Object.hasOwn(removed, key);
    const own = [...this.#objects.keys()].filter((key) => !wanted.has(key) && (isKnown(key) || isOwn(key)));
    const due: string[] = [];
    for (const key of own) {
      const since = removed[key] ?? new Date(now).toISOString();
      if (now - Date.parse(since) >= this.#options.graceMs) due.push(key);
      else this.#removed[key] = since;
    }
    await this.#options.store.delete(due);
    this.report.removed = due.length;
    this.report.kept = own.length - due.length;
  }

  next(version: number): SiteRecord {
    const sorted = <T>(members: Record<string, T>) =>
      Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
    return { ...this.#record, version, files: sorted(this.#files), removed: sorted(this.#removed) };
  }
}

interface Listed {
  etag: string;
  bytes: number;
}

/** Throws config_invalid if the bucket is the one that the machines of a service share. */
async function listObjects(store: ObjectStore): Promise<Map<string, Listed>> {
  const objects = new Map<string, Listed>();
  for await (const { key, etag, bytes } of store.list('')) {
    if (key === POINTER_KEY || key === SERVICE_KEY || key.startsWith(BLOBS))
      throw errorOf('config_invalid')(
        store.name,
        'a bucket, or a prefix, that everybody may read',
        `${key}, which belongs to the releases that machines share, restricted files included`,
      );
    objects.set(key, { etag, bytes });
  }
  return objects;
}

/** The record of the last publication; of the first one, it claims the bucket for this service. Throws release_refused. */
async function openRecord(
  store: ObjectStore,
  found: Awaited<ReturnType<ObjectStore['read']>>,
  { ledger }: Manifest,
  version: number,
): Promise<{ record: SiteRecord; etag: string }> {
  if (found === null) {
    const record = {
      format: 'cathedral-site/1',
      ledger: ledger.origin,
      version: 0,
      files: {},
      removed: {},
    } as const;
    return { record, etag: await writeRecord(store, record, 'absent') };
  }
  const place = `${store.name}/${RECORD}`;
  const record = parseJsonFile(new TextDecoder().decode(found.content), SiteRecord, place, 'release_invalid');
  if (record.ledger !== ledger.origin)
    throw errorOf('release_refused')(place, `the service of the ledger ${ledger.origin}`, record.ledger);
  if (record.version > version)
    throw errorOf('release_refused')(place, `a version up to ${version}`, `the later one ${record.version}`);
  return { record, etag: found.etag };
}

/** Tiles are told apart by their paths, so those of another history would stay below the new checkpoint. Throws log_forked. */
async function assertSameLog(store: ObjectStore, out: string): Promise<void> {
  const key = `${LOG_FOLDER}/checkpoint`;
  const [found, { reader }] = [await store.read(key, MAX_NOTE_BYTES), await openLog(out)];
  const published = parseNote(found?.content ?? null, `${store.name}/${key}`);
  if (published && reader) await assertExtends(reader, published);
}

async function writeRecord(store: ObjectStore, record: SiteRecord, when: When): Promise<string> {
  const bytes = Buffer.from(`${JSON.stringify(SiteRecord.parse(record))}\n`);
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const stored = await store.put(RECORD, { bytes, sha256: sha256(bytes), headers }, when);
  if (stored !== 'refused') return stored.etag;
  const expected = 'no other publication to this bucket at the same time; run it again';
  throw errorOf('publish_failed')(`${store.name}/${RECORD}`, expected, 'another one');
}

/** Log and snapshots are not in the record, because their paths alone say what they are. */
function isOwn(key: string): boolean {
  return [`${LOG_FOLDER}/tile/`, `${LOG_FOLDER}/public/v`, `${SNAPSHOTS}/`].some((one) =>
    key.startsWith(one),
  );
}

function withFolderPages(files: readonly SiteFile[]): SiteFile[] {
  return files.flatMap((file) =>
    file.path.endsWith('/index.html')
      ? [file, { ...file, path: file.path.slice(0, -'index.html'.length) }]
      : [file],
  );
}

function isEqual(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  return Object.keys({ ...one, ...other }).every((name) => one[name] === other[name]);
}
