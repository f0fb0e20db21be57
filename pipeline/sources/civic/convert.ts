import { hash } from 'node:crypto';
import { CathedralError } from '../../errors.ts';
import {
  Envelope,
  EVENT_DATA,
  isKnownType,
  type LedgerEvent,
  MAX_LINE_BYTES,
} from '../../ledger/events/event.ts';
import { formatEventLine } from '../../ledger/events/event-line.ts';
import { IMPORT_AGENT } from '../../ledger/events/import-alert.ts';
import { roundMembers } from '../../ledger/events/json.ts';
import { cycleOf } from '../../ledger/events/slot.ts';
import { compareTimestamps, utcTimestamp } from '../../ledger/events/timestamp.ts';
import { CHAIN_START, type RemoteEvent } from './remote-event.ts';
import { type Kept, sourcedData } from './sourced-data.ts';

const MAX_LENGTH = 100;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/**
 * The local type of an imported event: a known type if `data` matches its schema, otherwise the remote type in snake_case
 * (`GENESIS_CUSTODIAN` becomes `genesis_custodian`), prefixed with `civic_` if a known type has that name but a different schema,
 * which verification would refuse. Only the first event of a ledger can be a genesis.
 */
export function ledgerType(eventType: string, data: Record<string, unknown>, seq: number): string {
  const type = snakeCase(eventType);
  if (!isKnownType(type)) return type;
  const fits = EVENT_DATA[type].safeParse(data).success && (type !== 'genesis' || seq === 0);
  return fits ? type : `civic_${type}`;
}

function snakeCase(text: string): string {
  if (SNAKE_CASE.test(text) && text.length <= MAX_LENGTH) return text;
  const words = text
    .slice(0, 4 * MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const joined = words.join('_') || 'event';
  const named = /^[a-z]/.test(joined) ? joined : `civic_${joined}`;
  return named.slice(0, MAX_LENGTH).replace(/_$/, '');
}

/** All forks share one alert id: published files show the newest, the ledger has each. */
export const FORK_ALERT = 'civic-ledger-fork';

/** An event's place in the local ledger. */
export interface Place {
  seq: number;
  /** Time of its predecessor, or the end of the last sealed slot if that is later; null before the first. */
  notBefore: string | null;
}

/** Converts a remote event, and tells how much of its payload the local event holds. */
export function convertEvent(
  remote: RemoteEvent,
  place: Place,
  salt: string,
): { event: LedgerEvent; kept: Kept } {
  const timestamp = later(utcTimestamp(remote.timestamp), place.notBefore);
  for (const { kept, data } of sourcedData(remote)) {
    const event = exactEvent({
      seq: place.seq,
      timestamp,
      cycle: cycleOf(timestamp),
      type: ledgerType(remote.event_type, roundMembers(data), place.seq),
      agent: agentOf(remote.civic_id),
      data,
      salt,
    });
    if (Buffer.byteLength(formatEventLine(event)) <= MAX_LINE_BYTES) return { event, kept };
  }
  throw new CathedralError('import_failed', {
    place: `event ${remote.event_id}`,
    expected: `an event that fits a line of ${MAX_LINE_BYTES} bytes`,
    found: 'a longer one',
  });
}

/** The alert that `second` has the same predecessor as the event with the event_id `first`. */
export function forkAlert(first: string, second: RemoteEvent, place: Place, salt: string): LedgerEvent {
  const timestamp = later(utcTimestamp(second.timestamp), place.notBefore);
  const before =
    second.previous_hash === CHAIN_START ? 'no event' : `the event with hash ${second.previous_hash}`;
  return {
    seq: place.seq,
    timestamp,
    cycle: cycleOf(timestamp),
    type: 'alert_raised',
    agent: IMPORT_AGENT,
    data: {
      alert: FORK_ALERT,
      // Nothing will ever clear this alert, and a warning would leave the system degraded for good.
      severity: 'info',
      scope: 'ledger',
      message: `The imported ledger forks: ${first} and ${second.event_id} both follow ${before}.`,
      fork: { previous_hash: second.previous_hash, events: [first, second.event_id] },
    },
    salt,
  };
}

/**
 * An event whose `data`, a value of `parseExactJson`, reads as plain numbers (1) and prints as it was written (1.0), so
 * that event_hash can be had from the ledger's line.
 */
function exactEvent(event: LedgerEvent): LedgerEvent {
  const data = roundMembers(event.data);
  Object.defineProperty(data, 'toJSON', { value: () => event.data });
  return { ...event, data };
}

function later(timestamp: string, notBefore: string | null): string {
  return notBefore !== null && compareTimestamps(timestamp, notBefore) < 0 ? notBefore : timestamp;
}

/** The civic_id, or a name made from its hash if it is no valid name (empty, too long, begins like a formula). */
function agentOf(civicId: string): string {
  const isName = Envelope.shape.agent.safeParse(civicId).success;
  return isName ? civicId : `civic-${hash('sha256', civicId, 'hex').slice(0, 16)}`;
}
