import type { LedgerEvent } from '../event.ts';
import { compareTimestamps } from '../timestamp.ts';
import type { FreshLink } from './collector.ts';
import { convertEvent, forkAlert, type Place } from './convert.ts';
import type { KnownEvents } from './known-events.ts';
import type { RemoteEvent } from './remote-event.ts';
import type { Spool } from './spool.ts';

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
