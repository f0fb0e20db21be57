import { z } from 'zod';
import { CalendarDate } from '../../../pipeline/ledger/event.ts';
import { invalidParameter, quoted } from './query-parameters.ts';

const DateTime = z.iso.datetime({ offset: true, local: false });
/** Longer than any that says more than nanoseconds. */
const MAX_CHARACTERS = 40;
const ISO_CHARACTERS = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/**
 * The first moment that `from` lets through, as a timestamp that sorts among the ledger's: of a date the beginning of
 * that day. Throws a Problem invalid_parameter.
 */
export function parseFrom(text: string): string {
  return isDate(text) ? `${text}T00:00:00Z` : parseDateTime('from', text);
}

/**
 * The last moment that `to` lets through; of a date the end of that day, after every fraction of its last second.
 * Throws a Problem invalid_parameter.
 */
export function parseTo(text: string): string {
  return isDate(text) ? `${text}T24:00:00Z` : parseDateTime('to', text);
}

function isDate(text: string): boolean {
  return CalendarDate.safeParse(text).success;
}

/** In UTC, and with as many digits of the second as were given. */
function parseDateTime(name: string, text: string): string {
  if (text.length > MAX_CHARACTERS || !DateTime.safeParse(text).success) throw notDate(name, text);
  const [, fraction = ''] = /(\.\d+)/.exec(text) ?? [];
  const utc = new Date(text.replace(fraction, '')).toISOString();
  // A year before 0 or after 9999 has a sign, and does not sort.
  if (utc.length !== ISO_CHARACTERS)
    throw invalidParameter(name, 'a year from 0 to 9999 in UTC', quoted(text));
  return `${utc.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}${fraction}Z`;
}

function notDate(name: string, text: string) {
  // What a plus sign becomes that was not percent-encoded.
  const hint = text.includes(' ') ? ' (a plus sign is written %2B in an address)' : '';
  const expected = 'a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z';
  return invalidParameter(name, expected, `${quoted(text)}${hint}`);
}
