import { NEW_SESSION, type RunMaker, type Session, updateOf } from '../../simulation/protocol/session.ts';
import { type Run, startRun, stepRun } from '../../simulation/run.ts';

/** Beginnings that are kept, with all that follows from them: some 500 kB each. */
const KEPT = 64;
/** Beginnings that were asked for once, by their names. */
const ASKED = 4096;

interface Tick {
  next: Run | null;
  /** The update as it is sent, by whether it advances by itself and has forecasts. */
  texts: Map<string, Buffer>;
}

/**
 * Runs in which nobody has acted yet. From the second who asks for it on, a run of one scenario and seed is one run, whoever
 * watches it: a class that follows one link, or all who start without a seed and are given one of a few. Each tick of it is made
 * once and written once. The first action makes a run its own.
 */
export class SharedRuns implements RunMaker {
  readonly #asked = new Set<string>();
  /** At tick 0. */
  readonly #begun = new Map<string, Run>();
  readonly #ticks = new WeakMap<Run, Tick>();

  start(scenario: string, seed: number): Run {
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

  /** The one that was asked for longest ago is the first to go: then whoever watches it has it by himself. */
  #keep(key: string, run: Run): void {
    this.#begun.delete(key);
    this.#begun.set(key, run);
    if (this.#begun.size <= KEPT) return;
    const [oldest, forgotten] = this.#begun.entries().next().value!;
    this.#begun.delete(oldest);
    // All that followed, or whoever is at its end would keep the whole of it.
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

  /** A session's update as it is sent. */
  write(session: Session): Buffer {
    const tick = this.#ticks.get(session.run!);
    // Clients choose their pace, and a text for each would fill the memory.
    if (!tick || session.pace !== NEW_SESSION.pace) return encode(updateOf(session));
    const variant = `${session.isRunning} ${session.outlooks}`;
    return tick.texts.getOrInsertComputed(variant, () => encode(updateOf(session)));
  }

  /** Its ticks are made for whoever watches it. */
  isShared(run: Run): boolean {
    return this.#ticks.has(run);
  }

  #share(run: Run): Run {
    if (!this.#ticks.has(run)) this.#ticks.set(run, { next: null, texts: new Map() });
    return run;
  }
}

/** Encoded here: the socket would take several times as long for a text that is not all ASCII. */
export function encode(message: object): Buffer {
  return Buffer.from(JSON.stringify(message));
}
