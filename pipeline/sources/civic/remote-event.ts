import { hash } from 'node:crypto';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { isJsonObject, parseExactJson } from '../../ledger/events/json.ts';
import { formatPythonJson } from './python-json.ts';

/** previous_hash of an event without predecessor. */
export const CHAIN_START = '0'.repeat(64);

/** A lone surrogate has no UTF-8 encoding and thus no hash. In the payload it is an escape. */
const Text = z.string().refine((text) => text.isWellFormed(), 'well-formed Unicode');
const HashHex = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hex digits');
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
/** `2025-12-01T06:00:00.123456+00:00`. Python omits a fraction of zero. */
const OffsetTime = z.iso
  .datetime({ offset: true, local: false })
  .regex(/^.{19}(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/, 'seconds, at most nine digits of a fraction, an offset')
  .refine(
    (time) => !(Date.parse(time) < YEAR_0),
    'no time before the year 0 in UTC, which a ledger cannot name',
  );

/**
 * An event of the remote ledger. Other members are ignored, because event_hash does not cover them. The remote ledger limits the length
 * of the strings; its server creates event_id.
 */
export const RemoteEvent = z.object({
  event_id: Text.min(1).max(200),
  event_type: Text,
  civic_id: Text,
  lab_source: Text,
  /** A value of `parseExactJson`. */
  payload: z.custom<Record<string, unknown>>(isJsonObject, 'an object'),
  timestamp: OffsetTime,
  previous_hash: HashHex,
  event_hash: HashHex,
  /** event_hash does not cover it. */
  signature: Text.nullable(),
});
export type RemoteEvent = z.output<typeof RemoteEvent>;

const Page = z.object({
  events: z.array(RemoteEvent),
  /** The count of the page or of the ledger. Servers differ, so nothing depends on it. */
  count: z.unknown(),
});

/**
 * The events of one page, `{"events":[…],"count":n}`, in the server's order. Their hashes are not compared yet. Throws a SyntaxError if the
 * text is not JSON, `import_failed` if it is not such a page. `place` names the URL.
 */
export function parseRemotePage(text: string, place: string): RemoteEvent[] {
  const json = parseExactJson(text);
  const page = Page.safeParse(json);
  if (!page.success) throw pageFault(page.error.issues[0]!, json, place);
  return page.data.events;
}

/**
 * Hex SHA-256 of event_id, event_type, civic_id, lab_source, payload, timestamp and previous_hash, concatenated, with the payload as
 * Python prints it.
 */
export function eventHash(event: Omit<RemoteEvent, 'event_hash' | 'signature'>): string {
  const { event_id, event_type, civic_id, lab_source, payload, timestamp, previous_hash } = event;
  const content = [
    event_id,
    event_type,
    civic_id,
    lab_source,
    formatPythonJson(payload),
    timestamp,
    previous_hash,
  ];
  return hash('sha256', content.join(''), 'hex');
}

/** Throws `import_failed` unless an event's hash is that of its content. */
export function assertEventHash(event: RemoteEvent, content = eventHash(event)): void {
  if (content === event.event_hash) return;
  throw new CathedralError('import_failed', {
    place: `event ${event.event_id}`,
    expected: `event_hash ${content}, the hash of its content`,
    found: event.event_hash,
  });
}

function pageFault(issue: z.core.$ZodIssue, json: unknown, place: string): CathedralError {
  const found = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    json,
  );
  const event = issue.path[0] === 'events' ? eventName(json, issue.path[1]) : '';
  return new CathedralError('import_failed', {
    place: `${place}${event}`,
    expected: `${issue.path.join('.') || 'a page'}: ${issue.message}`,
    found: (JSON.stringify(found) ?? 'nothing').slice(0, 200),
  });
}

function eventName(json: unknown, index: PropertyKey | undefined): string {
  const { events } = json as { events?: ({ event_id?: unknown } | null)[] };
  const id = events?.[index as number]?.event_id;
  return typeof id === 'string' ? ` event ${id.slice(0, 200)}` : '';
}
