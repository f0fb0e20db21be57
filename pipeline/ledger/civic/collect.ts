import { CathedralError } from '../../errors.ts';
import type { Chain, Link } from './chain.ts';
import { CHAIN_START, type RemoteEvent } from './remote-event.ts';
import type { Spool, Spooled } from './spool.ts';
import { utcTimestamp } from './utc-timestamp.ts';

/** A remote event that is not in the local ledger yet. */
export type FreshLink = Link & Spooled;

export interface CollectOptions {
  /** A page of the remote ledger, newest first; one without events is behind its end. */
  readPage: (limit: number, offset: number) => Promise<RemoteEvent[]>;
  pageSize: number;
  /** Page to the end, and refuse a remote ledger that lacks any event of the local one. */
  full: boolean;
  /** What the local ledger holds: all of it, or `newestLinks` of that. */
  known: Chain;
  /** All that the local ledger holds. */
  readAll: () => Promise<Chain>;
  spool: Spool;
  /** Unix ms. */
  now: number;
}

/**
 * Paging goes on past the newest known event until all of the last ten minutes have come by: the remote ledger orders by
 * whole seconds, and an event becomes visible some time after it was given its own.
 */
const OVERLAP_MS = 600_000;
/** Kept known, so that what lies in the overlap but was counted as earlier is not taken for new. */
const KNOWN_MS = 2 * OVERLAP_MS;
/** A time further ahead of ours than two clocks differ would hold back all that follows it. */
const MAX_AHEAD_MS = 300_000;
/** An event that arrives while one pages may come to lie where one has been; then one pages again. */
const MAX_PASSES = 3;
/** Pages in a row that say nothing new before a server counts as one that does not look at `offset`. */
const MAX_STALLED_PAGES = 100;

/** Of all links, in their order, those that the next import has to know. */
export function newestLinks(links: readonly Link[]): Link[] {
  const since = newestTime(links) - KNOWN_MS;
  const from = links.findIndex(({ timestamp }) => Date.parse(timestamp) >= since);
  return links.slice(Math.max(from, 0));
}

function newestTime(links: readonly Link[]): number {
  return links.reduce((newest, { timestamp }) => Math.max(newest, Date.parse(timestamp)), -Infinity);
}

/**
 * The events that the remote ledger has and the local one has not, each with its predecessor in one of them, and all
 * that the local ledger holds as far as that had to be read. Throws `import_failed` where an event was changed or
 * removed, or where the predecessor of one is missing.
 */
export async function collectFresh(options: CollectOptions): Promise<{ fresh: FreshLink[]; known: Chain }> {
  const collector = new Collector(options);
  if (options.full) await collector.learnAll();
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    await collector.page();
    if (collector.isWhole) return { fresh: collector.fresh, known: collector.known };
  }
  throw collector.gap();
}

class Collector {
  readonly #options: CollectOptions;
  #known: Chain;
  #knowsAll = false;
  readonly #fresh = new Map<string, FreshLink>();
  readonly #freshIds = new Map<string, FreshLink>();
  /** Predecessors that have not been seen, and the event that names each. */
  readonly #wanted = new Map<string, Link>();
  /** Known events that must come by again. */
  readonly #unseen: Map<string, Link>;
  /** Time of the newest known event, Unix ms; before all times where none is known. */
  readonly #newest: number;

  constructor(options: CollectOptions) {
    const { links } = options.known;
    this.#options = options;
    this.#known = options.known;
    this.#newest = newestTime(links);
    const recent = links.filter(({ timestamp }) => Date.parse(timestamp) >= this.#newest - OVERLAP_MS);
    this.#unseen = new Map(recent.map((link) => [link.event_hash, link]));
  }

  get fresh(): FreshLink[] {
    return [...this.#fresh.values()];
  }

  get known(): Chain {
    return this.#known;
  }

  get isWhole(): boolean {
    return this.#unseen.size === 0 && this.#wanted.size === 0;
  }

  /** Reads pages until they are past what can be new, or to the end. */
  async page(): Promise<void> {
    const { readPage, pageSize } = this.#options;
    let before = new Set<string>();
    let stalled = 0;
    for (let offset = 0; ; ) {
      const page = await readPage(pageSize, offset);
      if (page.length === 0) return;
      if (await this.#takeUntilPast(page)) return;
      stalled = page.every(({ event_id }) => before.has(event_id)) ? stalled + 1 : 0;
      if (stalled > MAX_STALLED_PAGES)
        throw failed('ledger/events', `other events at offset ${offset}`, 'the page before');
      before = new Set(page.map(({ event_id }) => event_id));
      offset += page.length;
    }
  }

  /** True where the page goes past what can be new. */
  async #takeUntilPast(page: readonly RemoteEvent[]): Promise<boolean> {
    for (const event of page) {
      const time = Date.parse(event.timestamp);
      // Older than all that is known for certain: it may be known as well, and so may a predecessor that is wanted.
      if (time < this.#newest - KNOWN_MS) await this.#learnAllIfNeeded();
      if (time < this.#newest - OVERLAP_MS && this.isWhole && !this.#options.full) return true;
      this.#take(event, time);
    }
    return false;
  }

  /** Why the import cannot be: what is still missing after the last pass. */
  gap(): CathedralError {
    const [wanted] = this.#wanted;
    if (wanted) {
      const [hash, { event_id }] = wanted;
      return failed(
        `event ${event_id}`,
        `its predecessor, the event with hash ${hash}`,
        'no such event: it was removed',
      );
    }
    const { event_id, event_hash } = this.#unseen.values().next().value!;
    return failed(
      'ledger/events',
      `event ${event_id} (${event_hash}), imported before`,
      'no such event: it was removed',
    );
  }

  #take(event: RemoteEvent, time: number): void {
    const { event_id, event_hash, previous_hash } = event;
    this.#unseen.delete(event_hash);
    if (this.#isKnown(event)) return;
    const timestamp = utcTimestamp(event.timestamp);
    if (time > this.#options.now + MAX_AHEAD_MS) {
      throw failed(
        `event ${event_id}`,
        `a time until ${new Date(this.#options.now).toISOString()}`,
        event.timestamp,
      );
    }
    const link = { event_id, event_hash, previous_hash, timestamp, ...this.#options.spool.add(event) };
    this.#fresh.set(event_hash, link);
    this.#freshIds.set(event_id, link);
    this.#wanted.delete(event_hash);
    this.#want(link);
  }

  #want(link: FreshLink): void {
    const { previous_hash: before } = link;
    const isThere = before === CHAIN_START || this.#known.withHash(before) || this.#fresh.has(before);
    if (!isThere) this.#wanted.set(before, link);
  }

  #isKnown({ event_id, event_hash }: RemoteEvent): boolean {
    const sameId = this.#known.withId(event_id) ?? this.#freshIds.get(event_id);
    if (sameId && sameId.event_hash !== event_hash) {
      throw failed(`event ${event_id}`, `event_hash ${sameId.event_hash}, as it came before`, event_hash);
    }
    const sameHash = this.#known.withHash(event_hash) ?? this.#fresh.get(event_hash);
    if (sameHash && sameHash.event_id !== event_id) {
      // The hash covers the fields one behind the other, so the border between two of them can be moved.
      throw failed(
        `event ${event_id}`,
        `the only event with event_hash ${event_hash}`,
        `${sameHash.event_id} with the same`,
      );
    }
    return sameId !== undefined;
  }

  /** Tells an event or a predecessor that is older than the newest known ones from a new one, or from a gap. */
  async #learnAllIfNeeded(): Promise<void> {
    if (!this.isWhole && !this.#knowsAll) await this.learnAll();
  }

  async learnAll(): Promise<void> {
    this.#knowsAll = true;
    this.#known = await this.#options.readAll();
    for (const link of this.fresh) {
      if (!this.#known.withHash(link.event_hash)) continue;
      this.#fresh.delete(link.event_hash);
      this.#freshIds.delete(link.event_id);
    }
    this.#wanted.clear();
    for (const link of this.fresh) this.#want(link);
    if (this.#options.full) for (const link of this.#known.links) this.#unseen.set(link.event_hash, link);
  }
}

function failed(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('import_failed', { place, expected, found });
}
