import { NEW_SESSION, type RunMaker, type Session, updateOf } from '../../simulation/protocol/session.ts';
import { type Run, startRun, stepRun } from '../../simulation/run.ts';

/** Beginnings that are kept, with all that follows from them: some 500 kB each. */
const KEPT = 64;

interface Tick {
  next: Run | null;
  /** The update as it is sent, by whether it advances by itself and has forecasts. */
  texts: Map<string, Buffer>;
}

/**
 * Runs in which nobody has acted yet. Those of one scenario and seed are one run, whoever watches it: a class that follows one
 * link, or all who start without a seed and are given one of a few. Each tick of it is made once and written once. The first
 * action makes a run its own.
 */
export class SharedRuns implements RunMaker {
  readonly #begun = new Map<string, Run>();
  readonly #ticks = new WeakMap<Run, Tick>();

  start(scenario: string, seed: number): Run {
    const key = `${scenario} ${seed}`;
    const run = this.#begun.get(key) ?? this.#share(startRun(scenario, seed));
    // The one that was asked for longest ago is the first to go.
    this.#begun.delete(key);
    this.#begun.set(key, run);
    if (this.#begun.size > KEPT) this.#begun.delete(this.#begun.keys().next().value!);
    return run;
  }

  step(run: Run): Run {
    const tick = this.#ticks.get(run);
    if (!tick) return stepRun(run);
    tick.next ??= this.#share(stepRun(run));
    return tick.next;
  }

  /** The update that tells of a session, as text in UTF-8. */
  write(session: Session): Buffer {
    const tick = this.#ticks.get(session.run!);
    // Clients choose their pace, and a text for each would fill the memory.
    if (!tick || session.pace !== NEW_SESSION.pace) return encode(updateOf(session));
    const variant = `${session.isRunning} ${session.outlooks}`;
    let text = tick.texts.get(variant);
    if (!text) {
      text = encode(updateOf(session));
      tick.texts.set(variant, text);
    }
    return text;
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
