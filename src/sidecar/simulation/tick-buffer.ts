import { elapse, NEW_SESSION, nextBeat, type Session } from '../../simulation/protocol/session.ts';
import { stepRun } from '../../simulation/run.ts';
import type { SharedRuns } from './shared-runs.ts';
import type { TickPrefetch } from './tick-prefetch.ts';

/** Maximum number of ticks computed in advance. More would take more memory and be wasted when the user acts. */
const REACH = 8;

interface Ahead {
  /** The updates of the next ticks, in order. */
  texts: Buffer[];
  /** How many of them the client has received. */
  shown: number;
  /** The session after the last of them. */
  end: Session;
}

/**
 * One client's session, computed a few ticks ahead of what the client received. With thousands of runs per process, a single
 * tick costs two to three times as much because its world is not in the processor's caches, so several are computed and encoded
 * together. Future ticks are certain until the user acts, and an action applies to the session as last shown.
 */
export class TickBuffer {
  readonly #runs: SharedRuns;
  readonly #preparation: TickPrefetch;
  /** The session before the buffered updates, except for its due time. */
  #session: Session = NEW_SESSION;
  #ahead: Ahead | null = null;
  /** The client has sent nothing since the updates were buffered. */
  #isWatched = false;

  constructor(runs: SharedRuns, preparation: TickPrefetch) {
    this.#runs = runs;
    this.#preparation = preparation;
  }

  get isRunning(): boolean {
    return this.#session.isRunning;
  }

  /** When the next tick is due, ms; null if none is. */
  get due(): number | null {
    return this.#session.due;
  }

  /** The session as last shown to the client, to which its next message applies. */
  shown(): Session {
    const { run } = this.#session;
    if (this.#ahead && run) this.#session = { ...this.#session, run: stepRun(run, this.#ahead.shown) };
    this.#forget();
    return this.#session;
  }

  adopt(session: Session): void {
    this.#forget();
    this.#session = session;
  }

  /** The update for the current session. */
  write(): Buffer {
    return this.#runs.write(this.shown());
  }

  /** The update of the tick due by `now`, on the session's clock; null if none is due. */
  advance(now: number): Buffer | null {
    const { run, due, pace } = this.#session;
    if (run === null || due === null || now < due) return null;
    if (this.#runs.isShared(run)) {
      this.#session = elapse(this.#session, now, this.#runs).session;
      return this.#runs.write(this.#session);
    }
    // Nothing was prefetched, so compute this one tick.
    this.#ahead ??= this.#lookAhead(1);
    const { texts, end } = this.#ahead;
    const text = texts[this.#ahead.shown]!;
    this.#ahead.shown += 1;
    const isLast = this.#ahead.shown === texts.length;
    const next = isLast ? end : this.#session;
    this.#session = next.due === null ? next : { ...next, due: nextBeat(due, pace, now) };
    if (isLast) {
      this.#ahead = null;
      if (next.due !== null) this.#preparation.add(this);
    }
    return text;
  }

  /** Computes the updates of some of the next ticks, unless they are already buffered. */
  prepare(): void {
    const { run, due } = this.#session;
    if (this.#ahead || run === null || due === null || this.#runs.isShared(run)) return;
    // Varies the number, so that sessions that started together do not all refill together.
    const ticks = this.#isWatched ? REACH : this.#preparation.turn(REACH);
    this.#isWatched = true;
    try {
      this.#ahead = this.#lookAhead(ticks);
    } catch {
      // It fails again when it is due, and the client is told then.
    }
  }

  /** Delays the due tick by the duration of a tick. */
  putOff(now: number): void {
    this.#session = { ...this.#session, due: now + this.#session.pace };
  }

  /** Leaves the prefetch for good. */
  end(): void {
    this.adopt(NEW_SESSION);
  }

  /** Computes fewer if a later tick fails, because those before it can still be shown. Throws if the first one fails. */
  #lookAhead(ticks: number): Ahead {
    const sessions: Session[] = [];
    let end = this.#session;
    while (sessions.length < ticks && end.due !== null) {
      try {
        end = elapse(end, end.due, this.#runs).session;
      } catch (error) {
        if (sessions.length === 0) throw error;
        break;
      }
      sessions.push(end);
    }
    return { texts: sessions.map((session) => this.#runs.write(session)), shown: 0, end };
  }

  #forget(): void {
    this.#ahead = null;
    this.#isWatched = false;
  }
}
