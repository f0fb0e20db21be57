import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError, errorOf } from '../../errors.ts';
import { MAX_AHEAD_MS } from '../../ledger/events/draft.ts';
import { parseExactJson } from '../../ledger/events/json.ts';
import { utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { RowIndex } from '../import/row-index.ts';
import type { Opening, RowSource, RowView, SourceAlert, SourceRow } from '../import/source.ts';
import { inChainOrder, type Link } from './chain.ts';
import { CIVIC_FORM, remoteRow } from './civic-form.ts';
import { type Remote, readPage } from './read-page.ts';
import { assertEventHash, CHAIN_START, eventHash, type RemoteEvent } from './remote-event.ts';

const failed = errorOf('import_failed');

export interface CivicOptions extends Partial<Omit<Remote, 'baseUrl'>> {
  /** Base address of the remote ledger, above `/ledger/events`. */
  baseUrl: string;
  /** Events. */
  pageSize?: number;
  /** Of new events in one import, as they are sent. */
  mostBytes?: number;
}

/** As in the production ledger. */
const PAGE_SIZE = 100;
/** Some ten million events. A server without an end would fill the disk, on which new events wait until all of them are there. */
const MOST_BYTES = 4 * 1024 ** 3;
/** Of one request: a hosted ledger may need to wake up. */
const TIMEOUT_MS = 60_000;
/** Per page. */
const ATTEMPTS = 5;
/**
 * Every import reads the ten minutes before the newest known event again: the remote ledger orders by whole seconds, and an event becomes
 * visible some time after its timestamp.
 */
const OVERLAP_MS = 600_000;
/** The same of an event whose predecessor is missing: it may still arrive. */
const ARRIVAL_MS = 600_000;
/** An event that arrives during reading may name a predecessor on a page that was read before; and one that goes shifts the others. */
const MAX_PASSES = 3;
/** After this many consecutive pages without news, the server seems to ignore `offset`. */
const MAX_STALLED = 100;

/**
 * The events of a remote ledger, which are linked by their hashes. It is read newest first; new events are imported in the order of their
 * chain. Throws `config_invalid`.
 */
export function civicSource({
  baseUrl: url,
  pageSize = PAGE_SIZE,
  mostBytes = MOST_BYTES,
  ...options
}: CivicOptions): RowSource {
  const baseUrl = URL.parse(url);
  if (!baseUrl || !/^https?:$/.test(baseUrl.protocol) || baseUrl.username || baseUrl.password) {
    const expected = 'an http or https address without a password';
    const place = 'civic-ledger base URL';
    throw new CathedralError('config_invalid', { place, expected, found: JSON.stringify(url) });
  }
  const ways = { fetch, wait: sleep, timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS };
  const remote: Remote = { ...ways, ...options, baseUrl };
  return {
    name: `civic+${url}`,
    oldestFirst: null,
    isReadTwice: false,
    form: CIVIC_FORM,
    sealDelayMs: 0,
    quiet: 'never',
    open: async (opening) => new CivicView(remote, { pageSize, mostBytes }, opening),
  };
}

/** An event that is not imported yet. */
type FreshLink = Link & { spooled: number };

class CivicView implements RowView {
  readonly #remote: Remote;
  readonly #pageSize: number;
  readonly #opening: Opening;
  readonly #index: RowIndex;
  readonly #spool: Spool;
  /** event_id → new event, and the same by event_hash. */
  readonly #fresh = new Map<string, FreshLink>();
  readonly #byHash = new Map<string, FreshLink>();
  /** Predecessors not seen yet, each with the event that names it; and those that the remote ledger does not have. */
  readonly #wanted = new Map<string, Link>();
  readonly #gaps = new Map<string, Link>();
  /** Hashes of imported events with another content than before. */
  readonly #changed = new Set<string>();
  /** event_id of the newest event of all, when the first page was read last. */
  #newest: string | undefined;
  /** Whether the oldest event of all was read with all that follow it. */
  #hasReadAll = false;
  /** How many of the oldest events were compared again, by this import and those before it. */
  #audited: number;

  constructor(
    remote: Remote,
    { pageSize, mostBytes }: Required<Pick<CivicOptions, 'pageSize' | 'mostBytes'>>,
    opening: Opening,
  ) {
    this.#remote = remote;
    this.#pageSize = pageSize;
    this.#spool = new Spool(mostBytes);
    this.#opening = opening;
    this.#index = opening.index;
    this.#audited = Number(opening.index.state.mark ?? 0);
  }

  /** The newest events, and pages of older ones. */
  async *some(): AsyncGenerator<SourceRow[]> {
    yield* this.#recent(this.#overlap());
    yield* this.#withPredecessors(this.#older());
  }

  /** Pages of older events, one after the other in each import. */
  async *#older(): AsyncGenerator<RemoteEvent[]> {
    for (let page = 0; page < this.#opening.auditWindows && !this.#hasReadAll; page += 1) {
      const offset = Math.max(this.#count() - this.#audited - this.#pageSize, 0);
      const events = await this.#page(offset);
      yield events;
      this.#audited += events.length;
      // What is newer was read already.
      if (offset > 0 && events.length > 0 && Date.parse(events[0]!.timestamp) < this.#overlap()) continue;
      this.#audited = 0;
      return;
    }
  }

  /** Compares the number of events, which changes if one was removed or arrived late. */
  async isSame(): Promise<boolean> {
    const total = this.#count();
    if (total === 0 || (await this.#page(total - 1)).length === 1) return true;
    const newest = this.#newest;
    // An event that arrived meanwhile also changes it. The next import counts again.
    const [first] = await this.#page(0);
    return first?.event_id !== newest;
  }

  async *all(): AsyncGenerator<SourceRow[]> {
    yield* this.#withPredecessors(this.#pages());
  }

  /** In the order of their chain. */
  async *fresh(): AsyncGenerator<SourceRow[]> {
    if (this.#index.state.end === null) for await (const _ of this.#recent(-Infinity));
    this.#acceptGaps();
    const isKnown = (hash: string) => this.#isSeen(hash) || this.#index.withHash(hash) !== null;
    for (const { spooled, event_hash } of inChainOrder(this.#fresh.values(), isKnown))
      yield [remoteRow(this.#spool.get(spooled), event_hash)];
  }

  async held(): Promise<null> {
    return null;
  }

  *alerts(): Generator<SourceAlert> {
    for (const [hash, { event_id }] of this.#gaps) {
      const message = `The remote ledger does not have the predecessor of ${event_id}, the event with hash ${hash}.`;
      const data = { message, gap: { event_id, previous_hash: hash } };
      yield { finding: { kind: 'gap', rows: [event_id], message }, alert: 'source-gap', data };
    }
  }

  async mark(): Promise<number> {
    return this.#audited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#spool.close();
  }

  /** Number of events that the remote ledger should have. */
  #count(): number {
    return this.#index.count() + this.#fresh.size;
  }

  /** Unix ms from which every import reads again. */
  #overlap(): number {
    return Date.parse(this.#index.state.end!.timestamp) - OVERLAP_MS;
  }

  /** Reads the newest events again if some of these pages has a new one whose predecessor is missing: both arrived meanwhile. */
  async *#withPredecessors(pages: AsyncIterable<RemoteEvent[]>): AsyncGenerator<SourceRow[]> {
    const missing = new Set(this.#wanted.keys());
    for await (const events of pages) yield this.#imported(events);
    if (this.#wanted.keys().some((hash) => !missing.has(hash))) yield* this.#recent(this.#overlap());
  }

  /** Reads the events from a time on, and until every predecessor is found or the remote ledger does not have it. */
  async *#recent(from: number): AsyncGenerator<SourceRow[]> {
    for (let pass = 1; pass === 1 || (pass <= MAX_PASSES && this.#wanted.size > 0); pass += 1)
      for await (const events of this.#pages()) {
        yield this.#imported(events);
        if (Date.parse(events.at(-1)!.timestamp) < from && this.#wanted.size === 0) break;
      }
  }

  /**
   * The remote ledger's pages, newest first. Each begins with the last event of the one before it, or with newer ones: without that event, others
   * went meanwhile, and what has moved forward would be passed over.
   */
  async *#pages(): AsyncGenerator<RemoteEvent[]> {
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      let before = new Set<string>();
      let last: string | null = null;
      let [offset, stalled, longest] = [0, 0, 0];
      for (;;) {
        const page = await this.#page(offset);
        if (last !== null && !page.some(({ event_id }) => event_id === last)) break;
        const isNew = page.some(({ event_id }) => !before.has(event_id));
        stalled = isNew ? 0 : stalled + 1;
        longest = Math.max(longest, page.length);
        // On a page with free space, new events shift the oldest ones as fast as they are read.
        const isEnd = page.length === 0 || (stalled > MAX_STALLED && page.length < longest);
        this.#hasReadAll ||= isEnd;
        if (isEnd) return;
        if (stalled > MAX_STALLED)
          throw failed('ledger/events', `other events at offset ${offset}`, 'the previous page');
        if (offset > this.#count() + MAX_STALLED * this.#pageSize)
          throw failed('ledger/events', `other events at offset ${offset}`, 'events of earlier pages');
        yield page;
        before = new Set(page.map(({ event_id }) => event_id));
        last = isNew && page.length > 1 ? page.at(-1)!.event_id : null;
        offset += last === null ? page.length : page.length - 1;
      }
    }
    throw failed('ledger/events', 'pages that follow one another', `others, ${MAX_PASSES} times`);
  }

  async #page(offset: number): Promise<RemoteEvent[]> {
    const page = await readPage(this.#remote, this.#pageSize, offset);
    if (offset === 0) this.#newest = page[0]?.event_id;
    return page;
  }

  /** The imported ones among some events. The others are kept for `fresh`, once their hashes are verified. */
  #imported(events: readonly RemoteEvent[]): SourceRow[] {
    return events.flatMap((event) => this.#take(event) ?? []);
  }

  /** The row of an imported event. Keeps a new one, once its hash is verified. */
  #take(event: RemoteEvent): SourceRow | null {
    const { event_id, event_hash, previous_hash } = event;
    const content = eventHash(event);
    const fresh = this.#fresh.get(event_id);
    if (fresh && fresh.event_hash !== event_hash)
      throw failed(`event ${event_id}`, `event_hash ${fresh.event_hash}, as it came before`, event_hash);
    if (fresh) return null;
    const known = this.#index.row(event_id);
    if (known) {
      if (known.digest !== content) this.#changed.add(content);
      this.#wanted.delete(content);
      return remoteRow(event, content);
    }
    this.#assertOwnHash(event_id, event_hash);
    assertEventHash(event, content);
    // It would hold back every later event.
    if (Date.parse(event.timestamp) > this.#opening.now + MAX_AHEAD_MS) {
      // Without the current time, so that a repeated failure is reported once.
      const expected = `a time at most ${MAX_AHEAD_MS / 60_000} minutes ahead of this machine's clock`;
      throw failed(`event ${event_id}`, expected, event.timestamp);
    }
    const timestamp = utcTimestamp(event.timestamp);
    const link = { event_id, event_hash, previous_hash, timestamp, spooled: this.#spool.add(event) };
    this.#fresh.set(event_id, link);
    this.#byHash.set(event_hash, link);
    this.#wanted.delete(event_hash);
    const hasBefore = this.#isSeen(previous_hash) || this.#index.withHash(previous_hash) !== null;
    if (!hasBefore && !this.#byHash.has(previous_hash)) this.#wanted.set(previous_hash, link);
    return null;
  }

  #isSeen(hash: string): boolean {
    return hash === CHAIN_START || this.#changed.has(hash) || this.#gaps.has(hash);
  }

  /** The hash covers the concatenated fields, so different fields can have the same hash. */
  #assertOwnHash(event_id: string, hash: string): void {
    const other = this.#byHash.get(hash)?.event_id ?? this.#index.withHash(hash);
    if (other === null || other === event_id) return;
    throw failed(`event ${event_id}`, `the only event with event_hash ${hash}`, `${other} with the same`);
  }

  /** Gives up predecessors that the last pass did not find either. Throws `import_failed` where one may still arrive. */
  #acceptGaps(): void {
    for (const [hash, link] of this.#wanted) {
      if (Date.parse(link.timestamp) > this.#opening.now - ARRIVAL_MS)
        throw failed(
          `event ${link.event_id}`,
          `its predecessor, the event with hash ${hash}`,
          'no such event. If it does not arrive within ten minutes, the import continues without it',
        );
      this.#gaps.set(hash, link);
    }
    this.#wanted.clear();
  }
}

/** Keeps events on disk between paging, newest first, and writing, oldest first. */
class Spool {
  // An empty name makes a temporary database, which is gone with the process.
  readonly #database = new DatabaseSync('');
  readonly #add;
  readonly #get;
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
    this.#database.exec('CREATE TABLE event (json TEXT NOT NULL) STRICT; BEGIN');
    this.#add = this.#database.prepare('INSERT INTO event VALUES (?)');
    this.#get = this.#database.prepare('SELECT json FROM event WHERE rowid = ?');
  }

  /** Returns its number. Throws import_failed for more than one import takes. */
  add(event: RemoteEvent): number {
    const json = JSON.stringify(event);
    this.#bytes += json.length;
    if (this.#bytes > this.#most)
      throw failed('ledger/events', `at most ${this.#most} bytes of events that are new`, 'more');
    return Number(this.#add.run(json).lastInsertRowid);
  }

  get(number: number): RemoteEvent {
    return parseExactJson(this.#get.get(number)!.json as string) as RemoteEvent;
  }

  close(): void {
    this.#database.close();
  }
}
