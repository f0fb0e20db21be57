import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { asDiskErrors, exists, makeFolder, replaceFile } from '../disk/durable.ts';
import { CathedralError, type ErrorCode } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { swapCurrent } from '../release/disk/swap-current.ts';
import { releaseFolder } from '../release/format/manifest.ts';
import { currentId, readCurrent } from '../release/format/release.ts';
import { LIST_PATH, LIST_SIGNATURE_PATH, SNAPSHOTS } from '../release/format/snapshot-index.ts';
import { CachedLog } from './cached-log.ts';
import { POINTER_KEY } from './layout.ts';
import type { ObjectCache } from './object-cache.ts';
import { LONGEST_POINTER, Pointer, parsePointer, pointedCheckpoint } from './pointer.ts';
import { pullRelease } from './pull-release.ts';
import { parseSnapshotFiles, SnapshotFiles } from './snapshot-files.ts';
import { StoreClock } from './store-clock.ts';

export interface FollowerOptions {
  store: Pick<ObjectStore, 'name' | 'get' | 'read' | 'head'>;
  cache: ObjectCache;
  /** The folder that is served. */
  out: string;
  /** Other folders with releases, from which equal files are linked. */
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

/** What is served beside a release, of the same pointer. */
export interface Beside {
  pointer: Pointer;
  log: CachedLog;
  /** Files below `snapshots/` by their paths, as blobs; null if the service publishes no snapshots. */
  snapshots: SnapshotFiles['files'] | null;
  /** Those that change with each release, by path. */
  texts: ReadonlyMap<string, Buffer>;
}

interface Prepared {
  beside: Beside;
  /** Of the folder in `releases`. */
  name: string;
  switchAt: number;
}

const POLL_MS = 2000;
/** Between two signs that the process runs, and how long it may show none before that counts as a pause. */
const TICK_MS = 500;
const PAUSE_MS = 2000;
/** Clocks of servers differ by a few milliseconds: from so long before a switch, nothing is answered from the old release. */
const HOLD_MS = 25;
/** For how long requests wait at most: longer than a switch takes, and shorter than readers do. */
const SETTLE_MS = 5000;
/** How long before a switch it is announced: a load balancer needs a few seconds to leave the servers that cannot take part. */
const NEAR_MS = 5000;
/** How long a store that does not answer delays the start. */
const PATIENCE_MS = 5000;
/** A switch that is further away does not keep the follower from looking for a newer pointer. */
const SOON_MS = 60_000;
/** Those that exist; the list comes first. */
const TEXTS = [LIST_PATH, LIST_SIGNATURE_PATH, `${SNAPSHOTS}/index.html`];

const Followed = z.strictObject({
  format: z.literal('cathedral-followed/1'),
  pointer: Pointer,
  snapshots: SnapshotFiles.shape.files.nullable(),
  texts: z.record(z.string(), z.string()),
});

/**
 * Keeps the folder of a sidecar at the release that the pointer names. It prepares a release beside the current one, and makes it
 * current at the time that the pointer states for all replicas. It never goes back to an older version than it has served, and
 * serves what it has while the store is down or damaged.
 */
export class Follower {
  readonly #options: FollowerOptions;
  readonly #now: () => number;
  readonly #storeClock = new StoreClock();
  readonly #stop = new AbortController();
  #beside: Beside | null = null;
  /** Of the release that is current, whatever the pointer says; 0 before the first. */
  #version = 0;
  #etag: string | null = null;
  #next: Pointer | null = null;
  #prepared: Prepared | null = null;
  #fault: unknown = null;
  #wake: () => void = () => {};
  #running: Promise<void> = Promise.resolve();
  #ticker: NodeJS.Timeout | null = null;
  readonly #monotonic: () => number;
  /** When the process last showed that it runs, on both clocks: one of them may stand still while a machine is suspended. */
  #ticked = { monotonic: Infinity, wall: Infinity };
  #certainUntil = Infinity;
  /** After a switch that failed: when the next request waits for it again. */
  #retryAt = -Infinity;
  #settling: Promise<void> | null = null;
  #isResuming = false;
  /** Who waits for a step that has not begun yet. */
  #waiting: (() => void)[] = [];
  /** One change of the folder at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: FollowerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  /**
   * Takes up where the last process stopped, and looks at the pointer once: a store that does not answer is no reason to fail. Throws
   * config_invalid if the bucket belongs to another service, and publish_failed.
   */
  static async open(options: FollowerOptions): Promise<Follower> {
    const follower = new Follower(options);
    await follower.#restore();
    const looked = follower.#look().catch((error) => {
      if (error instanceof CathedralError && error.code === 'config_invalid') throw error;
      follower.#tell(error);
    });
    const late = new AbortController();
    await Promise.race([looked, sleep(PATIENCE_MS, undefined, late).catch(() => {})]);
    late.abort();
    looked.catch((error) => follower.#tell(error));
    return follower;
  }

  /** Follows until `close`. */
  start(): void {
    this.#noteTime();
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#running = this.#run();
  }

  /** Of the current release; null before the first. */
  get beside(): Beside | null {
    return this.#beside;
  }

  /** Version of the current release; 0 before the first. */
  get version(): number {
    return this.#version;
  }

  /** Version of the release that is current, or will be within seconds. */
  get upcoming(): number {
    const { switchAt, beside } = this.#prepared ?? {};
    const isNear = switchAt !== undefined && switchAt - this.#clusterTime() <= NEAR_MS;
    // Its own switch has failed, so others must not leave because of it.
    const hasFailed = this.#retryAt > -Infinity;
    return isNear && !hasFailed ? beside!.pointer.version : this.#version;
  }

  /** Until when requests may be answered from the current release, as performance.now(); from then on they wait for `settle`. */
  get certainUntil(): number {
    return this.#certainUntil;
  }

  /** Whether the process was paused, and has not yet found out what it missed. */
  get isResuming(): boolean {
    return this.#isResuming || this.#hasPaused();
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
    if (this.#fault instanceof NothingPublished) return NothingPublished.FAULT;
    const code = this.#fault instanceof CathedralError ? this.#fault.code : null;
    return (code && FAULTS[code]) ?? 'the newest release cannot be fetched';
  }

  /** Looks at the pointer now. */
  wake(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#ticker) clearInterval(this.#ticker);
    this.#wake();
    await this.#running;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The cluster's clock, ms since 1970. */
  #clusterTime(): number {
    return this.#now() + (this.#options.clock?.() ?? this.#storeClock.offset());
  }

  async #run(): Promise<void> {
    const { pollMs = POLL_MS } = this.#options;
    while (!this.#stop.signal.aborted) {
      const waiting = this.#waiting.splice(0);
      const isSettled = await this.#step().then(
        () => true,
        (error) => {
          if (!this.#stop.signal.aborted) this.#tell(error);
          return false;
        },
      );
      if (isSettled) this.#tell(null);
      for (const resume of waiting) resume();
      if (this.#waiting.length > 0) continue;
      const left = this.#prepared ? this.#prepared.switchAt - this.#clusterTime() : pollMs;
      await this.#sleep(Math.min(Math.max(left, this.#retryAt - this.#monotonic(), 0), pollMs));
    }
  }

  async #step(): Promise<void> {
    await this.#switchIfDue();
    // Looking takes long while the store is down, and must not delay a switch.
    const left = (this.#prepared?.switchAt ?? Infinity) - this.#clusterTime();
    if (left > SOON_MS) await this.#look();
    if (this.#next) {
      const next = this.#next;
      this.#prepared = await this.#inTurn(() => this.#prepare(next));
      this.#next = null;
      this.#retryAt = -Infinity;
      this.#updateCertainty();
    }
    await this.#switchIfDue();
  }

  #switchIfDue(): Promise<void> {
    return this.#inTurn(async () => {
      const prepared = this.#prepared;
      if (!prepared || prepared.switchAt > this.#clusterTime()) return;
      try {
        await this.#switch(prepared);
        this.#retryAt = -Infinity;
      } catch (error) {
        this.#retryAt = this.#monotonic() + POLL_MS;
        throw error;
      } finally {
        this.#updateCertainty();
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #settle(): Promise<void> {
    this.#isResuming = this.#hasPaused();
    const done = this.#isResuming ? this.#catchUp() : this.#switchInTime();
    const late = new AbortController();
    const isLate = await Promise.race([done, sleep(SETTLE_MS, true, late).catch(() => false)]);
    late.abort();
    if (isLate) this.#retryAt = this.#monotonic() + POLL_MS;
    this.#isResuming = false;
    this.#noteTime();
  }

  /** By a look at the pointer that begins after the pause: the answer to an earlier one may have waited as long. */
  async #catchUp(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const stepped = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#wake();
    await Promise.all([stepped, this.#options.onResume?.()]);
  }

  async #switchInTime(): Promise<void> {
    const left = (this.#prepared?.switchAt ?? -Infinity) - this.#clusterTime();
    // A timer may fire within the millisecond before its time.
    if (left > 0) await sleep(Math.ceil(left) + 1);
    await this.#switchIfDue().catch((error) => this.#tell(error));
  }

  #tick(): void {
    if (this.#hasPaused()) void this.settle();
    else this.#noteTime();
  }

  #noteTime(): void {
    this.#ticked = { monotonic: this.#monotonic(), wall: this.#now() };
    this.#updateCertainty();
  }

  #hasPaused(): boolean {
    const { monotonic, wall } = this.#ticked;
    return this.#monotonic() - monotonic >= PAUSE_MS || this.#now() - wall >= PAUSE_MS;
  }

  #updateCertainty(): void {
    const { monotonic } = this.#ticked;
    const left = (this.#prepared?.switchAt ?? Infinity) - HOLD_MS - this.#clusterTime();
    this.#certainUntil = Math.min(monotonic + PAUSE_MS, Math.max(this.#monotonic() + left, this.#retryAt));
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stop.signal.aborted) this.#wake();
    });
  }

  /** Each kind of fault once, also if it stays for hours and meets other objects. */
  #tell(error: unknown): void {
    const before = this.fault();
    this.#fault = error;
    if (this.fault() !== before) this.#options.onFault(error);
  }

  /** Reads the pointer if it has changed. */
  async #look(): Promise<void> {
    const { store } = this.#options;
    const sent = this.#now();
    const head = await store.head(POINTER_KEY);
    const place = `${store.name}/${POINTER_KEY}`;
    if (!head && this.#version === 0) throw new NothingPublished(store.name);
    if (!head) throw unusable('store_failed', place, 'the pointer to a release', 'none');
    if (head.date !== null) this.#storeClock.add(head.date, sent, this.#now());
    if (head.etag === this.#etag) return;
    const found = await store.read(POINTER_KEY, LONGEST_POINTER);
    if (!found) throw unusable('store_failed', place, 'the pointer to a release', 'none');
    const pointer = parsePointer(new TextDecoder().decode(found.content), place);
    this.#assertAcceptable(pointer, place);
    this.#next = pointer;
    this.#etag = found.etag;
  }

  #assertAcceptable({ service, version, manifest, log }: Pointer, place: string): void {
    if (service !== this.#options.service)
      throw unusable(
        'config_invalid',
        place,
        `releases of ${this.#options.service}, the address in --base-url`,
        `those of ${service}`,
      );
    const held = this.#prepared?.beside.pointer ?? this.#beside?.pointer;
    const least = Math.max(held?.version ?? 0, this.#version);
    if (version < least)
      throw unusable(
        'release_refused',
        place,
        `version ${least}, which was accepted, or later`,
        `${version}`,
      );
    if (!held) return;
    if (version === held.version && manifest.sha256 !== held.manifest.sha256)
      throw unusable(
        'release_refused',
        place,
        `the manifest ${held.manifest.sha256} of version ${version}, which was accepted`,
        manifest.sha256,
      );
    if (log.size < held.log.size)
      throw unusable('release_refused', place, `a log of ${held.log.size} events or more`, `${log.size}`);
  }

  async #prepare(pointer: Pointer): Promise<Prepared> {
    const { store, out } = this.#options;
    const pulled = await pullRelease(pointer, { ...this.#options, out, signal: this.#stop.signal });
    const { size } = pulled.manifest.ledger;
    if (pointer.log.size < size)
      throw unusable(
        'release_invalid',
        `${store.name}/${POINTER_KEY}`,
        `a log of ${size} events, as the release has, or more`,
        `${pointer.log.size}`,
      );
    const { snapshots, texts } = await this.#fetchBeside(pointer);
    const beside = this.#besideOf(pointer, snapshots, texts);
    await beside.log.open();
    return { beside, name: pulled.name, switchAt: Date.parse(pointer.switch_at) };
  }

  async #fetchBeside({ snapshots }: Pointer): Promise<Pick<Beside, 'snapshots' | 'texts'>> {
    const { cache } = this.#options;
    const texts = new Map<string, Buffer>();
    if (!snapshots) return { snapshots, texts };
    const place = `the snapshot files ${snapshots.sha256}`;
    const files = parseSnapshotFiles(String(await cache.readBlob(snapshots)), place);
    for (const path of TEXTS) if (files[path]) texts.set(path, await cache.readBlob(files[path]));
    return { snapshots: files, texts };
  }

  #besideOf(pointer: Pointer, snapshots: Beside['snapshots'], texts: Beside['texts']): Beside {
    const { size, root } = pointedCheckpoint(pointer);
    return { pointer, log: new CachedLog({ size, root }, this.#options.cache), snapshots, texts };
  }

  /** The log and the snapshot list become visible first: they may be ahead of the release, and never behind it. */
  async #switch({ beside, name }: Prepared): Promise<void> {
    const { out } = this.#options;
    await replaceFile(followedFile(out), formatFollowed(beside));
    this.#beside = beside;
    await this.#makeCurrent(name);
    this.#version = beside.pointer.version;
    this.#prepared = null;
    this.#options.onSwitch?.(this.#version);
  }

  async #makeCurrent(name: string): Promise<void> {
    const { out } = this.#options;
    const served = await currentId(out).catch(() => null);
    if (served !== name) await asDiskErrors(out, () => swapCurrent(out, name, served));
  }

  async #restore(): Promise<void> {
    const { out } = this.#options;
    await asDiskErrors(out, () => makeFolder(out));
    const current = await readCurrent(out).catch(() => null);
    this.#version = current?.manifest.signed?.version ?? 0;
    const place = followedFile(out);
    const text = await readFile(place, 'utf8').catch(() => null);
    if (text === null) return;
    try {
      const { pointer, snapshots, texts } = parseJsonFile(text, Followed, place, 'release_invalid');
      const bytes = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const);
      this.#beside = this.#besideOf(pointer, snapshots, new Map(bytes));
      await this.#finishSwitch(pointer);
    } catch (error) {
      // Everything in it can be fetched again.
      if (!(error instanceof CathedralError) || error.code !== 'release_invalid') throw error;
      this.#tell(error);
      await asDiskErrors(place, () => rm(place, { force: true }));
    }
  }

  /** The last process may have ended between the two steps of a switch. */
  async #finishSwitch({ release, version }: Pointer): Promise<void> {
    const name = releaseFolder({ release, signed: { version } });
    const isPlaced = await exists(join(this.#options.out, 'releases', name));
    if (this.#version >= version || !isPlaced) return;
    await this.#makeCurrent(name);
    this.#version = version;
  }
}

/** There is no pointer, and this server has never had a release: a server that was started before the first run. */
export class NothingPublished extends CathedralError {
  static readonly FAULT = 'the bucket has no release yet';

  constructor(bucket: string) {
    const expected = 'the pointer to a release';
    super('store_failed', { place: `${bucket}/${POINTER_KEY}`, expected, found: 'none yet' });
  }
}

/** For readers of /readyz and metrics. */
const FAULTS: Partial<Record<ErrorCode, string>> = {
  store_failed: 'the object store does not answer, or has no pointer',
  release_refused: 'the pointer contradicts a release that was accepted before',
  release_invalid: 'the newest release in the object store is damaged',
  log_invalid: 'the log in the object store is damaged',
  config_invalid: 'the bucket belongs to another service',
  disk_full: 'there is no room for the newest release',
  publish_failed: 'the newest release cannot be written',
};

/** What stands beside the release, for a start while the store is down. */
function followedFile(out: string): string {
  return join(out, 'followed.json');
}

function formatFollowed({ pointer, snapshots, texts }: Beside): string {
  const strings = Object.fromEntries([...texts].map(([path, bytes]) => [path, String(bytes)]));
  const followed = { format: 'cathedral-followed/1', pointer, snapshots, texts: strings };
  return `${JSON.stringify(followed)}\n`;
}

function unusable(code: ErrorCode, place: string, expected: string, found: string): CathedralError {
  return new CathedralError(code, { place, expected, found });
}
