import { z } from 'zod';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { CalendarDate } from '../../../pipeline/ledger/events/event.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { FIELD_NAMES, FILTER_LIMITS, type Filter, parseFilter } from './filter.ts';
import { invalidParameter, quoted } from './query.ts';

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
const FORM_NAMES = Object.keys(EXPORT_MEDIA_TYPES) as FormName[];

export interface ExportQuery {
  /** First and last moment, as timestamps that sort among the ledger's; null: no bound. */
  from: string | null;
  to: string | null;
  format: FormName;
  /** Null: every event. */
  filter: Filter | null;
  given: ExportParameters;
}

const DateTime = z.iso.datetime({ offset: true, local: false });
/** Longer than any with nanoseconds. */
const MAX_CHARACTERS = 40;
const ISO_CHARACTERS = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/** A date, or a date-time whose year in UTC sorts: one before 0 or after 9999 has a sign. */
const Moment = z
  .string()
  .refine((text) => isDate(text) || (text.length <= MAX_CHARACTERS && DateTime.safeParse(text).success), {
    message: 'a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z',
    abort: true,
  })
  .refine((text) => isDate(text) || utcOf(text).length === ISO_CHARACTERS, 'a year from 0 to 9999 in UTC');

/** Throws a Problem unknown_parameter, invalid_parameter or invalid_filter. */
export const ExportQuery = z
  .strictObject({
    from: Moment.optional().meta({
      description:
        'First moment: a date, which is the whole day in UTC, or a date-time. Default: the first event.',
      example: '2025-12-01',
    }),
    to: Moment.optional().meta({
      description:
        'Last moment, inclusive; a date is the whole day. Default: the newest event of the release.',
      example: '2025-12-31',
    }),
    format: z.enum(FORM_NAMES).default('json').meta({
      description: 'The format of the response: csv, json or ndjson. Default: json.',
      example: 'csv',
    }),
    filter: z
      .string()
      .optional()
      .meta({
        maxLength: FILTER_LIMITS.characters,
        description: `An RSQL expression over ${FIELD_NAMES.map((name) => `\`${name}\``).join(', ')}: \`==\`, \`!=\`, \`=in=(…)\`, \`=out=(…)\`; a \`*\` at the end of a value matches any ending; \`;\` means and, \`,\` means or.`,
        example: 'event_type==mic_mint;agent=in=(ATLAS,AUREA)',
      }),
  })
  .check(({ value: { from, to, ...value }, issues }) => {
    if (from === undefined || to === undefined || compareTimestamps(firstOf(from), lastOf(to)) <= 0) return;
    issues.push({
      ...{ code: 'custom', path: ['from'], message: 'a time at or before to', input: value },
      params: { found: `${quoted(from)} and ${quoted(to)}` },
    });
  })
  .transform(({ from = null, to = null, format, filter = null }): ExportQuery => {
    return {
      from: from === null ? null : firstOf(from),
      to: to === null ? null : lastOf(to),
      format,
      filter: filter === null ? null : parseFilter(filter),
      given: { from, to, filter },
    };
  });

/**
 * The first moment included, as a timestamp that sorts among the ledger's; for a date the start of that day. Throws a Problem
 * invalid_parameter.
 */
export function parseFrom(text: string): string {
  return firstOf(momentOf('from', text));
}

/**
 * The last moment included; for a date the end of that day, after every fraction of its last second. Throws a Problem
 * invalid_parameter.
 */
export function parseTo(text: string): string {
  return lastOf(momentOf('to', text));
}

function momentOf(name: string, text: string): string {
  const { error } = Moment.safeParse(text);
  if (error) throw invalidParameter(name, error.issues[0]!.message, quoted(text));
  return text;
}

function firstOf(moment: string): string {
  return isDate(moment) ? `${moment}T00:00:00Z` : inUtc(moment);
}

function lastOf(moment: string): string {
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
