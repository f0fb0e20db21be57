import type { LedgerEvent } from '../events/event.ts';
import { nextSlotId, slotId, slotTime, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { type EventsEnd, NewHead, type Signers, SnapshotWriter } from './head-and-snapshot-files.ts';

export interface SealedSlot {
  id: string;
  /** Number of events in its snapshot. */
  events: number;
}

interface SlotSealerOptions {
  /** The ledger's folder. */
  path: string;
  /** Its `head.ndjson`. */
  head: string;
  /** End of the last snapshot. */
  position: LedgerPosition;
  signers: Signers;
  /** Unix ms. Slots that ended by then are sealed. */
  until: number;
}

/** Takes the events after the last snapshot in order: writes a snapshot for each slot that has ended, and the other events to a new head. */
export class SlotSealer {
  readonly sealed: SealedSlot[] = [];
  /** End of the last snapshot. */
  position: LedgerPosition;
  /** End of the events so far. */
  end: EventsEnd;
  readonly #options: SlotSealerOptions;
  /** The slot whose events come now, and its end in the form of events. */
  #slot: { id: string; end: string; writer: SnapshotWriter } | undefined;
  /** What takes the events that belong to no finished slot. */
  #head: NewHead | undefined;

  constructor(options: SlotSealerOptions) {
    this.#options = options;
    this.position = options.position;
    this.end = options.position;
  }

  /** Events that have been checked, with their lines without line ends. Throws `ledger_order`, `ledger_unwritable`, `disk_full`. */
  async append(lines: Iterable<{ event: LedgerEvent; line: string | Uint8Array }>): Promise<void> {
    for (const { event, line } of lines) {
      const isInSlot = this.#slot && compareTimestamps(event.timestamp, this.#slot.end) < 0;
      if (!this.#head && !isInSlot) await this.#turnTo(event.timestamp);
      const target = this.#head ?? this.#slot!.writer;
      target.add(event, line);
      this.end = { size: event.seq + 1, timestamp: event.timestamp };
      if (target.isFull) await target.flush();
    }
  }

  /** Goes on to the slot of a time, or to the head. */
  async #turnTo(timestamp: string): Promise<void> {
    await this.finish();
    const id = slotOf(timestamp, this.position.snapshot);
    const { head, until } = this.#options;
    if (slotTime(id) <= until) this.#slot = this.#newSlot(id);
    else this.#head = new NewHead(head, 0, this.position);
  }

  /** Seals the last finished slot that has events. */
  async finish(): Promise<void> {
    if (!this.#slot) return;
    const { id, writer } = this.#slot;
    const before = this.position.size;
    this.position = await writer.seal(id);
    this.sealed.push({ id, events: this.position.size - before });
    this.#slot = undefined;
  }

  /** Seals a finished slot that has no events, after `finish`. */
  async sealEmpty(id: string): Promise<void> {
    this.#slot = this.#newSlot(id);
    await this.finish();
  }

  /** Replaces the head by the events that stay in it, and returns its length in bytes. */
  async commit(): Promise<number> {
    this.#head ??= new NewHead(this.#options.head, 0, this.position);
    return this.#head.commit();
  }

  /** Removes what is not finished. */
  async discard(): Promise<void> {
    await this.#slot?.writer.discard();
    await this.#head?.discard();
  }

  #newSlot(id: string) {
    const { path, signers } = this.#options;
    const writer = new SnapshotWriter(path, this.position, signers);
    return { id, end: slotTimestamp(id), writer };
  }
}

/** The slot that an event belongs to: the first one that ends after its timestamp and after the last sealed one. */
function slotOf(timestamp: string, sealed: string | null): string {
  const id = nextSlotId(slotId(Date.parse(timestamp)));
  return sealed !== null && id <= sealed ? nextSlotId(sealed) : id;
}
