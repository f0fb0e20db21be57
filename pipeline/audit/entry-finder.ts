import type { LedgerEvent } from '../ledger/event.ts';
import { parseEventLine } from '../ledger/event-line.ts';
import { compareTimestamps } from '../ledger/timestamp-order.ts';
import type { ExportRow } from './export-form.ts';
import type { LogEntries } from './log-entries.ts';

/** An entry of the log with the row that the export has of it. */
export interface FoundEntry {
  index: number;
  event: LedgerEvent;
  row: ExportRow;
}

/** A ledger's timestamp; the digits of a date need not be those of one that there is. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Finds entries by what a row says. The ledger's times never go back, so halving finds them. */
export class EntryFinder {
  readonly #log: LogEntries;

  constructor(log: LogEntries) {
    this.#log = log;
  }

  get size(): number {
    return this.#log.size;
  }

  async at(index: number): Promise<FoundEntry> {
    const { hash, line } = await this.#log.at(index);
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
    const event = parseEventLine(bytes, `entry ${index}`);
    const { timestamp, type, agent, data } = event;
    const row = {
      timestamp,
      event_type: type,
      agent,
      data: JSON.stringify(data),
      attestation_hash: `0x${hash}`,
    };
    return { index, event, row };
  }

  /** Number of entries before this time, or also of those at it. */
  async countBefore(timestamp: string, { inclusive }: { inclusive: boolean }): Promise<number> {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = compareTimestamps((await this.at(middle)).row.timestamp, timestamp);
      if (order < 0 || (inclusive && order === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The entry of a row's time and hash, whatever else the row says; null where there is none. */
  async locate({ timestamp, attestation_hash: hash }: ExportRow): Promise<FoundEntry | null> {
    if (!TIMESTAMP.test(timestamp)) return null;
    const first = await this.countBefore(timestamp, { inclusive: false });
    for (let index = first; index < this.size; index += 1) {
      const entry = await this.at(index);
      if (entry.row.attestation_hash === hash) return entry;
      if (entry.row.timestamp !== timestamp && compareTimestamps(entry.row.timestamp, timestamp) > 0)
        return null;
    }
    return null;
  }
}
