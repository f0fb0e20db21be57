import type { LedgerEvent } from '../events/event.ts';
import { nextSlotId, slotId, slotTime, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import type { LedgerPosition } from '../log/leaf.ts';
import { LineWriter } from './event-writer.ts';
import { NewHead, NO_EVENTS } from './new-head.ts';
import { type Signers, SnapshotWriter } from './write-snapshot.ts';

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
  durable: boolean;
}

const BATCH_BYTES = 1024 * 1024;

/** Takes the events after the last snapshot in order: writes a snapshot for each slot that has ended, and the other events to a new head. */
export class SlotSealer {
  readonly sealed: SealedSlot[] = [];
  /** End of the last snapshot. */
  position: LedgerPosition;
  /** End of the events so far. */
  end: Pick<LedgerPosition, 'size' | 'timestamp'>;
  readonly #options: SlotSealerOptions;
  #snapshot: { id: string; writer: SnapshotWriter } | undefined;
  /** End of the slot of `#snapshot`, in the form of events. */
  #slotEnd = '';
  readonly #head: NewHead;
  #rest: LineWriter | undefined;

  constructor(options: SlotSealerOptions) {
    this.#options = options;
    this.position = options.position;
    this.end = options.position;
    this.#head = new NewHead(options.head, NO_EVENTS, options.durable);
  }

  /**
   * An event that has been checked, and its line without the line end. If it returns a promise, await that before the next call.
   * Throws `ledger_order`, `ledger_unwritable`, `disk_full`.
   */
  append(event: LedgerEvent, line: string | Uint8Array): Promise<void> | null {
    this.end = { size: event.seq + 1, timestamp: event.timestamp };
    if (this.#rest) return this.#keep(event, line);
    if (this.#snapshot && compareTimestamps(event.timestamp, this.#slotEnd) < 0)
      return this.#snapshot.writer.appendLine(event, line);
    return this.#appendToNext(event, line);
  }

  /** An event that is not in the slot of the one before. */
  async #appendToNext(event: LedgerEvent, line: string | Uint8Array): Promise<void> {
    const id = slotOf(event.timestamp, this.position.snapshot);
    if (id !== this.#snapshot?.id) await this.#seal();
    if (slotTime(id) <= this.#options.until) {
      this.#snapshot ??= { id, writer: this.#newSnapshot() };
      this.#slotEnd = slotTimestamp(id);
      await this.#snapshot.writer.appendLine(event, line);
    } else {
      await this.#keep(event, line);
    }
  }

  #keep(event: LedgerEvent, line: string | Uint8Array): Promise<void> | null {
    this.#rest ??= new LineWriter(this.position, BATCH_BYTES);
    this.#rest.appendLine(event, line);
    return this.#rest.full ? this.#flush() : null;
  }

  /** Seals the last finished slot that has events. */
  async finish(): Promise<void> {
    await this.#seal();
  }

  /** Seals a finished slot that has no events, after `finish`. */
  async sealEmpty(id: string): Promise<void> {
    this.#snapshot = { id, writer: this.#newSnapshot() };
    await this.#seal();
  }

  /** Replaces the head by the events that stay in it, and returns its length in bytes. */
  async commit(): Promise<number> {
    await this.#flush();
    return this.#head.commit();
  }

  /** Removes what is not finished. */
  async discard(): Promise<void> {
    await this.#snapshot?.writer.discard();
    await this.#head.discard();
  }

  #newSnapshot(): SnapshotWriter {
    const { path, signers, durable } = this.#options;
    return SnapshotWriter.create(path, this.position, signers, { durable });
  }

  async #seal(): Promise<void> {
    if (!this.#snapshot) return;
    const { id, writer } = this.#snapshot;
    const before = this.position.size;
    this.position = await writer.seal(id);
    this.sealed.push({ id, events: this.position.size - before });
    this.#snapshot = undefined;
  }

  async #flush(): Promise<void> {
    if (this.#rest) await this.#head.write(this.#rest.take());
  }
}

/** The slot that an event belongs to: the first one that ends after its timestamp and after the last sealed one. */
function slotOf(timestamp: string, sealed: string | null): string {
  const id = nextSlotId(slotId(Date.parse(timestamp)));
  return sealed !== null && id <= sealed ? nextSlotId(sealed) : id;
}
