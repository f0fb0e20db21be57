import type { Link } from './chain.ts';
import { type CollectOptions, Collector, type FreshLink } from './collector.ts';
import { BEGINNING, type RemoteChange, secondOf } from './known-events.ts';

/** A place between two events of the remote ledger that differ in their second. */
interface Edge {
  /** Offset of the older one. */
  offset: number;
  /** Unix second of the newer one; `BEGINNING` behind the oldest event of all. */
  second: number;
  /** The offset minus the number of known events of that second or later. */
  shift: number;
}

/** Number of anomalies that an import locates one by one before it reads everything. */
const MAX_SEARCHES = 8;

/**
 * Compares events older than the Unix second `recent` with the known ones, at a bounded cost. First it compares the number of events,
 * which changes if one was removed or arrived late; a binary search then finds it. Second it compares a few pages of content,
 * resuming where the last import stopped, to find rewritten events. Collects new events and returns the second at which the next
 * import resumes. Throws `import_failed`.
 */
async function compareWithPast(
  collector: Collector,
  recent: number,
  options: CollectOptions,
): Promise<number> {
  const past = new Past(collector, recent, options);
  const shift = await past.settleCount();
  // Everything was read, so nothing is left to audit.
  if (collector.hasReadAll) return BEGINNING;
  return past.audit(shift);
}

class Past {
  readonly #collector: Collector;
  readonly #recent: number;
  readonly #options: CollectOptions;

  constructor(collector: Collector, recent: number, options: CollectOptions) {
    this.#collector = collector;
    this.#recent = recent;
    this.#options = options;
  }

  /** Finds why the counts differ. Returns how many events have arrived since the newest ones were read. */
  async settleCount(): Promise<number> {
    let compared = 0;
    for (let search = 1; search <= MAX_SEARCHES; search += 1) {
      const end = await this.#end();
      if (end.shift === 0) return 0;
      // Start at the oldest of the recent events, which were compared already.
      const top = await this.#edgeAt(this.#collector.countFrom(this.#recent) - 1);
      // New events shift all older offsets.
      if (top.shift === end.shift) return end.shift;
      // An event that arrived between the two requests also makes the counts differ.
      if ((await this.#end()).shift !== end.shift) continue;
      await this.#compare(...(await this.#differing(top, end)));
      compared += 1;
    }
    // Events arrive faster than they can be counted. The next import counts again.
    if (compared < MAX_SEARCHES) return (await this.#end()).shift;
    await this.#compare(0, BEGINNING);
    return 0;
  }

  /** Compares the next pages after `known.audited`. */
  async audit(shift: number): Promise<number> {
    let from = this.#options.known.audited;
    for (let page = 0; page < this.#options.auditPages; page += 1) {
      from = await this.#auditFrom(from, shift);
      if (from >= this.#recent) return BEGINNING;
    }
    return from;
  }

  async #auditFrom(from: number, shift: number): Promise<number> {
    const end = this.#collector.countFrom(from) + shift;
    // A page that ends with one older event is complete. It grows while all of it lies within one second.
    for (let size = Math.max(this.#options.pageSize - 1, 1); ; size *= 2) {
      const until = await this.#compare(Math.max(end - size, 0), from);
      if (until > from) return until;
    }
  }

  /** Reads a stretch and returns the second of its newest event. */
  async #compare(offset: number, from: number): Promise<number> {
    const { until, missing } = await this.#collector.read(offset, from);
    if (missing.length === 0) return until;
    // An event that goes while pages are read shifts one past the reader.
    const again = await this.#collector.read(offset, from);
    const still = new Set(again.missing.map(({ event_id }) => event_id));
    for (const link of missing) if (still.has(link.event_id)) this.#collector.remove(link);
    return until;
  }

  /** The end of the remote ledger. If it lacks more than one event, the shift tells no more than that. */
  async #end(): Promise<Edge> {
    const total = this.#collector.countFrom(BEGINNING);
    const offset = Math.max(total - 1, 0);
    const page = await this.#options.readPage(this.#options.pageSize, offset);
    const end = offset + page.length;
    return { offset: end, second: BEGINNING, shift: end - total };
  }

  /** The first edge after `offset`. */
  async #edgeAt(offset: number): Promise<Edge> {
    const { readPage, pageSize } = this.#options;
    let second: number | undefined;
    for (let at = offset; ; ) {
      const page = await readPage(pageSize, at);
      if (page.length === 0) return this.#edge(at, BEGINNING);
      for (const [index, event] of page.entries()) {
        const next = secondOf(event);
        if (second !== undefined && next < second) return this.#edge(at + index, second);
        second = next;
      }
      at += page.length;
    }
  }

  #edge(offset: number, second: number): Edge {
    return { offset, second, shift: offset - this.#collector.countFrom(second) };
  }

  /** A stretch of at most two pages between whose ends the shift changes: its first offset, and its oldest second. */
  async #differing(top: Edge, end: Edge): Promise<[number, number]> {
    let [newer, older] = [top, end];
    let right = end.offset;
    while (right - newer.offset > this.#options.pageSize) {
      const middle = Math.floor((newer.offset + right) / 2);
      const edge = await this.#edgeAt(middle);
      if (edge.offset < older.offset && edge.shift === top.shift) newer = edge;
      else {
        right = middle;
        if (edge.offset < older.offset) older = edge;
      }
    }
    return [Math.max(newer.offset - 1, 0), older.second];
  }
}

/**
 * Reading covers ten minutes before the newest known event: the remote ledger orders by whole seconds, and an event becomes visible
 * some time after its timestamp.
 */
const OVERLAP_SECONDS = 600;
/** An event that arrives during reading may name a predecessor on a page already read. The pages are then read again. */
const MAX_PASSES = 3;

/**
 * The events that only the remote ledger has, each with its predecessor in one of the two, and the Unix second up to which the past is
 * audited; what became of imported events; and the events whose predecessor the remote ledger does not have.
 * Throws `import_failed` if it is another ledger, or if a predecessor may still arrive.
 */
export async function collectFresh(
  options: CollectOptions,
): Promise<{ fresh: FreshLink[]; audited: number; changes: RemoteChange[]; gaps: Map<string, Link> }> {
  const collector = new Collector(options);
  const { newest, audited } = options.known;
  const recent = newest === null || options.full ? BEGINNING : newest - OVERLAP_SECONDS;
  await readRecent(collector, recent);
  const next = collector.hasReadAll ? audited : await compareWithPast(collector, recent, options);
  // An older event may name a predecessor that arrived since the newest ones were read, or one that never existed.
  if (!collector.isWhole) await readRecent(collector, recent);
  const { fresh, changes, gaps } = collector;
  return { fresh, audited: next, changes, gaps };
}

async function readRecent(collector: Collector, recent: number): Promise<void> {
  for (let pass = 1; ; pass += 1) {
    const { missing } = await collector.read(0, recent);
    if (missing.length === 0 && collector.isWhole) return;
    if (pass === MAX_PASSES) return collector.accept(missing);
  }
}
