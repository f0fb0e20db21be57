import type { KnownType } from '../../ledger/events/event.ts';
import type { EventDays } from '../../ledger/log/event-days.ts';
import type { Leaf } from '../../ledger/log/leaf.ts';
import type { PublicEvents } from '../../ledger/log/public-bundle.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { dayOf } from '../../model/window.ts';
import { monthsBetween, type RowLog } from './row-log.ts';

/** The public events of a log from end to end, each verified against its checkpoint. */
export interface PublicLog {
  /** Number of events that the checkpoint signs. */
  size: number;
  /** The leaves from 256·number on, null for each that stays a hash. Throws log_invalid and the errors of the host. */
  events(number: number): Promise<readonly (Leaf | null)[]>;
  /**
   * Which bundles may have public events of these types, as the release’s index says; nothing vouches for it. A host that hides events
   * could leave them out of the bundles as well, and in both cases the rows of the file are left without events.
   */
  bundlesWith(types: readonly KnownType[]): Promise<(number: number) => boolean>;
  /** The time of the newest public event among the last ones of the log; null if these all stay hashes. */
  newest(): Promise<string | null>;
  /** The days on which events of these types stay hashes, as the release’s index says; empty where it has none. */
  withheldOn(types: readonly KnownType[]): Promise<ReadonlySet<string>>;
}

/** Bundles that are fetched before they are needed, once two were read one after the other. */
const AHEAD = 6;
/** Of a log: the years that a timestamp can have. */
const MOST_MONTHS = 120_000;

export function bundlesOf({ size }: Pick<PublicLog, 'size'>): number {
  return Math.ceil(size / TILE_WIDTH);
}

/** Null: the host publishes no events. */
export async function openPublicLog(log: RowLog): Promise<PublicLog | null> {
  const events = await log.publicEvents();
  return events && new OpenPublicLog(log, events);
}

class OpenPublicLog implements PublicLog {
  readonly size: number;
  readonly #log: RowLog;
  readonly #events: PublicEvents;
  readonly #ahead = new Map<number, Promise<(Leaf | null)[]>>();
  #last = -1;
  #months: Promise<EventDays[]> | null = null;

  constructor(log: RowLog, events: PublicEvents) {
    this.#log = log;
    this.#events = events;
    this.size = log.checkpoint.size;
  }

  async events(number: number): Promise<readonly (Leaf | null)[]> {
    const step = number - this.#last;
    this.#last = number;
    const found = this.#fetch(number);
    // A search goes from place to place, and needs none of the bundles around it.
    for (let count = 1; Math.abs(step) === 1 && count <= AHEAD; count += 1) {
      const next = number + count * step;
      // An error surfaces when the bundle is needed.
      if (next >= 0 && next < bundlesOf(this)) this.#fetch(next).catch(() => undefined);
    }
    const events = await found;
    for (const known of this.#ahead.keys())
      if (Math.abs(known - number) > 2 * AHEAD) this.#ahead.delete(known);
    return events;
  }

  async bundlesWith(types: readonly KnownType[]): Promise<(number: number) => boolean> {
    const days = (await this.#allMonths()).flatMap((month) => month.days);
    const first = days[0]?.first ?? 0;
    const end = days.at(-1)?.end ?? 0;
    const known = new Set(
      days
        .flatMap(({ bundles }) =>
          bundles.filter((one) => one.types.some((type) => (types as readonly string[]).includes(type))),
        )
        .map(({ bundle }) => bundle),
    );
    const isIndexed = (number: number) => first <= number * TILE_WIDTH && (number + 1) * TILE_WIDTH <= end;
    return (number) => known.has(number) || !isIndexed(number);
  }

  newest(): Promise<string | null> {
    return this.#log.newest();
  }

  async withheldOn(types: readonly KnownType[]): Promise<ReadonlySet<string>> {
    const days = (await this.#allMonths()).flatMap((month) => month.days);
    const isWithheld = (withheld: Record<string, number>) =>
      types.some((type) => Object.hasOwn(withheld, type));
    return new Set(days.filter(({ withheld = {} }) => isWithheld(withheld)).map(({ date }) => date));
  }

  #fetch(number: number): Promise<(Leaf | null)[]> {
    const known = this.#ahead.get(number) ?? this.#events.events(number);
    this.#ahead.set(number, known);
    return known;
  }

  /** From the month of the first public event to that of the last one, without a gap. */
  #allMonths(): Promise<EventDays[]> {
    this.#months ??= this.#readMonths();
    return this.#months;
  }

  async #readMonths(): Promise<EventDays[]> {
    const [first, newest] = [await this.#firstTime(), await this.#log.newest()];
    if (first === null || newest === null) return [];
    const months: EventDays[] = [];
    for (const name of monthsBetween(first.slice(0, 7), newest.slice(0, 7), MOST_MONTHS)) {
      const month = await this.#log.month(name);
      // A month without an event has no index; with one that is missing, what follows is read whole.
      if (month && month.days.length > 0) {
        const end = months.at(-1)?.days.at(-1)?.end;
        if (end !== undefined && month.days[0]!.first !== end) return [];
        months.push(month);
      }
    }
    return months;
  }

  async #firstTime(): Promise<string | null> {
    for (let number = 0; number < bundlesOf(this); number += 1) {
      const leaf = (await this.events(number)).find((one) => one !== null);
      if (leaf) return dayOf(leaf.event.timestamp);
    }
    return null;
  }
}
