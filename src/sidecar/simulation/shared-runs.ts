import type { Settings } from '../../simulation/levers.ts';
import { NEW_SESSION, type RunFactory, type Session, updateOf } from '../../simulation/protocol/session.ts';
import { type Run, startRun, stepRun } from '../../simulation/run.ts';

/** Number of runs kept with all their ticks: about 500 kB each. */
const KEPT = 64;
/** Number of remembered names of runs that were requested once. */
const ASKED = 4096;

interface Tick {
  next: Run | null;
  /** The encoded update, by whether the run advances by itself and has forecasts. */
  texts: Map<string, Buffer>;
}

/**
 * Shares runs in which nobody has acted. From the second request on, all clients with the same scenario and seed share one run:
 * a class that follows one link, or everyone who starts without a seed. Each tick is computed and encoded once. A client's
 * first action gives it a run of its own.
 */
export class SharedRuns implements RunFactory {
  readonly #asked = new Set<string>();
  /** The run at tick 0. */
  readonly #begun = new Map<string, Run>();
  readonly #ticks = new WeakMap<Run, Tick>();

  start(scenario: string, seed: number, settings: Settings = {}): Run {
    if (Object.keys(settings).length > 0) return startRun(scenario, seed, settings);
    const key = `${scenario} ${seed}`;
    const begun = this.#begun.get(key);
    if (!begun && !this.#asked.has(key)) {
      this.#asked.add(key);
      if (this.#asked.size > ASKED) this.#asked.delete(this.#asked.keys().next().value!);
      return startRun(scenario, seed);
    }
    const run = begun ?? startRun(scenario, seed);
    this.#keep(key, run);
    return this.#share(run);
  }

  /** Evicts the run whose last request is oldest. Its current clients then keep it as their own. */
  #keep(key: string, run: Run): void {
    this.#begun.delete(key);
    this.#begun.set(key, run);
    if (this.#begun.size <= KEPT) return;
    const [oldest, forgotten] = this.#begun.entries().next().value!;
    this.#begun.delete(oldest);
    // Drops all later ticks, because a client at the end of the run would otherwise keep all of them in memory.
    for (let one: Run | null = forgotten; one; ) {
      const tick = this.#ticks.get(one);
      this.#ticks.delete(one);
      one = tick?.next ?? null;
    }
  }

  step(run: Run): Run {
    const tick = this.#ticks.get(run);
    if (!tick) return stepRun(run);
    tick.next ??= this.#share(stepRun(run));
    return tick.next;
  }

  /** The encoded update of a session. */
  write(session: Session): Buffer {
    const tick = this.#ticks.get(session.run!);
    // Clients choose their own tick interval, so caching a text for each would fill the memory.
    if (!tick || session.pace !== NEW_SESSION.pace || session.since !== null)
      return encode(updateOf(session));
    const variant = `${session.isRunning} ${session.outlooks}`;
    return tick.texts.getOrInsertComputed(variant, () => encode(updateOf(session)));
  }

  /** Its ticks are computed once for all its clients. */
  isShared(run: Run): boolean {
    return this.#ticks.has(run);
  }

  #share(run: Run): Run {
    if (!this.#ticks.has(run)) this.#ticks.set(run, { next: null, texts: new Map() });
    return run;
  }
}

/** Encode here: the socket takes several times as long for text with non-ASCII characters. */
export function encode(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
