import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, sync } from '../../disk/durable.ts';
import type { Lock, LockOptions } from '../../disk/lock.ts';
import { CathedralError } from '../../errors.ts';
import { completeEvent, type EventDraft, MAX_PAUSE_MS, type NextPlace } from '../events/draft.ts';
import { type LedgerEvent, MAX_DEPTH, MAX_LINE_BYTES } from '../events/event.ts';
import { formatEventLine } from '../events/event-line.ts';
import { isNestedDeeper } from '../events/json.ts';
import { slotId, slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import { LEDGER_START, type LedgerPosition } from '../log/leaf.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { isBy, type Verifier } from '../notes/note.ts';
import { type LedgerDirectory, openDirectory, snapshotFile } from '../reading/directory.ts';
import { gapBeforeHead, type HeadLine, readHeadEnds, readHeadLines } from '../reading/head.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import { removeIncomplete, removeSnapshots, waitingFile } from './copied-snapshots.ts';
import { type EventsEnd, NewHead, type Signers, unwritable } from './head-and-snapshot-files.ts';
import { lockLedger } from './lock-ledger.ts';
import { type SealedSlot, SlotSealer } from './seal-slots.ts';
import { keepPosition, sealedPosition } from './sealed-position.ts';

export interface WriterOptions extends LockOptions {
  /** The keys of which one must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  /** Unix ms */
  now: () => number;
  /** Makes an empty ledger if there is none. Default false. */
  create?: boolean;
  /** The ledger is a copy of one that others share: what an interruption left of it is removed, and taken again. Default false. */
  isCopy?: boolean;
  /** Checks what is appended, and writes nothing. Default false. */
  dryRun?: boolean;
}

/** A list, or parts of one as they are read. Awaiting each draft would cost as much as checking it. */
type Drafts = Iterable<EventDraft> | AsyncIterable<Iterable<EventDraft>>;

export interface AppendOptions {
  /** Names the draft that was taken last, in errors: its file and line. */
  place?: () => string;
  /** Called with each complete event before anything is written; may throw to refuse the batch. */
  check?: (event: LedgerEvent) => void;
  /**
   * Called with the error of each draft that is refused. The others are checked all the same, so that a caller can list the errors of a
   * batch, and `append` throws the first of them at the end. Without it, `append` throws at once.
   */
  refused?: (error: CathedralError) => void;
}

export interface Appended {
  /** Number of events that were appended. */
  count: number;
  /** The last of them; null if there were none. */
  last: LedgerEvent | null;
}

export interface SealOptions {
  /**
   * Whether the newest finished slot gets a snapshot although it has no events, which tells readers that the ledger is quiet and its
   * sealer alive. `always`: also where the ledger's last event or snapshot is more than `MAX_PAUSE_MS` ago. Default `never`.
   */
  quiet?: 'never' | 'alive' | 'always';
  /** Unix ms. Slots that ended by then are sealed. Default: the clock. */
  until?: number;
}

/** A checked event, and its line without the line end. */
export interface EventLine {
  event: LedgerEvent;
  line: string;
}

export interface Sealed {
  /** The new snapshots, oldest first. */
  snapshots: SealedSlot[];
  /** End of the last snapshot. */
  position: LedgerPosition;
  /** Number of events that stay in the head. */
  head: number;
  /** The end of the ledger, head included. */
  end: EventsEnd;
  /** The finished slot that was not sealed because of the pause before it, and the pause in ms; null in most cases. */
  paused: { id: string; ms: number } | null;
}

/**
 * The one writer of a ledger on disk. It holds the ledger's lock until `close`.
 *
 * Appending replaces `head.ndjson` by a copy with more lines; `head.ts` describes how readers see them. Sealing moves events of finished
 * slots into snapshots, each with its events before its checkpoint, and replaces the head last. A copy of a shared ledger takes snapshots
 * and lines that are verified already in the same steps. A writer that is killed leaves a temporary file, events without a checkpoint, or
 * a head that begins with sealed events; readers ignore these, and the next writer removes them.
 */
export class LedgerWriter implements Disposable {
  readonly #ledger: LedgerDirectory;
  readonly #options: WriterOptions;
  readonly #lock: Lock;
  /** Of the newest snapshot; null before the first. */
  #checkpoint: Checkpoint | null = null;
  #sealed: LedgerPosition = LEDGER_START;
  #end: EventsEnd = LEDGER_START;
  /** Bytes of the head, without an incomplete line at its end. */
  #headBytes = 0;
  #isOpen = true;
  #lostEvents = false;

  private constructor(path: string, options: WriterOptions, lock: Lock) {
    this.#ledger = openDirectory(path);
    this.#options = options;
    this.#lock = lock;
  }

  /**
   * Opens the ledger in the folder `path`. Reads the ends of its head, and the snapshots since the last writer.
   * Throws locked, `ledger_unreadable` if it is no ledger, `ledger_unwritable` if it cannot be made, `ledger_signature`, `ledger_corrupt`,
   * `ledger_order` or `ledger_schema`.
   */
  static async open(path: string, options: WriterOptions): Promise<LedgerWriter> {
    // Imported events are for the service alone, until it publishes what is public.
    if (options.create)
      await makeFolder(join(path, 'snapshots'), { mode: 0o700 }).catch((cause) => {
        throw unwritable(path, cause);
      });
    // Before the lock, so that a mistyped path creates nothing.
    else await openDirectory(path).snapshots(null);
    const writer = new LedgerWriter(path, options, await lockLedger(path, options));
    try {
      if (options.isCopy) writer.#lostEvents = await removeIncomplete(writer.#ledger);
      await writer.#findEnd();
      return writer;
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** The end of the ledger: the seq of the next event, and the time of the last one, null before the first. */
  get end(): EventsEnd {
    return this.#end;
  }

  /** A copy: whether a power failure had undone some of it, so that it was cut back when it was opened. */
  get lostEvents(): boolean {
    return this.#lostEvents;
  }

  /** The checkpoint of the last snapshot; null before the first. */
  get checkpoint(): Checkpoint | null {
    return this.#checkpoint;
  }

  /** The end of the last snapshot with its tree. */
  get sealed(): LedgerPosition {
    return this.#sealed;
  }

  /** The earliest time that the next event may have: that of the last event, or the end of the last sealed slot if that is later. */
  get notBefore(): string | null {
    return notBefore(this.#end.timestamp, this.#sealed.snapshot);
  }

  /**
   * The events that a batch could repeat: those with the time of the last one. Anything before it, or in a sealed slot, is refused for its
   * time. Throws as reading the head.
   */
  async repeatable(): Promise<LedgerEvent[]> {
    const events: LedgerEvent[] = [];
    for await (const lines of readHeadLines(this.#ledger, this.#sealed.size))
      for (const { event } of lines) if (event.timestamp === this.#end.timestamp) events.push(event);
    return events;
  }

  /**
   * Appends all drafts or none of them. They are on disk when the promise resolves, and nobody ever sees part of them. Throws what
   * `completeEvent` throws, what `drafts` throws, and `ledger_unwritable` or `disk_full`.
   */
  async append(drafts: Drafts, options: AppendOptions = {}): Promise<Appended> {
    const now = this.#options.now();
    let last: LedgerEvent | null = null;
    let since = this.notBefore;
    let seq = this.#end.size;
    let refusal: CathedralError | undefined;
    const count = await this.#extend(async (head) => {
      const take = (draft: EventDraft) => {
        try {
          const { event, line } = completed(draft, { seq, notBefore: since, now }, options);
          if (!refusal) head.add(event, line);
          since = event.timestamp;
          last = event;
        } catch (error) {
          if (!options.refused || !(error instanceof CathedralError)) throw error;
          refusal ??= error;
          options.refused(error);
        }
        // The next one follows, whether or not this one is refused.
        seq += 1;
      };
      for await (const part of Symbol.asyncIterator in drafts ? drafts : [drafts])
        for (const draft of part) {
          take(draft);
          if (head.isFull) await head.flush(this.#options.dryRun);
        }
      if (refusal) throw refusal;
    });
    return { count, last };
  }

  /** Appends all lines that `fill` adds, which are valid by themselves, or none of them. Throws as `append`, and what `fill` throws. */
  async appendLines(
    fill: (add: (lines: readonly HeadLine[]) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await this.#extend((head) => fill((added) => head.addAll(added)));
  }

  /** Writes a head with the events that `fill` adds, and returns their number. The old head stays until the new one is complete. */
  async #extend(fill: (head: NewHead) => Promise<void>): Promise<number> {
    const head = new NewHead(this.#ledger.head, this.#headBytes, this.#end);
    try {
      await fill(head);
      const count = head.end.size - this.#end.size;
      if (count === 0 || this.#options.dryRun) return count;
      this.#headBytes = await head.commit();
      this.#end = head.end;
      return count;
    } catch (error) {
      await head.discard();
      throw error;
    }
  }

  /**
   * Writes the snapshot of each slot that has ended and has events, and keeps the later events in the head. `batches` of events that are
   * checked already follow the head's events in the same pass: if one of them is out of order, those in slots that were sealed before it
   * stay. Reads the head once, and needs memory for a few batches of lines. Throws as `append`, and `config_invalid` for keys that are not
   * this ledger's.
   */
  async seal(
    signers: Signers,
    options: SealOptions = {},
    batches: AsyncIterable<readonly EventLine[]> | Iterable<readonly EventLine[]> = [],
  ): Promise<Sealed> {
    const until = options.until ?? this.#options.now();
    this.#assertOwn(signers);
    const { path, head } = this.#ledger;
    const position = this.#sealed;
    const sealer = new SlotSealer({ path, head, position, signers, until });
    try {
      for await (const lines of readHeadLines(this.#ledger, position.size)) await sealer.append(lines);
      for await (const lines of batches) await sealer.append(lines);
      await sealer.finish();
      const paused = await this.#sealQuiet(sealer, options.quiet ?? 'never', until);
      // After the snapshots. Until then the old head begins with sealed events, which readers skip by their seq.
      if (sealer.end.size > this.#end.size || sealer.position.size > position.size)
        this.#headBytes = await sealer.commit();
      else await sealer.discard();
      const { sealed: snapshots, end } = sealer;
      this.#end = end;
      this.#sealed = sealer.position;
      await keepPosition(path, sealer.position);
      const kept = end.size - sealer.position.size;
      return { snapshots, position: sealer.position, head: kept, end, paused };
    } catch (error) {
      await sealer.discard();
      await this.#findEnd();
      throw error;
    }
  }

  /** May be called again. */
  close(): void {
    if (this.#isOpen) this.#lock.close();
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Gives snapshots that are verified already, and wait as `waitingFile` says, their names, in order, and takes their events out of the
   * head. `end`: of the last of them.
   */
  async place(ids: readonly string[], end: LedgerPosition): Promise<void> {
    const { path } = this.#ledger;
    for (const id of ids) {
      const [waiting, file] = [waitingFile(path, id), snapshotFile(path, id)];
      await rename(waiting.events, file.events);
      // Last: it says that the snapshot is complete.
      await rename(waiting.checkpoint, file.checkpoint);
    }
    await this.#syncNames();
    await keepPosition(path, end);
    await this.#findEnd();
  }

  /** Removes the head, and the snapshots after `after`. */
  async cutBack(after: string | null): Promise<void> {
    await new NewHead(this.#ledger.head, 0, LEDGER_START).commit();
    await removeSnapshots(await this.#ledger.snapshots(after));
    await this.#findEnd();
  }

  async #findEnd(): Promise<void> {
    const { verifiers } = this.#options;
    const files = await this.#ledger.snapshots(null);
    const newest = files.at(-1);
    this.#checkpoint = newest ? readCheckpoint(newest, verifiers).checkpoint : null;
    this.#sealed = await sealedPosition(this.#ledger.path, files, verifiers);
    const { size, timestamp } = this.#sealed;
    const head = await readHeadEnds(this.#ledger);
    if (head && head.first.seq > size) throw gapBeforeHead(size, `seq ${head.first.seq}`);
    if (head && head.first.seq < size && !this.#options.dryRun) return this.#dropSealed();
    this.#headBytes = head?.bytes ?? 0;
    const last = head && head.last.seq >= size ? head.last : null;
    this.#end = last ? { size: last.seq + 1, timestamp: last.timestamp } : { size, timestamp };
  }

  /** Flushes the names of the snapshots. */
  async #syncNames(): Promise<void> {
    const { path } = this.#ledger;
    await sync(join(path, 'snapshots')).catch((cause) => {
      throw unwritable(path, cause);
    });
  }

  /** Takes events out of the head that are in a snapshot, as the sealer would have that was killed. */
  async #dropSealed(): Promise<void> {
    // Whoever was killed may not have flushed the names of its files.
    await this.#syncNames();
    const head = new NewHead(this.#ledger.head, 0, this.#sealed);
    try {
      for await (const lines of readHeadLines(this.#ledger, this.#sealed.size)) await head.addAll(lines);
      this.#headBytes = await head.commit();
      this.#end = head.end;
    } catch (error) {
      await head.discard();
      throw error;
    }
  }

  async #sealQuiet(
    sealer: SlotSealer,
    quiet: 'never' | 'alive' | 'always',
    now: number,
  ): Promise<Sealed['paused']> {
    const id = slotId(now);
    const { snapshot } = sealer.position;
    const since = notBefore(sealer.end.timestamp, snapshot);
    // Before its first snapshot with events, a ledger can be neither quiet nor alive.
    const { size } = sealer.position;
    if (quiet === 'never' || since === null || size === 0 || (snapshot !== null && id <= snapshot))
      return null;
    const ms = now - Date.parse(since);
    if (ms > MAX_PAUSE_MS && quiet !== 'always') return { id, ms };
    await sealer.sealEmpty(id);
    return null;
  }

  /** A checkpoint by another key, or for another origin, would end the ledger for its readers. */
  #assertOwn(signers: Signers): void {
    assertMaySign(signers, this.#options.verifiers);
    const { name } = signers[0].verifier;
    const origin = this.#checkpoint?.origin;
    if (origin === undefined || name === origin) return;
    throw refusedKey(`a key of the ledger ${origin}`, `one of ${name}`);
  }
}

/** Throws config_invalid if no reader who has these verifier keys would accept a checkpoint by these signers. */
export function assertMaySign(signers: Signers, verifiers: readonly Verifier[]): void {
  const own = signers.map(({ verifier }) => verifier);
  if (own.some((key) => verifiers.some((known) => isBy(known, key)))) return;
  const list = (keys: readonly Verifier[]) => keys.map((key) => `${key.name}+${key.id}`).join(', ');
  throw refusedKey(`one of the keys that may sign the ledger, ${list(verifiers)}`, list(own));
}

function refusedKey(expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place: 'ledger signing key', expected, found });
}

/** UTF-8 needs at most three bytes for one UTF-16 unit. */
const CERTAINLY_FITS = MAX_LINE_BYTES / 3;

/** The event that a draft becomes, and its line. */
function completed(draft: EventDraft, next: NextPlace, { place, check }: AppendOptions): EventLine {
  const event = completeEvent(draft, next, place);
  check?.(event);
  const line = formatEventLine(event);
  assertLineFits(line, place ?? (() => `event ${next.seq}`));
  return { event, line };
}

/** Throws `ledger_corrupt` for a line that is too long or nested too deeply; `place` names the event. */
export function assertLineFits(line: string, place: () => string): void {
  const refused = (expected: string, found: string) =>
    new CathedralError('ledger_corrupt', { place: place(), expected, found });
  // Each level has two brackets, so most lines need no search.
  if (line.length > 2 * MAX_DEPTH && isNestedDeeper(line, MAX_DEPTH))
    throw refused(`at most ${MAX_DEPTH} objects or arrays in each other`, 'more');
  const bytes = line.length <= CERTAINLY_FITS ? 0 : Buffer.byteLength(line);
  if (bytes > MAX_LINE_BYTES)
    throw refused(`an event whose line has at most ${MAX_LINE_BYTES} bytes`, `${bytes}`);
}

function notBefore(timestamp: string | null, sealed: string | null): string | null {
  if (sealed === null) return timestamp;
  const end = slotTimestamp(sealed);
  return timestamp !== null && compareTimestamps(timestamp, end) > 0 ? timestamp : end;
}
