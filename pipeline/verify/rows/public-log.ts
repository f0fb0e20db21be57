import { parseJsonFile } from '../../artifacts/format/json.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { EventDays, eventDaysPath, monthOf } from '../../ledger/log/event-days.ts';
import { PublicEvents, type PublicLeaf } from '../../ledger/log/public-bundle.ts';
import type { PublishedDecisions } from '../../ledger/log/public-events.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../../ledger/notes/checkpoint.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { dayOf } from '../../model/window.ts';
import { LOG, type Origin, readSmall } from '../origin.ts';
import { openSignedLog, type SignedLog } from '../signed-log.ts';

/** From one time to another, both included. */
export interface Span {
  from: string;
  to: string;
}

type Day = EventDays['days'][number];

/** The days of a month with 10,000 events a day have about 100 kB. */
const MOST_DAYS_BYTES = 4 << 20;
/** Bundles that are fetched before they are needed, once two were read one after the other. */
const AHEAD = 6;
/** Bundles in memory, most recently used last. */
const KEPT_BUNDLES = 8;
/** Of a log: the years that a timestamp can have. */
const MOST_MONTHS = 120_000;
/** A deliberation is not open for longer than this; a row that says so would otherwise ask for any number of files. */
const MOST_MONTHS_OF_ROW = 240;

/**
 * The public events of a log, each verified against its checkpoint, from end to end and by their times. That none is left out is not
 * verified, and nothing vouches for the release’s index of months, which says where they are: a host that hides events could leave them out of
 * the bundles as well. Every method throws log_invalid, release_invalid for an index, and the errors of the host.
 */
export class PublicLog implements SignedLog {
  readonly origin: Origin;
  readonly checkpoint: Checkpoint;
  readonly note: string;
  readonly verifier: Verifier;
  readonly reader: TileReader;
  #opened: Promise<PublicEvents | null> | null = null;
  readonly #bundles = new Map<number, Promise<(PublicLeaf | null)[]>>();
  readonly #months = new Map<string, Promise<EventDays | null>>();
  #days: Promise<Day[]> | null = null;
  /** The bundle that was read last by `events`. */
  #last = -1;

  private constructor({ origin, checkpoint, note, verifier, reader }: SignedLog) {
    this.origin = origin;
    this.checkpoint = checkpoint;
    this.note = note;
    this.verifier = verifier;
    this.reader = reader;
  }

  /** Throws as `openSignedLog`. */
  static async open(origin: Origin, verifiers: readonly Verifier[]): Promise<PublicLog> {
    return new PublicLog(await openSignedLog(origin, verifiers));
  }

  /** Number of events that the checkpoint signs. */
  get size(): number {
    return this.checkpoint.size;
  }

  get bundles(): number {
    return Math.ceil(this.size / TILE_WIDTH);
  }

  /** Which events are public, as the log says. Null: this host publishes none. */
  async policy(): Promise<PublishedDecisions | null> {
    return (await this.#open())?.policy ?? null;
  }

  /** The leaves from 256·number on, null for each that stays a hash. For callers that go from one bundle to the next. */
  async events(number: number): Promise<readonly (PublicLeaf | null)[]> {
    const step = number - this.#last;
    this.#last = number;
    const found = this.#bundle(number);
    // A search goes from place to place, and needs none of the bundles around it.
    for (let count = 1; Math.abs(step) === 1 && count <= AHEAD; count += 1) {
      const next = number + count * step;
      // An error surfaces when the bundle is needed.
      if (next >= 0 && next < this.bundles) this.#bundle(next).catch(() => undefined);
    }
    return found;
  }

  /** A public event; null if it stays a hash. */
  async event(index: number): Promise<PublicLeaf | null> {
    return (await this.#bundle(Math.floor(index / TILE_WIDTH)))[index % TILE_WIDTH] ?? null;
  }

  /** The public events of these types in a span of time, in their order. */
  async between(span: Span, types: readonly string[]): Promise<PublicLeaf[]> {
    const found: PublicLeaf[] = [];
    for (const number of await this.#bundlesIn(span, types)) {
      if (number >= this.bundles) continue;
      for (const leaf of await this.#bundle(number))
        if (leaf && types.includes(leaf.event.type) && isIn(span, leaf.event.timestamp)) found.push(leaf);
    }
    return found;
  }

  /** Which bundles may have public events of these types. Without the release’s index, every one may. */
  async bundlesWith(types: readonly string[]): Promise<(number: number) => boolean> {
    const days = await this.#allDays();
    const [first, end] = [days[0]?.first ?? 0, days.at(-1)?.end ?? 0];
    const bundles = days.flatMap((day) => day.bundles).filter((one) => hasOneOf(one.types, types));
    const known = new Set(bundles.map(({ bundle }) => bundle));
    const isIndexed = (number: number) => first <= number * TILE_WIDTH && (number + 1) * TILE_WIDTH <= end;
    return (number) => known.has(number) || !isIndexed(number);
  }

  /** The days of a span, or of all of the log, on which events of these types stay hashes; empty where there is no index. */
  async withheldOn(types: readonly string[], span?: Span): Promise<ReadonlySet<string>> {
    const days = span ? await this.#daysIn(span) : await this.#allDays();
    const isWithheld = ({ withheld = {} }: Day) => hasOneOf(Object.keys(withheld), types);
    return new Set(days.filter(isWithheld).map(({ date }) => date));
  }

  /** Where the events of a day are; null where the index does not say. */
  async day(date: string): Promise<Day | null> {
    return (await this.#month(monthOf(date)))?.days.find((day) => day.date === date) ?? null;
  }

  /** Whether no event after the checkpoint can be of a day. */
  async isOver(date: string): Promise<boolean> {
    const day = await this.day(date);
    const newest = day ? null : await this.newest();
    return day ? day.end < this.size : newest !== null && dayOf(newest) > date;
  }

  /** The time of the newest public event among the last ones of the log; null if these all stay hashes. */
  async newest(): Promise<string | null> {
    const last = Math.floor((this.size - 1) / TILE_WIDTH);
    for (let number = last; number >= Math.max(0, last - 3); number -= 1) {
      const newest = (await this.#bundle(number)).findLast((leaf) => leaf !== null);
      if (newest) return newest.event.timestamp;
    }
    return null;
  }

  #open(): Promise<PublicEvents | null> {
    const read = async (path: string, most: number) =>
      (await readSmall(this.origin, `${LOG}/${path}`, { most }, { compressible: true }))?.bytes ?? null;
    this.#opened ??= PublicEvents.open(this.reader, read);
    return this.#opened;
  }

  #bundle(number: number): Promise<(PublicLeaf | null)[]> {
    const bundle =
      this.#bundles.get(number) ?? this.#open().then((events) => (events ? events.events(number) : []));
    this.#bundles.delete(number);
    this.#bundles.set(number, bundle);
    if (this.#bundles.size > KEPT_BUNDLES) this.#bundles.delete(this.#bundles.keys().next().value!);
    return bundle;
  }

  /**
   * The bundles that may have such events, by the index of each month. A month without one has no events, or the host does not show
   * them: then the bundles are searched by the times of their own events.
   */
  async #bundlesIn(span: Span, types: readonly string[]): Promise<ReadonlySet<number>> {
    const numbers = new Set<number>();
    for (const name of monthsBetween(span, MOST_MONTHS_OF_ROW)) {
      const month = await this.#month(name);
      if (!month) return this.#bundlesByTime(span);
      for (const day of month.days) for (const number of bundlesOfDay(day, span, types)) numbers.add(number);
    }
    return numbers;
  }

  async #bundlesByTime({ from, to }: Span): Promise<ReadonlySet<number>> {
    // The last bundle whose first public event is before `from`: earlier ones have only earlier events.
    let [low, high] = [0, this.bundles];
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      const first = await this.#firstFrom(middle);
      if (first && compareTimestamps(first.time, from) < 0) low = first.number;
      else high = middle;
    }
    const numbers = new Set<number>();
    for (let next = await this.#firstFrom(low); next && compareTimestamps(next.time, to) <= 0; ) {
      numbers.add(next.number);
      next = await this.#firstFrom(next.number + 1);
    }
    return numbers;
  }

  /** The first bundle with a public event from a number on, and the time of that event. */
  async #firstFrom(number: number): Promise<{ number: number; time: string } | null> {
    for (let at = number; at < this.bundles; at += 1) {
      const leaf = (await this.#bundle(at)).find((one) => one !== null);
      if (leaf) return { number: at, time: leaf.event.timestamp };
    }
    return null;
  }

  async #daysIn(span: Span): Promise<Day[]> {
    const days: Day[] = [];
    for (const name of monthsBetween(span, MOST_MONTHS_OF_ROW))
      days.push(...((await this.#month(name))?.days ?? []));
    return days.filter(({ date }) => date >= dayOf(span.from) && date <= dayOf(span.to));
  }

  /** From the day of the first public event to that of the last one; empty where the index has a gap. */
  #allDays(): Promise<Day[]> {
    this.#days ??= this.#readDays();
    return this.#days;
  }

  async #readDays(): Promise<Day[]> {
    const [first, newest] = [await this.#firstFrom(0), await this.newest()];
    if (first === null || newest === null) return [];
    const days: Day[] = [];
    for (const name of monthsBetween({ from: first.time, to: newest }, MOST_MONTHS)) {
      const month = (await this.#month(name))?.days ?? [];
      // A month without an event has no index.
      if (days.length > 0 && month.length > 0 && month[0]!.first !== days.at(-1)!.end) return [];
      days.push(...month);
    }
    return days;
  }

  /** The index of a month, `2026-05`; null if there is none. */
  #month(month: string): Promise<EventDays | null> {
    const known = this.#months.get(month) ?? this.#readMonth(month);
    this.#months.set(month, known);
    return known;
  }

  async #readMonth(month: string): Promise<EventDays | null> {
    const path = eventDaysPath(month);
    const found = await readSmall(this.origin, path, { most: MOST_DAYS_BYTES });
    if (!found) return null;
    const text = new TextDecoder().decode(found.bytes);
    return parseJsonFile(text, EventDays, this.origin.placeOf(path), 'release_invalid');
  }
}

function isIn({ from, to }: Span, time: string): boolean {
  return compareTimestamps(from, time) <= 0 && compareTimestamps(time, to) <= 0;
}

function hasOneOf(all: readonly string[], wanted: readonly string[]): boolean {
  return wanted.some((one) => all.includes(one));
}

/** A bundle of a day reaches up to the first event of the day's next one. */
function bundlesOfDay({ date, bundles }: Day, { from, to }: Span, types: readonly string[]): number[] {
  const begins = [...bundles.map((bundle) => `${date}T${bundle.from}`), `${date}T23:59:59.999999999Z`];
  return bundles
    .filter(
      (bundle, at) =>
        compareTimestamps(begins[at]!, to) <= 0 &&
        compareTimestamps(begins[at + 1]!, from) >= 0 &&
        hasOneOf(bundle.types, types),
    )
    .map(({ bundle }) => bundle);
}

/** The most months, from the first on. */
function* monthsBetween({ from, to }: Span, most: number): Generator<string> {
  let [year, month] = monthOf(from).split('-').map(Number) as [number, number];
  for (let count = 0; count < most; count += 1) {
    const name = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
    if (name > monthOf(to)) return;
    yield name;
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
}
