import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError, type ErrorCode } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { FollowedFolder } from './followed-folder.ts';
import type { Pointer } from './pointer.ts';
import { NothingPublished, PointerReader } from './pointer-reader.ts';
import { type Pulled, pull } from './pull.ts';
import { SwitchClock } from './switch-clock.ts';

export interface FollowerOptions {
  store: Pick<ObjectStore, 'name' | 'get' | 'read' | 'head' | 'list'>;
  /** The folder that is served. */
  out: string;
  /** Other folders with releases and snapshots, from which equal files are linked. */
  alsoIn?: readonly string[];
  /** Address of the service, whose releases these have to be. */
  service: string;
  /** What to add to this machine's clock to get the database's, ms; null without a database: then the store's clock counts. */
  clock: (() => number) | null;
  /** Between two looks at the pointer, ms. */
  pollMs?: number;
  /** Objects that are fetched at once. */
  parallel?: number;
  /** Called with each new fault, and with null when it has passed. */
  onFault: (error: unknown) => void;
  /** Called after each switch. */
  onSwitch?: (version: number) => void;
  /** Called after a pause of the process: what else to find out before requests are answered again. */
  onResume?: () => Promise<unknown>;
  /** This machine's clock, ms since 1970. */
  now?: () => number;
  /** ms; goes on during a pause of the process. Default: performance.now(). */
  monotonic?: () => number;
}

/** A release that is here with what has to be shown with it, and not shown yet. */
interface Prepared {
  pointer: Pointer;
  pulled: Pulled;
}

const POLL_MS = 2000;
/** Between two signs that the process runs. */
const TICK_MS = 500;
/** For how long requests wait at most: longer than a switch takes, and shorter than readers do. */
const SETTLE_MS = 5000;
/** How long a store that does not answer delays the start. */
const PATIENCE_MS = 5000;
/** How long older snapshots are fetched before the pointer is looked at again. */
const SOME_MS = 1000;
/** A switch that is further away does not keep the follower from looking for a newer pointer. */
const SOON_MS = 60_000;

/**
 * Keeps the folder of a sidecar at the release that the pointer names. It prepares a release beside the current one, and makes it
 * current at the time that the pointer states for all replicas. It never goes back to an older version than it has served, and
 * serves what it has while the store is down or damaged. It asks no database: that only wakes it and gives it the time, so while PostgreSQL is
 * down it looks every `pollMs`, and counts with the difference of the clocks that it knew last.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #folder: FollowedFolder;
  readonly #pointers: PointerReader;
  readonly #clock: SwitchClock;
  readonly #stop = new AbortController();
  /** Read, and not prepared yet. */
  #next: Pointer | null = null;
  #prepared: Prepared | null = null;
  /** Removes what the last switch has made superfluous. */
  #clean: (() => Promise<void>) | null = null;
  /** Fetches what else belongs to what is shown. */
  #rest: Pulled['rest'] | null = null;
  #fault: unknown = null;
  #wake: () => void = () => {};
  #isWoken = false;
  #running: Promise<void> = Promise.resolve();
  #ticker: NodeJS.Timeout | null = null;
  #settling: Promise<void> | null = null;
  #isResuming = false;
  /** Who waits for a step that has not begun yet. */
  #waiting: (() => void)[] = [];
  /** One change of the folder at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: FollowerOptions) {
    const { out, store, service, clock, now = Date.now } = options;
    this.#options = options;
    this.#folder = new FollowedFolder(out);
    this.#pointers = new PointerReader(store, service, now);
    this.#clock = new SwitchClock({
      now,
      monotonic: options.monotonic ?? (() => performance.now()),
      offset: clock ?? (() => this.#pointers.clock.offset()),
    });
  }

  /**
   * Takes up where the last process stopped, and looks at the pointer once: a store that does not answer is no reason to fail. Throws
   * config_invalid if the bucket belongs to another service, and publish_failed.
   */
  static async open(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options);
    const damage = await follower.#folder.restore();
    if (damage) follower.#tell(damage);
    const looked = follower.#look().catch((error) => {
      if (error instanceof CathedralError && error.code === 'config_invalid') throw error;
      follower.#tell(error);
    });
    await within(PATIENCE_MS, looked);
    looked.catch((error) => follower.#tell(error));
    return follower;
  }

  /** Follows until `close`. */
  start(): void {
    this.#clock.tick();
    this.#ticker = setInterval(() => {
      if (this.#clock.hasPaused) void this.settle();
      else this.#clock.tick();
    }, TICK_MS).unref();
    this.#running = this.#run();
  }

  /** Of what the folder shows; null before the first release. */
  get pointer(): Pointer | null {
    return this.#folder.pointer;
  }

  /** Version of the current release; 0 before the first. */
  get version(): number {
    return this.#folder.version;
  }

  /** Version of the release that is current, or will be within seconds. */
  get upcoming(): number {
    return this.#prepared && this.#clock.isAnnounced ? this.#prepared.pointer.version : this.version;
  }

  /** Until when requests may be answered from the current release, as performance.now(); from then on they wait for `settle`. */
  get certainUntil(): number {
    return this.#clock.certainUntil;
  }

  /** Whether the process was paused, and has not yet found out what it missed. */
  get isResuming(): boolean {
    return this.#isResuming || this.#clock.hasPaused;
  }

  /**
   * Waits for a switch that is due. After a pause of the process, which may have missed switches, waits until it has caught up. Never
   * rejects, and takes a few seconds at most: then, or if it fails, the current release is served.
   */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => {
      this.#settling = null;
    });
    return this.#settling;
  }

  /** What keeps it from following, without paths and addresses; null for nothing. */
  fault(): string | null {
    if (this.#fault === null) return null;
    if (this.#fault instanceof NothingPublished) return 'the bucket has no release yet';
    const code = this.#fault instanceof CathedralError ? this.#fault.code : null;
    return (code && FAULTS[code]) ?? 'the newest release cannot be fetched';
  }

  /** Looks at the pointer now, or after what is under way. */
  wake(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#ticker) clearInterval(this.#ticker);
    this.#wake();
    await this.#running;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  async #run(): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      const waiting = this.#waiting.splice(0);
      let hasMore = false;
      try {
        await this.#step();
        hasMore = this.#rest !== null && !this.#prepared;
        this.#tell(null);
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#tell(error);
      }
      for (const resume of waiting) resume();
      if (this.#waiting.length === 0) await this.#sleep(hasMore ? 0 : this.#clock.idle(pollMs));
    }
  }

  async #step(): Promise<void> {
    await this.#switchIfDue();
    // Looking takes long while the store is down, and must not delay a switch.
    if (this.#clock.left > SOON_MS) await this.#look();
    const next = this.#next;
    if (next) {
      await this.#inTurn(async () => {
        // Otherwise it would remove what is fetched now.
        await this.#cleanUp();
        const pulled = await pull(next, { ...this.#options, recorded: {}, signal: this.#stop.signal }).catch(
          (error) => {
            // What is wrong may be the pointer, of which no hash is known: it is read again.
            this.#pointers.forget();
            throw error;
          },
        );
        this.#prepared = { pointer: next, pulled };
        this.#clock.plan(Date.parse(next.switch_at));
      });
      this.#next = null;
    }
    await this.#switchIfDue();
    await this.#inTurn(() => this.#cleanUp());
    await this.#fetchSome();
  }

  /** Older snapshots come after a switch, some at a time, so that neither a new pointer nor a request has to wait for them. */
  async #fetchSome(): Promise<void> {
    const rest = this.#rest;
    if (!rest || this.#prepared) return;
    const until = performance.now() + SOME_MS;
    const isOver = () => performance.now() >= until || this.#waiting.length > 0 || this.#stop.signal.aborted;
    if (await rest(isOver)) this.#rest = null;
  }

  async #cleanUp(): Promise<void> {
    const clean = this.#clean;
    this.#clean = null;
    await clean?.();
  }

  async #look(): Promise<void> {
    if (!(await this.#folder.isThere())) this.#pointers.forget();
    const accepted = this.#prepared?.pointer ?? this.#folder.pointer;
    this.#next = (await this.#pointers.newer(this.version, accepted)) ?? this.#next;
  }

  #switchIfDue(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#prepared || !this.#clock.isDue) return;
      const { pointer, pulled } = this.#prepared;
      try {
        await this.#folder.switchTo(pointer, pulled);
      } catch (error) {
        this.#clock.hasFailed();
        throw error;
      }
      this.#prepared = null;
      [this.#clean, this.#rest] = [pulled.clean, pulled.rest];
      this.#clock.hasSwitched();
      this.#options.onSwitch?.(this.version);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #settle(): Promise<void> {
    this.#isResuming = this.#clock.hasPaused;
    const isLate = await within(SETTLE_MS, this.#isResuming ? this.#catchUp() : this.#switchInTime());
    if (isLate) this.#clock.hasFailed();
    this.#isResuming = false;
    this.#clock.tick();
  }

  /** By a look at the pointer that begins after the pause: the answer to an earlier one may have waited as long. */
  async #catchUp(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const stepped = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#wake();
    await Promise.all([stepped, this.#options.onResume?.()]);
  }

  async #switchInTime(): Promise<void> {
    const { left } = this.#clock;
    // A timer may fire within the millisecond before its time.
    if (this.#prepared && left > 0) await sleep(Math.ceil(left) + 1);
    await this.#switchIfDue().catch((error) => this.#tell(error));
  }

  async #sleep(ms: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (this.#stop.signal.aborted) this.#wake();
      });
    this.#isWoken = false;
  }

  /** Each kind of fault once, also if it stays for hours and meets other objects. */
  #tell(error: unknown): void {
    const before = this.fault();
    this.#fault = error;
    if (this.fault() !== before) this.#options.onFault(error);
  }
}

/** Waits for work, but only so long. Returns whether that was too short. Rejects as the work does until then. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const isLate = await Promise.race([
    work.then(() => false),
    sleep(ms, true, { signal: late.signal }).catch(() => false),
  ]).finally(() => late.abort());
  return isLate;
}

/** For readers of /readyz and metrics. */
const FAULTS: Partial<Record<ErrorCode, string>> = {
  store_failed: 'the object store does not answer, refuses the access key, or has no pointer',
  release_refused: 'the pointer contradicts a release that was accepted before',
  release_invalid: 'the newest release in the object store is damaged, or a later version published it',
  log_invalid: 'the log in the object store is damaged',
  config_invalid: 'the bucket belongs to another service',
  disk_full: 'there is no room for the newest release',
  publish_failed: 'the newest release cannot be written',
};
