import { type FileHandle, stat } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS, warningsOf } from '../events/draft.ts';
import { isKnownType, type LedgerEvent } from '../events/event.ts';
import { parseEventLine } from '../events/event-line.ts';
import { EventOrder } from '../events/event-order.ts';
import { nextSlotId, slotId, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../log/leaf.ts';
import { CompactRange, leafHash } from '../log/merkle.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { readClaims, type Verifier } from '../notes/note.ts';
import { openDirectory } from '../reading/directory.ts';
import { openHead, readHead, readRawLines } from '../reading/head.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import { readLines } from '../reading/read-lines.ts';
import { assertSigned, readSnapshot } from '../reading/read-snapshot.ts';
import type { LedgerFindings } from './findings.ts';
import { listSlots, type SlotFiles, UNFINISHED } from './ledger-folder.ts';

/** What a check found out about a ledger, beside its findings. */
export interface LedgerFacts {
  /** Ids of the ledger snapshots. */
  snapshots: { count: number; first: string | null; last: string | null };
  /** Events seen, in the snapshots and in the head. */
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

const HEAD = 'head.ndjson';

/**
 * Reads a ledger with the readers that a run uses, and goes on after an error as far as possible: a damaged snapshot is read again line
 * by line, and later ones without comparing roots that cover the damage. Yields the events for the fold in their order, up to the first
 * that is unreadable or missing. Throws `ledger_unreadable` for a folder that is not a ledger; everything else becomes a finding.
 */
export function checkLedger(path: string, options: Options): AsyncGenerator<Leaf[], LedgerFacts> {
  return new LedgerCheck(path, options).run();
}

class LedgerCheck {
  readonly #path: string;
  readonly #options: Options;
  readonly #findings: LedgerFindings;
  /** Where the chain of roots ends; null after an error that makes it impossible to continue. */
  #position: LedgerPosition | null = LEDGER_START;
  /** What the next event has to be like; null if that is unknown. */
  #order: EventOrder | null = null;
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
    return this.#facts();
  }

  #facts(): LedgerFacts {
    const [slots, end] = [this.#slots, this.#position];
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

  async *#snapshot(slot: SlotFiles): AsyncGenerator<Leaf[]> {
    this.#slots.push(slot.id);
    const checkpoint = slot.hasCheckpoint ? this.#checkpoint(slot) : null;
    const before = this.#events.sealed;
    let error: unknown = null;
    if (this.#position && slot.hasEvents && checkpoint) {
      try {
        const leaves = readSnapshot(slot, this.#position, this.#options.verifiers);
        this.#position = yield* this.#pass(leaves, slot);
        return;
      } catch (cause) {
        this.#report(cause);
        error = cause;
      }
    }
    yield* this.#examine(slot, checkpoint, { skip: this.#events.sealed - before, error });
  }

  /** The events of a reader that stops at the first error. */
  async *#pass<End>(
    batches: AsyncGenerator<Leaf[], End>,
    slot: SlotFiles | null,
  ): AsyncGenerator<Leaf[], End> {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      for (const { event } of next.value) this.#see(event, slot);
      if (this.#foldedUntil === null) yield next.value;
    }
  }

  /** Reads a snapshot line by line, and goes on after each error. The events of the first `skip` lines have been seen. */
  async *#examine(
    slot: SlotFiles,
    checkpoint: Checkpoint | null,
    { skip, error }: { skip: number; error: unknown },
  ): AsyncGenerator<Leaf[]> {
    const start = this.#position;
    const tree = start && CompactRange.resume(start.size, start.range);
    if (start) this.#order = new EventOrder(start);
    this.#position = null;
    try {
      if (slot.hasEvents) yield* this.#lines(readLines(slot), { slot, skip, tree });
      else this.#endFold();
      if (tree && slot.hasEvents) {
        // Every line has been hashed, so later roots can be compared, unless this one differs.
        if (checkpoint) assertSigned(slot, { size: tree.size, root: () => tree.root() }, checkpoint);
        const timestamp = this.#order?.timestamp ?? null;
        this.#position = { snapshot: slot.id, size: tree.size, range: tree.hashes(), timestamp };
      } else if (checkpoint) this.#unverified += 1;
    } catch (cause) {
      if (!(cause instanceof CathedralError && cause.code === (error as CathedralError | null)?.code))
        this.#report(cause);
      if (!isSigned(cause)) this.#endFold();
    }
    if (this.#position) return;
    this.#order = checkpoint && new EventOrder({ size: checkpoint.size, timestamp: this.#asOf });
  }

  async *#lines(
    batches: AsyncIterable<Buffer[]>,
    { slot, skip, tree }: { slot: SlotFiles | null; skip: number; tree: CompactRange | null },
  ): AsyncGenerator<Leaf[]> {
    const file = slot ? `snapshots/${slot.id}.ndjson.zst` : HEAD;
    let line = 0;
    for await (const batch of batches) {
      const leaves: Leaf[] = [];
      for (const bytes of batch) {
        line += 1;
        const hash = leafHash(bytes);
        tree?.append(hash);
        const event = this.#parse(bytes, `${file}:${line}`);
        if (line <= skip) continue;
        if (event) this.#see(event, slot);
        else this.#events[slot ? 'sealed' : 'head'] += 1;
        if (event && this.#foldedUntil === null) leaves.push({ event, hash });
      }
      if (leaves.length > 0) yield leaves;
    }
  }

  /** The event of a line, unless that is unreadable. Reports what is wrong with it, or with its place in the order. */
  #parse(bytes: Buffer, place: string): LedgerEvent | null {
    let event: LedgerEvent | null = null;
    try {
      event = parseEventLine(bytes, place);
      this.#order ??= new EventOrder({ size: event.seq, timestamp: this.#asOf });
      this.#order.accept(event, () => place);
    } catch (cause) {
      this.#report(cause);
      this.#endFold();
      // The next line is compared with this one, so that one mistake is one finding.
      const seq = event?.seq ?? this.#order?.seq;
      const timestamp = event?.timestamp ?? this.#order?.timestamp ?? null;
      this.#order = seq === undefined ? null : new EventOrder({ size: seq + 1, timestamp });
    }
    return event;
  }

  #endFold(): void {
    this.#foldedUntil ??= this.#events.sealed + this.#events.head;
  }

  async *#head(): AsyncGenerator<Leaf[]> {
    const directory = openDirectory(this.#path);
    while (this.#position) {
      try {
        const { behind, cursor } = yield* this.#pass(readHead(directory, this.#position), null);
        if (!behind) return await this.#endOfHead(cursor?.offset ?? null);
        // A snapshot was sealed since they were listed, perhaps one each time. Without one, the ledger has a gap.
        const sealed = await directory.snapshots(this.#position.snapshot);
        if (sealed.length === 0) throw gapBeforeHead(this.#position.size);
        for (const file of sealed) yield* this.#snapshot({ ...file, hasEvents: true, hasCheckpoint: true });
      } catch (cause) {
        this.#report(cause);
        break;
      }
    }
    yield* this.#examineHead();
  }

  /** Reads the head line by line, and goes on after each error. */
  async *#examineHead(): AsyncGenerator<Leaf[]> {
    const first = await this.#firstOfHead();
    const size = this.#position?.size ?? this.#order?.seq ?? null;
    if (first !== null && size !== null && first > size) {
      this.#report(gapBeforeHead(size));
      this.#endFold();
    }
    const sealed = first === null || size === null ? 0 : Math.max(0, size - first);
    this.#order = first === null ? null : new EventOrder({ size: first, timestamp: null });
    const lines = this.#headLines();
    yield* this.#lines(lines, { slot: null, skip: sealed + this.#events.head, tree: null });
    await this.#endOfHead(null);
  }

  /** The lines of the head, up to one that is too long. */
  async *#headLines(): AsyncGenerator<Buffer[]> {
    let file: FileHandle | undefined;
    try {
      file = await openHead(openDirectory(this.#path).head);
      if (file) yield* readRawLines(file);
    } catch (cause) {
      this.#report(cause);
    } finally {
      await file?.close();
    }
  }

  /** The seq of the first line of the head; null if there is none, or if it is unreadable. */
  async #firstOfHead(): Promise<number | null> {
    for await (const [line] of this.#headLines()) {
      try {
        return parseEventLine(line!, `${HEAD}:1`).seq;
      } catch {
        return null;
      }
    }
    return null;
  }

  /** What a writer or a sealer that was killed leaves in the head, and what nobody has sealed. `offset`: where its lines end. */
  async #endOfHead(offset: number | null): Promise<void> {
    const { head } = openDirectory(this.#path);
    const first = await this.#firstOfHead();
    const size = this.#position?.size ?? 0;
    if (first !== null && first < size) {
      const message = `Event ${first} is in a snapshot already. The next writer removes it from the head.`;
      this.#findings.warn('unfinished', `${HEAD}:1`, message);
    }
    const { size: bytes } = await stat(head).catch(() => ({ size: 0 }));
    if (offset !== null && bytes > offset)
      this.#findings.warn('unfinished', HEAD, `The last line is incomplete. ${UNFINISHED}`);
  }

  #see(event: LedgerEvent, slot: SlotFiles | null): void {
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
  #checkpoint(slot: SlotFiles): Checkpoint | null {
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

/** Whether it is an error of the comparison with the checkpoint, after all lines have been read. */
function isSigned(cause: unknown): boolean {
  return cause instanceof CathedralError && cause.place.endsWith('.checkpoint');
}

function gapBeforeHead(size: number): CathedralError {
  return new CathedralError('ledger_order', {
    place: `${HEAD}:1`,
    expected: `seq ${size}, where the snapshots end, or before`,
    found: 'a later number',
  });
}
