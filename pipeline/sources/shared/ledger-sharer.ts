import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashFile } from '../../disk/hash-file.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import {
  type LedgerDirectory,
  openDirectory,
  type SnapshotFile,
  snapshotFile,
} from '../../ledger/reading/directory.ts';
import { type HeadCursor, openHead, readOpenHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import {
  assertOrigin,
  assertSameHash,
  batchesOf,
  contradiction,
  type SharedFacts,
  type SharedLedger,
  type SharedLine,
  type SharedSnapshot,
  StaleLedger,
  snapshotKeys,
} from './shared-ledger.ts';

export interface SharerOptions {
  /** The ledger's folder. */
  folder: string;
  /** One of these keys must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  shared: SharedLedger;
  objects: Pick<ObjectStore, 'name' | 'put'>;
  /** From 0 to below 1. */
  random?: () => number;
}

/** Attempts in a row that another writer may interrupt without having shared anything. */
const MAX_ATTEMPTS = 10;
/** Objects that are sent at once. */
const PARALLEL = 16;
/** How long to leave the ledger to a writer that was faster, at most, ms: it may have more to share, which need not be done twice. */
const TURN_MS = 200;

const HEADERS = {
  events: { 'content-type': 'application/zstd' },
  checkpoint: { 'content-type': 'text/plain; charset=utf-8' },
} as const;

/**
 * Shares a ledger in a folder with the other machines: its snapshots as objects with a row each, and the events of its head as rows. Only
 * adds, each event once and in order, and only what continues the shared ledger. It has no state of its own: it may be killed at any
 * moment, and several may share the same ledger.
 */
export class LedgerSharer {
  readonly #options: SharerOptions;
  readonly #ledger: LedgerDirectory;
  /** Number of events up to which folder and database agree, and where the head was read to; null: not compared yet. */
  #agreed: { size: number; cursor: HeadCursor | null } | null = null;
  /** A snapshot was shared, and not announced yet. */
  #isSealed = false;

  constructor(options: SharerOptions) {
    this.#options = options;
    this.#ledger = openDirectory(options.folder);
  }

  /**
   * Shares what is new, and returns the number of events that all machines have then. Throws log_forked if the folder does not continue
   * the shared ledger, config_invalid if the database has another one, store_failed, and the errors of reading a ledger.
   */
  async share(): Promise<number> {
    const { shared, random = Math.random } = this.#options;
    let before: number | null = null;
    let known = '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        const facts = await this.#facts();
        before ??= facts.size;
        // What another writer shares is done for both, however long that goes on.
        const reached = `${facts.size} ${facts.newest?.id}`;
        if (reached !== known) attempt = 1;
        known = reached;
        const size = await this.#shareOnce(facts);
        if (size > before || this.#isSealed) await shared.announce(size);
        this.#isSealed = false;
        return size;
      } catch (error) {
        this.#agreed = null;
        if (!(error instanceof StaleLedger)) throw error;
        if (attempt === MAX_ATTEMPTS) throw this.#unsettled();
        await sleep(random() * TURN_MS);
      }
    }
  }

  async #facts(): Promise<SharedFacts> {
    const { shared, verifiers } = this.#options;
    let facts = await shared.facts();
    if (!facts) {
      const newest = (await this.#ledger.snapshots(null)).at(-1);
      await shared.begin(newest ? readCheckpoint(newest, verifiers).checkpoint.origin : verifiers[0]!.name);
      facts = (await shared.facts())!;
    }
    assertOrigin(shared.name, facts.origin, verifiers);
    return facts;
  }

  async #shareOnce({ size, newest }: SharedFacts): Promise<number> {
    // Sealing moves events out of the head after their snapshot is there. So the snapshots that are listed after a head was opened have all
    // events before it, however much is sealed while they are shared.
    const head = await openHead(this.#ledger.head);
    try {
      if (newest) assertSameSnapshot(this.#options, newest);
      let end = { newest, size };
      for (const files of batchesOf(await this.#ledger.snapshots(newest?.id ?? null)))
        end = await this.#shareSnapshots(files, end);
      return await this.#shareHead(head, end);
    } finally {
      await head?.close();
    }
  }

  /** Returns the newest snapshot and the number of events that are shared then. */
  async #shareSnapshots(
    files: readonly SnapshotFile[],
    { newest, size }: Pick<SharedFacts, 'newest' | 'size'>,
  ): Promise<Pick<SharedFacts, 'newest' | 'size'>> {
    const { shared, objects } = this.#options;
    const sealed: SharedSnapshot[] = [];
    // Verified before anyone else gets them.
    for (const file of files)
      sealed.push(await this.#verified(file, (sealed.at(-1) ?? newest)?.position ?? LEDGER_START, size));
    const puts = files.flatMap((file, at) => {
      const keys = snapshotKeys(sealed[at]!);
      return (['events', 'checkpoint'] as const).map((name) => ({
        key: keys[name],
        object: { file: file[name], sha256: sealed[at]![name].sha256, headers: HEADERS[name] },
      }));
    });
    // Under the names of their hashes, so nothing else is ever overwritten.
    await inParallel(puts, PARALLEL, async ({ key, object }) => void (await objects.put(key, object)));
    await shared.seal(sealed, newest, size);
    this.#isSealed = true;
    const last = sealed.at(-1)!;
    return { newest: last, size: Math.max(size, last.position.size) };
  }

  /** `size`: the number of shared events, of which those of the snapshot must be the same. */
  async #verified(file: SnapshotFile, before: LedgerPosition, size: number): Promise<SharedSnapshot> {
    const { shared, verifiers } = this.#options;
    const { checkpoint } = readCheckpoint(file, verifiers);
    const hashes = await shared.hashes(before.size, Math.min(checkpoint.size, size));
    const leaves = readSnapshot(file, before, verifiers);
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next())
      for (const { event, hash } of step.value)
        assertSameHash(`snapshots/${file.id}.ndjson.zst`, event.seq, hash, hashes.get(event.seq));
    const { range, timestamp } = step.value;
    return {
      id: file.id,
      position: { snapshot: file.id, size: checkpoint.size, range, timestamp },
      root: checkpoint.root,
      events: await hashFile(file.events),
      checkpoint: await hashFile(file.checkpoint),
    };
  }

  async #shareHead(
    head: FileHandle | undefined,
    { newest, size }: Pick<SharedFacts, 'newest' | 'size'>,
  ): Promise<number> {
    const { shared, folder } = this.#options;
    const sealed = newest?.position.size ?? 0;
    const from = Math.max(this.#agreed?.size ?? sealed, sealed);
    let agreed = { size: from, cursor: null as HeadCursor | null };
    const batches = this.#newLines(head, from, size, (end) => {
      agreed = end;
    });
    let next = await batches.next();
    try {
      if (!next.done) {
        let isBegun = false;
        await shared.append(size, async (add) => {
          // What was read from the head is gone if the database begins again.
          if (isBegun) throw new StaleLedger();
          isBegun = true;
          for (; !next.done; next = await batches.next()) await add(next.value);
          return agreed.size;
        });
      }
    } finally {
      await batches.return();
    }
    // The head has lost lines that were read from it before.
    const isCut = agreed.cursor === null && from > sealed;
    if (isCut || agreed.size < size)
      throw contradiction(
        folder,
        `the ${size} events that were shared`,
        isCut || agreed.size === 0 ? 'fewer' : `${agreed.size} of them`,
      );
    this.#agreed = agreed;
    return agreed.size;
  }

  /**
   * The lines of the head from seq `size` on, in batches. Compares those from `from` on before them with what was shared. `ended` is told
   * where they end. Throws StaleLedger for lines that another sealer has taken, log_forked, and ledger_order for a gap.
   */
  async *#newLines(
    head: FileHandle | undefined,
    from: number,
    size: number,
    ended: (end: { size: number; cursor: HeadCursor | null }) => void,
  ): AsyncGenerator<SharedLine[], void> {
    const hashes = await this.#options.shared.hashes(from, size);
    let end = from;
    const lines = head && readOpenHeadLines(head, from, this.#agreed?.cursor ?? null);
    if (!lines) return;
    try {
      let step = await lines.next();
      for (; !step.done; step = await lines.next()) {
        const batch: SharedLine[] = [];
        for (const { event, line } of step.value) {
          if (event.seq !== end) throw gapBefore(end);
          assertSameHash('head.ndjson', end, leafHash(line), hashes.get(end));
          if (end >= size) batch.push({ seq: end, line });
          end += 1;
        }
        if (batch.length > 0) yield batch;
      }
      ended({ size: end, cursor: step.value });
    } finally {
      await lines.return(null);
    }
  }

  #unsettled(): CathedralError {
    const { shared } = this.#options;
    return new CathedralError('store_failed', {
      place: shared.name,
      expected: 'no other writer of the shared ledger',
      found: `another one in each of ${MAX_ATTEMPTS} attempts, which shared nothing`,
    });
  }
}

function gapBefore(seq: number): CathedralError {
  return new CathedralError('ledger_order', {
    place: 'head.ndjson',
    expected: `event ${seq} after the newest ledger snapshot, or after the event before it`,
    found: 'a later one',
  });
}

/** Throws log_forked unless the folder has a shared snapshot. */
function assertSameSnapshot(
  { folder, verifiers }: SharerOptions,
  { id, position, root }: SharedSnapshot,
): void {
  const place = `snapshots/${id}.checkpoint`;
  const expected = `the shared ledger snapshot of ${position.size} events with root ${root}`;
  let found = 'none';
  try {
    const { checkpoint } = readCheckpoint(snapshotFile(folder, id), verifiers);
    if (checkpoint.size === position.size && checkpoint.root === root) return;
    found = `root ${checkpoint.root} of ${checkpoint.size}`;
  } catch (error) {
    if (!(error instanceof CathedralError && error.code === 'ledger_unreadable')) throw error;
  }
  throw contradiction(place, expected, found);
}
