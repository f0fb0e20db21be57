import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { LEDGER_START, type LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import {
  type LedgerDirectory,
  newestSnapshot,
  openDirectory,
  type SnapshotFile,
  snapshotFile,
} from '../../ledger/reading/directory.ts';
import { type HeadCursor, openHead, readOpenHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import {
  assertSameHash,
  assertSameLine,
  batchesOf,
  contradiction,
  type SharedFacts,
  type SharedFile,
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
/** A folder that changed less than that ago is listed again, because its modification time may not show a second change, ms. */
const MTIME_STEP_MS = 2000;

/** What one reading of the head came to. */
interface HeadRead {
  /** Seq after the last line read. */
  end: number;
  /** A line that does not follow came next. */
  gap: boolean;
  cursor: HeadCursor | null;
}

/**
 * Shares a ledger in a folder with the other machines: its snapshots as objects with a row each, and the events of its head as rows. Only
 * adds, each event once and in order, and only what continues the shared ledger. It has no state of its own: it may be killed at any
 * moment, and several may share the same ledger.
 */
export class LedgerSharer {
  readonly #options: SharerOptions;
  readonly #ledger: LedgerDirectory;
  /** The newest shared snapshot; the folder has the same one. */
  #newest: SharedSnapshot | null = null;
  /** Number of events up to which folder and database agree; null: not compared yet. */
  #agreed: number | null = null;
  #cursor: HeadCursor | null = null;
  #listedAt: bigint | null = null;
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
        this.#cursor = null;
        if (!(error instanceof StaleLedger)) throw error;
        if (attempt === MAX_ATTEMPTS) throw this.#unsettled();
        await sleep(random() * TURN_MS);
      }
    }
  }

  async #facts(): Promise<SharedFacts> {
    const { shared, verifiers } = this.#options;
    const facts = (await shared.facts()) ?? (await this.#begin());
    assertOrigin(shared.name, facts.origin, verifiers);
    return facts;
  }

  async #begin(): Promise<SharedFacts> {
    const { shared, verifiers } = this.#options;
    const newest = await newestSnapshot(this.#ledger);
    const origin = newest ? readCheckpoint(newest, verifiers).checkpoint.origin : verifiers[0]!.name;
    await shared.begin(origin);
    return (await shared.facts())!;
  }

  async #shareOnce(facts: SharedFacts): Promise<number> {
    // Sealing moves events out of the head after their snapshot is there. So the snapshots that are listed after a head was opened have all
    // events before it, however much is sealed while they are shared.
    const head = await openHead(this.#ledger.head);
    try {
      await this.#follow(facts);
      let { size } = facts;
      for (const files of batchesOf(await this.#newSnapshots()))
        size = await this.#shareSnapshots(files, size);
      return await this.#shareHead(head, size);
    } finally {
      await head?.close();
    }
  }

  /** Takes the newest shared snapshot, which another process may have shared, for the end of what is done. */
  async #follow({ newest }: SharedFacts): Promise<void> {
    if (newest?.id === this.#newest?.id) return;
    if (newest) assertSameSnapshot(this.#options, newest);
    this.#newest = newest;
    this.#listedAt = null;
  }

  /** Checks the folder's modification time first, since listing years of snapshots is slow. */
  async #newSnapshots(): Promise<SnapshotFile[]> {
    const { mtimeNs } = await stat(join(this.#ledger.path, 'snapshots'), { bigint: true }).catch(() => ({
      mtimeNs: null,
    }));
    if (mtimeNs !== null && mtimeNs === this.#listedAt) return [];
    const files = await this.#ledger.snapshots(this.#newest?.id ?? null);
    const isSettled = mtimeNs !== null && Date.now() - Number(mtimeNs / 1_000_000n) > MTIME_STEP_MS;
    this.#listedAt = isSettled ? mtimeNs : null;
    return files;
  }

  /** `size`: the number of shared events. Returns the new one. */
  async #shareSnapshots(files: readonly SnapshotFile[], size: number): Promise<number> {
    const { shared, objects } = this.#options;
    const previous = this.#newest;
    const sealed: SharedSnapshot[] = [];
    // Verified before anyone else gets them.
    for (const file of files)
      sealed.push(await this.#verified(file, (sealed.at(-1) ?? previous)?.position ?? LEDGER_START, size));
    const puts = files.flatMap((file, at) => {
      const keys = snapshotKeys(sealed[at]!);
      return (['events', 'checkpoint'] as const).map((name) => ({
        key: keys[name],
        object: { file: file[name], sha256: sealed[at]![name].sha256, headers: HEADERS[name] },
      }));
    });
    // Under the names of their hashes, so nothing else is ever overwritten.
    await inParallel(puts, PARALLEL, async ({ key, object }) => void (await objects.put(key, object)));
    await shared.seal(sealed, previous, size);
    this.#newest = sealed.at(-1)!;
    this.#isSealed = true;
    return Math.max(size, this.#newest.position.size);
  }

  /** `size`: the number of shared events, of which those of the snapshot must be the same. */
  async #verified(file: SnapshotFile, before: LedgerPosition, size: number): Promise<SharedSnapshot> {
    const { shared, verifiers } = this.#options;
    const { checkpoint } = readCheckpoint(file, verifiers);
    const hashes = await shared.hashes(before.size, Math.min(checkpoint.size, size));
    const leaves = readSnapshot(file, before, verifiers);
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next())
      for (const { event, hash } of step.value) {
        const known = hashes.get(event.seq);
        if (known !== undefined) assertSameHash(`snapshots/${file.id}.ndjson.zst`, event.seq, hash, known);
      }
    const { range, timestamp } = step.value;
    return {
      id: file.id,
      position: { snapshot: file.id, size: checkpoint.size, range, timestamp },
      root: checkpoint.root,
      events: await hashFile(file.events),
      checkpoint: await hashFile(file.checkpoint),
    };
  }

  async #shareHead(head: FileHandle | undefined, size: number): Promise<number> {
    const { shared } = this.#options;
    const sealed = this.#newest?.position.size ?? 0;
    const from = Math.max(this.#agreed ?? sealed, sealed);
    const batches = this.#newLines(head, from, size);
    let step = await batches.next();
    try {
      let isBegun = step.done;
      if (!step.done)
        await shared.append(size, async (add) => {
          // What was read from the head is gone if the database begins again.
          if (isBegun) throw new StaleLedger();
          isBegun = true;
          for (; !step.done; step = await batches.next()) await add(step.value);
          if (step.value.gap) throw new StaleLedger();
          return step.value.end;
        });
    } finally {
      if (!step.done) await batches.return({ end: from, gap: true, cursor: null });
    }
    const { end, gap, cursor } = step.value as HeadRead;
    if (gap) throw gapBefore(end);
    if (end < size) throw this.#behind(end, size);
    this.#cursor = cursor;
    this.#agreed = end;
    return end;
  }

  /** The lines of the head from seq `size` on, in batches. Compares those from `from` on before them with what was shared. */
  async *#newLines(
    head: FileHandle | undefined,
    from: number,
    size: number,
  ): AsyncGenerator<SharedLine[], HeadRead> {
    const hashes = await this.#options.shared.hashes(from, size);
    let end = from;
    const lines = head && readOpenHeadLines(head, from, this.#cursor);
    let step = await (lines?.next() ?? NO_LINES);
    try {
      for (; !step.done; step = await lines!.next()) {
        const batch: SharedLine[] = [];
        for (const { event, line } of step.value) {
          const one = { seq: event.seq, line };
          if (one.seq !== end) return { end, gap: true, cursor: null };
          assertSameLine('head.ndjson', one, hashes.get(one.seq));
          if (one.seq >= size) batch.push(one);
          end += 1;
        }
        if (batch.length > 0) yield batch;
      }
    } finally {
      if (!step.done) await lines!.return(null);
    }
    // The head has lost lines that were read from it before.
    if (step.value === null && from > (this.#newest?.position.size ?? 0)) end = 0;
    return { end, gap: false, cursor: step.value };
  }

  #behind(end: number, size: number): CathedralError {
    const found = end === 0 ? 'fewer' : `${end} of them`;
    return contradiction(this.#options.folder, `the ${size} events that were shared`, found);
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

/** What a ledger without a head has. */
const NO_LINES = { done: true, value: null } as const;

const HEADERS = {
  events: { 'content-type': 'application/zstd' },
  checkpoint: { 'content-type': 'text/plain; charset=utf-8' },
} as const;

/** Throws config_invalid if these keys are not those of the shared ledger. */
export function assertOrigin(place: string, origin: string, verifiers: readonly Verifier[]): void {
  if (verifiers.some(({ name }) => name === origin)) return;
  const own = [...new Set(verifiers.map(({ name }) => name))].join(', ');
  throw new CathedralError('config_invalid', {
    place: '--ledger-key',
    expected: `a verifier key of ${origin}, the ledger that ${place} has (or a database of its own for each ledger)`,
    found: `keys of ${own}`,
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

async function hashFile(path: string): Promise<SharedFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
