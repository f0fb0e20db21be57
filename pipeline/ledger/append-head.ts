import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { CathedralError } from '../errors.ts';
import { writeFileAtomically } from './atomic-file.ts';
import type { LedgerDirectory } from './directory.ts';
import type { LedgerEvent } from './event.ts';
import { formatEventLine } from './event-line.ts';
import { EventWriter } from './event-writer.ts';
import { readHead } from './head.ts';
import type { Leaf, LedgerPosition } from './leaf.ts';
import { leafHash } from './merkle.ts';
import type { Signer } from './note.ts';
import { slotTimestamp } from './slot.ts';
import { compareTimestamps } from './timestamp.ts';
import { type SnapshotOptions, SnapshotWriter } from './write-snapshot.ts';

/** The one writer of a ledger's `head.ndjson`; `head.ts` describes the protocol. */
export class HeadWriter {
  readonly #ledger: LedgerDirectory;
  readonly #options: SnapshotOptions;
  /** The end of the last snapshot. */
  #sealed: LedgerPosition;
  readonly #events: EventWriter;
  #file: number;
  #open = true;
  /** Bytes of complete lines in the file. */
  #bytes: number;

  private constructor(
    ledger: LedgerDirectory,
    sealed: LedgerPosition,
    end: LedgerPosition,
    bytes: number,
    options: SnapshotOptions,
  ) {
    this.#ledger = ledger;
    this.#options = options;
    this.#sealed = sealed;
    this.#events = new EventWriter(end, 0);
    this.#bytes = bytes;
    this.#file = openSync(ledger.head, 'a');
    // A line that a killed writer left half-written would swallow the next one.
    ftruncateSync(this.#file, bytes);
  }

  /**
   * Continues after the events in the head; `sealed` is the end of the last snapshot. Durable (the default): an event is on disk when
   * `append` returns. Throws the errors of `readHead`, or `ledger_unwritable`.
   */
  static async open(
    ledger: LedgerDirectory,
    sealed: LedgerPosition,
    options: SnapshotOptions = {},
  ): Promise<HeadWriter> {
    const head = readHead(ledger, sealed);
    let next = await head.next();
    while (!next.done) next = await head.next();
    const { position, cursor, behind } = next.value;
    if (behind) throw behindFault(sealed);
    return orUnwritable(() => {
      // All of its events are in a snapshot: a sealer was killed before it replaced the head.
      if (!cursor) writeFileAtomically(ledger.head, '', options.durable ?? true);
      return new HeadWriter(ledger, sealed, position, cursor?.offset ?? 0, options);
    });
  }

  /** The end of the ledger including the head; `snapshot` is the last sealed one. */
  get position(): LedgerPosition {
    return this.#events.position(this.#sealed.snapshot);
  }

  /** Appends the next event, validated as by a reader. After `ledger_unwritable`, reopen the head. */
  append(event: LedgerEvent): void {
    this.#events.append(event);
    const line = this.#events.take();
    orUnwritable(() => {
      try {
        for (let at = 0; at < line.length; ) at += writeSync(this.#file, line, at);
        if (this.#options.durable ?? true) fsyncSync(this.#file);
        this.#bytes += line.length;
      } catch (cause) {
        ftruncateSync(this.#file, this.#bytes);
        throw cause;
      }
    });
  }

  /** Seals the events before the slot's boundary as a snapshot. Those at or after it stay in the head. */
  async seal(id: string, signer: Signer): Promise<LedgerPosition> {
    const writer = SnapshotWriter.create(
      this.#ledger.path,
      this.#sealed,
      signer,
      signer.verifier.name,
      this.#options,
    );
    try {
      const rest = await this.#moveUntil(slotTimestamp(id), writer);
      this.#sealed = await writer.seal(id);
      orUnwritable(() => this.#replace(rest));
    } catch (error) {
      await writer.discard();
      throw error;
    }
    return this.#sealed;
  }

  /** May be called again. */
  close(): void {
    if (this.#open) closeSync(this.#file);
    this.#open = false;
  }

  /** Writes the events before `boundary` and returns the lines of the others. */
  async #moveUntil(boundary: string, writer: SnapshotWriter): Promise<string> {
    let rest = '';
    for await (const leaves of readHead(this.#ledger, this.#sealed)) {
      for (const leaf of leaves) {
        const line = formatLeaf(leaf);
        if (compareTimestamps(leaf.event.timestamp, boundary) >= 0) rest += `${line}\n`;
        else await writer.append(leaf.event);
      }
    }
    return rest;
  }

  #replace(lines: string): void {
    writeFileAtomically(this.#ledger.head, lines, this.#options.durable ?? true);
    closeSync(this.#file);
    this.#file = openSync(this.#ledger.head, 'a');
    this.#bytes = Buffer.byteLength(lines);
  }
}

/** The bytes of a line are the event, so a line that another writer formatted differently cannot be sealed. */
function formatLeaf({ event, hash }: Leaf): string {
  const line = formatEventLine(event);
  if (leafHash(Buffer.from(line)) === hash) return line;
  const place = `head.ndjson, event ${event.seq}`;
  throw new CathedralError('ledger_corrupt', {
    place,
    expected: line.slice(0, 200),
    found: 'other spelling',
  });
}

function behindFault(sealed: LedgerPosition): CathedralError {
  return new CathedralError('ledger_order', {
    place: 'head.ndjson:1',
    expected: `seq ${sealed.size} or before`,
    found: 'a later one',
  });
}

function orUnwritable<T>(write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('ledger_unwritable', {
      place: 'head.ndjson',
      expected: 'a writable file',
      found,
      cause,
    });
  }
}
