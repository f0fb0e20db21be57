/** All in ms. */
export interface Clocks {
  /** This machine's, since 1970. */
  now: () => number;
  /** Goes on during a pause of the process. */
  monotonic: () => number;
  /** What to add to `now` for the time that all replicas agree on. */
  offset: () => number;
}

/** How long the process may show no sign that it runs before that counts as a pause, in ms. */
const PAUSE_MS = 2000;
/** Clocks of servers differ by a few milliseconds: from so long before a switch, nothing is answered from the old release. */
const HOLD_MS = 25;
/** How long before a switch it is announced: a load balancer needs a few seconds to leave the servers that cannot take part. */
const NEAR_MS = 5000;
/** After a switch that failed. */
const RETRY_MS = 2000;

/** When replicas switch to their next release, and until when one of them may answer from its current one. Sets no timers. */
export class SwitchClock {
  readonly #clocks: Clocks;
  /** When the process last showed that it runs, on both clocks: one of them may stand still while a machine is suspended. */
  #ticked = { monotonic: Infinity, wall: Infinity };
  /** By the time that all replicas agree on; Infinity: no switch is planned. */
  #switchAt = Infinity;
  /** When the next request waits for a switch that failed. */
  #retryAt = -Infinity;
  #certainUntil = Infinity;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
  }

  /** As `monotonic` tells it. Without ticks it ends, since a process that was paused may have missed a switch. */
  get certainUntil(): number {
    return this.#certainUntil;
  }

  /** ms until the switch; negative if it is overdue, Infinity if none is planned. */
  get left(): number {
    return this.#switchAt - this.#clocks.now() - this.#clocks.offset();
  }

  get isDue(): boolean {
    return this.left <= 0;
  }

  /** Not where its own switch has failed: others must not leave because of it. */
  get isAnnounced(): boolean {
    return this.left <= NEAR_MS && this.#retryAt === -Infinity;
  }

  get hasPaused(): boolean {
    const { monotonic, wall } = this.#ticked;
    return this.#clocks.monotonic() - monotonic >= PAUSE_MS || this.#clocks.now() - wall >= PAUSE_MS;
  }

  /** How long nothing is to be done, `most` ms at most. */
  idle(most: number): number {
    return Math.min(Math.max(this.left, this.#retryAt - this.#clocks.monotonic(), 0), most);
  }

  /** The process runs. */
  tick(): void {
    this.#ticked = { monotonic: this.#clocks.monotonic(), wall: this.#clocks.now() };
    this.#update();
  }

  plan(switchAt: number): void {
    this.#set(switchAt, -Infinity);
  }

  hasSwitched(): void {
    this.#set(Infinity, -Infinity);
  }

  /** Until it is tried again, the old release is served. */
  hasFailed(): void {
    this.#set(this.#switchAt, this.#clocks.monotonic() + RETRY_MS);
  }

  #set(switchAt: number, retryAt: number): void {
    [this.#switchAt, this.#retryAt] = [switchAt, retryAt];
    this.#update();
  }

  #update(): void {
    const next = Math.max(this.#clocks.monotonic() + this.left - HOLD_MS, this.#retryAt);
    this.#certainUntil = Math.min(this.#ticked.monotonic + PAUSE_MS, next);
  }
}
