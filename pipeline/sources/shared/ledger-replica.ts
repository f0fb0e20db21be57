import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exists, writeFileAtomically } from '../../disk/durable.ts';
import { hashFile } from '../../disk/hash-file.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { parseEventLine } from '../../ledger/events/event-line.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import { type LedgerDirectory, openDirectory, type SnapshotFile } from '../../ledger/reading/directory.ts';
import { type HeadLine, readHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { waitingFile } from '../../ledger/writing/copied-snapshots.ts';
import { LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { counted } from '../../words/number.ts';
import { removeIndex } from '../import/row-index.ts';
import { markCopy, originalOf } from './copied-ledger.ts';
import {
  assertOrigin,
  batchesOf,
  contradiction,
  isContradiction,
  type LedgerCopy,
  nameOf,
  notShared,
  readCompared,
  type SharedFacts,
  type SharedFile,
  type SharedSnapshot,
  snapshotKeys,
} from './shared-ledger.ts';

const storeFault = errorOf('store_failed');
const disorder = errorOf('ledger_order');

/** The folder is created if it is missing. */
export interface ReplicaOptions extends LedgerCopy {
  objects: Pick<ObjectStore, 'name' | 'get'>;
  /** `import`: the machine also imports a source into the folder, so the folder may be ahead of the shared ledger. */
  kind: 'replica' | 'import';
  /** How long to wait for another writer of the folder, ms. */
  waitMs: number;
}

export interface Updated {
  /** Number of events in the folder. */
  size: number;
  /** Whether events that this machine alone had are gone, because the shared ledger has others in their place. */
  isReplaced: boolean;
}

/** Snapshots with two objects each, which are fetched at once. */
const PARALLEL_SNAPSHOTS = 8;

/**
 * A ledger's folder that is kept as the shared ledger is, by a `LedgerWriter`. So whoever reads the folder reads a valid ledger at each
 * moment, and events that were shared together appear together. A replica that is killed, or whose database or object store fails, leaves
 * such a ledger, and the next update continues.
 */
export class LedgerReplica {
  readonly #options: ReplicaOptions;
  readonly #ledger: LedgerDirectory;
  /** Number of events that are the same in the folder as in the shared ledger. */
  #agreed = 0;
  /** What the shared ledger had when all of it was in the folder. */
  #taken = '';

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#ledger = openDirectory(options.folder);
  }

  /**
   * Takes what is new. Throws locked if something else writes the folder, ledger_unreadable if nobody has shared a ledger, config_invalid
   * for keys or a folder of another ledger, store_failed, and the errors of reading and writing a ledger.
   */
  async update(): Promise<Updated> {
    const { shared, kind, verifiers } = this.#options;
    const facts = await shared.facts();
    if (!facts) {
      if (kind === 'import') return { size: 0, isReplaced: false };
      const expected = 'a ledger that another machine shares';
      throw new CathedralError('ledger_unreadable', { place: shared.name, expected, found: 'none yet' });
    }
    assertOrigin(shared.name, facts.origin, verifiers);
    // Somebody may have removed the folder meanwhile.
    if (this.#taken === nameOf(facts) && (await exists(this.#options.folder)))
      return { size: facts.size, isReplaced: false };
    return this.#writing(async (writer, facts) => {
      try {
        await this.#take(writer, facts);
        return false;
      } catch (error) {
        if (!isContradiction(error)) throw error;
        await this.#giveUp(writer, facts, error);
        await this.#take(writer, facts);
        return true;
      }
    });
  }

  /** Gives up what only this machine has, and takes the shared ledger instead. */
  async replace(): Promise<Updated> {
    return this.#writing(async (writer, facts) => {
      await this.#giveUp(writer, facts);
      await this.#take(writer, facts);
      return true;
    });
  }

  /** `work` returns whether it replaced the folder's events. */
  async #writing(work: (writer: LedgerWriter, facts: SharedFacts) => Promise<boolean>): Promise<Updated> {
    const { folder, verifiers, waitMs, kind, shared } = this.#options;
    await this.#assertOurs();
    using writer = await LedgerWriter.open(folder, {
      ...{ verifiers, waitMs, now: Date.now, create: true },
      isCopy: originalOf(folder) !== null,
      holder: `a ${kind} of a ledger, process ${process.pid}`,
    });
    try {
      // It describes events that are gone, in whose place the shared ledger may have others.
      if (writer.lostEvents) removeIndex(folder);
      // Another process may have taken more meanwhile.
      const facts = (await shared.facts())!;
      const original = { origin: facts.origin, kind };
      // A new folder never has anything but copies. Any other one is first compared.
      if (writer.end.size === 0) await markCopy(folder, original);
      const isReplaced = await work(writer, facts);
      await markCopy(folder, original);
      return { size: writer.end.size, isReplaced };
    } catch (error) {
      this.#agreed = 0;
      throw error;
    }
  }

  /** Whoever writes a ledger must not turn it into a copy by mistake: copies lose what nobody else has. */
  async #assertOurs(): Promise<void> {
    const { folder, kind } = this.#options;
    const own = `${resolve(folder)}.key`;
    if (kind === 'import' || !(await exists(own)) || originalOf(folder)) return;
    throw new CathedralError('config_invalid', {
      place: '--import-folder',
      expected: 'a folder for a replica of the ledger',
      found: `${folder}, a ledger that is written here: its signing key is ${own}`,
    });
  }

  /** Cuts the folder back to the newest snapshot that the shared ledger has as well. What goes is imported again, or was by another machine. */
  async #giveUp(writer: LedgerWriter, { origin }: SharedFacts, cause?: unknown): Promise<void> {
    const { folder, shared, verifiers } = this.#options;
    // Only a folder that has followed this ledger before has nothing but copies, and events that can be imported again.
    if (originalOf(folder)?.origin !== origin) {
      const detail = cause instanceof CathedralError ? `: ${cause.message}` : '';
      const expected = `a new folder, or a copy of the ledger that ${shared.name} has`;
      const found = `another ledger${detail}`;
      throw new CathedralError('log_forked', { place: folder, expected, found, cause });
    }
    let common: string | null = null;
    for (const file of (await this.#ledger.snapshots(null)).toReversed()) {
      const known = await shared.snapshot(file.id);
      if (known?.root !== readCheckpoint(file, verifiers).checkpoint.root) continue;
      common = file.id;
      break;
    }
    // It describes events that are gone from the ledger.
    removeIndex(folder);
    this.#agreed = 0;
    await writer.cutBack(common);
  }

  async #take(writer: LedgerWriter, facts: SharedFacts): Promise<void> {
    const { kind, shared, folder } = this.#options;
    if (kind === 'replica' && writer.end.size > facts.size)
      throw disorder(
        shared.name,
        `the ${counted(writer.end.size, 'event')} that ${folder} has, as shared before`,
        `${facts.size} of them`,
      );
    const isAhead = await this.#isAhead(writer, facts);
    if (!isAhead) await this.#takeNew(writer);
    const { head } = this.#ledger;
    if (!(await exists(head))) await writeFileAtomically(head, '', true);
    // Events beyond the shared ones are compared once those of the others are there.
    this.#agreed = isAhead ? 0 : Math.min(writer.end.size, facts.size);
    if (isAhead || writer.end.size >= facts.size) this.#taken = nameOf(facts);
  }

  /** Whether the newest snapshot is not shared yet. Throws log_forked if the shared ledger has another one in its place. */
  async #isAhead({ checkpoint, sealed }: LedgerWriter, { newest }: SharedFacts): Promise<boolean> {
    const { snapshot: id } = sealed;
    if (id === null || !checkpoint) return false;
    const known = await this.#options.shared.snapshot(id);
    if (known?.position.size === checkpoint.size && known.root === checkpoint.root) return false;
    if (!known && id > (newest?.id ?? '')) return true;
    throw contradiction(
      `snapshots/${id}.checkpoint`,
      known ? `the shared root ${known.root} of ${known.position.size}` : 'a shared ledger snapshot',
      `root ${checkpoint.root} of ${checkpoint.size}`,
    );
  }

  async #takeNew(writer: LedgerWriter): Promise<void> {
    const own = await this.#unconfirmed(writer);
    // Before the snapshots: they may end within events that belong together. The database has most events that the object store has, so
    // this goes on while the object store is down.
    let isWhole = await this.#takeLines(writer);
    const before = writer.sealed.snapshot;
    try {
      await this.#takeSnapshots(writer, own);
    } finally {
      if (writer.sealed.snapshot !== before || !isWhole) isWhole = await this.#takeLines(writer);
    }
    // More was shared meanwhile: the folder is a ledger without that, and the next update goes on. Otherwise events are missing.
    if (!isWhole && writer.sealed.snapshot === before)
      throw disorder(
        `${this.#options.shared.name}, ledger_events`,
        `event ${writer.end.size}, or a ledger snapshot that has it`,
        'a later one',
      );
  }

  /**
   * The hashes of events in the head, by seq, that have not been compared with what was shared: they have to be the same in a snapshot
   * that is taken. Throws log_forked if the database has others in their place.
   */
  async #unconfirmed({ sealed, end }: LedgerWriter): Promise<Map<number, string>> {
    const own = new Map<number, string>();
    const from = Math.max(this.#agreed, sealed.size);
    if (from >= end.size) return own;
    for await (const lines of readHeadLines(this.#ledger, from))
      for (const { event, line } of lines) own.set(event.seq, leafHash(line));
    for (const [seq, hash] of await this.#options.shared.hashes(from, end.size))
      if (own.get(seq) !== hash) throw notShared('head.ndjson', seq, `${own.get(seq)}`, hash);
    return own;
  }

  /** Appends what is new. Does nothing and returns false if the database no longer has the events that come next. */
  async #takeLines(writer: LedgerWriter): Promise<boolean> {
    const { shared } = this.#options;
    let next = writer.end.size;
    try {
      await writer.appendLines((add) =>
        shared.lines(next, async (lines) => {
          if (lines[0]!.seq !== next) throw new GapError();
          next += lines.length;
          await add(lines.map(({ seq, line }) => parsed(shared.name, seq, line)));
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof GapError) return false;
      throw error;
    }
  }

  /** Places what is right before the first snapshot that cannot be had, or is not what was shared. */
  async #takeSnapshots(writer: LedgerWriter, own: ReadonlyMap<number, string>): Promise<void> {
    const { shared, verifiers } = this.#options;
    const snapshots = await shared.snapshots(writer.sealed.snapshot);
    let end: LedgerPosition = writer.sealed;
    for (const batch of batchesOf(snapshots)) {
      const fetched: PromiseSettledResult<SnapshotFile>[] = [];
      await inParallel(batch.entries(), PARALLEL_SNAPSHOTS, async ([at, snapshot]) => {
        [fetched[at]] = await Promise.allSettled([this.#fetch(snapshot)]);
      });
      const verified: string[] = [];
      try {
        for (const [at, { id, position, root }] of batch.entries()) {
          const file = fetched[at]!;
          if (file.status === 'rejected') throw file.reason;
          const found = await readCompared(file.value, end, verifiers, own, (seq, hash, known) =>
            notShared('head.ndjson', seq, known, hash),
          );
          if (found.position.size !== position.size || found.checkpoint.root !== root)
            throw storeFault(
              `${shared.name}, ledger_snapshots ${id}`,
              `root ${found.checkpoint.root} of ${counted(found.position.size, 'event')}, as the checkpoint says`,
              `root ${root} of ${position.size}`,
            );
          end = found.position;
          verified.push(id);
        }
      } finally {
        if (verified.length > 0) await writer.place(verified, end);
      }
    }
  }

  /** Fetches the files of a snapshot beside their places. */
  async #fetch(snapshot: SharedSnapshot): Promise<SnapshotFile> {
    const waiting = waitingFile(this.#options.folder, snapshot.id);
    const keys = snapshotKeys(snapshot);
    const parts = (['events', 'checkpoint'] as const).map((name) =>
      this.#download(keys[name], snapshot[name], waiting[name]),
    );
    for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason;
    return waiting;
  }

  async #download(key: string, { sha256, bytes }: SharedFile, path: string): Promise<void> {
    const { objects } = this.#options;
    const wrong = (found: string) =>
      storeFault(`${objects.name}/${key}`, `${bytes} bytes with SHA-256 ${sha256}`, found);
    const object = await objects.get(key);
    if (object === null) throw wrong('no object');
    if (object.bytes !== bytes) {
      await Array.fromAsync(object.body);
      throw wrong(`${object.bytes} bytes`);
    }
    await using file = await open(path, 'w');
    for await (const chunk of object.body) await file.writeFile(chunk);
    await file.sync();
    const found = await hashFile(path);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw wrong(`${found.bytes} bytes with SHA-256 ${found.sha256}`);
  }
}

class GapError extends Error {}

/** A line of the database, of which nobody has verified anything on this machine. */
function parsed(name: string, seq: number, line: Buffer): HeadLine {
  const place = `${name}, ledger_events ${seq}`;
  const event = parseEventLine(line, () => place);
  if (event.seq === seq && !line.includes('\n')) return { event, line };
  throw disorder(place, `one line, seq ${seq}`, `seq ${event.seq}`);
}
