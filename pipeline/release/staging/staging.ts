import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, makeFolder } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { readJson } from '../../ledger/events/json.ts';
import { compress, type Encodings, encodingsOf, isWorthCompressing } from '../disk/compress.ts';
import { STAGING } from '../disk/remove-left-overs.ts';
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
import type { Published } from '../format/release.ts';
import { formatHeadersFile } from '../format/response-headers.ts';
import { ClaimedPaths } from './claimed-paths.ts';
import { commit, type Outcome } from './commit.ts';
import { HashedFile } from './hashed-file.ts';
import { damageError, isPublicInRelease, type Linked, StagingFolder } from './staging-folder.ts';

export type { NewFile };

export interface StagingOptions {
  /**
   * False for a rebuild, which writes and compresses every file again. The previous release still tells which files are immutable and
   * when the others last changed.
   */
  reuse: boolean;
  /** Digest of everything but the ledger that the files follow from; see `isSame`. Left out: nothing is taken over unmade. */
  inputs?: string;
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
  /** Immutable data files that this release need not have although the previous one has them. Default: none. */
  mayLose?: ((path: string) => boolean) | undefined;
}

/** A file that is written in pieces. */
export type StreamedFile = Omit<NewFile, 'content' | 'modified' | 'rows'>;

type Entry = DraftFile & { modified?: string };

/** A longer streamed file gets no variants; it takes seconds to compress, in each run. */
const LONGEST_ENCODED_BYTES = 1 << 24;

/**
 * A release being staged. A run writes every file; one that the previous release has with the same bytes is linked instead. It has one
 * owner, who holds the lock of OUT; `await using` removes what was not published. Await every call, including
 * `return await staging.publish(…)`, because the folder is removed when the block ends.
 */
export class Staging implements AsyncDisposable {
  readonly folder: StagingFolder;
  readonly previous: Published | null;
  readonly reuse: boolean;
  /** By artifact path, newest first. */
  readonly segments: Record<string, Segment[]> = {};
  readonly #kept: Manifest['unlisted'] = [];
  readonly #out: string;
  readonly #options: StagingOptions;
  readonly #names = new ClaimedPaths();
  readonly #entries = new Map<string, Entry>();
  readonly #before: ReadonlyMap<string, ManifestFile>;

  constructor(out: string, folder: StagingFolder, previous: Published | null, options: StagingOptions) {
    this.#out = out;
    this.#options = options;
    this.folder = folder;
    this.previous = previous;
    this.reuse = options.reuse;
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
   * Throws publish_failed if the path is taken, if an immutable file was published with different bytes, or on disk errors.
   */
  async write({ path, mediaType, content, modified, ...about }: NewFile): Promise<void> {
    this.#names.claim(path);
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const file = { path, ...about, media_type: mediaType, bytes: bytes.length, sha256: sha256(bytes) };
    await this.#add(file, modified, () => this.#writeAll(file, bytes));
  }

  /**
   * Adds files like `write`, for those that may be too long for the memory: `fill` writes all of them at once, and tells how many rows each has.
   * A long file gets no compressed variants, because each run would have to compress all of it. Throws as `write`.
   */
  async stream(
    files: readonly StreamedFile[],
    fill: (targets: readonly HashedFile[]) => Promise<number | null>,
  ): Promise<void> {
    for (const { path } of files) this.#names.claim(path);
    const written = await this.folder.stream(files.map(storedAt), async (handles) => {
      const targets = handles.map((handle) => new HashedFile(handle));
      const rows = await fill(targets);
      return targets.map(({ blob }) => ({ ...blob, rows }));
    });
    for (const [index, { mediaType, ...about }] of files.entries()) {
      const file = { ...about, media_type: mediaType, ...written[index]! };
      await this.#add(file, undefined, () => this.#encode(file));
    }
  }

  /** Adds a file whose bytes are known: that of the previous release if it has the same, otherwise as `make` finishes it. */
  async #add(
    file: Omit<DraftFile, 'encodings'>,
    modified: string | undefined,
    make: () => Promise<DraftFile['encodings']>,
  ): Promise<void> {
    const { path } = file;
    this.#assertUnchanged(path, file);
    const linked = this.#isBefore(file) ? await this.link(this.before(path)!) : null;
    const encodings = linked ?? (await make());
    this.#entries.set(path, { ...file, encodings, ...(modified !== undefined && { modified }) });
  }

  /**
   * Whether the release goes on from one with the same inputs (program, documents, settings), in which these files have the same bytes.
   * Whatever is made of them alone is then as it was: `takeOver` saves making it. False in a rebuild.
   */
  isSame(paths: readonly string[]): boolean {
    const { reuse, inputs } = this.#options;
    if (!reuse || inputs === undefined || this.previous?.manifest.inputs !== inputs) return false;
    return paths.every((path) => {
      const digest = this.#entries.get(path)?.sha256;
      return digest !== undefined && digest === this.before(path)?.sha256;
    });
  }

  /**
   * Links a file of the previous release, with its variants, instead of making it, for a caller who knows that it would have the same
   * bytes. Returns false, and does nothing, if that release lacks the file or has damaged it, and in a rebuild: then make the file.
   *
   * ```ts
   * if (staging.isSame(sources) && (await staging.takeOver(path))) return;
   * await staging.write({ path, …, content: await make(sources) });
   * ```
   *
   * Throws publish_failed if the path is taken.
   */
  async takeOver(path: string): Promise<boolean> {
    return this.reuse && (await this.#takeOver(path));
  }

  async #takeOver(path: string): Promise<boolean> {
    const file = this.before(path);
    if (!file || !(await this.link(file))) return false;
    this.#names.claim(path);
    this.#entries.set(path, file);
    return true;
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

  /** Whether `carry` would take this file over; only in a rebuild, which reads it, false for a damaged one. */
  async canCarry(path: string): Promise<boolean> {
    const file = this.before(path);
    if (this.reuse || !file) return file !== undefined;
    return isIntact(join(this.previous!.dir, this.#placeBefore(file)), file);
  }

  /**
   * Takes over a file of the previous release that a run cannot make again with the same bytes: a printed PDF, for instance. In a rebuild it
   * has to be immutable. Throws release_invalid if it is missing or damaged.
   */
  async carry(path: string): Promise<void> {
    const file = this.before(path);
    if (!file || !(file.immutable || this.reuse)) {
      const expected = this.reuse ? 'a file of the previous release' : 'an immutable file';
      const found = file ? 'one that may change' : 'none';
      throw new CathedralError('release_invalid', { place: path, expected, found });
    }
    if (!(await this.#takeOver(path))) throw await this.damage(file);
  }

  /** Writes a file that has no URL, by its path below the release folder; links it if the previous release has the same one there. */
  async keepBytes(file: string, bytes: Uint8Array): Promise<Blob> {
    const digest = sha256(bytes);
    const before = this.reuse
      ? this.previous?.manifest.unlisted.find((kept) => kept.file === file)
      : undefined;
    const isLinked = before?.sha256 === digest && (await this.folder.link(this.previous!.dir, [before]));
    const blob = isLinked ? { bytes: bytes.length, sha256: digest } : await this.folder.write(file, bytes);
    this.keep(file, blob);
    return blob;
  }

  /** Lists a file that has been written below the release folder, has no URL, and is for the next run to go on from. */
  keep(file: string, { bytes, sha256 }: Blob): void {
    this.#kept.push({ file, bytes, sha256 });
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
  async publish({ facts, state, sign, prepare, mayLose = () => false }: Publication): Promise<Outcome> {
    const { isServed = true } = this.#options;
    if (isServed) this.#assertNoneLost(mayLose);
    const files = this.#dated(facts);
    const own = { 'state.json': state, 'public/_headers': formatHeadersFile(files), 'public/.nojekyll': '' };
    for (const [file, text] of Object.entries(own))
      if (!this.#kept.some((kept) => kept.file === file)) await this.keepBytes(file, Buffer.from(text));
    for (const work of [this.scratch, join(this.dir, 'manifest.json')]) {
      await asDiskErrors(work, () => rm(work, { recursive: true, force: true }));
    }
    // Sorted, because some were taken over and others made.
    const unlisted = this.#kept.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    const body = { ...facts, files, segments: this.segments, unlisted };
    const { body: whole, content } = sign ? await this.#prove(body, sign) : { body, content: undefined };
    const rest = { content, state: readJson(state), prepare, isServed };
    return commit(this.#out, this.folder, whole, rest);
  }

  /** Adds what proves the release, the last of its files. */
  async #prove(
    given: ManifestBody,
    sign: NonNullable<Publication['sign']>,
  ): Promise<{ body: ManifestBody; content: string }> {
    const { release, content, ...body } = identifyRelease(given);
    const { texts, version, keys, expires } = await sign({ release, ...body });
    const proofs = [...texts].map(([path, text]) => proofFile(path, text, body.timestamp));
    for (const proof of proofs) await this.write(proof);
    const files = [...body.files, ...proofs.map(({ path }) => this.#datedFile(path, body))];
    return { body: { ...body, signed: { version, keys: [...keys], expires }, files }, content };
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
  #assertNoneLost(mayLose: (path: string) => boolean): void {
    for (const { path, kind, immutable } of this.#before.values()) {
      if (kind !== 'data' || !immutable || this.#entries.has(path) || mayLose(path)) continue;
      const expected = 'to be published again, for it is immutable';
      throw new CathedralError('publish_failed', {
        place: path,
        expected,
        found: 'no such file in this run',
      });
    }
  }

  /** Whether the previous release has these bytes at this path, and says the same of them. */
  #isBefore(file: Omit<DraftFile, 'encodings'>): boolean {
    const before = this.before(file.path);
    if (!this.reuse || before?.sha256 !== file.sha256) return false;
    return before.restricted === file.restricted && before.media_type === file.media_type;
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
    const [encoded] = await Promise.all([
      compress(bytes, file.media_type, encodingsOf(file)),
      this.folder.write(at, bytes),
    ]);
    return this.#writeEncodings(at, encoded);
  }

  /** The compressed variants of a file that is staged already. */
  async #encode(file: Omit<DraftFile, 'encodings'>): Promise<DraftFile['encodings']> {
    if (file.bytes > LONGEST_ENCODED_BYTES || !isWorthCompressing(file)) return {};
    const at = storedAt(file);
    const place = join(this.dir, at);
    const bytes = await asDiskErrors(place, () => readFile(place));
    return this.#writeEncodings(at, await compress(bytes, file.media_type, encodingsOf(file)));
  }

  async #writeEncodings(at: string, { br, gzip }: Encodings): Promise<DraftFile['encodings']> {
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

/** Opens an empty staging folder. Throws publish_failed. */
export async function openStaging(
  out: string,
  previous: Published | null,
  options: StagingOptions,
): Promise<Staging> {
  return asDiskErrors(out, async () => {
    // Before anything links to what will be in it.
    await makeFolder(join(out, 'releases'));
    // Not one fixed name: a child of a killed run (a site build) may still be writing into its folder.
    const dir = await mkdtemp(join(out, STAGING));
    // mkdtemp makes it private, but the web server reads what it becomes.
    await chmod(dir, 0o755);
    const staging = new Staging(out, new StagingFolder(dir, isPublicInRelease), previous, options);
    await mkdir(staging.scratch, { mode: 0o700 });
    return staging;
  });
}
