import { z } from 'zod';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { CalendarDate } from '../../../pipeline/ledger/events/event.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { type Filter, parseFilter } from './filter.ts';
import { invalidParameter, parseParameters, quoted } from './parameters.ts';

/** The client's own parameters, as it sent them. */
export interface ExportParameters {
  from: string | null;
  to: string | null;
  filter: string | null;
}

/** Formats of the export, by the value of `format`. */
export const EXPORT_MEDIA_TYPES = {
  csv: ledgerExport.mediaType,
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;
export type FormName = keyof typeof EXPORT_MEDIA_TYPES;
export const FORM_NAMES = Object.keys(EXPORT_MEDIA_TYPES) as FormName[];

export const PARAMETERS = ['from', 'to', 'format', 'filter'] as const;

export interface ExportQuery {
  /** First and last moment, as timestamps that sort among the ledger's; null: no bound. */
  from: string | null;
  to: string | null;
  format: FormName;
  /** Null: every event. */
  filter: Filter | null;
  given: ExportParameters;
}

/** If the client names none. */
const DEFAULT_FORMAT: FormName = 'json';

/** `query` is without its question mark. Throws a Problem unknown_parameter, invalid_parameter or invalid_filter. */
export function parseExportQuery(query: string): ExportQuery {
  const parameters = parseParameters(query, PARAMETERS);
  const given = {
    from: parameters.get('from') ?? null,
    to: parameters.get('to') ?? null,
    filter: parameters.get('filter') ?? null,
  };
  const from = given.from === null ? null : parseFrom(given.from);
  const to = given.to === null ? null : parseTo(given.to);
  if (from !== null && to !== null && compareTimestamps(from, to) > 0) {
    const found = `${quoted(given.from!)} and ${quoted(given.to!)}`;
    throw invalidParameter('from', 'a time at or before to', found);
  }
  const format = parseFormat(parameters.get('format') ?? DEFAULT_FORMAT);
  return { from, to, format, filter: given.filter === null ? null : parseFilter(given.filter), given };
}

function parseFormat(text: string): FormName {
  const format = FORM_NAMES.find((name) => name === text);
  if (format === undefined) throw invalidParameter('format', `one of ${FORM_NAMES.join(', ')}`, quoted(text));
  return format;
}

const DateTime = z.iso.datetime({ offset: true, local: false });
/** Longer than any with nanoseconds. */
const MAX_CHARACTERS = 40;
const ISO_CHARACTERS = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/**
 * The first moment included, as a timestamp that sorts among the ledger's; for a date the start of that day. Throws a Problem
 * invalid_parameter.
 */
export function parseFrom(text: string): string {
  return isDate(text) ? `${text}T00:00:00Z` : parseDateTime('from', text);
}

/**
 * The last moment included; for a date the end of that day, after every fraction of its last second. Throws a Problem
 * invalid_parameter.
 */
export function parseTo(text: string): string {
  return isDate(text) ? `${text}T24:00:00Z` : parseDateTime('to', text);
}

function isDate(text: string): boolean {
  return CalendarDate.safeParse(text).success;
}

/** In UTC, with as many digits of the second as the client sent. */
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
  // A plus sign that is not percent-encoded becomes a space.
  const hint = text.includes(' ') ? ' (write a plus sign in an address as %2B)' : '';
  const expected = 'a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z';
  return invalidParameter(name, expected, `${quoted(text)}${hint}`);
}
