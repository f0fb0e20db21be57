import { createCipheriv, createHmac, hash } from 'node:crypto';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { completeEvent, type EventDraft, inUtc, type NextPlace } from '../../ledger/events/draft.ts';
import { EVENT_DATA, type LedgerEvent } from '../../ledger/events/event.ts';
import { MemberFault } from '../../ledger/events/event-check.ts';
import { eventLine } from '../../ledger/events/event-line.ts';
import { isJsonObject } from '../../ledger/events/json.ts';
import { cycleOf, slotId, slotTime } from '../../ledger/events/slot.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { assertLineFits } from '../../ledger/writing/ledger-writer.ts';
import { memberOf } from '../rows/cell-value.ts';
import type { RowForm, RowSource, SourceRow, WriteContext, WriteEvent, Written } from './source.ts';

/** What `data.source` of an imported event holds. */
const Source = z.object({
  /** The row's id. */
  row: z.string(),
  /** The row's own time, if the event has a later one. */
  timestamp: z.string().optional(),
  /** The row's own cycle, where it would be taken for the one of the event's time. */
  cycle: z.string().optional(),
  /** The row came after rows that follow it. */
  late: z.literal(true).optional(),
  /** The row's own member `source` of data. */
  data_source: z.unknown().optional(),
});

/** Slots are sealed that long after their end. */
export const SEAL_DELAY_MS = 30_000;

/** How rows of files and tables are imported. */
export const OF_ROWS: Pick<RowSource, 'form' | 'sealDelayMs' | 'quiet'> = {
  form: {
    noun: 'row',
    names: { id: 'row', digest: 'sha256' },
    other: 'another table, an older copy of it, or another mapping',
    refusesEmpty: false,
    salts: sequenceSalts,
    rowOf: importedRow,
    isLate(own, timestamp, sealedUntil) {
      const time = Date.parse(own);
      // Concurrent writers number rows in another order than that of their times, so a row of the last seconds of a slot may follow one of the next.
      return own !== timestamp && (time < sealedUntil || time < slotStart(timestamp) - SEAL_DELAY_MS);
    },
  },
  sealDelayMs: SEAL_DELAY_MS,
  quiet: 'alive',
};

/** Unix ms of the start of the slot that contains a time. */
export function slotStart(timestamp: string): number {
  return slotTime(slotId(Date.parse(timestamp)));
}

/** A draft with its own time, in UTC. */
type Timed = EventDraft & { timestamp: string };

/** Throws `ledger_schema` for a draft without a time. */
export function timed(draft: EventDraft, place: () => string): Timed {
  const timestamp: unknown = draft.timestamp;
  if (typeof timestamp === 'string') return { ...draft, timestamp: inUtc(timestamp) };
  const found = timestamp === undefined ? 'nothing' : JSON.stringify(timestamp);
  throw new CathedralError('ledger_schema', { place: place(), expected: 'timestamp to be a time', found });
}

/**
 * A row of a file or a table. `draft`: what it says, why it is no event, or null where the mapping leaves it out. `columnOf`: the column of a
 * member of an event, `data.mii` or `agent`, for errors; null if it has none.
 */
export function draftRow<Place extends Pick<SourceRow, 'id' | 'place' | 'line'>>(
  place: Place,
  draft: Timed | CathedralError | null,
  columnOf: (type: string, member: string) => string | null = () => null,
): Place & SourceRow {
  const digest = hash('sha256', rowText(draft), 'hex');
  if (draft === null || draft instanceof CathedralError)
    return { ...place, timestamp: '', digest, event: draft };
  const event: WriteEvent = (next, context) => {
    try {
      return importRow(place.id, draft, next, context);
    } catch (error) {
      throw error instanceof MemberFault ? error.inColumn(columnOf(draft.type, error.member)) : error;
    }
  };
  return { ...place, timestamp: draft.timestamp, digest, event };
}

/**
 * All that a row says, without its id. The text is the same whether it is made from the row or from the event that the row became, and in
 * whatever order the columns stand.
 */
function rowText(draft: Timed | CathedralError | null): string {
  if (draft === null) return 'left out';
  if (draft instanceof CathedralError) return `no event: ${draft.expected}, ${draft.found}`;
  const { timestamp, cycle, type, agent, data } = draft;
  const said = { ...data };
  for (const name of WITH_ZEROS.get(type) ?? [])
    if (typeof said[name] === 'string') said[name] = withoutZeros(said[name]);
  const json = JSON.stringify(inOrder(said));
  return `${withoutZeros(timestamp)} ${cycle ?? cycleOf(timestamp)} ${type} ${JSON.stringify(agent)} ${json}`;
}

/** Type of event → members of its data that are amounts or times. */
const WITH_ZEROS = new Map(
  Object.entries(EVENT_DATA).map(([type, schema]): [string, string[]] => {
    const names = 'shape' in schema ? Object.keys(schema.shape) : [];
    return [type, names.filter((name) => /^(amount|time)$/.test(`${memberOf(type, name).kind}`))];
  }),
);

/** `1.50` and `1.5` are the same amount, and `.100Z` and `.1Z` the same time: a program that exports a table anew may write the other one in each row. */
function withoutZeros(text: string): string {
  if (!text.includes('.')) return text;
  return text.replace(/(\.\d*?)0+(Z?)$/, '$1$2').replace(/\.(Z?)$/, '$1');
}

/** A value with the members of each object in the order of their names. JSON.stringify with a function takes three times as long. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]));
}

function importedRow(event: LedgerEvent): ReturnType<RowForm['rowOf']> {
  const parsed = Source.safeParse(event.data.source);
  if (!parsed.success) return null;
  const { row, timestamp = event.timestamp, late = false } = parsed.data;
  // A row without a cycle has that of its own time.
  const isDerived = event.cycle === cycleOf(event.timestamp);
  const cycle = parsed.data.cycle ?? (isDerived ? cycleOf(timestamp) : event.cycle);
  const { source: _, ...data } = event.data;
  const own = Object.hasOwn(parsed.data, 'data_source') ? { ...data, source: parsed.data.data_source } : data;
  const { type, agent } = event;
  const digest = hash('sha256', rowText({ timestamp, cycle, type, agent, data: own }), 'hex');
  return { id: row, timestamp, digest, late };
}

/**
 * The event of a row. Its time is the row's own, or `notBefore` if that is later: `data.source` then keeps the row's. Throws what
 * `completeEvent` throws, and `ledger_corrupt` for a line that is too long.
 */
function importRow(
  id: string,
  { timestamp, type, agent, data, cycle }: Timed,
  next: NextPlace,
  { late, salt, place }: WriteContext,
): Written {
  const isBehind = next.notBefore !== null && compareTimestamps(timestamp, next.notBefore) < 0;
  const time = isBehind ? next.notBefore! : timestamp;
  const whole = {
    type,
    agent,
    data,
    timestamp: time,
    cycle: cycle ?? cycleOf(time),
    salt: salt(next.seq, id),
  };
  const event = completeEvent(whole, next, place);
  const isAmbiguous = cycle === whole.cycle && cycle !== cycleOf(timestamp);
  const source: Record<string, unknown> = { row: id };
  if (isBehind) source.timestamp = timestamp;
  if (isAmbiguous) source.cycle = cycle;
  if (late) source.late = true;
  const hasOwn = Object.hasOwn(data, 'source');
  if (hasOwn) source.data_source = data.source;
  const { source: _, ...others } = data;
  const line = eventLine(event, JSON.stringify({ ...others, source }));
  assertLineFits(line, place);
  return { events: [{ event, line }] };
}

const SALT_BYTES = 16;
/** Salts that are computed at a time. */
const BATCH = 512;

/**
 * Salts that follow from a secret and the numbers of events, so that importing the same rows again gives the same bytes: the number as
 * 16 bytes, encrypted with AES-256, in base64url. No two numbers have the same salt, and one tells nothing about another. A
 * thousand of them cost as much as one hash.
 */
function sequenceSalts(secret: Uint8Array): (seq: number) => string {
  const key = createHmac('sha256', secret).update('salts by sequence number').digest();
  const numbers = Buffer.alloc(BATCH * SALT_BYTES);
  let salts = numbers;
  let first = -1;
  return (seq) => {
    if (first < 0 || seq < first || seq >= first + BATCH) {
      first = seq;
      for (let n = 0; n < BATCH; n += 1)
        numbers.writeBigUInt64BE(BigInt(seq + n), n * SALT_BYTES + SALT_BYTES / 2);
      salts = createCipheriv('aes-256-ecb', key, null).update(numbers);
    }
    const at = (seq - first) * SALT_BYTES;
    return salts.toString('base64url', at, at + SALT_BYTES);
  };
}
