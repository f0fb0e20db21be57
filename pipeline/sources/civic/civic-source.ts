import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError, errorOf } from '../../errors.ts';
import { parseExactJson } from '../../ledger/events/json.ts';
import { utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { RowIndex, RowPlace } from '../import/row-index.ts';
import type { Opening, RowSource, RowView, SourceAlert, SourceRow, Stretch } from '../import/source.ts';
import { inChainOrder, type Link } from './chain.ts';
import { CIVIC_FORM, secondOf } from './civic-form.ts';
import { type Remote, readPage } from './read-page.ts';
import { assertEventHash, CHAIN_START, eventHash, type RemoteEvent } from './remote-event.ts';

const failed = errorOf('import_failed');

export interface CivicOptions extends Partial<Omit<Remote, 'baseUrl'>> {
  /** Base address of the remote ledger, above `/ledger/events`. */
  baseUrl: string;
  /** Events. */
  pageSize?: number;
}

/** As in the production ledger. */
const PAGE_SIZE = 100;
/** Of one request: a hosted ledger may need to wake up. */
const TIMEOUT_MS = 60_000;
/** Per page. */
const ATTEMPTS = 5;
/**
 * Every import reads the ten minutes before the newest known event again: the remote ledger orders by whole seconds, and an event becomes
 * visible some time after its timestamp.
 */
const OVERLAP_SECONDS = 600;
/** The same of an event whose predecessor is missing: it may still arrive. */
const ARRIVAL_MS = 600_000;
/** A timestamp further in the future than clocks differ would hold back every later event. */
const MAX_AHEAD_MS = 300_000;
/** Events that arrive or go during reading shift others past the reader, so what is missing is looked for again. */
const MAX_PASSES = 3;
/** After this many consecutive pages without news, the server seems to ignore `offset`. */
const MAX_STALLED_PAGES = 100;
/** The same for short pages, which show that the oldest event was reached. */
const MAX_PUSHED_PAGES = 10;
/** Pages that one import compares where the number of events says that one is missing or late. */
const MAX_SUSPECTS = 100;

/**
 * The events of a remote ledger, which are linked by their hashes. It is read newest first; new events are imported in the order of their
 * chain. Their place is the second of their own time. Throws `config_invalid`.
 */
export function civicSource({
  baseUrl: url,
  pageSize = PAGE_SIZE,
  ...options
}: CivicOptions): RowSource<RemoteEvent> {
  const baseUrl = URL.parse(url);
  if (!baseUrl || !/^https?:$/.test(baseUrl.protocol) || baseUrl.username || baseUrl.password) {
    const expected = 'an http or https address without a password';
    const place = 'civic-ledger base URL';
    throw new CathedralError('config_invalid', { place, expected, found: JSON.stringify(url) });
  }
  const ways = { fetch, wait: sleep, signal: undefined, timeoutMs: TIMEOUT_MS, attempts: ATTEMPTS };
  const remote: Remote = { ...ways, ...options, baseUrl };
  return {
    name: `civic+${url}`,
    oldestFirst: null,
    form: CIVIC_FORM,
    overlap: OVERLAP_SECONDS,
    // A page with one event before them and one after them.
    window: Math.max(pageSize - 2, 1),
    sealDelayMs: 0,
    quiet: 'never',
    open: async (opening) => new CivicView(remote, pageSize, opening),
  };
}

/** An event that is not imported yet. */
type FreshLink = Link & { spooled: number };

class CivicView implements RowView<RemoteEvent> {
  readonly mark = null;
  readonly passes = MAX_PASSES;
  readonly #remote: Remote;
  readonly #pageSize: number;
  readonly #index: RowIndex;
  readonly #now: number;
  readonly #spool = new Spool();
  /** event_id → new event, and the same by event_hash. */
  readonly #fresh = new Map<string, FreshLink>();
  readonly #byHash = new Map<string, FreshLink>();
  /** Predecessors not seen yet, each with the event that names it; and those that the remote ledger does not have. */
  readonly #wanted = new Map<string, Link>();
  readonly #gaps = new Map<string, Link>();
  /** Hashes of imported events with another content than before. */
  readonly #changed = new Set<string>();
  /** Where the newest events begin that every import reads; null: with the first of all. */
  #recent: RowPlace | null = null;
  /** By how many events the last stretch was off its place: events that are late or gone shift all older ones. */
  #shift = 0;
  /** event_id of the newest event of all, when the first page was read last. */
  #newest: string | undefined;
  /** Whether the oldest event of all was read with all that follow it. */
  #hasReadAll = false;

  constructor(remote: Remote, pageSize: number, { index, now }: Opening) {
    this.#remote = remote;
    this.#pageSize = pageSize;
    this.#index = index;
    this.#now = now;
  }

  /** The imported events of a stretch, newest first. New ones are kept for `fresh`. */
  async *rows(after: RowPlace | null, until: RowPlace): AsyncGenerator<SourceRow<RemoteEvent>[]> {
    const isNewest = until.place === this.#index.end?.place;
    if (isNewest) {
      this.#recent = after;
      yield* this.#read(0, await this.#page(0), after, true);
      return;
    }
    const newer = this.#index.count(until) + this.#fresh.size;
    let offset = Math.max(newer + this.#shift - 1, 0);
    let first = await this.#page(offset);
    // The stretch is read from its beginning on where a newer event comes before it.
    for (let step = 1; offset > 0 && !isAfter(first[0], until); step *= 2) {
      offset = Math.max(offset - step, 0);
      first = await this.#page(offset);
    }
    const at = first.findIndex((event) => !isAfter(event, until));
    if (at >= 0) this.#shift = offset + at - newer;
    yield* this.#read(offset, first, after, false);
  }

  /** First compares the number of events, which changes if one was removed or arrived late. */
  async suspects(windows: readonly Stretch[]): Promise<readonly Stretch[]> {
    const total = this.#index.count() + this.#fresh.size;
    if (this.#hasReadAll || total === 0 || (await this.#page(total - 1)).length === 1) return [];
    const newest = this.#newest;
    // An event that arrived meanwhile also changes it. The next import counts again.
    const [first] = await this.#page(0);
    return first?.event_id === newest ? windows.slice(0, MAX_SUSPECTS) : [];
  }

  async fresh(): Promise<Iterable<SourceRow<RemoteEvent>[]>> {
    if (this.#index.end === null) await this.#readRecent();
    // An event that arrived during reading may name a predecessor on a page that was read before.
    for (let pass = 2; pass <= MAX_PASSES && this.#wanted.size > 0; pass += 1) await this.#readRecent();
    this.#acceptGaps();
    const isKnown = (hash: string) => this.#isSeen(hash) || this.#index.withHash(hash) !== null;
    const order = inChainOrder(this.#fresh.values(), isKnown);
    return Iterator.from(order).map((link) => [rowOf(this.#spool.get(link.spooled))]);
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

  async close(): Promise<void> {
    this.#spool.close();
  }

  async #readRecent(): Promise<void> {
    for await (const _ of this.#read(0, await this.#page(0), this.#recent, true));
  }

  /**
   * Reads from `offset` on until an event is not after a place, or to the end; and, if `isWhole`, further until every predecessor is found.
   * Gives those that are imported.
   */
  async *#read(
    offset: number,
    first: RemoteEvent[],
    after: RowPlace | null,
    isWhole: boolean,
  ): AsyncGenerator<SourceRow<RemoteEvent>[]> {
    for await (const page of this.#pages(offset, first)) {
      const known: SourceRow<RemoteEvent>[] = [];
      for (const event of page) {
        const isOld = after !== null && !isAfter(event, after);
        if (isOld && !(isWhole && this.#wanted.size > 0)) {
          yield known;
          return;
        }
        if (this.#take(event)) known.push(rowOf(event));
      }
      yield known;
    }
    this.#hasReadAll ||= offset === 0;
  }

  /** The remote ledger's pages from `offset` on. */
  async *#pages(offset: number, first: RemoteEvent[]): AsyncGenerator<RemoteEvent[]> {
    let previous = new Set<string>();
    let stalled = 0;
    let longest = 0;
    for (let [at, page] = [offset, first]; page.length > 0; page = await this.#page(at)) {
      yield page;
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

  async #page(offset: number): Promise<RemoteEvent[]> {
    const page = await readPage(this.#remote, this.#pageSize, offset);
    if (offset === 0) this.#newest = page[0]?.event_id;
    return page;
  }

  /** Whether an event is imported. Keeps a new one, once its hash is verified. */
  #take(event: RemoteEvent): boolean {
    const { event_id, event_hash, previous_hash } = event;
    const content = eventHash(event);
    const fresh = this.#fresh.get(event_id);
    if (fresh && fresh.event_hash !== event_hash)
      throw failed(`event ${event_id}`, `event_hash ${fresh.event_hash}, as it came before`, event_hash);
    if (fresh) return false;
    const known = this.#index.row(event_id);
    if (known) {
      if (known.digest !== content) this.#changed.add(content);
      this.#wanted.delete(content);
      return true;
    }
    this.#assertOwnHash(event_id, event_hash);
    assertEventHash(event, content);
    if (Date.parse(event.timestamp) > this.#now + MAX_AHEAD_MS) {
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
    return false;
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
      if (Date.parse(link.timestamp) > this.#now - ARRIVAL_MS)
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

  constructor() {
    this.#database.exec('CREATE TABLE event (json TEXT NOT NULL) STRICT; BEGIN');
    this.#add = this.#database.prepare('INSERT INTO event VALUES (?)');
    this.#get = this.#database.prepare('SELECT json FROM event WHERE rowid = ?');
  }

  /** Returns its number. */
  add(event: RemoteEvent): number {
    return Number(this.#add.run(JSON.stringify(event)).lastInsertRowid);
  }

  get(number: number): RemoteEvent {
    return parseExactJson(this.#get.get(number)!.json as string) as RemoteEvent;
  }

  close(): void {
    this.#database.close();
  }
}

function rowOf(event: RemoteEvent): SourceRow<RemoteEvent> {
  const timestamp = utcTimestamp(event.timestamp);
  return { id: event.event_id, timestamp, place: secondOf(timestamp), draft: event };
}

function isAfter(event: RemoteEvent | undefined, { place }: RowPlace): boolean {
  return event !== undefined && secondOf(event.timestamp) > place;
}
