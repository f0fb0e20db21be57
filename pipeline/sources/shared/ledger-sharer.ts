import { setTimeout as sleep } from 'node:timers/promises';
import { hashFile } from '../../disk/hash-file.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { LEDGER_START } from '../../ledger/log/leaf.ts';
import { leafHash } from '../../ledger/log/merkle.ts';
import {
  type LedgerDirectory,
  openDirectory,
  type SnapshotFile,
  snapshotFile,
} from '../../ledger/reading/directory.ts';
import { type HeadLine, openHead, readOpenHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { counted } from '../../words/number.ts';
import {
  assertOrigin,
  batchesOf,
  contradiction,
  type LedgerCopy,
  nameOf,
  notShared,
  readCompared,
  type SharedFacts,
  type SharedLine,
  type SharedSnapshot,
  SNAPSHOTS_PREFIX,
  StaleLedger,
  snapshotKeys,
} from './shared-ledger.ts';

export interface SharerOptions extends LedgerCopy {
  objects: Pick<ObjectStore, 'name' | 'put' | 'list'>;
  /** From 0 to below 1. */
  random?: () => number;
}

/** Attempts in a row that another writer may interrupt without having shared anything. */
const MAX_ATTEMPTS = 10;
/** Objects that are sent at once. */
const PARALLEL = 16;
/** How long to leave the ledger to a writer that was faster, at most, ms: it may have more to share, which need not be done twice. */
const TURN_MS = 200;

/** Of a snapshot. */
const FILES = ['events', 'checkpoint'] as const;

const HEADERS = {
  events: { 'content-type': 'application/zstd' },
  checkpoint: { 'content-type': 'text/plain; charset=utf-8' },
} as const;

/**
 * Shares a ledger in a folder with the other machines: its snapshots as objects with a row each, and the events of its head as rows. Only
 * adds, each event once and in order, and only what continues the shared ledger. It has no state that it needs: it may be killed at any
 * moment, and several may share the same ledger.
 */
export class LedgerSharer {
  readonly #options: SharerOptions;
  readonly #ledger: LedgerDirectory;
  /** Number of events up to which folder and database agree. */
  #agreed = 0;

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
    let known = '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        const facts = await this.#sharedFacts();
        // What another writer shares is done for both, however long that goes on.
        if (nameOf(facts) !== known) attempt = 1;
        known = nameOf(facts);
        return await this.#shareOnce(facts);
      } catch (error) {
        this.#agreed = 0;
        if (!(error instanceof StaleLedger)) throw error;
        if (attempt === MAX_ATTEMPTS)
          throw new CathedralError('store_failed', {
            place: shared.name,
            expected: 'no other writer of the shared ledger',
            found: `another one in each of ${MAX_ATTEMPTS} attempts, which shared nothing`,
          });
        await sleep(random() * TURN_MS);
      }
    }
  }

  /**
   * Sends the files of shared snapshots that the bucket lacks or has with another length, as after it was restored from a copy: `share` looks only
   * at what the database lacks. Returns how many. Throws store_failed.
   */
  async sendAgain(): Promise<number> {
    const { shared, objects, folder } = this.#options;
    // The rows first: their objects were there before them.
    const snapshots = await shared.snapshots(null);
    const found = new Map<string, number>();
    for await (const { key, bytes } of objects.list(SNAPSHOTS_PREFIX)) found.set(key, bytes);
    const missing = snapshots.flatMap((snapshot) => {
      const [keys, files] = [snapshotKeys(snapshot), snapshotFile(folder, snapshot.id)];
      return FILES.filter((name) => found.get(keys[name]) !== snapshot[name].bytes).map((name) => ({
        key: keys[name],
        object: { file: files[name], sha256: snapshot[name].sha256, headers: HEADERS[name] },
      }));
    });
    let sent = 0;
    await inParallel(missing, PARALLEL, async ({ key, object }) => {
      // Another importer may have compressed the same events differently, and only it has these bytes.
      const own = await hashFile(object.file).catch(() => null);
      if (own?.sha256 !== object.sha256) return;
      await objects.put(key, object);
      sent += 1;
    });
    return sent;
  }

  /** What is shared, which is begun where nobody has shared anything. */
  async #sharedFacts(): Promise<SharedFacts> {
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
    await using head = await openHead(this.#ledger.head);
    if (newest) this.#assertHas(newest);
    let end = { newest, size };
    for (const files of batchesOf(await this.#ledger.snapshots(newest?.id ?? null)))
      end = await this.#shareSnapshots(files, end);
    const sealed = end.newest?.position.size ?? 0;
    const from = Math.max(this.#agreed, sealed);
    const hashes = await this.#options.shared.hashes(from, end.size);
    const lines = head && newLines(readOpenHeadLines(head, from), from, end.size, hashes);
    this.#agreed = await this.#shareLines(lines, end.size, sealed);
    return this.#agreed;
  }

  /** Throws log_forked unless the folder has a shared snapshot. */
  #assertHas({ id, position, root }: SharedSnapshot): void {
    const { folder, verifiers } = this.#options;
    const expected = `the shared ledger snapshot of ${counted(position.size, 'event')} with root ${root}`;
    let found = 'none';
    try {
      const { checkpoint } = readCheckpoint(snapshotFile(folder, id), verifiers);
      if (checkpoint.size === position.size && checkpoint.root === root) return;
      found = `root ${checkpoint.root} of ${checkpoint.size}`;
    } catch (error) {
      if (!(error instanceof CathedralError && error.code === 'ledger_unreadable')) throw error;
    }
    throw contradiction(`snapshots/${id}.checkpoint`, expected, found);
  }

  /** Returns the newest snapshot and the number of events that are shared then. */
  async #shareSnapshots(
    files: readonly SnapshotFile[],
    { newest, size }: Pick<SharedFacts, 'newest' | 'size'>,
  ): Promise<Pick<SharedFacts, 'newest' | 'size'>> {
    const { shared, objects, verifiers } = this.#options;
    const sealed: SharedSnapshot[] = [];
    // Verified before anyone else gets them.
    for (const file of files) {
      const before = (sealed.at(-1) ?? newest)?.position ?? LEDGER_START;
      const { checkpoint } = readCheckpoint(file, verifiers);
      const known = await shared.hashes(before.size, Math.min(checkpoint.size, size));
      const place = `snapshots/${file.id}.ndjson.zst`;
      const { root } = checkpoint;
      const { position } = await readCompared(file, before, verifiers, known, (seq, hash, own) =>
        notShared(place, seq, hash, own),
      );
      const [events, signed] = [await hashFile(file.events), await hashFile(file.checkpoint)];
      sealed.push({ id: file.id, position, root, events, checkpoint: signed });
    }
    const puts = files.flatMap((file, at) => {
      const keys = snapshotKeys(sealed[at]!);
      return FILES.map((name) => ({
        key: keys[name],
        object: { file: file[name], sha256: sealed[at]![name].sha256, headers: HEADERS[name] },
      }));
    });
    // Under the names of their hashes, so nothing else is ever overwritten.
    await inParallel(puts, PARALLEL, async ({ key, object }) => void (await objects.put(key, object)));
    await shared.seal(sealed, newest, size);
    const last = sealed.at(-1)!;
    return { newest: last, size: Math.max(size, last.position.size) };
  }

  /** Adds lines of the head behind the first `size` events, in one transaction, and returns the number of events that are shared then. */
  async #shareLines(
    batches: ReturnType<typeof newLines> | undefined,
    size: number,
    sealed: number,
  ): Promise<number> {
    const { shared, folder } = this.#options;
    let step = await batches?.next();
    try {
      if (step?.done === false) {
        let isBegun = false;
        await shared.append(size, async (add) => {
          // What was read from the head is gone if the database begins again.
          if (isBegun) throw new StaleLedger();
          isBegun = true;
          for (; step?.done === false; step = await batches!.next()) await add(step.value);
          return step!.value as number;
        });
      }
    } finally {
      await batches?.return(0);
    }
    const end = (step?.value as number | undefined) ?? sealed;
    if (end >= size) return end;
    const found = end === 0 ? 'fewer' : `${end} of them`;
    throw contradiction(folder, `the ${counted(size, 'event')} shared before`, found);
  }
}

/**
 * The lines of a head from seq `size` on, in batches. Compares those from `from` on before them with what was shared. Returns where they end;
 * null if that is before `from`. Throws log_forked, and ledger_order for a gap.
 */
async function* newLines(
  batches: AsyncGenerator<HeadLine[], boolean>,
  from: number,
  size: number,
  hashes: ReadonlyMap<number, string>,
): AsyncGenerator<SharedLine[], number | null> {
  let end = from;
  try {
    let step = await batches.next();
    for (; !step.done; step = await batches.next()) {
      const added: SharedLine[] = [];
      for (const { event, line } of step.value) {
        if (event.seq !== end) throw gapBefore(end);
        const [own, shared] = [leafHash(line), hashes.get(end)];
        if (shared !== undefined && own !== shared) throw notShared('head.ndjson', end, own, shared);
        if (end >= size) added.push({ seq: end, line });
        end += 1;
      }
      if (added.length > 0) yield added;
    }
    return step.value ? end : null;
  } finally {
    await batches.return(false);
  }
}

function gapBefore(seq: number): CathedralError {
  return new CathedralError('ledger_order', {
    place: 'head.ndjson',
    expected: `event ${seq} after the newest ledger snapshot, or after the event before it`,
    found: 'a later one',
  });
}
