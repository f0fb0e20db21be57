import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { type EventDays, eventDaysPath, monthOf, parseEventDays } from '../../ledger/log/event-days.ts';
import type { Leaf } from '../../ledger/log/leaf.ts';
import { PublicEvents } from '../../ledger/log/public-bundle.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { TileReader } from '../../ledger/log/tile-reader.ts';
import type { Checkpoint } from '../../ledger/notes/checkpoint.ts';
import { MAX_NOTE_BYTES, type Verifier } from '../../ledger/notes/note.ts';
import { dayOf } from '../../model/window.ts';
import { openCheckpoint } from '../audit/verify-proof.ts';
import { mismatchError } from '../findings.ts';
import { openLog } from '../log.ts';
import { LOG, type Origin, readSmall } from '../origin.ts';

/** An event with its index in the log. */
export interface IndexedLeaf extends Leaf {
  index: number;
}

const CHECKPOINT = `${LOG}/checkpoint`;
/** The days of a month with 10,000 events a day have about 100 kB. */
const MOST_DAYS_BYTES = 4 << 20;
/** Bundles, most recently used last. */
const KEPT_FILES = 4;
const LEAF_PREFIX = Uint8Array.of(0);

/** The public events of an origin's log, found by their time. What it returns is verified; that nothing is left out is not. */
export class RowLog {
  readonly checkpoint: Checkpoint;
  /** The checkpoint as it was signed. */
  readonly note: string;
  readonly verifier: Verifier;
  readonly reader: TileReader;
  readonly #origin: Origin;
  #events: Promise<PublicEvents | null> | null = null;
  readonly #files = new Map<string, Promise<Uint8Array | null>>();
  readonly #months = new Map<string, Promise<EventDays | null>>();

  private constructor(
    origin: Origin,
    { checkpoint, note, verifier }: { checkpoint: Checkpoint; note: string; verifier: Verifier },
    reader: TileReader,
  ) {
    this.#origin = origin;
    this.checkpoint = checkpoint;
    this.note = note;
    this.verifier = verifier;
    this.reader = reader;
  }

  /** Throws mirror_mismatch, mirror_unreachable, ledger_signature, ledger_corrupt and log_invalid. */
  static async open(origin: Origin, verifiers: readonly Verifier[]): Promise<RowLog> {
    const place = origin.placeOf(CHECKPOINT);
    const found = await readSmall(origin, CHECKPOINT, { most: MAX_NOTE_BYTES });
    if (!found) throw mismatchError(place, 'the checkpoint of the log', 'no such file');
    const { checkpoint, verifier } = await openCheckpoint(found.bytes, verifiers, place);
    const note = new TextDecoder().decode(found.bytes);
    return new RowLog(origin, { checkpoint, note, verifier }, await openLog(origin, checkpoint));
  }

  /** Null: this host publishes no events. Throws log_invalid and mirror_unreachable. */
  publicEvents(): Promise<PublicEvents | null> {
    const read = (path: string, most: number) => this.#file(`${LOG}/${path}`, most);
    this.#events ??= PublicEvents.open(this.reader, read, (entry) => this.leafHash(entry));
    return this.#events;
  }

  /** The same bundle is looked at several times: for its events, and for the line of one. */
  #file(path: string, most: number): Promise<Uint8Array | null> {
    const known = this.#files.get(path);
    const bytes =
      known ??
      readSmall(this.#origin, path, { most }, { compressible: true }).then((found) => found?.bytes ?? null);
    this.#files.delete(path);
    this.#files.set(path, bytes);
    if (this.#files.size > KEPT_FILES) this.#files.delete(this.#files.keys().next().value!);
    return bytes;
  }

  leafHash(entry: Uint8Array): string {
    const hash = this.#origin.hashing.sha256();
    hash.update(LEAF_PREFIX);
    hash.update(entry);
    return hash.digest();
  }

  /** The line of a public event, as it was hashed; null if it stays a hash. */
  async line(index: number): Promise<string | null> {
    const lines = (await (await this.publicEvents())?.lines(Math.floor(index / TILE_WIDTH))) ?? [];
    const line = lines[index % TILE_WIDTH];
    return line ? new TextDecoder().decode(line) : null;
  }

  /** A public event; null if it stays a hash. */
  async event(index: number): Promise<IndexedLeaf | null> {
    const events = (await (await this.publicEvents())?.events(Math.floor(index / TILE_WIDTH))) ?? [];
    const leaf = events[index % TILE_WIDTH];
    return leaf ? { ...leaf, index } : null;
  }

  /** The index of a month, `2026-05`; null if there is none. Throws release_invalid. */
  month(month: string): Promise<EventDays | null> {
    const known = this.#months.get(month) ?? this.#readMonth(month);
    this.#months.set(month, known);
    return known;
  }

  async #readMonth(month: string): Promise<EventDays | null> {
    const path = eventDaysPath(month);
    const found = await readSmall(this.#origin, path, { most: MOST_DAYS_BYTES });
    return found && parseEventDays(new TextDecoder().decode(found.bytes), this.#origin.placeOf(path));
  }

  /** The public events of these types from one time to another, both included, in their order. */
  async between(from: string, to: string, types: ReadonlySet<string> | null): Promise<IndexedLeaf[]> {
    const events = await this.publicEvents();
    if (!events) return [];
    const numbers = await this.#bundlesWith(events, { from, to, types });
    const found: IndexedLeaf[] = [];
    for (const number of numbers) {
      if (number * TILE_WIDTH >= this.checkpoint.size) continue;
      for (const [at, leaf] of (await events.events(number)).entries())
        if (leaf && isWanted(leaf, { from, to, types }))
          found.push({ ...leaf, index: number * TILE_WIDTH + at });
    }
    return found;
  }

  /**
   * The bundles that may have such events, by the index of each month. A month without one has no events, or the host does not show
   * them: then the bundles are searched by the times of their own events.
   */
  async #bundlesWith(events: PublicEvents, wanted: Wanted): Promise<ReadonlySet<number>> {
    const numbers = new Set<number>();
    for (const name of monthsBetween(monthOf(wanted.from), monthOf(wanted.to))) {
      const month = await this.month(name);
      if (!month) return this.#bundlesByTime(events, wanted);
      for (const number of bundlesBetween(month, wanted)) numbers.add(number);
    }
    return numbers;
  }

  async #bundlesByTime(events: PublicEvents, { from, to }: Wanted): Promise<ReadonlySet<number>> {
    const bundles = Math.ceil(this.checkpoint.size / TILE_WIDTH);
    const firstTime = async (number: number): Promise<[number, string] | null> => {
      for (let at = number; at < bundles; at += 1) {
        const leaf = (await events.events(at)).find((one) => one !== null);
        if (leaf) return [at, leaf.event.timestamp];
      }
      return null;
    };
    // The last bundle whose first public event is before `from`: earlier ones have only earlier events.
    let [low, high] = [0, bundles];
    while (low + 1 < high) {
      const middle = Math.floor((low + high) / 2);
      const first = await firstTime(middle);
      if (first && compareTimestamps(first[1], from) < 0) low = first[0];
      else high = middle;
    }
    const numbers = new Set<number>();
    for (let number = low; number < bundles; number += 1) {
      const first = await firstTime(number);
      if (!first || compareTimestamps(first[1], to) > 0) break;
      number = first[0];
      numbers.add(number);
    }
    return numbers;
  }

  /** Whether some events of these types, on the days from one time to another, stay hashes. The release’s index says so. */
  async withholds(from: string, to: string, types: ReadonlySet<string>): Promise<boolean> {
    for (const name of monthsBetween(monthOf(from), monthOf(to))) {
      const days = (await this.month(name))?.days ?? [];
      const isHashed = days.some(
        ({ date, withheld = {} }) =>
          date >= dayOf(from) && date <= dayOf(to) && Object.keys(withheld).some((type) => types.has(type)),
      );
      if (isHashed) return true;
    }
    return false;
  }

  /** The time of the newest public event among the last ones of the log; null if these all stay hashes. */
  async newest(): Promise<string | null> {
    const events = await this.publicEvents();
    const last = Math.floor((this.checkpoint.size - 1) / TILE_WIDTH);
    for (let number = last; number >= Math.max(0, last - 3); number -= 1) {
      const newest = (await events?.events(number))?.findLast((leaf) => leaf !== null);
      if (newest) return newest.event.timestamp;
    }
    return null;
  }
}

interface Wanted {
  from: string;
  to: string;
  /** Null: all. */
  types: ReadonlySet<string> | null;
}

function isWanted({ event: { timestamp, type } }: Leaf, { from, to, types }: Wanted): boolean {
  const isInTime = compareTimestamps(from, timestamp) <= 0 && compareTimestamps(timestamp, to) <= 0;
  return isInTime && (types === null || types.has(type));
}

/** A bundle of a day reaches up to the first event of the day's next one. */
function bundlesBetween(month: EventDays | null, { from, to, types }: Wanted): number[] {
  return (month?.days ?? []).flatMap(({ date, bundles }) => {
    const begins = bundles.map((bundle) => `${date}T${bundle.from}`);
    const end = `${date}T23:59:59.999999999Z`;
    return bundles
      .filter(
        (bundle, at) =>
          compareTimestamps(begins[at]!, to) <= 0 &&
          compareTimestamps(begins[at + 1] ?? end, from) >= 0 &&
          (types === null || bundle.types.some((type) => types.has(type))),
      )
      .map(({ bundle }) => bundle);
  });
}

/** A deliberation is not open for longer than this; a row that says so would otherwise ask for any number of files. */
const MOST_MONTHS = 240;

/** At most so many months, from the first on. */
export function* monthsBetween(first: string, last: string, most = MOST_MONTHS): Generator<string> {
  let [year, month] = first.split('-').map(Number) as [number, number];
  for (let count = 0; count < most; count += 1) {
    const name = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
    if (name > last) return;
    yield name;
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
}
