import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resume } from '../../../pipeline/build/resume.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Leaf, LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { CompactRange } from '../../../pipeline/ledger/log/merkle.ts';
import { parseCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import type { Verifier } from '../../../pipeline/ledger/notes/note.ts';
import { openNote } from '../../../pipeline/ledger/notes/open-note.ts';
import { openDirectory, snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { type HeadCursor, readHead } from '../../../pipeline/ledger/reading/head.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import type { State } from '../../../pipeline/model/state.ts';
import { counted } from '../../../pipeline/words/number.ts';

/** A gap in the ledger is one after that many readings. */
const ATTEMPTS = 4;

/**
 * A release's state, advanced with the ledger. It is kept twice: as of the last ledger snapshot, which is signed, and with
 * the provisional events of the head. Each new snapshot rebuilds the second from the first, so sealed events override
 * whatever the head said: no event is missed and none counts twice.
 */
export class LedgerFold {
  readonly #ledger: ReturnType<typeof openDirectory>;
  readonly #verifiers: readonly Verifier[];
  #sealed: Resume;
  /** Null: to be rebuilt from `#sealed`. */
  #provisional: (Resume & { cursor: HeadCursor | null; since: string | null }) | null = null;
  /** Of the last reading that succeeded. */
  #unsealedSince: string | null = null;
  #matches = false;
  /** Modification time of the snapshot folder when it was last listed. */
  #listedAt: bigint | null = null;

  /** `ledger` is a ledger's folder. The caller must not use `from` afterwards. */
  constructor(ledger: string, verifiers: readonly Verifier[], from: Resume) {
    this.#ledger = openDirectory(ledger);
    this.#verifiers = verifiers;
    this.#sealed = from;
  }

  /** As of the last ledger snapshot read; callers must not change it. */
  get sealed(): Readonly<Resume> {
    return this.#sealed;
  }

  /** Time of the oldest event that is not sealed; null if every event read is. */
  get unsealedSince(): string | null {
    return this.#unsealedSince;
  }

  /**
   * Reads what is new and returns the state with it, which later calls change. Throws what reading a ledger throws; the
   * state returned before may then have some of the new events, and changes no more.
   */
  async advance(): Promise<State> {
    if (!this.#matches) await this.#assertMatches();
    this.#matches = true;
    await this.#readNewSnapshots();
    // The head may have been replaced, or a snapshot sealed, during a reading; the next one is from the snapshots on.
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const state = await this.#readHead();
      if (state) return state;
      await this.#readSnapshots();
    }
    const { size } = this.#sealed.position;
    throw new CathedralError('ledger_order', {
      place: 'head.ndjson:1',
      expected: `seq ${size}, where the ledger snapshots end, or before`,
      found: 'a later one',
    });
  }

  async #assertMatches(): Promise<void> {
    await assertReleaseMatchesLedger(this.#ledger.path, this.#sealed.position, this.#verifiers);
  }

  /** Checks the folder's modification time first, since listing years of snapshots is slow. */
  async #readNewSnapshots(): Promise<void> {
    const at = await stat(join(this.#ledger.path, 'snapshots'), { bigint: true }).then(
      ({ mtimeNs }) => mtimeNs,
      // Listing the folder reports the error.
      () => null,
    );
    if (at !== null && at === this.#listedAt) return;
    // A machine that imports in turn with others may have had to give up a snapshot of its own. An older copy of the ledger just lacks some.
    await this.#assertMatches().catch((error) => {
      if (!(error instanceof CathedralError && error.code === 'ledger_unreadable')) throw error;
    });
    await this.#readSnapshots();
    this.#listedAt = at;
  }

  async #readSnapshots(): Promise<void> {
    for (const file of await this.#ledger.snapshots(this.#sealed.position.snapshot)) {
      // A copy, since nothing is accepted before the root over all of it is verified.
      const folded = await fold(
        structuredClone(this.#sealed.state),
        readSnapshot(file, this.#sealed.position, this.#verifiers),
      );
      this.#sealed = { position: folded.end.position, state: folded.state };
      this.#provisional = null;
    }
  }

  /** Null if the head is not the one read before, or starts after the last ledger snapshot read. */
  async #readHead(): Promise<State | null> {
    const known = this.#provisional;
    // Restored only on success: a state with half of the new events has no known position.
    this.#provisional = null;
    const { state, position, cursor, since } = known ?? {
      state: structuredClone(this.#sealed.state),
      position: this.#sealed.position,
      cursor: null,
      since: null,
    };
    try {
      const folded = await fold(state, readHead(this.#ledger, position, cursor));
      const { end } = folded;
      const isOther = end.cursor === null && position.size > this.#sealed.position.size;
      if (end.behind || isOther) return null;
      const { position: at, cursor: to } = end;
      this.#provisional = { state: folded.state, position: at, cursor: to, since: since ?? folded.first };
      this.#unsealedSince = this.#provisional.since;
      return folded.state;
    } catch (error) {
      // The head may have been replaced: read from the last ledger snapshot, the ledger may be whole.
      if (known) return null;
      throw error;
    }
  }
}

/** `first`: the time of the first event. */
async function fold<End>(
  from: State,
  batches: AsyncGenerator<Leaf[], End>,
): Promise<{ state: State; end: End; first: string | null }> {
  let state = from;
  let first: string | null = null;
  let batch = await batches.next();
  for (; !batch.done; batch = await batches.next()) {
    first ??= batch.value[0]?.event.timestamp ?? null;
    for (const leaf of batch.value) state = apply(state, leaf);
  }
  return { state, end: batch.value, first };
}

/**
 * A release is advanced only with the ledger it was built from: the head is not signed, so the head of any ledger would
 * pass. Throws `ledger_unreadable` if the ledger lacks the release's snapshot, `ledger_root` if that signs another root,
 * and what reading a checkpoint throws.
 */
export async function assertReleaseMatchesLedger(
  ledger: string,
  { snapshot, size, range }: LedgerPosition,
  verifiers: readonly Verifier[],
): Promise<void> {
  if (snapshot === null) return;
  const place = `snapshots/${snapshot}.checkpoint`;
  const note = await readFile(snapshotFile(ledger, snapshot).checkpoint).catch(
    (cause: NodeJS.ErrnoException) => {
      const fault = {
        expected: 'the ledger snapshot that the release was built from',
        found: cause.code ?? 'none',
      };
      throw new CathedralError('ledger_unreadable', { place, ...fault, cause });
    },
  );
  const signed = parseCheckpoint(openNote(note, verifiers, place).text, place);
  const root = CompactRange.resume(size, range).root();
  if (signed.size === size && signed.root === root) return;
  throw new CathedralError('ledger_root', {
    place,
    expected: `root ${root} of ${counted(size, 'event')}, as in the release`,
    found: `root ${signed.root} of ${signed.size}: another ledger`,
  });
}
