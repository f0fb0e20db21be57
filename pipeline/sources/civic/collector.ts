import { CathedralError } from '../../errors.ts';
import { FEW_ROWS, MAX_CHANGES } from '../../ledger/events/import-alert.ts';
import { utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { Link } from './chain.ts';
import { BEGINNING, type KnownEvents, type RemoteChange, secondOf } from './known-events.ts';
import { assertEventHash, CHAIN_START, eventHash, type RemoteEvent } from './remote-event.ts';
import type { Spool, Spooled } from './spool.ts';

/** A remote event that is not in the local ledger yet. */
export type FreshLink = Link & Spooled;

export interface CollectOptions {
  /** A page of the remote ledger, newest first. A page without events is beyond its end. */
  readPage: (limit: number, offset: number) => Promise<RemoteEvent[]>;
  pageSize: number;
  /** Read the whole remote ledger. */
  full: boolean;
  /** Number of older pages to compare again. */
  auditPages: number;
  /** The events of the local ledger. */
  known: KnownEvents;
  spool: Spool;
  /** Unix ms. */
  now: number;
}

/** A timestamp further in the future than clocks differ would hold back every later event. */
const MAX_AHEAD_MS = 300_000;
/** After this many consecutive pages without news, assume that the server ignores `offset`. */
const MAX_STALLED_PAGES = 100;
/** The same for short pages, which show that the oldest event was reached. */
const MAX_PUSHED_PAGES = 10;

/** An event may become visible that long after one that follows it. */
const ARRIVAL_MS = 600_000;

/** What reading a stretch of the remote ledger found. */
export interface Stretch {
  /** Unix second of its newest event; Infinity if it begins with the newest event of all. */
  until: number;
  /** Known events that were missing. */
  missing: Link[];
}

/** Reads stretches of the remote ledger, compares them with the known events, and collects new ones. */
export class Collector {
  /** Whether a stretch covered everything from the newest event to the oldest. */
  hasReadAll = false;
  readonly #options: CollectOptions;
  readonly #fresh = new Map<string, FreshLink>();
  readonly #freshIds = new Map<string, FreshLink>();
  /** Predecessors not seen yet, each with the event that names it. */
  readonly #wanted = new Map<string, Link>();
  /** event_id → how an imported event has changed. */
  readonly #changes = new Map<string, RemoteChange>();
  /** Imported events that were read and have not changed. */
  #unchanged = 0;
  /** Predecessors that the remote ledger does not have, each with the event that names it. */
  readonly gaps = new Map<string, Link>();

  constructor(options: CollectOptions) {
    this.#options = options;
  }

  get fresh(): FreshLink[] {
    return [...this.#fresh.values()];
  }

  /** Imported events that the remote ledger has no longer, or with another content. Throws `import_failed` if it is another ledger. */
  get changes(): RemoteChange[] {
    const changes = [...this.#changes.values()];
    const [first] = changes;
    // A few events may all have been changed, but not all be gone.
    const isOther =
      this.#unchanged === 0 &&
      (changes.length >= FEW_ROWS || changes.every(({ change }) => change === 'deleted'));
    if (first && (isOther || changes.length > MAX_CHANGES))
      throw failed(
        'ledger/events',
        `the events that were imported before. Restore them, or import into another folder`,
        `${changes.length} of them changed or deleted, first ${first.event_id}: another ledger, or an older copy of it`,
      );
    return changes;
  }

  /** Notes that the remote ledger has an event no longer. */
  remove({ event_id }: Link): void {
    this.#change({ event_id, change: 'deleted' });
  }

  #change(change: RemoteChange): void {
    this.#changes.set(change.event_id, change);
    this.#options.known.change(change);
    this.#wanted.delete(change.event_hash ?? '');
  }

  /** Whether the predecessor of every fresh event is known or fresh. */
  get isWhole(): boolean {
    return this.#wanted.size === 0;
  }

  /** Number of known and fresh events of this Unix second or later. */
  countFrom(second: number): number {
    const fresh = this.fresh.filter((link) => secondOf(link) >= second).length;
    return this.#options.known.countFrom(second) + fresh;
  }

  /**
   * Reads from `offset` until an event is older than the Unix second `from`, or to the end, and further until every predecessor is
   * found.
   */
  async read(offset: number, from: number): Promise<Stretch> {
    const seen = new Set<string>();
    let until = offset === 0 ? Number.POSITIVE_INFINITY : undefined;
    for await (const event of this.#events(offset)) {
      if (secondOf(event) < from && this.isWhole) return this.#stretch(from, until, seen);
      until ??= secondOf(event);
      this.#take(event);
      seen.add(event.event_id);
    }
    if (offset === 0) this.hasReadAll = true;
    // Nothing follows the last page, so every older event should have been seen.
    return this.#stretch(BEGINNING, until, seen);
  }

  /** The Unix second of the newest of `events` itself would be ambiguous: events before the stretch may share it. */
  #stretch(from: number, until: number | undefined, seen: ReadonlySet<string>): Stretch {
    if (until === undefined) return { until: from, missing: [] };
    const expected = this.#options.known.between(from, Math.min(until, Number.MAX_SAFE_INTEGER));
    return { until, missing: expected.filter(({ event_id }) => !seen.has(event_id)) };
  }

  /** The remote ledger's events from `offset` on. */
  async *#events(offset: number): AsyncGenerator<RemoteEvent> {
    const { readPage, pageSize } = this.#options;
    let previous = new Set<string>();
    let stalled = 0;
    let longest = 0;
    for (let at = offset; ; ) {
      const page = await readPage(pageSize, at);
      if (page.length === 0) return;
      yield* page;
      stalled = page.every(({ event_id }) => previous.has(event_id)) ? stalled + 1 : 0;
      longest = Math.max(longest, page.length);
      // The oldest events again on a page with free space: new events shift them as fast as they are read.
      if (stalled > MAX_PUSHED_PAGES && page.length < longest) return;
      if (stalled > MAX_STALLED_PAGES)
        throw failed('ledger/events', `other events at offset ${at}`, 'the previous page');
      previous = new Set(page.map(({ event_id }) => event_id));
      at += page.length;
    }
  }

  /** Gives up what the last pass did not find either. Throws `import_failed` where it may still arrive. */
  accept(missing: readonly Link[]): void {
    for (const link of missing) this.remove(link);
    for (const [hash, link] of this.#wanted) {
      if (Date.parse(link.timestamp) > this.#options.now - ARRIVAL_MS)
        throw failed(
          `event ${link.event_id}`,
          `its predecessor, the event with hash ${hash}`,
          'no such event. If it does not arrive within ten minutes, the import continues without it',
        );
      this.gaps.set(hash, link);
    }
    this.#wanted.clear();
  }

  #take(event: RemoteEvent): void {
    const { event_id, event_hash, previous_hash } = event;
    const content = eventHash(event);
    if (this.#isKnown(event, content)) return;
    assertEventHash(event, content);
    if (Date.parse(event.timestamp) > this.#options.now + MAX_AHEAD_MS) {
      // Without the current time, so that a repeated failure is reported once.
      const expected = `a time at most ${MAX_AHEAD_MS / 60_000} minutes ahead of this machine's clock`;
      throw failed(`event ${event_id}`, expected, event.timestamp);
    }
    const timestamp = utcTimestamp(event.timestamp);
    const link = { event_id, event_hash, previous_hash, timestamp, ...this.#options.spool.add(event) };
    this.#fresh.set(event_hash, link);
    this.#freshIds.set(event_id, link);
    this.#wanted.delete(event_hash);
    if (!this.#has(previous_hash)) this.#wanted.set(previous_hash, link);
  }

  #has(hash: string): boolean {
    if (hash === CHAIN_START || this.#fresh.has(hash) || this.gaps.has(hash)) return true;
    return this.#options.known.withHash(hash) !== undefined;
  }

  /** `content`: the hash of what the event says. */
  #isKnown({ event_id, event_hash, previous_hash, ...event }: RemoteEvent, content: string): boolean {
    const { known } = this.#options;
    const fresh = this.#freshIds.get(event_id);
    if (fresh && fresh.event_hash !== event_hash)
      throw failed(`event ${event_id}`, `event_hash ${fresh.event_hash}, as it came before`, event_hash);
    const before = known.withId(event_id);
    if (before === undefined && !fresh) this.#assertOwnHash(event_id, event_hash);
    else if (before?.event_hash === content) this.#unchanged += 1;
    else if (!fresh) {
      const timestamp = utcTimestamp(event.timestamp);
      this.#change({ event_id, change: 'modified', event_hash: content, previous_hash, timestamp });
    }
    return before !== undefined || fresh !== undefined;
  }

  #assertOwnHash(event_id: string, event_hash: string): void {
    const sameHash = this.#fresh.get(event_hash) ?? this.#options.known.withHash(event_hash);
    if (!sameHash || sameHash.event_id === event_id) return;
    // The hash covers the concatenated fields, so different fields can have the same hash.
    throw failed(
      `event ${event_id}`,
      `the only event with event_hash ${event_hash}`,
      `${sameHash.event_id} with the same`,
    );
  }
}

function failed(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('import_failed', { place, expected, found });
}
