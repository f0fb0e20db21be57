import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resume } from '../../../pipeline/build/resume.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { openDirectory } from '../../../pipeline/ledger/directory.ts';
import { type HeadCursor, readHead } from '../../../pipeline/ledger/head.ts';
import type { Leaf } from '../../../pipeline/ledger/leaf.ts';
import type { Verifier } from '../../../pipeline/ledger/note.ts';
import { readSnapshot } from '../../../pipeline/ledger/read-snapshot.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import type { State } from '../../../pipeline/model/state.ts';
import { assertFits } from './assert-fits.ts';

/** Snapshots that are sealed while one reading goes on: one is usual, more than a few mean that the ledger has a gap. */
const MAX_ATTEMPTS = 3;

/**
 * A release's state that goes on with the ledger. It is kept twice: as of the last snapshot, where all of it is signed for,
 * and with the events of the head, which nobody has signed yet. With each new snapshot the second is made anew from the
 * first, so whatever the head said, what was sealed counts: no event is missed and none counts twice.
 */
export class LedgerFold {
  readonly #ledger: ReturnType<typeof openDirectory>;
  readonly #verifiers: readonly Verifier[];
  #sealed: Resume;
  /** Null: to be made from `#sealed`. */
  #grown: (Resume & { cursor: HeadCursor | null }) | null = null;
  #fits = false;
  /** Of the folder of snapshots, when it was last listed. */
  #listedAt: bigint | null = null;

  /** `ledger` is a ledger's folder; `from` is taken over, and must not be used afterwards. */
  constructor(ledger: string, verifiers: readonly Verifier[], from: Resume) {
    this.#ledger = openDirectory(ledger);
    this.#verifiers = verifiers;
    this.#sealed = from;
  }

  /** As of the last snapshot read; not to be changed. */
  get sealed(): Readonly<Resume> {
    return this.#sealed;
  }

  /**
   * Reads what is new and returns the state with it, which later calls go on to change. Throws what reading a ledger
   * throws; the state returned before may have got some of the new events then, and does not change any more.
   */
  async advance(): Promise<State> {
    if (!this.#fits) await assertFits(this.#ledger.path, this.#sealed.position, this.#verifiers);
    this.#fits = true;
    await this.#readNewSnapshots();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const state = await this.#readHead();
      if (state) return state;
      await this.#readSnapshots();
    }
    const { size } = this.#sealed.position;
    throw new CathedralError('ledger_order', {
      place: 'head.ndjson:1',
      expected: `seq ${size}, where the snapshots end, or before`,
      found: 'a later one',
    });
  }

  /** A listing of years of snapshots is worth a look at the folder's time first. */
  async #readNewSnapshots(): Promise<void> {
    const at = await stat(join(this.#ledger.path, 'snapshots'), { bigint: true }).then(
      ({ mtimeNs }) => mtimeNs,
      // The listing says what is wrong.
      () => null,
    );
    if (at !== null && at === this.#listedAt) return;
    await this.#readSnapshots();
    this.#listedAt = at;
  }

  async #readSnapshots(): Promise<void> {
    for (const file of await this.#ledger.snapshots(this.#sealed.position.snapshot)) {
      // A copy: until the last event has come and the root is right, nothing of it is believed.
      const folded = await fold(
        structuredClone(this.#sealed.state),
        readSnapshot(file, this.#sealed.position, this.#verifiers),
      );
      const { checkpoint: _, note: __, ...position } = folded.end;
      this.#sealed = { position, state: folded.state };
      this.#grown = null;
    }
  }

  /** Null where the head is not the one that was read before, or begins after the last snapshot that was read. */
  async #readHead(): Promise<State | null> {
    const known = this.#grown;
    // Taken back only when all went well: a state that got half of the new events is of no known position.
    this.#grown = null;
    const { state, position, cursor } = known ?? {
      state: structuredClone(this.#sealed.state),
      position: this.#sealed.position,
      cursor: null,
    };
    try {
      const folded = await fold(state, readHead(this.#ledger, position, cursor));
      const { end } = folded;
      const isOther = end.cursor === null && position.size > this.#sealed.position.size;
      if (end.behind || isOther) return null;
      this.#grown = { state: folded.state, position: end.position, cursor: end.cursor };
      return folded.state;
    } catch (error) {
      // Perhaps only what was added to before is gone: read from the last snapshot on, the ledger may be whole.
      if (known) return null;
      throw error;
    }
  }
}

async function fold<End>(
  from: State,
  batches: AsyncGenerator<Leaf[], End>,
): Promise<{ state: State; end: End }> {
  let state = from;
  let batch = await batches.next();
  for (; !batch.done; batch = await batches.next()) {
    for (const leaf of batch.value) state = apply(state, leaf);
  }
  return { state, end: batch.value };
}
