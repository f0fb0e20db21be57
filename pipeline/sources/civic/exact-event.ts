import type { LedgerEvent } from '../../ledger/events/event.ts';
import { formatEventLine } from '../../ledger/events/event-line.ts';
import { parseExactJson, roundMembers } from '../../ledger/events/json.ts';

/**
 * An event whose `data`, a value of `parseExactJson`, reads as plain numbers (1) and prints as it was written (1.0), so
 * that event_hash can be had from the ledger's line.
 */
export function exactEvent(event: LedgerEvent): LedgerEvent {
  const data = roundMembers(event.data);
  Object.defineProperty(data, 'toJSON', { value: () => event.data });
  return { ...event, data };
}

/** The event of a line that `formatEventLine` wrote: it prints as the same bytes again, or it is undefined. */
export function parseExactLine(line: string): LedgerEvent | undefined {
  const event = exactEvent(parseExactJson(line) as LedgerEvent);
  return formatEventLine(event) === line ? event : undefined;
}
