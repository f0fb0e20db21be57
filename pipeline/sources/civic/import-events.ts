import type { LedgerEvent } from '../../ledger/events/event.ts';
import { ALERT_CHANGES, firstNamed, importAlert, listed } from '../../ledger/events/import-alert.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { formatCount } from '../../words/number.ts';
import type { Link } from './chain.ts';
import type { FreshLink } from './collector.ts';
import { convertEvent, forkAlert, type Place, saltOf } from './convert.ts';
import type { KnownEvents, RemoteChange } from './known-events.ts';
import type { RemoteEvent } from './remote-event.ts';
import type { Spool } from './spool.ts';

/** A finding about an imported event that does not stop the import. */
export interface ImportFinding {
  /**
   * `fork`: another event has the same predecessor. `late`: its time is in a slot that was sealed before it arrived. `modified`,
   * `deleted`: the remote ledger has it with another content, or no longer. `gap`: the remote ledger does not have its predecessor.
   * `payload_as_text`, `payload_as_hash`: the ledger holds its payload only in this form.
   */
  kind: 'fork' | 'late' | 'modified' | 'deleted' | 'gap' | 'payload_as_text' | 'payload_as_hash';
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
  /** What became of imported events in the remote ledger. */
  changes: readonly RemoteChange[];
  /** Hashes of predecessors that the remote ledger does not have, each with the event that names it. */
  gaps: ReadonlyMap<string, Link>;
  secret: Uint8Array;
  /** The clock, Unix ms. */
  now: number;
  /** Receives findings. */
  findings: ImportFinding[];
}

/** Converts remote events in chain order. After an event that forks, yields an alert as well; at the end, alerts about all of them. */
export function* importEvents(links: Iterable<FreshLink>, context: ImportContext): Generator<LedgerEvent> {
  const { spool, known, secret, findings } = context;
  let place = context.place;
  const late: string[] = [];
  for (const link of links) {
    const remote = spool.get(link);
    const { event, kept } = convertEvent(remote, place, secret);
    place = { seq: place.seq + 1, notBefore: event.timestamp };
    const isLate = context.sealedUntil !== null && compareTimestamps(link.timestamp, context.sealedUntil) < 0;
    if (isLate) {
      late.push(link.event_id);
      const message = `The event of ${link.timestamp} came after its slot was sealed; its time in the ledger is ${event.timestamp}.`;
      findings.push({ kind: 'late', event_id: link.event_id, message });
    }
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
  for (const { alert, ...data } of alertsOf(late, context)) {
    const salt = saltOf(`${alert} ${place.seq}`, secret);
    const event = importAlert(alert, data, { ...place, now: context.now, salt });
    for (const change of (data.changes ?? []) as RemoteChange[]) known.change(change, event.seq);
    place = { seq: place.seq + 1, notBefore: event.timestamp };
    yield event;
  }
}

type Alert = { alert: string; message: string } & Record<string, unknown>;

/** What an import says about several events at once. Adds the findings of those that have none yet. */
function* alertsOf(late: readonly string[], { changes, gaps, findings }: ImportContext): Generator<Alert> {
  const named = (ids: readonly string[]) => `${formatCount(ids.length, 'event')} (${listed(ids)})`;
  if (late.length > 0) {
    const message = `${named(late)} came late. The ledger has ${late.length === 1 ? 'it' : 'them'} with a later time.`;
    yield { alert: 'source-late', message, late: { count: late.length, events: firstNamed(late) } };
  }
  for (const { event_id, change } of changes) {
    const message = `The remote ledger ${change === 'deleted' ? 'has deleted it' : 'has it with another content'}. The ledger keeps what was imported.`;
    findings.push({ kind: change, event_id, message });
  }
  for (let at = 0; at < changes.length; at += ALERT_CHANGES) {
    const some = changes.slice(at, at + ALERT_CHANGES);
    const ids = some.map(({ event_id }) => event_id);
    const message = `${named(ids)} ${some.length === 1 ? 'was' : 'were'} changed after the import. The ledger keeps what was imported.`;
    yield { alert: 'source-changed', message, changes: some };
  }
  for (const [hash, { event_id }] of gaps) {
    const message = `The remote ledger does not have the predecessor of ${event_id}, the event with hash ${hash}.`;
    findings.push({ kind: 'gap', event_id, message });
    yield { alert: 'source-gap', message, gap: { event_id, previous_hash: hash } };
  }
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
