import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { compareTimestamps } from '../../../pipeline/ledger/timestamp.ts';
import type { Filter } from './filter.ts';
import { parseFilter } from './parse-filter.ts';
import { invalidParameter, parseParameters, quoted } from './query-parameters.ts';

/** What the client asked for, in its own words. */
export interface Given {
  from: string | null;
  to: string | null;
  filter: string | null;
}

/** Formats of the export, by the name that `format` takes. */
export const EXPORT_MEDIA_TYPES = {
  csv: ledgerExport.mediaType,
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const;
export type FormName = keyof typeof EXPORT_MEDIA_TYPES;
export const FORM_NAMES = Object.keys(EXPORT_MEDIA_TYPES) as FormName[];

import { parseFrom, parseTo } from './time-bound.ts';

export const PARAMETERS = ['from', 'to', 'format', 'filter'] as const;

export interface ExportQuery {
  /** The first and the last moment, as timestamps that sort among the ledger's; null: no bound. */
  from: string | null;
  to: string | null;
  format: FormName;
  /** Null: every event. */
  filter: Filter | null;
  given: Given;
}

/** What the client leaves out. */
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
    throw invalidParameter('from', 'a time that is not after to', found);
  }
  const format = parseFormat(parameters.get('format') ?? DEFAULT_FORMAT);
  return { from, to, format, filter: given.filter === null ? null : parseFilter(given.filter), given };
}

function parseFormat(text: string): FormName {
  const format = FORM_NAMES.find((name) => name === text);
  if (format === undefined) throw invalidParameter('format', `one of ${FORM_NAMES.join(', ')}`, quoted(text));
  return format;
}
