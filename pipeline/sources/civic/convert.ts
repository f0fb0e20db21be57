import { hash } from 'node:crypto';
import { CathedralError } from '../../errors.ts';
import type { NextPlace } from '../../ledger/events/draft.ts';
import {
  Envelope,
  EVENT_DATA,
  isKnownType,
  type LedgerEvent,
  MAX_LINE_BYTES,
} from '../../ledger/events/event.ts';
import { eventLine } from '../../ledger/events/event-line.ts';
import { importAlert } from '../../ledger/events/import-alert.ts';
import { isJsonObject, numberText, roundMembers } from '../../ledger/events/json.ts';
import { cycleOf } from '../../ledger/events/slot.ts';
import { compareTimestamps, utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { EventLine } from '../../ledger/writing/ledger-writer.ts';
import { formatPythonJson } from './python-json.ts';
import { CHAIN_START, type RemoteEvent } from './remote-event.ts';

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

/**
 * Converts a remote event, and tells how much of its payload the ledger holds. In the event, numbers of `data` are plain ones (1); the line has
 * them as they were written (1.0), so that event_hash can be had from it.
 */
export function convertEvent(
  remote: RemoteEvent,
  place: Pick<NextPlace, 'seq' | 'notBefore'>,
  salt: string,
): EventLine & { kept: Kept } {
  const timestamp = later(utcTimestamp(remote.timestamp), place.notBefore);
  for (const { kept, data: exact } of sourcedData(remote)) {
    const data = roundMembers(exact);
    const event = {
      seq: place.seq,
      timestamp,
      cycle: cycleOf(timestamp),
      type: ledgerType(remote.event_type, data, place.seq),
      agent: agentOf(remote.civic_id),
      data,
      salt,
    };
    const line = eventLine(event, JSON.stringify(exact));
    if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return { event, line, kept };
  }
  throw new CathedralError('import_failed', {
    place: `event ${remote.event_id}`,
    expected: `an event that fits a line of ${MAX_LINE_BYTES} bytes`,
    found: 'a longer one',
  });
}

/** The alert that `second`, an event of this time here, has the same predecessor as the event with the event_id `first`. */
export function forkAlert(
  first: string,
  { event_id, previous_hash }: RemoteEvent,
  { seq, timestamp }: Pick<LedgerEvent, 'seq' | 'timestamp'>,
  salt: string,
): LedgerEvent {
  const before = previous_hash === CHAIN_START ? 'no event' : `the event with hash ${previous_hash}`;
  const message = `The imported ledger forks: ${first} and ${event_id} both follow ${before}.`;
  const fork = { previous_hash, events: [first, event_id] };
  const next = { seq, notBefore: timestamp, now: Date.parse(timestamp), salt };
  return importAlert(FORK_ALERT, { message, fork }, next, timestamp);
}

function later(timestamp: string, notBefore: string | null): string {
  return notBefore !== null && compareTimestamps(timestamp, notBefore) < 0 ? notBefore : timestamp;
}

/** The civic_id, or a name made from its hash if it is no valid name (empty, too long, begins like a formula). */
function agentOf(civicId: string): string {
  const isName = Envelope.shape.agent.safeParse(civicId).success;
  return isName ? civicId : `civic-${hash('sha256', civicId, 'hex').slice(0, 16)}`;
}

/** Strings of a remote event longer than this, in bytes of UTF-8, become hashes if its line is too long otherwise. */
const LONG_BYTES = 1000;

/** How the local event holds the remote payload. */
export type Kept = 'members' | 'text' | 'hash';

/**
 * Candidates for `data` of an imported event, in order of preference: the payload's members; its text, if a reader could misread the
 * members; its hash, if the line is too long. In the last, long strings are hashes as well.
 *
 * `source` holds the remote event's other members, so that event_hash can be computed again from the ledger's line:
 * the payload is `source.payload_json` as it stands or, without that, `data` less `source`, with `source.payload_source`
 * as its member `source` where there is one, printed by Python's `json.dumps(payload, sort_keys=True)`.
 */
function* sourcedData(remote: RemoteEvent): Generator<{ kept: Kept; data: Record<string, unknown> }> {
  const { payload, ...source } = remote;
  if (isPlain(payload)) yield { kept: 'members', data: withMembers(payload, source) };
  const text = formatPythonJson(payload);
  if (text.length <= MAX_LINE_BYTES)
    yield { kept: 'text', data: { source: { ...source, payload_json: text } } };
  const digest = { payload_sha256: hash('sha256', text, 'hex'), payload_bytes: text.length };
  yield { kept: 'hash', data: { source: { ...source, ...digest } } };
  yield { kept: 'hash', data: { source: { ...shortened(source), ...digest } } };
}

function withMembers(
  payload: Record<string, unknown>,
  source: Record<string, unknown>,
): Record<string, unknown> {
  if (!Object.hasOwn(payload, 'source')) return { ...payload, source };
  const { source: own, ...members } = payload;
  return { ...members, source: { ...source, payload_source: own } };
}

/**
 * Whether every reader parses the payload to the same value. V8 can misread an escaped name, copying objects loses a member `__proto__`,
 * and a number beyond a double would be published as null.
 */
function isPlain(value: unknown): boolean {
  const number = numberText(value);
  if (number !== undefined) return Number.isFinite(Number(number));
  if (Array.isArray(value)) return value.every(isPlain);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([name, member]) => isPlainName(name) && isPlain(member));
}

function isPlainName(name: string): boolean {
  return name !== '__proto__' && JSON.stringify(name).length === name.length + 2;
}

function shortened(source: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(source).map(([key, value]) => [key, isLong(value) ? digestOf(value) : value]),
  );
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && Buffer.byteLength(value) > LONG_BYTES;
}

function digestOf(text: string): { sha256: string; bytes: number } {
  return { sha256: hash('sha256', text, 'hex'), bytes: Buffer.byteLength(text) };
}
