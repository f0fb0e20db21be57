import { openDirectory } from '../directory.ts';
import type { LedgerEvent } from '../event.ts';
import type { LedgerPosition } from '../leaf.ts';
import type { Signer } from '../note.ts';
import { SnapshotWriter } from '../write-snapshot.ts';
import { writeHeadEvents } from './head-events.ts';
import { snapshotEnd, snapshotOf } from './snapshot-time.ts';

export interface AppendOptions {
  directory: string;
  /** Where the last snapshot ends. */
  position: LedgerPosition;
  signer: Signer;
  origin: string;
  /** Unix ms: what is in a slot that is over by then is sealed. */
  now: number;
}

export interface Appended {
  position: LedgerPosition;
  /** Ids of the snapshots that were made, oldest first. */
  sealed: string[];
  /** The events that stay in the head. */
  head: LedgerEvent[];
}

/** Writes events that follow the last snapshot, the old head's among them: a snapshot per slot that is over, then the head. */
export async function appendEvents(events: Iterable<LedgerEvent>, options: AppendOptions): Promise<Appended> {
  const snapshots = new Snapshots(options);
  const head: LedgerEvent[] = [];
  try {
    for (const event of events) {
      const id = snapshotOf(event.timestamp, snapshots.position.snapshot);
      if (snapshotEnd(id) > options.now) head.push(event);
      else await snapshots.append(event, id);
    }
    await snapshots.seal();
  } catch (error) {
    await snapshots.discard();
    throw error;
  }
  // After the snapshots: until then the old head holds what was sealed, which readers pass over by its seq.
  writeHeadEvents(openDirectory(options.directory).head, head);
  return { position: snapshots.position, sealed: snapshots.sealed, head };
}

class Snapshots {
  readonly sealed: string[] = [];
  position: LedgerPosition;
  readonly #options: AppendOptions;
  #writer: SnapshotWriter | undefined;
  #id = '';

  constructor(options: AppendOptions) {
    this.#options = options;
    this.position = options.position;
  }

  async append(event: LedgerEvent, id: string): Promise<void> {
    if (id !== this.#id) await this.seal();
    this.#id = id;
    const { directory, signer, origin } = this.#options;
    this.#writer ??= SnapshotWriter.create(directory, this.position, signer, origin);
    await this.#writer.append(event);
  }

  async seal(): Promise<void> {
    if (!this.#writer) return;
    this.position = await this.#writer.seal(this.#id);
    this.sealed.push(this.#id);
    this.#writer = undefined;
  }

  async discard(): Promise<void> {
    await this.#writer?.discard();
  }
}
