import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { asDiskErrors, makeFolder, sync } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { SLOT_MS } from '../../ledger/events/slot.ts';
import { compress, encodingsOf } from '../disk/compress.ts';
import { removeLeftOvers, STAGING } from '../disk/remove-left-overs.ts';
import { formatHeadersFile } from '../format/headers.ts';
import {
  type Blob,
  type DraftFile,
  type DraftManifest,
  type Facts,
  identifyRelease,
  type Manifest,
  type ManifestBody,
  type ManifestFile,
  type NewFile,
  type Segment,
  sha256,
  storedAt,
} from '../format/manifest.ts';
import { type Proof, type Provable, proofFile } from '../format/proof-files.ts';
import { currentId, type Published } from '../format/release.ts';
import { ReleasePath } from '../format/release-path.ts';
import { commit, type Outcome } from './commit.ts';
import { readIndex, retiredRelease } from './file-index.ts';
import { formatKeys, KEYS, readKept, readKeys } from './keys.ts';
import { type Base, damageError, isPublicInRelease, type Linked, StagingFolder } from './staging-folder.ts';

/**
 * The paths of a release, each with one owner. A run stops on paths that differ only in case, which are one on some file systems, on
 * a file that is also a folder, and on a path that is not plain.
 */
class ClaimedPaths {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  /** The folders as they are spelled. */
  readonly #spelled = new Set<string>();

  /** Throws publish_failed if the path or that of a compressed variant is taken. */
  claim(path: string): void {
    if (!ReleasePath.safeParse(path).success)
      throw refusal(path, 'letters, digits and ._~+@- between slashes', path);
    const place = folded(path);
    const names = [place, `${place}.br`, `${place}.gz`];
    for (const name of names) this.#assertFree(path, name);
    this.#claimFolders(path, path.lastIndexOf('/'));
    for (const name of names) this.#files.set(name, path);
  }

  #assertFree(path: string, name: string): void {
    const owner = this.#files.get(name);
    if (owner !== undefined) throw refusal(path, 'an unused path', `a path that ${owner} uses`);
    if (this.#folders.has(name)) throw refusal(path, 'an unused path', 'a folder of the same name');
  }

  /** Claims the folder that ends at `end`, after those that it is in: `a`, `a/b`. */
  #claimFolders(path: string, end: number): void {
    if (end < 0) return;
    const folder = path.slice(0, end);
    if (this.#spelled.has(folder)) return;
    this.#claimFolders(path, folder.lastIndexOf('/'));
    this.#claimFolder(path, folder);
    this.#spelled.add(folder);
  }

  #claimFolder(path: string, folder: string): void {
    const owner = this.#files.get(folded(folder));
    if (owner !== undefined) throw refusal(path, `a folder ${folder}`, `the file ${owner}`);
    const spelling = this.#folders.get(folded(folder)) ?? folder;
    if (spelling !== folder)
      throw refusal(path, `a folder ${folder}`, `the same path in another case: ${spelling}`);
    this.#folders.set(folded(folder), folder);
  }
}

/** ReleasePath is ASCII, so lower case is complete case folding. */
function folded(path: string): string {
  return path.toLowerCase();
}

function refusal(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('publish_failed', { place, expected, found });
}

export type { NewFile };

export interface StagingOptions {
  /**
   * False for a rebuild, which writes and compresses every file again. The previous release still tells which files are immutable and
   * when the others last changed.
   */
  reuse: boolean;
  /** False: the release is made for `prepare` only. Default true. */
  isServed?: boolean;
}

/** What a release needs besides its files. */
export interface Publication {
  facts: Facts;
  /** JSON text of the state from which the next run resumes. */
  state: string;
  /** Signs the release, which is sealed except for its proofs. Absent or null: it stays unsigned. */
  sign?: ((release: Provable) => Promise<Proof>) | null;
  /** Called when the release is complete but not yet current, to publish what its readers will need. */
  prepare?: (release: Published) => Promise<void>;
}

/**
 * Each run reads one slice of the files that it takes over, by slot, so that it notices within days if a disk has lost bytes without
 * changing a time. A prime number, so that every slice has its turn also where releases come once a day.
 */
const SLICES = 29;

type Entry = DraftFile & { modified?: string };

/**
 * A release being staged. It has one owner, who holds the lock of OUT; `await using` removes what was not published. Await every
 * call, including `return await staging.publish(…)`, because the folder is removed when the block ends.
 */
export class Staging implements AsyncDisposable {
  readonly folder: StagingFolder;
  readonly previous: Published | null;
  readonly reuse: boolean;
  /** By artifact path, newest first. */
  readonly segments: Record<string, Segment[]> = {};
  readonly #kept: Manifest['unlisted'] = [];
  readonly #out: string;
  readonly #isServed: boolean;
  readonly #names = new ClaimedPaths();
  readonly #entries = new Map<string, Entry>();
  readonly #before: ReadonlyMap<string, ManifestFile>;
  /** By path below the release folder. */
  readonly #keys = new Map<string, string>();
  #keysBefore: Promise<ReadonlyMap<string, string>> | null = null;

  constructor(out: string, folder: StagingFolder, previous: Published | null, options: StagingOptions) {
    const { reuse, isServed = true } = options;
    this.#out = out;
    this.#isServed = isServed;
    this.folder = folder;
    this.previous = previous;
    this.reuse = reuse;
    this.#before = new Map(previous?.manifest.files.map((file) => [file.path, file]));
  }

  get dir(): string {
    return this.folder.dir;
  }

  /** A scratch folder, for example for the site build. It does not become part of the release. */
  get scratch(): string {
    return join(this.dir, '.scratch');
  }

  /** The previous release's file at this path. */
  before(path: string): ManifestFile | undefined {
    return this.#before.get(path);
  }

  /**
   * Adds a complete file and its compressed variants; links them from the previous release if that has the same bytes at this path.
   * `key`: see `reuseMade`. Throws publish_failed if the path is taken, if an immutable file was published with different bytes, or on
   * disk errors.
   */
  async write({ path, mediaType, content, modified, ...about }: NewFile, key?: string): Promise<void> {
    this.#names.claim(path);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const blob = { bytes: bytes.length, sha256: sha256(bytes) };
    this.#assertUnchanged(path, blob);
    const file = { path, ...about, media_type: mediaType, ...blob };
    const encodings = (await this.#takeOver(file)) ?? (await this.#writeAll(file, bytes));
    this.#record({ ...file, encodings }, modified);
    this.#remember(storedAt(file), key);
  }

  /**
   * Takes a file over from the previous release, with its compressed variants, instead of making it again. `key` is the SHA-256, in hex, of
   * everything that the file's bytes, media type, area and rows follow from: data, settings, program. Returns false, and does nothing, if
   * the previous release has no such file, lists it under another key or none, or has damaged it; and always in a rebuild. Then make the
   * file and give its key to `write` or `record`. So a path has the same key in `keys.json`, however its bytes came about.
   *
   * ```ts
   * if (!(await staging.reuseMade(path, key))) await staging.write({ path, …, content: await make() }, key);
   * ```
   *
   * A file that later runs `carry` gets no key. Throws publish_failed if the path is taken.
   */
  async reuseMade(path: string, key: string): Promise<boolean> {
    const file = this.before(path);
    const place = file && storedAt(file);
    if (!place || (await this.keysBefore()).get(place) !== key) return false;
    const encodings = await this.link(file);
    if (!encodings) return false;
    this.#names.claim(path);
    this.#entries.set(path, file);
    this.#remember(place, key);
    return true;
  }

  /** Like `reuseMade`, for a file without URL, by its path below the release folder: `server/entry.mjs`. */
  async reuseKept(file: string, key: string): Promise<boolean> {
    const before = this.previous?.manifest.unlisted.find((kept) => kept.file === file);
    if (!before || (await this.keysBefore()).get(file) !== key) return false;
    if (!(await this.folder.link(this.previous!.dir, [before]))) return false;
    this.keep(file, before, key);
    return true;
  }

  /** The keys of the previous release, by path below its folder: `public/index.html`, `server/entry.mjs`. Empty in a rebuild. */
  keysBefore(): Promise<ReadonlyMap<string, string>> {
    this.#keysBefore ??= this.reuse && this.previous ? readKeys(this.previous) : Promise.resolve(new Map());
    return this.#keysBefore;
  }

  /** The text of a file without URL of the previous release; null where that has none, or damaged it, and in a rebuild. */
  async keptBefore(path: string): Promise<string | null> {
    return this.reuse && this.previous ? readKept(this.previous, path) : null;
  }

  /** Paths of the files so far. */
  paths(): string[] {
    return [...this.#entries.keys()];
  }

  /** What the manifest will say of the files so far, in the order of their paths. */
  files(): DraftFile[] {
    const files = [...this.#entries.values()].map(({ modified: _, ...file }) => file);
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Claims a path for a file that is written by other means; `record` has to follow. */
  claim(path: string): void {
    this.#names.claim(path);
  }

  record(file: DraftFile, key?: string): void {
    this.#assertUnchanged(file.path, file);
    this.#record(file);
    this.#remember(storedAt(file), key);
  }

  /** Whether `carry` would take this file over; only in a rebuild, which reads it, false for a damaged one. */
  async canCarry(path: string): Promise<boolean> {
    const file = this.before(path);
    if (this.reuse || !file) return file !== undefined;
    return isIntact(join(this.previous!.dir, this.#placeBefore(file)), file);
  }

  /**
   * Takes an immutable file over from the previous release, in a rebuild too: such a file may not come out the same twice (a
   * printed PDF). Throws release_invalid if it is damaged.
   */
  async carry(path: string): Promise<void> {
    this.#names.claim(path);
    const file = this.before(path);
    if (!file?.immutable) {
      const found = file ? 'one that may change' : 'none';
      throw new CathedralError('release_invalid', { place: path, expected: 'an immutable file', found });
    }
    const encodings = await this.link(file);
    if (!encodings) throw await this.damage(file);
    this.#entries.set(path, file);
  }

  /** Lists a file that has been written below the release folder, has no URL, and is for the next run to go on from. */
  keep(file: string, { bytes, sha256 }: Blob, key?: string): void {
    this.#kept.push({ file, bytes, sha256 });
    this.#remember(file, key);
  }

  /** Writes `manifest.json` as the pages read it, and gives it. */
  async writeDraft(facts: Facts): Promise<DraftManifest> {
    const draft: DraftManifest = { format: 'cathedral-draft/1', ...facts, files: this.files() };
    const path = join(this.dir, 'manifest.json');
    await asDiskErrors(path, () => writeFile(path, `${JSON.stringify(draft, null, 2)}\n`, { mode: 0o600 }));
    return draft;
  }

  /**
   * Makes this the release that is served, as the last of its steps. The release's id follows from its
   * content, so publishing what is published changes nothing. Throws publish_failed.
   */
  async publish({ facts, state, sign, prepare }: Publication): Promise<Outcome> {
    const isServed = this.#isServed;
    if (isServed) this.#assertNoneLost();
    const files = this.#dated(facts);
    const headers = formatHeadersFile(files);
    const keys = this.#keys.size > 0 && { [KEYS]: formatKeys(this.#keys) };
    const hosts = { 'public/_headers': headers, 'public/.nojekyll': '' };
    const own = Object.entries({ 'state.json': state, ...hosts, ...keys });
    for (const [file, text] of own)
      if (!this.#kept.some((kept) => kept.file === file))
        this.keep(file, await this.folder.write(file, Buffer.from(text)));
    for (const work of [this.scratch, join(this.dir, 'manifest.json')]) {
      await asDiskErrors(work, () => rm(work, { recursive: true, force: true }));
    }
    // Sorted, because some were taken over and others made.
    const unlisted = this.#kept.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    const body = { ...facts, files, segments: this.segments, unlisted };
    const signed = sign ? await this.#prove(body, sign) : body;
    return commit(this.#out, this.folder, signed, { state: JSON.parse(state), prepare, isServed });
  }

  /** Adds what proves the release, the last of its files. */
  async #prove(given: ManifestBody, sign: NonNullable<Publication['sign']>): Promise<ManifestBody> {
    const { release, content: _, ...body } = identifyRelease(given);
    const { texts, version, keys, expires } = await sign({ release, ...body });
    const proofs = [...texts].map(([path, text]) => proofFile(path, text, body.timestamp));
    for (const proof of proofs) await this.write(proof);
    const files = [...body.files, ...proofs.map(({ path }) => this.#datedFile(path, body))];
    return { ...body, signed: { version, keys: [...keys], expires }, files };
  }

  /** Each file with the time since which it has been as it is. */
  #dated(facts: Pick<Facts, 'timestamp'>): ManifestFile[] {
    return [...this.#entries.keys()].map((path) => this.#datedFile(path, facts));
  }

  /** A file that was taken over is that of the previous manifest, which was validated. */
  #datedFile(path: string, { timestamp }: Pick<Facts, 'timestamp'>): ManifestFile {
    const entry = this.#entries.get(path)!;
    const before = this.before(path);
    if (before && entry === before) return before;
    const since = before?.sha256 === entry.sha256 ? before.modified : timestamp;
    return { ...entry, modified: entry.modified ?? since };
  }

  /** Removes the folder. Does nothing after `publish`. If the disk refuses, the next run removes it; the original error matters more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder.remove().catch(() => {});
  }

  #assertUnchanged(path: string, { sha256 }: Blob): void {
    const before = this.before(path);
    if (!before?.immutable || before.sha256 === sha256) return;
    const expected = `SHA-256 ${before.sha256}, for it was published as immutable`;
    throw new CathedralError('publish_failed', { place: path, expected, found: sha256 });
  }

  /** A site's hashed assets come and go; a data file that never changes stays. */
  #assertNoneLost(): void {
    for (const { path, kind, immutable } of this.#before.values()) {
      if (kind !== 'data' || !immutable || this.#entries.has(path)) continue;
      const expected = 'to be published again, for it is immutable';
      throw new CathedralError('publish_failed', {
        place: path,
        expected,
        found: 'no such file in this run',
      });
    }
  }

  #remember(place: string, key: string | undefined): void {
    if (key !== undefined) this.#keys.set(place, key);
  }

  #record(file: DraftFile, modified?: string): void {
    this.#entries.set(file.path, modified === undefined ? file : { ...file, modified });
  }

  async #takeOver(file: Omit<DraftFile, 'encodings'>): Promise<DraftFile['encodings'] | null> {
    const before = this.before(file.path);
    if (!this.reuse || before?.sha256 !== file.sha256) return null;
    if (before.restricted !== file.restricted || before.media_type !== file.media_type) return null;
    return this.link(before);
  }

  /** Links a file of the previous release with its variants; null where one is missing or damaged. */
  async link(file: ManifestFile): Promise<DraftFile['encodings'] | null> {
    const isLinked = await this.folder.link(this.previous!.dir, this.#filesOf(file));
    return isLinked ? file.encodings : null;
  }

  /** Why `link` has not linked a file. */
  damage(file: ManifestFile): Promise<CathedralError> {
    return damageError(this.previous!.dir, this.#filesOf(file));
  }

  #filesOf(file: ManifestFile): Linked[] {
    const { br, gzip } = file.encodings;
    const at = this.#placeBefore(file);
    const as = storedAt(file);
    const files: Linked[] = [{ file: at, bytes: file.bytes, sha256: file.sha256, as }];
    if (br) files.push({ file: `${at}.br`, ...br, as: `${as}.br` });
    if (gzip) files.push({ file: `${at}.gz`, ...gzip, as: `${as}.gz` });
    return files;
  }

  /** Below the folder of the release before. */
  #placeBefore(file: ManifestFile): string {
    return (this.previous!.at ?? storedAt)(file);
  }

  async #writeAll(file: Omit<DraftFile, 'encodings'>, bytes: Uint8Array): Promise<DraftFile['encodings']> {
    const at = storedAt(file);
    const [{ br, gzip }] = await Promise.all([
      compress(bytes, file.media_type, encodingsOf(file.kind)),
      this.folder.write(at, bytes),
    ]);
    return {
      ...(br && { br: await this.folder.write(`${at}.br`, br) }),
      ...(gzip && { gzip: await this.folder.write(`${at}.gz`, gzip) }),
    };
  }
}

async function isIntact(place: string, { sha256: expected }: Blob): Promise<boolean> {
  return readFile(place).then(
    (bytes) => sha256(bytes) === expected,
    () => false,
  );
}

/**
 * Opens a staging folder and removes those that dead runs left. The folder is empty, or, if the run goes on from the current release, the
 * retired one, which `swapCurrent` would remove: so a file that does not change needs one system call. Throws publish_failed.
 */
export async function openStaging(
  out: string,
  previous: Published | null,
  options: StagingOptions,
): Promise<Staging> {
  return asDiskErrors(out, async () => {
    // Before anything links to what will be in it.
    const releases = join(out, 'releases');
    await makeFolder(releases);
    await removeLeftOvers(out);
    // Not one fixed name: a child of a killed run (a site build) may still be writing into its folder.
    const dir = await mkdtemp(join(out, STAGING));
    // mkdtemp makes it private, but the web server reads what it becomes.
    await chmod(dir, 0o755);
    const folder = new StagingFolder(
      dir,
      previous && (await openBase(out, dir, previous, options)),
      isPublicInRelease,
    );
    const staging = new Staging(out, folder, previous, options);
    await mkdir(staging.scratch, { mode: 0o700 });
    return staging;
  });
}

/** Null: everything that is taken over is read. */
async function openBase(
  out: string,
  staging: string,
  { dir, manifest }: Published,
  { reuse, isServed = true }: StagingOptions,
): Promise<Base | null> {
  const releases = join(out, 'releases');
  const index = reuse && dirname(dir) === releases ? await readIndex(out, basename(dir)) : null;
  if (!index) return null;
  const isCurrent = basename(dir) === (await currentId(out));
  const retired = isServed && isCurrent ? await retiredRelease(out, dir) : null;
  if (retired) {
    await rename(retired.dir, staging);
    // Before anything in it changes: a power cut must leave no release that is half another.
    for (const folder of [releases, out]) await sync(folder);
    await rm(join(staging, 'manifest.json'));
  }
  const slice = Math.floor(Date.parse(manifest.timestamp) / SLOT_MS) % SLICES;
  return { dir, index, retired: retired?.index ?? null, rereads: (file) => crc32(file) % SLICES === slice };
}
