import type { Hash } from '../../ledger/log/hash.ts';
import { formatCount } from '../../words/number.ts';
import { EXPORT_TABLE } from './export-table.ts';
import {
  type Cells,
  type HistoryForm,
  type HistoryTable,
  isHeader,
  isLink,
  parseCells,
} from './history-table.ts';
import { ROW_TABLES } from './history-tables.ts';
import { DATE, TIMESTAMP } from './log-rows.ts';
import { parsePlainObject } from './row-text.ts';

/** A row of a history. */
export interface PastedRow {
  kind: 'row';
  table: HistoryTable;
  form: HistoryForm;
  /** Those of JSON lines may name its events. */
  cells: Cells;
}

/** An event, and perhaps a hint where in the log it is. */
export type PastedEvent =
  | { kind: 'number'; index: number }
  | { kind: 'hash'; hash: Hash }
  /** A row of the audited export. */
  | { kind: 'export'; hash: Hash; timestamp: string | null }
  /** A line of the ledger. */
  | { kind: 'line'; line: string; seq: number };

/** The text proves nothing either way. */
export interface Unrecognised {
  kind: 'unknown';
  expected: string;
  found: string;
}

export type Pasted = PastedRow | PastedEvent | Unrecognised;

/** Twice the longest line of a ledger, since a CSV row may double its quotes, and some more. */
const MOST_CHARACTERS = 140_000;
const HASH = /^(?:0x)?([0-9a-f]{64})$/i;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** What a reader pasted. Never throws. */
export function readPasted(pasted: string): Pasted {
  if (pasted.length > MOST_CHARACTERS)
    return unknown(`${pasted.length} characters; for a whole file, choose or drop the file`);
  const text = withoutEnds(pasted);
  if (text === '') return unknown('nothing');
  if (NUMBER.test(text)) return { kind: 'number', index: Number(text) };
  const hash = HASH.exec(text)?.[1];
  if (hash) return { kind: 'hash', hash: hash.toLowerCase() };
  // A row copied from a JSON file ends with a comma.
  return text.startsWith('{') ? readObject(text.replace(/,$/, '')) : readCsv(text);
}

/** A line that was copied from Windows, or from the beginning of a file. */
function withoutEnds(pasted: string): string {
  return pasted
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^[ \n]+/, '')
    .trimEnd();
}

function readObject(text: string): Pasted {
  const exported = exportRow(parseCells(EXPORT_TABLE, 'ndjson', text));
  if (exported) return exported;
  const members = parsePlainObject(text);
  if (!members) return unknown(shorten(text));
  const { seq, salt } = members;
  if (typeof salt === 'string' && Number.isSafeInteger(seq) && (seq as number) >= 0)
    return { kind: 'line', line: text, seq: seq as number };
  const names = Object.keys(members);
  for (const table of ROW_TABLES) {
    // JSON lines name events, and leave lists of objects out.
    const form = table.isCsv || names.some(isLink) ? 'ndjson' : 'json';
    const cells = parseCells(table, form, text);
    if (cells) return { kind: 'row', table, form, cells };
  }
  return otherColumns(names);
}

/** A row, perhaps below its header. */
function readCsv(text: string): Pasted {
  const [head] = text.split('\n', 1) as [string];
  const headed = ROW_TABLES.find((table) => isHeader(table, head));
  const row = headed ? text.slice(head.length + 1) : text;
  const exported = exportRow(parseCells(EXPORT_TABLE, 'csv', row));
  if (exported) return exported;
  for (const table of headed ? [headed] : ROW_TABLES.filter(({ isCsv }) => isCsv)) {
    const cells = parseCells(table, 'csv', row);
    if (cells && (headed || fits(table, cells))) return { kind: 'row', table, form: 'csv', cells };
  }
  const lines = text.split('\n').length;
  if (!headed && /^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)+$/.test(head)) return otherColumns(head.split(','));
  if (row === '') return unknown(`only a header: ${shorten(text)}`);
  if (lines <= (headed ? 2 : 1)) return unknown(shorten(row));
  return unknown(`${formatCount(lines, 'line')}; for a whole file, choose or drop the file`);
}

function exportRow(row: Cells | null): PastedEvent | null {
  const hash = HASH.exec(row?.attestation_hash ?? '')?.[1];
  if (!hash) return null;
  const timestamp = TIMESTAMP.test(row!.timestamp!) ? row!.timestamp! : null;
  return { kind: 'export', hash: hash.toLowerCase(), timestamp };
}

/** Whether cells without a header may be those of a table. No row of one fits another. */
function fits({ columns, time }: HistoryTable, cells: Cells): boolean {
  return columns.every(({ name, type }) => {
    const cell = cells[name]!;
    if (name === time) return (name === 'date' ? DATE : TIMESTAMP).test(cell);
    if (type === 'text') return true;
    return cell === '' || (type === 'number' ? /^-?\d+(\.\d+)?$/ : /^(true|false)$/).test(cell);
  });
}

function otherColumns(names: readonly string[]): Unrecognised {
  const shown = names.slice(0, 20).map((name) => name.slice(0, 40));
  return unknown(
    `the columns ${shown.join(', ')}: restricted files, current figures and other releases have other columns; choose or drop the file itself`,
  );
}

function unknown(found: string): Unrecognised {
  const expected =
    'one row of a public history as CSV or JSON, alone or below the header of its file; the number, hash or line of an event; or one row of the audit trail’s export';
  return { kind: 'unknown', expected, found };
}

function shorten(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
