import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { EXPORT_MEDIA_TYPES, type ExportParameters, type FormName } from '../../api/query/export-query.ts';
import { jsonRoom, writeJsonRow } from './json-row.ts';
import type { Row } from './row.ts';

/** How to write an export. */
export interface Form {
  mediaType: string;
  /** Bytes before the first row. */
  head: (given: ExportParameters) => string;
  /** An upper bound of the bytes that writeRow() needs. */
  room: (row: Row) => number;
  /** Writes a row into `target` at `at` and returns its end; `index` is the row's number in the export. */
  writeRow: (bytes: Buffer, row: Row, target: Buffer, at: number, index: number) => number;
  /** Bytes after the last of `count` rows. */
  tail: (count: number) => string;
  /** The format equals that of the segments, so rows are copied without parsing. */
  copies: boolean;
}

const LINE_END = 0x0a;
const COMMA = 0x2c;
/** A comma and a line end. */
const BETWEEN_BYTES = 2;

const csv: Form = {
  mediaType: EXPORT_MEDIA_TYPES.csv,
  head: () => ledgerExport.head(),
  room: ({ start, end }) => end - start,
  writeRow: (bytes, { start, end }, target, at) => at + bytes.copy(target, at, start, end),
  tail: () => '',
  copies: true,
};

const json: Form = {
  mediaType: EXPORT_MEDIA_TYPES.json,
  head: ({ from, to, filter }) => `${JSON.stringify({ from, to, filter }).slice(0, -1)},"events":[`,
  room: (row) => jsonRoom(row) + BETWEEN_BYTES,
  writeRow(bytes, row, target, at, index) {
    let to = at;
    if (index > 0) target[to++] = COMMA;
    target[to++] = LINE_END;
    return writeJsonRow(bytes, row, target, to);
  },
  // `complete` comes last, so that a truncated export can be detected.
  tail: (count) => `${count > 0 ? '\n' : ''}],"count":${count},"complete":true}\n`,
  copies: false,
};

const ndjson: Form = {
  mediaType: EXPORT_MEDIA_TYPES.ndjson,
  head: () => '',
  room: (row) => jsonRoom(row) + BETWEEN_BYTES,
  writeRow(bytes, row, target, at) {
    const to = writeJsonRow(bytes, row, target, at);
    target[to] = LINE_END;
    return to + 1;
  },
  tail: () => '',
  copies: false,
};

export const FORMS = { csv, json, ndjson } satisfies Record<FormName, Form>;
