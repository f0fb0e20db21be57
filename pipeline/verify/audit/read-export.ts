import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { csvHeader, csvRow } from '../../artifacts/format/csv.ts';
import { ledgerExport } from '../../artifacts/government/ledger-export.ts';
import { CathedralError } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../../ledger/event.ts';
import { COLUMNS, type ExportRow, parseCsvRow, parseJsonRow, parseObject } from './export-row.ts';

/** How a file format represents rows. */
interface RowFormat {
  /** The row as the service writes it, without a line end. */
  write: (row: ExportRow) => string;
  /** Null if the text is not a row. */
  parse: (text: string) => ExportRow | null;
}

export const CSV_HEADER = csvHeader(ledgerExport.schema).trimEnd();

const CSV_ROWS: RowFormat = {
  write: (row) => csvRow(COLUMNS.map((name) => row[name])).slice(0, -1),
  parse: parseCsvRow,
};

const JSON_ROWS: RowFormat = {
  write: ({ timestamp, event_type, agent, data, attestation_hash }) =>
    `{"timestamp":"${timestamp}","event_type":"${event_type}","agent":${JSON.stringify(agent)},"data":${data},"attestation_hash":"${attestation_hash}"}`,
  parse: parseJsonRow,
};

/** The columns in which two rows differ; the spelling of JSON makes no difference. */
export function differences(row: ExportRow, expected: ExportRow): (keyof ExportRow)[] {
  return COLUMNS.filter((name) => {
    if (row[name] === expected[name]) return false;
    return name !== 'data' || !isDeepStrictEqual(parseObject(row.data), parseObject(expected.data));
  });
}

/** Whether a row cannot be an edited version of the expected one, because neither its hash nor its time and type match. */
export function isOther(row: ExportRow, expected: ExportRow): boolean {
  const changed = new Set(differences(row, expected));
  return changed.has('attestation_hash') && (changed.has('timestamp') || changed.has('event_type'));
}

/** The text of a row in the file. */
export interface RowText {
  /** Where it begins, from 1. */
  line: number;
  text: string;
}

/** What a JSON export says about itself. */
export interface ExportHead {
  from: string | null;
  to: string | null;
  filter: string | null;
}

/** A fault of the file as a whole. */
export interface FileFault {
  line: number;
  message: string;
}

export interface ExportFile {
  format: RowFormat;
  head: ExportHead | null;
  /** In batches, in the order of the file; returns the fault of its end, if any. */
  rows: AsyncGenerator<RowText[], FileFault | null>;
}

/** A row contains its event's line, perhaps with doubled quotes, and less than 1 kB more. */
const MAX_ROW_CHARACTERS = 2 * MAX_LINE_BYTES + 1000;

const Head = z.strictObject({
  from: z.string().nullable(),
  to: z.string().nullable(),
  filter: z.string().nullable(),
  events: z.array(z.unknown()).max(0),
});
const Tail = z.strictObject({ count: z.int().min(0), complete: z.literal(true) });

/**
 * Reads an export as CSV, JSON or NDJSON, whichever its first line shows. Null: none of these. Throws proof_refused if the first
 * line cannot be read.
 */
export async function readExport(
  chunks: AsyncIterable<Uint8Array>,
  place = 'the export',
): Promise<ExportFile | null> {
  const lines = linesOf(chunks);
  const first = await lines.next();
  if (first.done) return nothing(first.value, place);
  const [head, ...others] = first.value;
  const rest = chain(others, lines);
  if (head!.text === CSV_HEADER) return { format: CSV_ROWS, head: null, rows: rest };
  if (JSON_ROWS.parse(head!.text)) return { format: JSON_ROWS, head: null, rows: chain(first.value, lines) };
  return jsonFile(head!.text, rest);
}

function nothing(fault: FileFault | null, place: string): null {
  if (!fault) return null;
  const [expected, found] = ['rows of an export', fault.message];
  throw new CathedralError('proof_refused', { place: `${place}:${fault.line}`, expected, found });
}

function jsonFile(head: string, rest: AsyncGenerator<RowText[], FileFault | null>): ExportFile | null {
  const empty = /^(.*"events":\[)\],("count":0,"complete":true\})$/.exec(head);
  const parsed = Head.safeParse(parseObject(`${empty?.[1] ?? head}]}`));
  if (!parsed.success) return null;
  const { events: _, ...about } = parsed.data;
  const tail = empty ? [{ line: 1, text: `],${empty[2]}` }] : [];
  return { format: JSON_ROWS, head: about, rows: jsonRows(chain(tail, rest)) };
}

/** The rows without the commas between them, up to the last line, which states their number. */
async function* jsonRows(
  lines: AsyncGenerator<RowText[], FileFault | null>,
): AsyncGenerator<RowText[], FileFault | null> {
  let count = 0;
  let last: RowText = { line: 1, text: '' };
  let tail: RowText | null = null;
  for (let next = await lines.next(); ; next = await lines.next()) {
    if (next.done) return next.value ?? endFault(tail, last, count);
    const rows: RowText[] = [];
    for (const row of next.value) {
      if (tail) return { line: row.line, message: 'something follows the end of the JSON document' };
      last = row;
      if (row.text.startsWith(']')) tail = row;
      else rows.push({ line: row.line, text: row.text.replace(/,$/, '') });
    }
    count += rows.length;
    if (rows.length > 0) yield rows;
  }
}

function endFault(tail: RowText | null, { line }: RowText, count: number): FileFault | null {
  if (!tail) return { line, message: 'the file is cut off here: "complete" is missing' };
  const end = Tail.safeParse(parseObject(`{${tail.text.slice(2)}`));
  if (!end.success) return { line, message: 'the last line is not the end of an export' };
  if (end.data.count === count) return null;
  return { line, message: `"count" says ${end.data.count}, but the file has ${count} rows` };
}

/** Lines in batches; no row contains a line end. Accepts Windows line ends. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<RowText[], FileFault | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [rest, line] = ['', 1];
  try {
    for await (const chunk of chunks) {
      const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = texts.pop()!;
      const first = line;
      line += texts.length;
      if (texts.length > 0)
        yield texts.map((text, index) => ({ line: first + index, text: text.replace(/\r$/, '') }));
      if (rest.length > MAX_ROW_CHARACTERS) return { line, message: 'this row is longer than any event' };
    }
    rest += decoder.decode();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    return { line, message: 'the file is not UTF-8 from here on' };
  }
  if (rest !== '') yield [{ line, text: rest }];
  return null;
}

async function* chain(
  first: RowText[],
  rest: AsyncGenerator<RowText[], FileFault | null>,
): AsyncGenerator<RowText[], FileFault | null> {
  if (first.length > 0) yield first;
  return yield* rest;
}
