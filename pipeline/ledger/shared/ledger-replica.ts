import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  exists,
  finished,
  makeFolder,
  renameDurably,
  sync,
  TEMPORARY_SUFFIX,
  writeFileAtomically,
} from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { removeIndex as removeEventIndex } from '../civic/known-events.ts';
import {
  type LedgerDirectory,
  newestSnapshot,
  openDirectory,
  type SnapshotFile,
  snapshotFile,
} from '../directory.ts';
import { parseEventLine } from '../event-line.ts';
import { readHeadEnds, readHeadLines } from '../head.ts';
import { LEDGER_START, type LedgerPosition } from '../leaf.ts';
import { keepPosition } from '../ledger-writer.ts';
import { lockLedger, lockOf } from '../lock-ledger.ts';
import { leafHash } from '../merkle.ts';
import { appendInPlace, NewHead } from '../new-head.ts';
import type { Verifier } from '../note.ts';
import { readCheckpoint } from '../read-checkpoint.ts';
import { readSnapshot } from '../read-snapshot.ts';
import { removeIndex as removeRowIndex } from '../sources/row-index.ts';
import { assertOrigin } from './ledger-sharer.ts';
import {
  batchesOf,
  contradiction,
  type SharedFacts,
  type SharedFile,
  type SharedLedger,
  type SharedLine,
  type SharedSnapshot,
  snapshotKeys,
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
interface Local {
  /** Of `head.ndjson` and the folder `snapshots`: whether something else wrote meanwhile. */
  stamp: string;
  /** End of the newest snapshot. */
  position: LedgerPosition;
  /** Seq after the last event. */
  end: number;
  /** Bytes of complete lines in the head. */
  bytes: number;
  /** The head has sealed events, or lacks some, or there is none: it is written again. */
  isOutdated: boolean;
  /** Number of events that are the same as in the shared ledger. */
  agreed: number;
  /** The newest snapshot is not shared yet. */
  isAhead: boolean;
}

const COPY_BYTES = 1024 * 1024;
/** Times that one update goes on because more snapshots were shared while it took some. */
const MAX_STEPS = 3;
/** Snapshots with two objects each, which are fetched at once. */
const PARALLEL_SNAPSHOTS = 8;
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
    await makeFolder(join(folder, 'snapshots'));
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
    const batches = batchesOf(await this.#options.shared.snapshots(local.position.snapshot));
    let fetching = this.#fetch(batches[0] ?? []);
    try {
      for (const [at, batch] of batches.entries()) {
        const fetched = await fetching;
        fetching = this.#fetch(batches[at + 1] ?? []);
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
        await this.#verify(file.value, snapshot, verified.at(-1)?.position ?? local.position, own);
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

  /** Fetches the files of each snapshot beside their places. Never rejects. */
  async #fetch(snapshots: readonly SharedSnapshot[]): Promise<PromiseSettledResult<SnapshotFile>[]> {
    const fetched: PromiseSettledResult<SnapshotFile>[] = [];
    await inParallel(snapshots.entries(), PARALLEL_SNAPSHOTS, async ([at, snapshot]) => {
      const waiting = waitingFile(this.#options.folder, snapshot.id);
      const keys = snapshotKeys(snapshot);
      const [events, checkpoint] = await Promise.allSettled([
        this.#download(keys.events, snapshot.events, waiting.events),
        this.#download(keys.checkpoint, snapshot.checkpoint, waiting.checkpoint),
      ]);
      const failed = [events, checkpoint].find(({ status }) => status === 'rejected');
      fetched[at] = (failed as PromiseRejectedResult) ?? { status: 'fulfilled', value: waiting };
    });
    return fetched;
  }

  async #download(key: string, { sha256, bytes }: SharedFile, path: string): Promise<void> {
    const { objects } = this.#options;
    const wrong = (found: string) =>
      new CathedralError('store_failed', {
        place: `${objects.name}/${key}`,
        expected: `${bytes} bytes with SHA-256 ${sha256}`,
        found,
      });
    const found = await objects.get(key);
    if (found === null || found === 'unchanged') throw wrong('no object');
    const hash = createHash('sha256');
    let length = 0;
    const file = await open(path, 'w');
    try {
      for await (const chunk of found.body) {
        length += chunk.length;
        if (length > bytes) throw wrong('more bytes');
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (this.#durable) await file.sync();
    } finally {
      await file.close();
    }
    const digest = hash.digest('hex');
    if (length !== bytes || digest !== sha256) throw wrong(`${length} bytes with SHA-256 ${digest}`);
  }

  /** Throws unless a known key signed the snapshot, it is what the database says, and the events of `own` are the same in it. */
  async #verify(
    file: SnapshotFile,
    { id, position, root }: SharedSnapshot,
    before: LedgerPosition,
    own: ReadonlyMap<number, string>,
  ): Promise<void> {
    const leaves = readSnapshot(file, before, this.#options.verifiers);
    let contradicting: { seq: number; known: string } | null = null;
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next())
      for (const { event, hash } of step.value) {
        const known = own.get(event.seq);
        if (known !== undefined && known !== hash) contradicting ??= { seq: event.seq, known };
      }
    const { size, checkpoint } = step.value;
    if (size !== position.size || checkpoint.root !== root)
      throw new CathedralError('store_failed', {
        place: `${this.#options.shared.name}, ledger_snapshots ${id}`,
        expected: `root ${checkpoint.root} of ${size} events, as the checkpoint says`,
        found: `root ${root} of ${position.size}`,
      });
    // Only what is verified can contradict what this machine has.
    if (contradicting) {
      const { seq, known } = contradicting;
      throw contradiction(`head.ndjson, event ${seq}`, 'the event that was shared', known);
    }
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

/** The next `head.ndjson`: the old one with new lines, in place where there is one, or without what is sealed. */
class HeadCopy {
  readonly #ledger: LedgerDirectory;
  readonly #local: Local;
  readonly #durable: boolean;
  #copy: NewHead | undefined;
  #single: Buffer | null = null;
  #count = 0;

  constructor(ledger: LedgerDirectory, local: Local, durable: boolean) {
    this.#ledger = ledger;
    this.#local = local;
    this.#durable = durable;
  }

  async add(lines: readonly SharedLine[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.concat(lines.flatMap(({ line }) => [line, LINE_END]));
    const isFirst = this.#count === 0;
    this.#count += lines.length;
    if (isFirst && lines.length === 1 && !this.#local.isOutdated) {
      this.#single = bytes;
      return;
    }
    await this.#begin();
    await this.#copy!.write(bytes);
  }

  async commit(): Promise<void> {
    const local = this.#local;
    if (local.isOutdated) await this.#begin();
    if (this.#copy) {
      local.bytes = await this.#copy.commit();
      local.isOutdated = false;
    } else if (this.#single) {
      await appendInPlace(this.#ledger.head, local.bytes, this.#single, this.#durable);
      local.bytes += this.#single.length;
    }
    local.end += this.#count;
  }

  async discard(): Promise<void> {
    await this.#copy?.discard();
  }

  async #begin(): Promise<void> {
    if (this.#copy) return;
    const { isOutdated, bytes, position, end } = this.#local;
    this.#copy = await NewHead.begin(this.#ledger.head, isOutdated ? 0 : bytes, this.#durable);
    if (isOutdated && bytes > 0 && end > position.size) await this.#keep(position.size);
    if (this.#single) await this.#copy.write(this.#single);
    this.#single = null;
  }

  /** Takes over the lines from seq `from` on. */
  async #keep(from: number): Promise<void> {
    let batch: Buffer[] = [];
    let bytes = 0;
    const flush = async () => {
      await this.#copy!.write(Buffer.concat(batch));
      batch = [];
      bytes = 0;
    };
    for await (const lines of readHeadLines(this.#ledger, from)) {
      for (const { line } of lines) {
        batch.push(line, LINE_END);
        bytes += line.length + 1;
      }
      if (bytes >= COPY_BYTES) await flush();
    }
    await flush();
  }
}

const LINE_END = Buffer.from('\n');

/** Where the files of a snapshot wait until they are verified. */
function waitingFile(folder: string, id: string): SnapshotFile {
  const { events, checkpoint } = snapshotFile(folder, id);
  return { id, events: `${events}${TEMPORARY_SUFFIX}`, checkpoint: `${checkpoint}${TEMPORARY_SUFFIX}` };
}

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

const Follower = z.object({ origin: z.string(), kind: z.enum(['replica', 'import']) });
/** Says that a folder follows a shared ledger. */
type Follower = z.output<typeof Follower>;

/** What a ledger's folder is a copy of; null if it is written by its owner. */
export function followerOf(folder: string): Follower | null {
  const path = followerFile(folder);
  return existsSync(path) ? Follower.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

async function markFollower(folder: string, follower: Follower): Promise<void> {
  const known = followerOf(folder);
  if (known?.origin === follower.origin && known.kind === follower.kind) return;
  await writeFileAtomically(followerFile(folder), JSON.stringify(follower), true);
}

/** Beside the ledger, whose folder holds nothing else. */
function followerFile(folder: string): string {
  return join(lockOf(folder), 'follows.json');
}
