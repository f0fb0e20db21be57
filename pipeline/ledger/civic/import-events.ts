import { openDirectory } from '../directory.ts';
import type { LedgerEvent } from '../event.ts';
import type { LedgerPosition } from '../leaf.ts';
import type { Signer } from '../note.ts';
import { compareTimestamps } from '../timestamp.ts';
import { SnapshotWriter } from '../write-snapshot.ts';
import type { FreshLink } from './collector.ts';
import { convertEvent, forkAlert, type Place } from './convert.ts';
import { writeHeadEvents } from './head-events.ts';
import type { KnownEvents } from './known-events.ts';
import type { RemoteEvent } from './remote-event.ts';
import { snapshotEnd, snapshotOf } from './snapshot-time.ts';
import type { Spool } from './spool.ts';

interface AppendOptions {
  directory: string;
  /** End of the last snapshot. */
  position: LedgerPosition;
  signer: Signer;
  origin: string;
  /** Unix ms. Slots that ended by then are sealed. */
  now: number;
}

interface Appended {
  position: LedgerPosition;
  /** Ids of the new snapshots, oldest first. */
  sealed: string[];
  /** The events that stay in the head. */
  head: LedgerEvent[];
}

/** Writes the events after the last snapshot, including those of the old head: a snapshot per ended slot, then the head. */
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
  // After the snapshots. Until then the old head repeats sealed events, which readers skip by their seq.
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

/** A finding about an imported event that does not stop the import. */
export interface ImportFinding {
  /**
   * `fork`: another event has the same predecessor. `late`: its time is in a slot that was sealed before it arrived.
   * `payload_as_text`, `payload_as_hash`: the ledger holds its payload only in this form.
   */
  kind: 'fork' | 'late' | 'payload_as_text' | 'payload_as_hash';
  event_id: string;
  message: string;
}

export interface ImportContext {
  spool: Spool;
  /** The events imported before. Fresh ones are added. */
  known: KnownEvents;
  /** Sequence number of the next event, and the earliest time that it may have. */
  place: Place;
  /** End of the last sealed slot; null before the first. */
  sealedUntil: string | null;
  secret: Uint8Array;
  /** Receives findings. */
  findings: ImportFinding[];
}

/** Converts remote events in chain order. After an event that forks, yields an alert as well. */
export function* importEvents(links: Iterable<FreshLink>, context: ImportContext): Generator<LedgerEvent> {
  const { spool, known, secret, findings } = context;
  let place = context.place;
  for (const link of links) {
    const remote = spool.get(link);
    const { event, kept } = convertEvent(remote, place, secret);
    place = { seq: place.seq + 1, notBefore: event.timestamp };
    findings.push(...lateFindings(link, event, context.sealedUntil));
    if (kept !== 'members') findings.push(keptFinding(remote, kept));
    yield event;
    const first = known.firstAfter(link.previous_hash);
    known.add(event.seq, link);
    if (!first) continue;
    const alert = forkAlert(first.event_id, remote, place, secret);
    place = { ...place, seq: place.seq + 1 };
    findings.push({ kind: 'fork', event_id: remote.event_id, message: `${alert.data.message}` });
    yield alert;
  }
}

function lateFindings(link: FreshLink, event: LedgerEvent, sealedUntil: string | null): ImportFinding[] {
  if (sealedUntil === null || compareTimestamps(link.timestamp, sealedUntil) >= 0) return [];
  const message = `The event of ${link.timestamp} came after its slot was sealed; its time in the ledger is ${event.timestamp}.`;
  return [{ kind: 'late', event_id: link.event_id, message }];
}

function keptFinding({ event_id }: RemoteEvent, kept: 'text' | 'hash'): ImportFinding {
  return kept === 'text'
    ? {
        kind: 'payload_as_text',
        event_id,
        message: 'A member of the payload has a name or a number that readers may misread.',
      }
    : { kind: 'payload_as_hash', event_id, message: 'The payload does not fit a line of the ledger.' };
}
