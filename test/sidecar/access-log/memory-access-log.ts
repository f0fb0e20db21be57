import {
  type AccessLog,
  type AccessLogOptions,
  createAccessLog,
} from '../../../src/sidecar/access-log/access-log.ts';
import {
  type AccessRecord,
  type Entry,
  FIRST_LINK,
  type Link,
  linkEntry,
} from '../../../src/sidecar/access-log/entry.ts';
import type { Expired } from '../../../src/sidecar/access-log/expire-entries.ts';
import { formatLogTime, type LogReader, type Period } from '../../../src/sidecar/access-log/log-reader.ts';
import type { LogStart } from '../../../src/sidecar/access-log/records.ts';

/** A log in memory, for any number of writers. */
export class MemoryLog implements LogReader {
  readonly name = 'memory';
  #entries: Entry[] = [];
  #head: Link = FIRST_LINK;
  #start: LogStart = { ...FIRST_LINK, removals: [] };

  open(options: AccessLogOptions = {}): AccessLog {
    return createAccessLog(
      {
        append: async (records) => this.#append(records),
        check: async () => undefined,
        close: async () => undefined,
      },
      options,
    );
  }

  async assertThere(): Promise<void> {}

  async readStart(): Promise<LogStart> {
    return this.#start;
  }

  async readHead(): Promise<Link> {
    return this.#head;
  }

  async *parts() {
    yield { name: 'entries', entriesAfter: (seq: number, period?: Period) => this.#after(seq, period) };
  }

  async expire(before: number, now: number): Promise<Expired> {
    const bound = formatLogTime(before);
    const isOld = ({ time }: Entry) => time < bound;
    const newer = this.#entries.findIndex((entry) => !isOld(entry));
    const [old, kept] =
      newer < 0 ? [this.#entries, []] : [this.#entries.slice(0, newer), this.#entries.slice(newer)];
    const left = kept.filter(isOld).length;
    const [first, last] = [old[0], old.at(-1)];
    if (!first || !last) return { removed: null, left };
    const removed = { first: first.seq, last: last.seq };
    const removal = { at: formatLogTime(now), before: bound, ...removed };
    this.#entries = kept;
    this.#start = { seq: last.seq, hash: last.hash, removals: [...this.#start.removals, removal] };
    return { removed, left };
  }

  #append(records: readonly AccessRecord[]): void {
    for (const record of records) {
      const entry = linkEntry(record, this.#head);
      this.#entries.push(entry);
      this.#head = { seq: entry.seq, hash: entry.hash };
    }
  }

  *#after(seq: number, { from, to }: Period = { from: -Infinity, to: Infinity }) {
    const [first, end] = [formatLogTime(from), to === Infinity ? '~' : formatLogTime(to)];
    const found = this.#entries.filter((entry) => entry.seq > seq && entry.time >= first && entry.time < end);
    if (found.length > 0) yield found;
  }
}
