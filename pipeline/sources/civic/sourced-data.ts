import { hash } from 'node:crypto';
import { MAX_LINE_BYTES } from '../../ledger/events/event.ts';
import { isJsonObject, numberText } from '../../ledger/events/json.ts';
import { formatPythonJson } from './python-json.ts';
import type { RemoteEvent } from './remote-event.ts';

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
export function* sourcedData(remote: RemoteEvent): Generator<{ kept: Kept; data: Record<string, unknown> }> {
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
