import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../../ledger/events/event.ts';
import { counted } from '../../words/number.ts';
import { EXPORT_TABLE } from '../rows/export-table.ts';
import { FileRows, type JsonDocument } from '../rows/file-rows.ts';
import { type HistoryForm, isHeader, parseCells } from '../rows/history-table.ts';
import { parseObject } from '../rows/row-text.ts';

/** What a JSON export says about itself. */
export interface ExportHead {
  from: string | null;
  to: string | null;
  filter: string | null;
}

export interface ExportFile {
  form: HistoryForm;
  head: ExportHead | null;
  /** In the order of the file. */
  rows: FileRows;
}

/** A row contains its event's line, perhaps with doubled quotes, and less than 1 kB more. */
export const MAX_ROW_CHARACTERS = 2 * MAX_LINE_BYTES + 1000;

const Head = z.strictObject({
  from: z.string().nullable(),
  to: z.string().nullable(),
  filter: z.string().nullable(),
  events: z.array(z.unknown()).max(0),
});
const Tail = z.strictObject({ count: z.int().min(0), complete: z.literal(true) });

const EXPORT_DOCUMENT: JsonDocument = {
  ending: '"complete"',
  faultOf(text, rows) {
    const end = Tail.safeParse(parseObject(`{${text.slice(2)}`));
    if (!end.success) return 'the last line is not the end of an export';
    return end.data.count === rows
      ? null
      : `"count" says ${end.data.count}, but the file has ${counted(rows, 'row')}`;
  },
};

/**
 * Reads an export as CSV, JSON or NDJSON, whichever its first line shows. Null: none of these. Throws proof_refused if the first
 * line cannot be read.
 */
export async function readExport(
  chunks: AsyncIterable<Uint8Array>,
  place = 'the export',
): Promise<ExportFile | null> {
  const rows = new FileRows(chunks, MAX_ROW_CHARACTERS);
  const first = await rows.peek();
  if (!first && rows.fault) {
    const { line, message: found } = rows.fault;
    throw new CathedralError('proof_refused', {
      place: `${place}:${line}`,
      expected: 'rows of an export',
      found,
    });
  }
  if (!first) return null;
  const { text } = first;
  if (parseCells(EXPORT_TABLE, 'ndjson', text)) return { form: 'ndjson', head: null, rows };
  rows.skip();
  if (isHeader(EXPORT_TABLE, text)) return { form: 'csv', head: null, rows };
  const empty = /^(.*"events":\[)\],("count":0,"complete":true\})$/.exec(text);
  const head = Head.safeParse(parseObject(`${empty?.[1] ?? text}]}`));
  if (!head.success) return null;
  const { events: _, ...about } = head.data;
  await rows.begin(EXPORT_DOCUMENT, empty ? { line: 1, text: `],${empty[2]}` } : null);
  return { form: 'json', head: about, rows };
}
