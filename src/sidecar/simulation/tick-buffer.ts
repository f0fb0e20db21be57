import { elapse, NEW_SESSION, nextBeat, type Session } from '../../simulation/protocol/session.ts';
import { stepRun } from '../../simulation/run.ts';
import type { Preparation } from './preparation.ts';
import type { SharedRuns } from './shared-runs.ts';

/** Ticks that are made together at most: more would take more memory, and go to waste where somebody acts. */
const REACH = 8;

interface Ahead {
  /** The updates of the next ticks, in order. */
  texts: Buffer[];
  /** How many of them the client was shown. */
  shown: number;
  /** The session after the last of them. */
  end: Session;
}

/**
 * The session of one client, a few ticks ahead of what the client was shown. With thousands of runs in a process a tick costs
 * two to three times what it does alone, since its world is far away in memory; so several are made and written while it is at
 * hand. What comes is certain as long as nobody acts; who does acts in the session as it was shown.
 */
export class TickBuffer {
  readonly #runs: SharedRuns;
  readonly #preparation: Preparation;
  /** As it was where the texts ahead begin, but for when it is due. */
  #session: Session = NEW_SESSION;
  #ahead: Ahead | null = null;
  /** The client has said nothing since texts were made ahead. */
  #isWatched = false;

  constructor(runs: SharedRuns, preparation: Preparation) {
    this.#runs = runs;
    this.#preparation = preparation;
  }

  get isRunning(): boolean {
    return this.#session.isRunning;
  }

  /** When the next tick is due, ms; null where none is. */
  get due(): number | null {
    return this.#session.due;
  }

  /** The session as the client was shown it, for what the client asks for next. */
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

  /** The update that tells of the session. */
  write(): Buffer {
    return this.#runs.write(this.shown());
  }

  /** The update of the tick that is due by `now`, on the same clock as the session's; null where none is. */
  advance(now: number): Buffer | null {
    const { run, due, pace } = this.#session;
    if (run === null || due === null || now < due) return null;
    if (this.#runs.isShared(run)) {
      this.#session = elapse(this.#session, now, this.#runs).session;
      return this.#runs.write(this.#session);
    }
    // Where there was no time to prepare more.
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

  /** Makes the updates of some ticks that come next, where they are still to be made. */
  prepare(): void {
    const { run, due } = this.#session;
    if (this.#ahead || run === null || due === null || this.#runs.isShared(run)) return;
    // Those that began together do not all need their next texts together.
    const ticks = this.#isWatched ? REACH : this.#preparation.turn(REACH);
    this.#isWatched = true;
    try {
      this.#ahead = this.#lookAhead(ticks);
    } catch {
      // It fails again when it is due, and then the client is told.
    }
  }

  /** The tick that is due waits for as long as a tick takes. */
  putOff(now: number): void {
    this.#session = { ...this.#session, due: now + this.#session.pace };
  }

  /** Leaves it for good. */
  end(): void {
    this.adopt(NEW_SESSION);
  }

  /** Fewer where a later tick fails: those before it are still shown. Throws where the first one does. */
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
