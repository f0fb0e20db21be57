import { z } from 'zod';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import { FIELD_NAMES, FILTER_LIMITS, type Filter, parseFilter } from './filter.ts';
import { firstOf, lastOf, Moment } from './period.ts';
import { quoted } from './query.ts';

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
        example: 'event_type==attestation;agent=in=(ATLAS,AUREA)',
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
