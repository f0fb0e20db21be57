import { stat } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS, warningsOf } from '../events/draft.ts';
import { isKnownType, type LedgerEvent } from '../events/event.ts';
import { nextSlotId, slotId, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { readClaims, type Verifier } from '../notes/note.ts';
import { openDirectory, type Slot } from '../reading/directory.ts';
import { readHead, readHeadEnds } from '../reading/head.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import { readSnapshot, readUnsigned } from '../reading/read-snapshot.ts';
import type { LedgerFindings } from './findings.ts';
import { listSlots, UNFINISHED } from './ledger-folder.ts';

/** What a check found out about a ledger, beside its findings. */
export interface LedgerFacts {
  /** Ids of the ledger snapshots. */
  snapshots: { count: number; first: string | null; last: string | null };
  /** Events read, in the snapshots and in the head. */
  events: { sealed: number; head: number };
  /** Root hash over all sealed events; null if an error made it impossible to compute. */
  root: string | null;
  /** Time of the newest event. */
  asOf: string | null;
  /** Events of types that the fold ignores, by type. */
  ignored: ReadonlyMap<string, number>;
  /** Who signed the checkpoints. */
  keys: readonly KeyUse[];
  /** Number of events before the first that was unreadable or missing, where the fold ended; null: there was none. */
  foldedUntil: number | null;
  /** Ledger snapshots whose roots could not be compared, because of an error in an earlier one. */
  unverified: number;
}

export interface KeyUse {
  /** `name+id` */
  key: string;
  /** Whether readers accept it. */
  isKnown: boolean;
  /** Checkpoints that it signed, and the ids of the first and the last. */
  checkpoints: number;
  first: string | null;
  last: string | null;
}

interface Options {
  verifiers: readonly Verifier[];
  findings: LedgerFindings;
  /** The clock, Unix ms. */
  now: number;
}

/** A ledger can have any number of types that the fold ignores. */
const MAX_TYPES = 1000;

/**
 * Reads a ledger with the readers that a run uses. The snapshot or the head in which one of them finds an error ends there; the ones after
 * it are read from the number of events that its checkpoint states, without comparing roots that cover the damage. Yields the events for
 * the fold in their order, up to the first that is unreadable or missing. Throws `ledger_unreadable` for a folder that is not a ledger;
 * everything else becomes a finding.
 */
export function checkLedger(path: string, options: Options): AsyncGenerator<Leaf[], LedgerFacts> {
  return new LedgerCheck(path, options).run();
}

class LedgerCheck {
  readonly #path: string;
  readonly #options: Options;
  readonly #findings: LedgerFindings;
  /** Where the events so far end. After an error, `isProved` is false and the tree a guess; null if even their number is unknown. */
  #end: LedgerPosition | null = LEDGER_START;
  #isProved = true;
  readonly #events = { sealed: 0, head: 0 };
  #foldedUntil: number | null = null;
  #asOf: string | null = null;
  #unverified = 0;
  #origin: string | null = null;
  readonly #slots: string[] = [];
  readonly #ignored = new Map<string, number>();
  readonly #keys = new Map<string, KeyUse>();
  /** Events of the head before this time belong to a finished slot. */
  readonly #finished: string;
  /** Events after this time are later than any clock. */
  readonly #latest: string;

  constructor(path: string, options: Options) {
    this.#path = path;
    this.#options = options;
    this.#findings = options.findings;
    this.#finished = slotTimestamp(slotId(options.now));
    this.#latest = new Date(options.now + MAX_AHEAD_MS).toISOString();
    for (const verifier of options.verifiers) this.#keyUse(nameOf(verifier), true);
  }

  async *run(): AsyncGenerator<Leaf[], LedgerFacts> {
    for (const slot of await listSlots(this.#path, this.#findings, this.#options.now))
      yield* this.#snapshot(slot);
    yield* this.#head();
    const [slots, end] = [this.#slots, this.#isProved ? this.#end : null];
    return {
      snapshots: { count: slots.length, first: slots[0] ?? null, last: slots.at(-1) ?? null },
      events: this.#events,
      root: end && CompactRange.resume(end.size, end.range).root(),
      asOf: this.#asOf,
      ignored: this.#ignored,
      keys: [...this.#keys.values()],
      foldedUntil: this.#foldedUntil,
      unverified: this.#unverified,
    };
  }

  async *#snapshot(slot: Slot): AsyncGenerator<Leaf[]> {
    this.#slots.push(slot.id);
    const checkpoint = slot.missing === 'checkpoint' ? null : this.#checkpoint(slot);
    if (checkpoint && !this.#isProved) this.#unverified += 1;
    if (slot.missing === 'events' || !this.#end) return this.#stop(checkpoint);
    // A checkpoint that cannot be trusted is reported already, and no reason not to read the events.
    const leaves =
      checkpoint && this.#isProved
        ? readSnapshot(slot, this.#end, this.#options.verifiers)
        : readUnsigned(slot, this.#end, checkpoint?.size ?? null);
    try {
      const { size, range, timestamp } = yield* this.#pass(leaves, slot);
      this.#end = { snapshot: slot.id, size, range, timestamp };
    } catch (cause) {
      this.#report(cause);
      this.#stop(checkpoint);
    }
  }

  /** Ends the fold and the chain of roots. What comes next is read if the checkpoint says where it begins. */
  #stop(checkpoint: Checkpoint | null): void {
    this.#isProved = false;
    this.#foldedUntil ??= this.#events.sealed + this.#events.head;
    this.#end = checkpoint && { ...unknownTree(checkpoint.size), snapshot: this.#slots.at(-1)! };
  }

  /** The events of a reader that stops at the first error. */
  async *#pass<End>(batches: AsyncGenerator<Leaf[], End>, slot: Slot | null): AsyncGenerator<Leaf[], End> {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      for (const { event } of next.value) this.#see(event, slot);
      if (this.#foldedUntil === null) yield next.value;
    }
  }

  async *#head(): AsyncGenerator<Leaf[]> {
    const directory = openDirectory(this.#path);
    while (this.#end) {
      try {
        const { behind, cursor } = yield* this.#pass(readHead(directory, this.#end), null);
        if (!behind) return await this.#endOfHead(cursor?.offset ?? null);
        // A snapshot was sealed since they were listed, perhaps one each time. Without one, the ledger has a gap.
        const sealed = await directory.snapshots(this.#end.snapshot);
        if (sealed.length === 0) throw gapBeforeHead(this.#end.size);
        for (const file of sealed) yield* this.#snapshot({ ...file, missing: null });
      } catch (cause) {
        this.#report(cause);
        this.#foldedUntil ??= this.#events.sealed + this.#events.head;
        return;
      }
    }
  }

  /** What a writer or a sealer that was killed leaves in the head. `offset`: where its lines end. */
  async #endOfHead(offset: number | null): Promise<void> {
    const directory = openDirectory(this.#path);
    const { first } = await readHeadEnds(directory, 0);
    if (first && first.seq < this.#end!.size) {
      const message = `Event ${first.seq} is in a snapshot already. The next writer removes it from the head.`;
      this.#findings.warn('unfinished', 'head.ndjson:1', message);
    }
    const { size: bytes } = await stat(directory.head).catch(() => ({ size: 0 }));
    if (offset !== null && bytes > offset)
      this.#findings.warn('unfinished', 'head.ndjson', `The last line is incomplete. ${UNFINISHED}`);
  }

  #see(event: LedgerEvent, slot: Slot | null): void {
    const { seq, timestamp, type, cycle } = event;
    this.#events[slot ? 'sealed' : 'head'] += 1;
    this.#asOf = timestamp;
    const warn = (kind: Parameters<LedgerFindings['warn']>[0], message: string, key?: string) =>
      this.#findings.warn(kind, `event ${seq}`, message, key);
    if (!isKnownType(type) && (this.#ignored.has(type) || this.#ignored.size < MAX_TYPES))
      this.#ignored.set(type, (this.#ignored.get(type) ?? 0) + 1);
    for (const { kind, expected, found } of warningsOf(event)) {
      // The text names the event's time, which would make a finding of each event.
      const key = kind === 'cycle' ? `${cycle} ${timestamp.slice(0, 10)}` : `${expected} ${found}`;
      warn(kind, `expected ${expected}, found ${found}`, key);
    }
    if (compareTimestamps(timestamp, this.#latest) > 0)
      warn('clock', `Its time, ${timestamp}, is later than the clock.`, 'events');
    if (slot && compareTimestamps(timestamp, slotTimestamp(slot.id)) >= 0)
      warn('slot', `Its time, ${timestamp}, is not before the end of its slot, ${slot.id}.`, slot.id);
    if (!slot && compareTimestamps(timestamp, this.#finished) < 0) {
      const end = nextSlotId(slotId(Date.parse(timestamp)));
      warn('unsealed', `It is in the head, although its slot ended at ${end}: cathedral ledger seal`, end);
    }
  }

  /** The checkpoint, after noting who signed it; null if it cannot be trusted. */
  #checkpoint(slot: Slot): Checkpoint | null {
    try {
      const { verifiers } = this.#options;
      const { checkpoint, note } = readCheckpoint(slot, verifiers);
      const { claims, unknown } = readClaims(note, verifiers, slot.id);
      const signed = new Set(claims.map(({ verifier }) => nameOf(verifier)));
      for (const key of signed) this.#countKey(this.#keyUse(key, true), slot.id);
      for (const key of unknown) this.#countKey(this.#keyUse(key, false), slot.id);
      if (this.#origin !== null && checkpoint.origin !== this.#origin) {
        const change = `The log origin changes from ${this.#origin} to ${checkpoint.origin}.`;
        this.#findings.warn('origin', `snapshots/${slot.id}.checkpoint`, change);
      }
      this.#origin = checkpoint.origin;
      return checkpoint;
    } catch (cause) {
      this.#report(cause);
      return null;
    }
  }

  #keyUse(key: string, isKnown: boolean): KeyUse {
    const use = this.#keys.get(key) ?? { key, isKnown, checkpoints: 0, first: null, last: null };
    this.#keys.set(key, use);
    return use;
  }

  #countKey(use: KeyUse, id: string): void {
    use.checkpoints += 1;
    use.first ??= id;
    use.last = id;
  }

  #report(cause: unknown): void {
    if (!(cause instanceof CathedralError)) throw cause;
    this.#findings.error(cause);
  }
}

function nameOf({ name, id }: Verifier): string {
  return `${name}+${id}`;
}

/** As many events, of which nobody knows the hashes: what follows is read with it, and its roots mean nothing. */
function unknownTree(size: number): LedgerPosition {
  const subtrees = [...size.toString(2)].filter((bit) => bit === '1');
  return { snapshot: null, size, range: subtrees.map(() => '0'.repeat(64)), timestamp: null };
}

function gapBeforeHead(size: number): CathedralError {
  return new CathedralError('ledger_order', {
    place: 'head.ndjson:1',
    expected: `seq ${size}, where the snapshots end, or before`,
    found: 'a later number',
  });
}
