import { setImmediate } from 'node:timers/promises';
import { ledgerExport } from '../../../pipeline/artifacts/government/ledger-export.ts';
import { cycleOf } from '../../../pipeline/ledger/events/slot.ts';
import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import type { ExportParameters, ExportQuery, FormName } from '../../api/query/export-query.ts';
import { type Filter, matches, mayPass } from '../../api/query/filter.ts';

/** How an export is written. */
interface Form {
  /** Before the first row. */
  head: (given: ExportParameters) => string;
  /** `index`: its number in the export. */
  row: (row: RegExpExecArray, index: number) => string;
  /** After the last of `count` rows. */
  tail: (count: number) => string;
}

export const FORMS: Readonly<Record<FormName, Form>> = {
  csv: { head: () => ledgerExport.head(), row: ([row]) => row, tail: () => '' },
  json: {
    head: ({ from, to, filter }) => `${JSON.stringify({ from, to, filter }).slice(0, -1)},"events":[`,
    row: (row, index) => `${index > 0 ? ',' : ''}\n${jsonOf(row)}`,
    // `complete` comes last, so that a truncated export can be detected.
    tail: (count) => `${count > 0 ? '\n' : ''}],"count":${count},"complete":true}\n`,
  },
  ndjson: { head: () => '', row: (row) => `${jsonOf(row)}\n`, tail: () => '' },
};

/**
 * The cells of a row. Rows are read with a character for each byte (latin1), so that places in the text are those of the bytes. Only the
 * agent can have a line end in it.
 */
const ROW =
  /([^,\n]*),([^,\n]*),("[^"]*(?:""[^"]*)*"|[^",\n]*),("[^"]*(?:""[^"]*)*"|[^",\n]*),(0x[0-9a-f]{64})\n/gy;

/** `data` stands as it is in the ledger, so that numbers keep their digits. */
function jsonOf([, timestamp, type, agent, data, hash]: RegExpExecArray): string {
  return `{"timestamp":"${timestamp}","event_type":"${type}","agent":${JSON.stringify(unquoted(agent!))},"data":${unquoted(data!)},"attestation_hash":"${hash}"}`;
}

function unquoted(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** About what a long-distance connection keeps in flight. Rows of that size take a few milliseconds, and then other requests get their turn. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of an export in chunks, of which some are empty. `segments`: those that may contain matching rows, newest first. Nothing is open in
 * between. When the first chunk arrives, the newest segment has been read; the others stay on disk even if a new release is published. Throws
 * an Error if a segment is unreadable.
 */
export async function* exportChunks(
  query: ExportQuery,
  segments: readonly Segment[],
  read: (segment: Segment, into: Buffer) => Promise<Buffer>,
): AsyncGenerator<Buffer, undefined> {
  // Holds each segment in turn: memory that is new for each takes twice as long.
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, ...segments.map(({ bytes }) => bytes)));
  const { format, given } = query;
  const form = FORMS[format];
  const filter = query.filter && inBytes(query.filter);
  let text = latin1(form.head(given));
  let count = 0;
  let hasBegun = false;
  for (const segment of segments) {
    if (filter !== null && !hasCycle(segment, filter)) continue;
    const bytes = await read(segment, buffer);
    const isWithin = isWithinPeriod(segment.from, query) && isWithinPeriod(segment.to, query);
    if (filter === null && isWithin && format === 'csv') {
      yield Buffer.from(text, 'latin1');
      text = '';
      yield* piecesOf(bytes);
      continue;
    }
    for (const rows of batchesOf(bytes)) {
      for (const row of rows) {
        if (!(isWithin || isWithinPeriod(row[1]!, query)) || !passes(row, filter)) continue;
        text += form.row(row, count);
        count += 1;
      }
      // The first one at once, so that the client sees the export start. An empty one lets whoever sends see that the client has left.
      const isDue = !hasBegun || text.length >= CHUNK_BYTES;
      yield Buffer.from(isDue ? text : '', 'latin1');
      if (isDue) text = '';
      hasBegun = true;
      await setImmediate();
    }
  }
  yield Buffer.from(text + form.tail(count), 'latin1');
}

/** Rows that are copied as they are. */
async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, at + CHUNK_BYTES);
    // While the last one is being sent, the buffer takes the next segment.
    yield at + CHUNK_BYTES < bytes.length ? piece : Buffer.from(piece);
    await setImmediate();
  }
}

/** Whether the rows of a segment may pass: a filter often asks for one cycle of many. */
function hasCycle({ from, to }: Segment, filter: Filter): boolean {
  for (let at = Date.parse(from); at < Date.parse(to) + DAY_MS; at += DAY_MS)
    if (mayPass(filter, cycleOf(new Date(at).toISOString()))) return true;
  return false;
}

/** Throws an Error if the bytes are not rows. */
function* batchesOf(bytes: Buffer): Generator<RegExpExecArray[]> {
  let room = CHUNK_BYTES;
  for (let at = 0; at < bytes.length; ) {
    const rows = [...bytes.toString('latin1', at, Math.min(at + room, bytes.length)).matchAll(ROW)];
    const last = rows.at(-1);
    if (last) {
      yield rows;
      at += last.index + last[0].length;
      room = CHUNK_BYTES;
    } else if (at + room < bytes.length) room *= 2;
    else throw new Error('the bytes of a segment are not rows of the export');
  }
}

function passes([, time, type, agent, , hash]: RegExpExecArray, filter: Filter | null): boolean {
  if (filter === null) return true;
  const fields = {
    event_type: type!,
    agent: unquoted(agent!),
    attestation_hash: hash!,
    cycle: cycleOf(time!),
  };
  return matches(filter, fields);
}

/** The first and the last moment as timestamps, both inclusive; null: no bound. */
export interface Period {
  from: string | null;
  to: string | null;
}

/** Whether a segment may contain rows of the period. */
export function overlaps({ from, to }: Pick<Segment, 'from' | 'to'>, period: Period): boolean {
  return isWithinPeriod(to, { ...period, to: null }) && isWithinPeriod(from, { ...period, from: null });
}

function isWithinPeriod(timestamp: string, { from, to }: Period): boolean {
  return (
    (from === null || compareTimestamps(timestamp, from) >= 0) &&
    (to === null || compareTimestamps(timestamp, to) <= 0)
  );
}

/** The bytes of a text, a character for each. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** With the texts that it compares as they are in rows. */
function inBytes(filter: Filter): Filter {
  if (filter.kind !== 'match') return { ...filter, parts: filter.parts.map(inBytes) };
  return { ...filter, patterns: filter.patterns.map((one) => ({ ...one, text: latin1(one.text) })) };
}

/** The bytes of a whole export of rows that are copied; null for a format that does not copy. */
export function bytesOfWhole({ format, given }: ExportQuery, segments: readonly Segment[]): number | null {
  if (format !== 'csv') return null;
  return segments.reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(FORMS[format].head(given)));
}
