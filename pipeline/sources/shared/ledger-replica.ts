import { createHash } from 'node:crypto';
import { copyFile, link, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { exists, finished, makeFolder, renameDurably, sync, TEMPORARY_SUFFIX } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { parseEventLine } from '../../ledger/events/event-line.ts';
import { LEDGER_START } from '../../ledger/log/leaf.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import {
  type LedgerDirectory,
  newestSnapshot,
  openDirectory,
  type SnapshotFile,
  snapshotFile,
} from '../../ledger/reading/directory.ts';
import { readHeadEnds, readHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { keepPosition } from '../../ledger/writing/ledger-writer.ts';
import { lockLedger } from '../../ledger/writing/lock-ledger.ts';
import { NewHead } from '../../ledger/writing/new-head.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { removeIndex as removeEventIndex } from '../civic/known-events.ts';
import { removeIndex as removeRowIndex } from '../import/row-index.ts';
import { fetchSnapshots, verifySnapshot, waitingFile } from './fetch-snapshots.ts';
import { followerOf, markFollower } from './follower.ts';
import { HeadCopy, LINE_END, type LocalHead } from './head-copy.ts';
import { assertOrigin } from './ledger-sharer.ts';
import {
  batchesOf,
  contradiction,
  type SharedFacts,
  type SharedLedger,
  type SharedLine,
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
  /** Where the events are that this machine alone had, because the shared ledger has others in their place; null in most cases. */
  aside: string | null;
}

/** The folder as this replica left it. */
interface Local extends LocalHead {
  /** Of `head.ndjson` and the folder `snapshots`: whether something else wrote meanwhile. */
  stamp: string;
  /** Number of events that are the same as in the shared ledger. */
  agreed: number;
  /** The newest snapshot is not shared yet. */
  isAhead: boolean;
}

/** Times that one update goes on because more snapshots were shared while it took some. */
const MAX_STEPS = 3;
const CHECKPOINT = '.checkpoint';

/**
 * A ledger's folder that is kept as the shared ledger is, in the layout and in the steps of a `LedgerWriter`: a snapshot's events before
 * its checkpoint, then the head without them. So whoever reads the folder reads a valid ledger at each moment, and events that were
 * shared together appear together. A replica that is killed, or whose database or object store fails, leaves such a ledger, and the next
 * update continues.
 */
export class LedgerReplica {
  readonly #options: ReplicaOptions;
  readonly #ledger: LedgerDirectory;
  readonly #durable: boolean;
  #local: Local | null = null;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#ledger = openDirectory(options.folder);
    this.#durable = options.durable ?? true;
  }

  /**
   * Takes what is new. Throws locked if something else writes the folder, ledger_unreadable if nobody has shared a ledger, config_invalid
   * for keys or a folder of another ledger, store_failed, and the errors of reading and writing a ledger.
   */
  async update(): Promise<Updated> {
    const { shared, kind, verifiers } = this.#options;
    const facts = await shared.facts();
    if (!facts) {
      if (kind === 'import') return { size: 0, aside: null };
      const expected = 'a ledger that another machine shares';
      throw new CathedralError('ledger_unreadable', { place: shared.name, expected, found: 'none yet' });
    }
    assertOrigin(shared.name, facts.origin, verifiers);
    if (await this.#isCurrent(facts)) return { size: this.#local!.end, aside: null };
    return this.#locked((facts) => this.#update(facts, null));
  }

  /**
   * Puts aside what follows the newest snapshot that the shared ledger has as well, and takes the shared ledger instead: for a machine that
   * imported events which another one has imported differently.
   */
  async yield(): Promise<Updated> {
    return this.#locked(async (facts) => {
      await this.#assertFollows(facts);
      return this.#update(facts, await this.#putAside());
    });
  }

  async #locked(work: (facts: SharedFacts) => Promise<Updated>): Promise<Updated> {
    const { folder, waitMs, kind, shared } = this.#options;
    await this.#assertOurs();
    await makeFolder(join(folder, 'snapshots'), { mode: 0o700 });
    const lock = await lockLedger(folder, {
      waitMs,
      holder: `a ${kind} of a ledger, process ${process.pid}`,
    });
    try {
      // Another process may have taken more meanwhile.
      const facts = (await shared.facts())!;
      const updated = await work(facts);
      await markFollower(folder, { origin: facts.origin, kind });
      return updated;
    } catch (error) {
      this.#local = null;
      throw error;
    } finally {
      lock.close();
    }
  }

  async #isCurrent({ size, newest }: SharedFacts): Promise<boolean> {
    const local = this.#local;
    if (!local || local.isOutdated || local.end !== size) return false;
    return local.position.snapshot === (newest?.id ?? null) && local.stamp === (await this.#stamp());
  }

  async #update(facts: SharedFacts, putAside: string | null): Promise<Updated> {
    let aside = putAside;
    try {
      await this.#take(facts);
    } catch (error) {
      if (!isContradiction(error) || aside !== null) throw error;
      await this.#assertFollows(facts, error);
      aside = await this.#putAside();
      await this.#take(facts);
    }
    return { size: this.#local!.end, aside };
  }

  /** Only a folder that has followed this ledger before has nothing but copies, and events that can be imported again. */
  async #assertFollows({ origin }: SharedFacts, cause?: unknown): Promise<void> {
    const { folder, shared } = this.#options;
    if (followerOf(folder)?.origin === origin) return;
    const detail = cause instanceof CathedralError ? `: ${cause.message}` : '';
    const expected = `a new folder, or a copy of the ledger that ${shared.name} has`;
    throw new CathedralError('log_forked', {
      place: folder,
      expected,
      found: `another ledger${detail}`,
      cause,
    });
  }

  async #take(facts: SharedFacts): Promise<void> {
    const { kind, shared } = this.#options;
    const local = await this.#open(facts);
    if (kind === 'replica' && local.end > facts.size)
      throw new CathedralError('ledger_order', {
        place: shared.name,
        expected: `the ${local.end} events that ${this.#options.folder} has, which were shared before`,
        found: `${facts.size} of them`,
      });
    if (!local.isAhead) await this.#takeNew(local);
    local.stamp = await this.#stamp();
    this.#local = local;
  }

  async #takeNew(local: Local): Promise<void> {
    // Before the snapshots: they may end within events that belong together. The database has most events that the object store has, so
    // this goes on while the object store is down.
    let isWhole = await this.#takeHead(local);
    for (let step = 1; step <= MAX_STEPS; step += 1) {
      const before = local.position;
      const fault = await this.#takeSnapshots(local).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      if (local.position !== before || !isWhole) isWhole = await this.#takeHead(local);
      if (fault) throw fault.error;
      if (isWhole) return;
      // More was shared meanwhile: the folder is a ledger without that, and the next update goes on. Otherwise events are missing.
      if (local.position === before)
        throw new CathedralError('ledger_order', {
          place: `${this.#options.shared.name}, ledger_events`,
          expected: `event ${local.end}, or a ledger snapshot that has it`,
          found: 'a later one',
        });
    }
  }

  /** The folder as it is. Throws log_forked if its newest snapshot is not in the shared ledger. */
  async #open({ newest }: SharedFacts): Promise<Local> {
    const stamp = await this.#stamp();
    if (this.#local?.stamp === stamp) return this.#local;
    await this.#tidy();
    const { verifiers, shared } = this.#options;
    const file = await newestSnapshot(this.#ledger);
    let position = LEDGER_START;
    let isAhead = false;
    if (file) {
      const { checkpoint } = readCheckpoint(file, verifiers);
      const known = await shared.snapshot(file.id);
      const isSame = known?.position.size === checkpoint.size && known.root === checkpoint.root;
      if (!isSame && (known || file.id < (newest?.id ?? '')))
        throw contradiction(
          `snapshots/${file.id}.checkpoint`,
          known ? `the shared root ${known.root} of ${known.position.size}` : 'a shared ledger snapshot',
          `root ${checkpoint.root} of ${checkpoint.size}`,
        );
      isAhead = known === null;
      position = known?.position ?? { snapshot: file.id, size: checkpoint.size, range: [], timestamp: null };
    }
    const { first, last, bytes } = await readHeadEnds(this.#ledger);
    const isInHead = first !== null && first.seq <= position.size && last!.seq >= position.size;
    return {
      stamp,
      position,
      end: isInHead ? last!.seq + 1 : position.size,
      bytes: isInHead ? bytes : 0,
      isOutdated: first ? first.seq !== position.size : !(await exists(this.#ledger.head)),
      agreed: position.size,
      isAhead,
    };
  }

  /**
   * Removes what a process that was killed had not finished. A power failure may have undone the renaming of one of a snapshot's two files
   * although later snapshots have their names: that one gets its name again.
   */
  async #tidy(): Promise<void> {
    const { folder } = this.#options;
    await rm(`${this.#ledger.head}${TEMPORARY_SUFFIX}`, { force: true });
    const names = new Set(await readdir(join(folder, 'snapshots')));
    const newest =
      [...names]
        .filter((name) => name.endsWith(CHECKPOINT))
        .sort()
        .at(-1) ?? '';
    for (const waiting of names) {
      if (!waiting.endsWith(TEMPORARY_SUFFIX)) continue;
      const name = finished(waiting);
      const id = name.slice(0, name.indexOf('.'));
      const hasPartner = [snapshotFile('', id).events, snapshotFile('', id).checkpoint]
        .map((path) => basename(path))
        .some((other) => other !== name && names.has(other));
      const path = join(folder, 'snapshots', waiting);
      if (hasPartner && !names.has(name) && `${id}${CHECKPOINT}` <= newest)
        await renameDurably(path, finished(path), this.#durable);
      else await rm(path, { force: true });
    }
  }

  /** Fetches one batch while it verifies the one before: the first takes the network, the second takes the processor. */
  async #takeSnapshots(local: Local): Promise<void> {
    const options = { ...this.#options, durable: this.#durable };
    const batches = batchesOf(await this.#options.shared.snapshots(local.position.snapshot));
    let fetching = fetchSnapshots(batches[0] ?? [], options);
    try {
      for (const [at, batch] of batches.entries()) {
        const fetched = await fetching;
        fetching = fetchSnapshots(batches[at + 1] ?? [], options);
        await this.#takeBatch(local, batch, fetched);
      }
    } finally {
      // Nothing may write here once the folder is free for others.
      await fetching;
    }
  }

  /** Places what is right before the first snapshot that cannot be had, or is not what was shared. */
  async #takeBatch(
    local: Local,
    batch: readonly SharedSnapshot[],
    fetched: readonly PromiseSettledResult<SnapshotFile>[],
  ): Promise<void> {
    const own = await this.#ownHashes(local, batch.at(-1)!.position.size);
    const verified: SharedSnapshot[] = [];
    const fault = await (async () => {
      for (const [at, snapshot] of batch.entries()) {
        const file = fetched[at]!;
        if (file.status === 'rejected') throw file.reason;
        const before = verified.at(-1)?.position ?? local.position;
        await verifySnapshot(file.value, snapshot, before, own, this.#options);
        verified.push(snapshot);
      }
    })().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    if (verified.length > 0) await this.#place(local, verified);
    if (fault) throw fault.error;
  }

  /**
   * Gives verified snapshots their names, in order, and each its checkpoint last: it says that the snapshot is complete. The content and
   * the names under which it waits are flushed before, so if a power failure loses some of the new names, `#tidy` gives them again.
   */
  async #place(local: Local, snapshots: readonly SharedSnapshot[]): Promise<void> {
    const { folder } = this.#options;
    const flush = async () => {
      if (this.#durable) await sync(join(folder, 'snapshots'));
    };
    await flush();
    for (const { id, position } of snapshots) {
      const [file, waiting] = [snapshotFile(folder, id), waitingFile(folder, id)];
      await rename(waiting.events, file.events);
      await rename(waiting.checkpoint, file.checkpoint);
      local.position = position;
      local.isOutdated = true;
      local.agreed = Math.max(local.agreed, position.size);
      if (local.end < position.size) Object.assign(local, { end: position.size, bytes: 0 });
    }
    await flush();
    await keepPosition(folder, local.position);
  }

  /** The hashes of the events before `to` that this machine has and has not compared yet. */
  async #ownHashes({ agreed, end }: Local, to: number): Promise<Map<number, string>> {
    const own = new Map<number, string>();
    if (agreed >= Math.min(end, to)) return own;
    for await (const lines of readHeadLines(this.#ledger, agreed))
      for (const { event, line } of lines) if (event.seq < to) own.set(event.seq, leafHash(line));
    return own;
  }

  /**
   * Appends what is new, or writes the head again without what is sealed. Does nothing and returns false if the database no longer has the
   * events that come next.
   */
  async #takeHead(local: Local): Promise<boolean> {
    const { shared } = this.#options;
    const sealed = local.position.size;
    const from = Math.max(local.agreed, sealed);
    const own = await this.#ownHashes({ ...local, agreed: from }, Number.MAX_SAFE_INTEGER);
    const head = new HeadCopy(this.#ledger, local, this.#durable);
    try {
      let next = from;
      await shared.lines(from, async (lines) => {
        const added: SharedLine[] = [];
        for (const { seq, line } of lines) {
          if (seq !== next) throw new GapError();
          next += 1;
          const known = own.get(seq);
          if (known === undefined) added.push({ seq, line: checked(shared.name, seq, line) });
          else if (known !== leafHash(line))
            throw contradiction(`head.ndjson, event ${seq}`, 'the event that was shared', known);
        }
        await head.add(added);
      });
      await head.commit();
      local.agreed = next;
      return true;
    } catch (error) {
      await head.discard();
      if (error instanceof GapError) return false;
      throw error;
    }
  }

  /**
   * Copies what only this machine has to a folder beside the ledger, and removes it from the ledger. May be killed and repeated. The events
   * are imported again, or were shared by another machine.
   */
  async #putAside(): Promise<string> {
    const { folder, shared } = this.#options;
    const files = await this.#ledger.snapshots(null);
    const common = await newestCommon(files, shared, this.#options.verifiers);
    const own = files.filter(({ id }) => common === null || id > common);
    const head = await readFile(this.#ledger.head).catch(() => Buffer.alloc(0));
    const hash = createHash('sha256').update(head);
    for (const { checkpoint } of own) hash.update(await readFile(checkpoint));
    const aside = `${resolve(folder)}.aside/${common ?? 'genesis'}.${hash.digest('hex').slice(0, 8)}`;
    await makeFolder(join(aside, 'snapshots'));
    if (await exists(this.#ledger.head)) await copyFile(this.#ledger.head, join(aside, 'head.ndjson'));
    for (const file of own.flatMap(({ events, checkpoint }) => [events, checkpoint]))
      await link(file, join(aside, 'snapshots', basename(file))).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    for (const path of [join(aside, 'snapshots'), aside]) await sync(path);
    // They describe events that are gone from the ledger.
    removeEventIndex(folder);
    removeRowIndex(folder);
    const empty = await NewHead.begin(this.#ledger.head, 0, this.#durable);
    await empty.commit();
    for (const { events, checkpoint } of own.toReversed()) {
      await rm(checkpoint);
      await rm(events);
    }
    this.#local = null;
    return aside;
  }

  /** Identifies what is in the folder without reading it. */
  async #stamp(): Promise<string> {
    const of = async (path: string) => {
      const found = await stat(path, { bigint: true }).catch(() => null);
      return found && `${found.ino} ${found.size} ${found.mtimeNs}`;
    };
    return `${await of(this.#ledger.head)}, ${await of(join(this.#options.folder, 'snapshots'))}`;
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
function checked(name: string, seq: number, line: Buffer): Buffer {
  const place = `${name}, ledger_events ${seq}`;
  const event = parseEventLine(line, place);
  if (event.seq === seq && !line.includes(LINE_END)) return line;
  throw new CathedralError('ledger_order', {
    place,
    expected: `one line, seq ${seq}`,
    found: `seq ${event.seq}`,
  });
}

/** The newest snapshot that both have. */
async function newestCommon(
  files: readonly SnapshotFile[],
  shared: SharedLedger,
  verifiers: readonly Verifier[],
): Promise<string | null> {
  for (const file of files.toReversed()) {
    const known = await shared.snapshot(file.id);
    if (!known) continue;
    const { checkpoint } = readCheckpoint(file, verifiers);
    if (known.position.size === checkpoint.size && known.root === checkpoint.root) return file.id;
  }
  return null;
}

/** Whether a folder and the shared ledger contradict each other. */
export function isContradiction(error: unknown): boolean {
  return error instanceof CathedralError && error.code === 'log_forked';
}
