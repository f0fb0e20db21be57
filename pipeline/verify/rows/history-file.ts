import { MAX_LINE_BYTES } from '../../ledger/events/event.ts';
import { EXPORT_TABLE } from './export-table.ts';
import { FileRows, type JsonDocument } from './file-rows.ts';
import { columnNames, type HistoryForm, type HistoryTable, isHeader, isLink } from './history-table.ts';
import { HISTORY_TABLES, tableAt } from './history-tables.ts';
import { TIMESTAMP } from './log-rows.ts';
import { parseObject, parsePlainObject } from './row-text.ts';

/** A file that was recognised as a public history. */
export interface HistoryFile {
  table: HistoryTable;
  form: HistoryForm;
  /** The release’s time, as a JSON document states it. */
  asOf: string | null;
  rows: FileRows;
}

/** A file that is not a history as this software writes it. */
export interface OtherFile {
  /** The history that it was said to be or resembles. */
  path: string | null;
  reason: string;
}

/** A deliberation has a text of each sentinel. */
const MAX_ROW_CHARACTERS = 64 * MAX_LINE_BYTES;
const MAX_SHOWN = 80;

const HISTORY_DOCUMENT: JsonDocument = {
  ending: '"]}"',
  faultOf: (text) => (text === ']}' ? null : 'the last line is not the end of a history'),
};

/** Recognises a file by its first line; `path` says which history it has to be. */
export async function readHistoryFile(
  chunks: AsyncIterable<Uint8Array>,
  path: string | null = null,
): Promise<HistoryFile | OtherFile> {
  const wanted = path === null ? null : tableAt(path);
  if (path !== null && !wanted) return { path: null, reason: reasonAgainst(path) };
  const rows = new FileRows(chunks, MAX_ROW_CHARACTERS);
  const first = await rows.peek();
  if (!first) return { path, reason: rows.fault?.message ?? 'the file is empty' };
  const { text } = first;
  const members = Object.keys(parseObject(text) ?? {});
  for (const table of wanted ? [wanted] : HISTORY_TABLES) {
    if (isHeader(table, text)) {
      rows.skip();
      return { table, form: 'csv', asOf: null, rows };
    }
    const asOf = asOfDocument(table, text);
    if (asOf !== null) {
      rows.skip();
      // A history without a row has an empty line in its place.
      if ((await rows.peek())?.text === '') rows.skip();
      await rows.begin(HISTORY_DOCUMENT);
      return { table, form: 'json', asOf, rows };
    }
    if (
      members.length > 0 &&
      members.filter((name) => !isLink(name)).join() === columnNames(table, 'ndjson').join()
    )
      return { table, form: 'ndjson', asOf: null, rows };
  }
  return otherFile(text, members, wanted);
}

/** The time that the first line of a JSON history states, `{"timestamp":"…","decisions":[`; null for another line. */
function asOfDocument({ list }: HistoryTable, text: string): string | null {
  if (list === null || !text.endsWith(`,"${list}":[`)) return null;
  const head = parsePlainObject(`${text}]}`) ?? {};
  const { timestamp } = head;
  if (Object.keys(head).join() !== `timestamp,${list}`) return null;
  return typeof timestamp === 'string' && TIMESTAMP.test(timestamp) ? timestamp : null;
}

function reasonAgainst(path: string): string {
  if (path === EXPORT_TABLE.path) return 'the audited export is restricted: `cathedral verify` verifies it';
  const paths = HISTORY_TABLES.map((table) => table.path);
  return `${path} is not the path of a public history; these are: ${paths.join(', ')}`;
}

function otherFile(text: string, members: readonly string[], wanted: HistoryTable | null): OtherFile {
  if (isHeader(EXPORT_TABLE, text)) return { path: null, reason: reasonAgainst(EXPORT_TABLE.path) };
  const expected = wanted && columnNames(wanted, members.length > 0 ? 'ndjson' : 'csv').join(', ');
  const what = wanted ? `that of ${wanted.path}, which has ${expected}` : 'that of a public history';
  return {
    path: wanted?.path ?? null,
    reason: `its first line is not ${what}, as this version of the software writes it: ${shorten(text)}`,
  };
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
