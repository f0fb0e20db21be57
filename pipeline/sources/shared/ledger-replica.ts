import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exists, writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { parseEventLine } from '../../ledger/events/event-line.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { type HeadLine, readHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { removeIndex } from '../import/row-index.ts';
import { fetchSnapshots, verifySnapshot } from './fetch-snapshots.ts';
import { followerOf, markFollower } from './follower.ts';
import {
  assertOrigin,
  batchesOf,
  contradiction,
  type SharedFacts,
  type SharedLedger,
  type SharedSnapshot,
} from './shared-ledger.ts';

export interface ReplicaOptions {
  /** Created if missing. */
  folder: string;
  /** One of these keys must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  shared: SharedLedger;
  objects: Pick<ObjectStore, 'name' | 'get'>;
  /** `import`: the machine also imports a source into the folder, so the folder may be ahead of the shared ledger. */
  kind: 'replica' | 'import';
  /** How long to wait for another writer of the folder, ms. */
  waitMs: number;
  /** Whether what was taken is on disk when `update` resolves. Default true. */
  durable?: boolean;
}

export interface Updated {
  /** Number of events in the folder. */
  size: number;
  /** Whether events that this machine alone had are gone, because the shared ledger has others in their place. */
  isReplaced: boolean;
}

/** The folder as this replica left it. */
interface Known {
  /** Of `head.ndjson` and the folder `snapshots`: whether something else wrote meanwhile. */
  stamp: string;
  size: number;
  snapshot: string | null;
  /** Number of events that are the same as in the shared ledger. */
  agreed: number;
}

/** Times that one update goes on because more snapshots were shared while it took some. */
const MAX_STEPS = 3;

/**
 * A ledger's folder that is kept as the shared ledger is, by a `LedgerWriter`. So whoever reads the folder reads a valid ledger at each
 * moment, and events that were shared together appear together. A replica that is killed, or whose database or object store fails, leaves
 * such a ledger, and the next update continues.
 */
export class LedgerReplica {
  readonly #options: ReplicaOptions;
  #known: Known | null = null;

  constructor(options: ReplicaOptions) {
    this.#options = options;
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
    if (await this.#isCurrent(facts)) return { size: facts.size, isReplaced: false };
    return this.#writing((writer, facts) => this.#takeOrReplace(writer, facts));
  }

  /** Gives up what only this machine has, and takes the shared ledger instead. */
  async replace(): Promise<Updated> {
    return this.#writing(async (writer, facts) => {
      await this.#giveUp(writer, facts);
      await this.#take(writer, facts);
      return true;
    });
  }

  async #writing(work: (writer: LedgerWriter, facts: SharedFacts) => Promise<boolean>): Promise<Updated> {
    const { folder, verifiers, waitMs, kind, shared, durable = true } = this.#options;
    await this.#assertOurs();
    const writer = await LedgerWriter.open(folder, {
      ...{ verifiers, waitMs, durable, now: Date.now, create: true },
      isCopy: followerOf(folder) !== null,
      holder: `a ${kind} of a ledger, process ${process.pid}`,
    });
    try {
      // It describes events that are gone, in whose place the shared ledger may have others.
      if (writer.lostEvents) removeIndex(folder);
      // Another process may have taken more meanwhile.
      const facts = (await shared.facts())!;
      const follower = { origin: facts.origin, kind };
      // A new folder never has anything but copies. Any other one is first compared.
      if (writer.end.size === 0) await markFollower(folder, follower);
      const isReplaced = await work(writer, facts);
      await markFollower(folder, follower);
      return { size: writer.end.size, isReplaced };
    } catch (error) {
      this.#known = null;
      throw error;
    } finally {
      writer.close();
    }
  }

  async #takeOrReplace(writer: LedgerWriter, facts: SharedFacts): Promise<boolean> {
    try {
      await this.#take(writer, facts);
      return false;
    } catch (error) {
      if (!isContradiction(error)) throw error;
      await this.#giveUp(writer, facts, error);
      await this.#take(writer, facts);
      return true;
    }
  }

  /** Cuts the folder back to the newest snapshot that the shared ledger has as well. What goes is imported again, or was by another machine. */
  async #giveUp(writer: LedgerWriter, { origin }: SharedFacts, cause?: unknown): Promise<void> {
    const { folder, shared, verifiers } = this.#options;
    // Only a folder that has followed this ledger before has nothing but copies, and events that can be imported again.
    if (followerOf(folder)?.origin !== origin) {
      const detail = cause instanceof CathedralError ? `: ${cause.message}` : '';
      const expected = `a new folder, or a copy of the ledger that ${shared.name} has`;
      const found = `another ledger${detail}`;
      throw new CathedralError('log_forked', { place: folder, expected, found, cause });
    }
    let common: string | null = null;
    for (const file of (await openDirectory(folder).snapshots(null)).toReversed()) {
      const known = await shared.snapshot(file.id);
      if (known?.root !== readCheckpoint(file, verifiers).checkpoint.root) continue;
      common = file.id;
      break;
    }
    // It describes events that are gone from the ledger.
    removeIndex(folder);
    await writer.cutBack(common);
    this.#known = null;
  }

  async #take(writer: LedgerWriter, facts: SharedFacts): Promise<void> {
    const { kind, shared, folder, durable = true } = this.#options;
    if (kind === 'replica' && writer.end.size > facts.size)
      throw new CathedralError('ledger_order', {
        place: shared.name,
        expected: `the ${writer.end.size} events that ${folder} has, which were shared before`,
        found: `${facts.size} of them`,
      });
    const isAhead = await this.#assertShared(writer, facts);
    if (!isAhead) await this.#takeNew(writer);
    const { head } = openDirectory(folder);
    if (!(await exists(head))) await writeFileAtomically(head, '', durable);
    const { snapshot } = writer.sealed;
    const { size } = writer.end;
    // Events beyond the shared ones are compared once those of the others are there.
    const agreed = isAhead ? 0 : Math.min(size, facts.size);
    this.#known = { stamp: await this.#stamp(), size, snapshot, agreed };
  }

  /** Throws log_forked if the newest snapshot is not in the shared ledger. Returns whether it is not shared yet. */
  async #assertShared({ checkpoint, sealed }: LedgerWriter, { newest }: SharedFacts): Promise<boolean> {
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
    for (let step = 1; step <= MAX_STEPS; step += 1) {
      const before = writer.sealed.snapshot;
      try {
        await this.#takeSnapshots(writer, own);
      } finally {
        if (writer.sealed.snapshot !== before || !isWhole) isWhole = await this.#takeLines(writer);
      }
      if (isWhole) return;
      // More was shared meanwhile: the folder is a ledger without that, and the next update goes on. Otherwise events are missing.
      if (writer.sealed.snapshot === before)
        throw new CathedralError('ledger_order', {
          place: `${this.#options.shared.name}, ledger_events`,
          expected: `event ${writer.end.size}, or a ledger snapshot that has it`,
          found: 'a later one',
        });
    }
  }

  /**
   * The hashes of events in the head, by seq, that have not been compared with what was shared: they have to be the same in a snapshot
   * that is taken. Throws log_forked if the database has others in their place.
   */
  async #unconfirmed({ sealed, end }: LedgerWriter): Promise<Map<number, string>> {
    const own = new Map<number, string>();
    const isSame = this.#known?.stamp === (await this.#stamp());
    const from = Math.max(isSame ? this.#known!.agreed : 0, sealed.size);
    if (from >= end.size) return own;
    for await (const lines of readHeadLines(openDirectory(this.#options.folder), from))
      for (const { event, line } of lines) own.set(event.seq, leafHash(line));
    for (const [seq, hash] of await this.#options.shared.hashes(from, end.size))
      if (own.get(seq) !== hash)
        throw contradiction(`head.ndjson, event ${seq}`, 'the event that was shared', `${own.get(seq)}`);
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
    const { shared } = this.#options;
    const snapshots = await shared.snapshots(writer.sealed.snapshot);
    if (snapshots.length === 0) return;
    let end = await writer.position();
    for (const batch of batchesOf(snapshots)) {
      const fetched = await fetchSnapshots(batch, this.#options);
      const verified: SharedSnapshot[] = [];
      try {
        for (const [at, snapshot] of batch.entries()) {
          const file = fetched[at]!;
          if (file.status === 'rejected') throw file.reason;
          end = await verifySnapshot(file.value, snapshot, end, own, this.#options);
          verified.push(snapshot);
        }
      } finally {
        const ids = verified.map(({ id }) => id);
        if (ids.length > 0) await writer.place(ids, end);
      }
    }
  }

  async #isCurrent({ size, newest }: SharedFacts): Promise<boolean> {
    const known = this.#known;
    if (known?.size !== size || known.snapshot !== (newest?.id ?? null)) return false;
    return known.stamp === (await this.#stamp());
  }

  /** Identifies what is in the folder without reading it. */
  async #stamp(): Promise<string> {
    const { path, head } = openDirectory(this.#options.folder);
    const of = async (path: string) => {
      const found = await stat(path, { bigint: true }).catch(() => null);
      return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
    };
    return `${await of(head)}, ${await of(join(path, 'snapshots'))}`;
  }

  /** Whoever writes a ledger must not turn it into a copy by mistake: copies lose what nobody else has. */
  async #assertOurs(): Promise<void> {
    const { folder, kind } = this.#options;
    const own = `${resolve(folder)}.key`;
    if (kind === 'import' || !(await exists(own)) || followerOf(folder)) return;
    throw new CathedralError('config_invalid', {
      place: '--import-folder',
      expected: 'a folder for a replica of the ledger',
      found: `${folder}, a ledger that is written here: its signing key is ${own}`,
    });
  }
}

class GapError extends Error {}

/** A line of the database, of which nobody has verified anything on this machine. */
function parsed(name: string, seq: number, line: Buffer): HeadLine {
  const place = `${name}, ledger_events ${seq}`;
  const event = parseEventLine(line, () => place);
  if (event.seq === seq && !line.includes('\n')) return { event, line };
  throw new CathedralError('ledger_order', {
    place,
    expected: `one line, seq ${seq}`,
    found: `seq ${event.seq}`,
  });
}

/** Whether a folder and the shared ledger contradict each other. */
export function isContradiction(error: unknown): boolean {
  return error instanceof CathedralError && error.code === 'log_forked';
}
