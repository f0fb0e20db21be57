import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { asDiskErrors, replaceFile, syncAll } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { parseEventLine } from '../../ledger/events/event-line.ts';
import { isPublic } from '../../ledger/log/public-events.ts';
import { parseTilePath, TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import { type LogFile, TreeBuilder, type TreeEdge } from '../../ledger/log/tree-builder.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import type { LedgerDirectory, SnapshotFile } from '../../ledger/reading/directory.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readLines } from '../../ledger/reading/read-lines.ts';
import type { SnapshotPart } from '../../ledger/reading/read-snapshot.ts';
import { counted } from '../../words/number.ts';
import { STAGING } from '../disk/remove-left-overs.ts';
import { type Facts, sha256 } from '../format/manifest.ts';
import { isEntries, logFile } from './log-folder.ts';
import { earlierPublicFiles, placePolicy, publicEntry, publicFile } from './public-bundles.ts';

/** Some milliseconds, in which no timer fires. */
const RENAMES_AT_ONCE = 100;
const PREFIX = `${STAGING}log-`;

/**
 * Files to be added to a log. They are written and flushed beside it before the release is committed, when an error does no harm.
 * Publishing only renames them, the checkpoint last. If a run is killed in between, the next one repeats this and accepts the files
 * that are already in place.
 */
export class StagedLog implements AsyncDisposable {
  readonly out: string;
  readonly #dir: string;
  /** The files' paths, and the number that names each in the staging folder. */
  readonly #paths = new Map<string, number>();

  private constructor(out: string, dir: string) {
    this.out = out;
    this.#dir = dir;
  }

  static async open(out: string): Promise<StagedLog> {
    // At once, so that a process which ends meanwhile does not leave it.
    return asDiskErrors(out, async () => new StagedLog(out, mkdtempSync(join(out, PREFIX))));
  }

  /**
   * Stages files, except those already published with these bytes, or staged before: the upper partial tiles are the same at the ends of many
   * snapshots. Throws log_invalid if one is published with different bytes.
   */
  add(files: readonly LogFile[]): void {
    for (const file of files) {
      if (this.#paths.has(file.path)) continue;
      const place = logFile(this.out, file.path);
      if (existsSync(place)) assertSame(place, file);
      else this.replace(file);
    }
  }

  /** Stages a file, whatever is in its place. */
  replace({ path, bytes }: LogFile): void {
    const number = this.#paths.get(path) ?? this.#paths.size;
    this.#paths.set(path, number);
    writeFileSync(this.#place(number), bytes);
  }

  async flush(): Promise<void> {
    const places = [...this.#paths.values()].map((number) => this.#place(number));
    await asDiskErrors(this.#dir, () => syncAll(places));
  }

  /** Moves every file into place, then publishes the checkpoint. */
  async publish(note: string): Promise<void> {
    await this.place();
    await publishCheckpoint(this.out, note);
  }

  /** Moves every file into place, where nothing refers to it yet. */
  async place(): Promise<void> {
    const folders = new Set<string>();
    await asDiskErrors(this.out, async () => {
      for (const [path, number] of this.#paths) {
        if (number % RENAMES_AT_ONCE === 0) await setImmediate();
        const place = logFile(this.out, path);
        if (!folders.has(dirname(place)))
          mkdirSync(dirname(place), { recursive: true, mode: isEntries(path) ? 0o700 : 0o755 });
        for (let folder = dirname(place); folder !== this.out; folder = dirname(folder)) folders.add(folder);
        renameSync(this.#place(number), place);
      }
      await syncAll([], [...folders, this.out]);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // If the disk refuses, the next run removes the folder. The original error matters more.
    await rm(this.#dir, { recursive: true, force: true }).catch(() => {});
  }

  #place(number: number): string {
    return join(this.#dir, `${number}`);
  }
}

/** Says by which decisions public events were chosen, and then up to where the log goes. Throws publish_failed. */
export async function publishCheckpoint(out: string, note: string): Promise<void> {
  await placePolicy(out);
  await replaceFile(logFile(out, 'checkpoint'), note);
}

function assertSame(place: string, { bytes }: LogFile): void {
  const found = readFileSync(place);
  if (found.equals(bytes)) return;
  const expected = `SHA-256 ${sha256(bytes)}, because a file of the log never changes`;
  throw new CathedralError('log_invalid', { place, expected, found: sha256(found) });
}

/**
 * Stages the public events of the published log, if it has none by the decisions of this version: an earlier version published it, or one
 * with other decisions. Throws log_invalid.
 */
export async function stagePublicEvents(staged: StagedLog, reader: TileReader): Promise<void> {
  for await (const files of earlierPublicFiles(staged.out, reader))
    await asDiskErrors(staged.out, async () => staged.add(files));
}

/**
 * The files by which a log grows to hold the ledger's events, staged as its events arrive, in order from where the log ends. Hashes only
 * these; reaching the root that the ledger's checkpoint signs proves that the log's own events are the ledger's.
 */
export class LogExtension implements AsyncDisposable {
  readonly #out: string;
  readonly #before: number;
  readonly #tree: TreeBuilder;
  /** The entries of the bundle that is not full, null for each that stays a hash. */
  #public: (Uint8Array | null)[];
  #staged: StagedLog | null = null;

  constructor(out: string, edge: TreeEdge) {
    this.#out = out;
    this.#before = edge.size;
    this.#tree = new TreeBuilder(edge);
    this.#public = edge.entries.map(publicEntry);
  }

  /** Number of events so far. */
  get size(): number {
    return this.#tree.size;
  }

  /** Opened when there is something to stage. */
  async staged(): Promise<StagedLog> {
    this.#staged ??= await StagedLog.open(this.#out);
    return this.#staged;
  }

  /**
   * Takes what the run reads and verifies anyway, if it goes on where the log ends; of a log that lacks earlier events it takes nothing,
   * and `complete` reads them. `goal`: number of events at the end of the run. Throws log_invalid if a file exists with different bytes.
   */
  async take({ leaves, end }: SnapshotPart, goal: number): Promise<void> {
    if (end) return this.#endSnapshot(goal);
    const isNext = leaves[0]!.event.seq <= this.size && leaves.at(-1)!.event.seq >= this.size;
    if (!isNext) return;
    await this.#stage((stage) => {
      for (const { event, hash, line } of leaves) {
        if (event.seq !== this.size) continue;
        this.#public.push(isPublic(event) ? line : null);
        stage(this.#tree.append(line, hash));
      }
    });
  }

  /**
   * Reads from the ledger what `take` was not given, up to the verified `target`, and flushes all files. Throws log_forked if the
   * target's root is not reached, log_invalid as `take`, and the errors of reading the ledger.
   */
  async complete(
    target: Facts['ledger'],
    { ledger, verifiers }: { ledger: LedgerDirectory; verifiers: readonly Verifier[] },
  ): Promise<void> {
    const isLacking = this.size < target.size;
    const snapshots = isLacking ? await snapshotsAfter(this.size, target.snapshot, ledger, verifiers) : [];
    let seq = -1;
    for (const snapshot of snapshots) {
      for await (const lines of readLines(snapshot)) {
        if (seq < 0) seq = firstSeq(lines[0]!, this.size, snapshot);
        await this.#stage((stage) => {
          for (const line of lines) {
            if (seq === this.size) {
              this.#public.push(publicEntry(line));
              stage(this.#tree.append(line));
            }
            seq += 1;
          }
        });
      }
      await this.#endSnapshot(target.size);
    }
    assertSigned(this.#tree, this.#before, target);
    await this.#staged?.flush();
  }

  /**
   * Stages the partial tiles of the snapshot's own checkpoint, which is signed as well, so that some reader may have it. Leaves out those that are
   * full in a log of `goal` events.
   */
  async #endSnapshot(goal: number): Promise<void> {
    if (this.size === this.#before) return;
    await this.#stage((stage) => stage(this.#tree.partial(goal)));
  }

  /** Hashing and writing are synchronous: without a pause, no timer of the process would fire for the whole history. */
  async #stage(work: (stage: (files: readonly LogFile[]) => void) => void): Promise<void> {
    const staged = await this.staged();
    const stage = (files: readonly LogFile[]) => {
      for (const file of files) staged.add(this.#withPublicFile(file));
    };
    await setImmediate();
    await asDiskErrors(this.#out, async () => work(stage));
  }

  /** A file of the log, and beside a bundle of entries that of its public events. */
  #withPublicFile(file: LogFile): LogFile[] {
    const found = parseTilePath(file.path);
    if (found?.kind !== 'bundle') return [file];
    const { bundle } = found;
    const entries = this.#public;
    if (bundle.width === TILE_WIDTH) this.#public = [];
    return [file, publicFile(bundle, entries)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#staged?.[Symbol.asyncDispose]();
  }
}
/** The snapshots up to `last` that contain events after the first `size`, oldest first. Earlier ones may be gone. */
async function snapshotsAfter(
  size: number,
  last: string,
  ledger: LedgerDirectory,
  verifiers: readonly Verifier[],
): Promise<SnapshotFile[]> {
  const all = (await ledger.snapshots(null)).filter(({ id }) => id <= last);
  const isBefore = (file: SnapshotFile) => readCheckpoint(file, verifiers).checkpoint.size <= size;
  return size === 0 ? all : all.slice(all.findLastIndex(isBefore) + 1);
}

function assertSigned(builder: TreeBuilder, before: number, { snapshot, size, root }: Facts['ledger']): void {
  const found = builder.root();
  if (builder.size === size && found === root) return;
  throw new CathedralError('log_forked', {
    place: `snapshots/${snapshot}.checkpoint`,
    expected: `events that extend the ${before} in the log; restore the ledger that was published`,
    found: `the root ${found} of ${counted(builder.size, 'event')}, where ${root} of ${size} is signed`,
  });
}

/** The sequence number that the first line claims. The tree proves it. */
function firstSeq(line: Buffer, size: number, { id }: SnapshotFile): number {
  const place = `snapshots/${id}.ndjson.zst`;
  const { seq } = parseEventLine(line, () => `${place}:1`);
  if (seq <= size) return seq;
  throw new CathedralError('ledger_unreadable', {
    place,
    expected: `the ledger from event ${size} on, where the log ends`,
    found: `none before event ${seq}`,
  });
}
