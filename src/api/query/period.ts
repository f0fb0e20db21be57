import { z } from 'zod';
import { CalendarDate } from '../../../pipeline/ledger/events/event.ts';

const DateTime = z.iso.datetime({ offset: true, local: false });
/** Longer than any with nanoseconds. */
const MAX_CHARACTERS = 40;
const ISO_CHARACTERS = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/** A date, or a date-time whose year in UTC sorts: one before 0 or after 9999 has a sign. */
export const Moment = z
  .string()
  .refine((text) => isDate(text) || (text.length <= MAX_CHARACTERS && DateTime.safeParse(text).success), {
    message: 'a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z',
    abort: true,
  })
  .refine((text) => isDate(text) || utcOf(text).length === ISO_CHARACTERS, 'a year from 0 to 9999 in UTC');

/** The first moment included, as a timestamp that sorts among the ledger's; for a date the start of that day. */
export function firstOf(moment: string): string {
  return isDate(moment) ? `${moment}T00:00:00Z` : inUtc(moment);
}

/** The last moment included; for a date the end of that day, after every fraction of its last second. */
export function lastOf(moment: string): string {
  return isDate(moment) ? `${moment}T24:00:00Z` : inUtc(moment);
}

function isDate(text: string): boolean {
  return CalendarDate.safeParse(text).success;
}

/** With as many digits of the second as the client sent. */
function inUtc(text: string): string {
  return `${utcOf(text).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}${fractionOf(text)}Z`;
}

function utcOf(text: string): string {
  return new Date(text.replace(fractionOf(text), '')).toISOString();
}

function fractionOf(text: string): string {
  return /\.\d+/.exec(text)?.[0] ?? '';
}
