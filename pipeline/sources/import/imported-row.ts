import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { completeEvent, cycleOf, type EventDraft } from '../../ledger/events/draft.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { eventLine } from '../../ledger/events/event-line.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { assertLineFits, type EventLine } from '../../ledger/writing/ledger-writer.ts';
import type { SourceRow } from './source.ts';

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

/** A row as an event of the ledger holds it. */
export interface ImportedRow {
  id: string;
  /** Its own time. */
  timestamp: string;
  late: boolean;
  text: string;
}

/** The next event's place in the ledger. */
export interface NextEvent {
  seq: number;
  /** The earliest time that it may have; null before the first event. */
  notBefore: string | null;
  /** The clock, Unix ms. */
  now: number;
}

/**
 * What the import compares: all that a row says, without its id. The text is the same whether it is made from the row or from the
 * event that the row became.
 */
export function rowText({ timestamp, draft }: SourceRow): string {
  if (draft === null) return 'left out';
  if (draft instanceof CathedralError) return `no event: ${draft.expected}, ${draft.found}`;
  return textOf(timestamp, draft, JSON.stringify(withSourceLast(draft.data)));
}

function textOf(timestamp: string, { cycle, type, agent }: EventDraft, data: string): string {
  return `${timestamp} ${cycle ?? cycleOf(timestamp)} ${type} ${JSON.stringify(agent)} ${data}`;
}

/** The row of an event that an import wrote; null for any other event. */
export function importedRow(event: LedgerEvent): ImportedRow | null {
  const parsed = Source.safeParse(event.data.source);
  if (!parsed.success) return null;
  const { row, timestamp = event.timestamp, late = false } = parsed.data;
  // A row without a cycle has that of its own time.
  const isDerived = event.cycle === cycleOf(event.timestamp);
  const cycle = parsed.data.cycle ?? (isDerived ? cycleOf(timestamp) : event.cycle);
  const { source: _, ...data } = event.data;
  const own = Object.hasOwn(parsed.data, 'data_source') ? { ...data, source: parsed.data.data_source } : data;
  const { type, agent } = event;
  return {
    id: row,
    timestamp,
    late,
    text: textOf(timestamp, { cycle, type, agent, data }, JSON.stringify(own)),
  };
}

/**
 * The event of a row. Its time is the row's own, or `notBefore` if that is later: `data.source` then keeps the row's. Throws what
 * `completeEvent` throws, and `ledger_corrupt` for a line that is too long.
 */
export function importRow(
  { id, timestamp, draft }: SourceRow & { draft: EventDraft },
  next: NextEvent,
  { late, salt, place }: { late: boolean; salt: string; place: () => string },
): EventLine & { text: string } {
  const isBehind = next.notBefore !== null && compareTimestamps(timestamp, next.notBefore) < 0;
  const time = isBehind ? next.notBefore! : timestamp;
  const { type, agent, data, cycle } = draft;
  const whole = { type, agent, data, timestamp: time, cycle: cycle ?? cycleOf(time), salt };
  const event = completeEvent(whole, next, place);
  const isAmbiguous = cycle === whole.cycle && cycle !== cycleOf(timestamp);
  const source: Record<string, unknown> = { row: id };
  if (isBehind) source.timestamp = timestamp;
  if (isAmbiguous) source.cycle = cycle;
  if (late) source.late = true;
  const hasOwn = Object.hasOwn(data, 'source');
  if (hasOwn) source.data_source = data.source;
  const json = JSON.stringify(hasOwn ? withSourceLast(data) : data);
  // Most rows have no such member, and making their JSON twice would take a tenth of the import's time.
  const imported = hasOwn
    ? JSON.stringify({ ...withSourceLast(data), source })
    : `${json.slice(0, -1)}${json === '{}' ? '' : ','}"source":${JSON.stringify(source)}}`;
  const line = eventLine(event, imported);
  assertLineFits(line, place);
  return { event, line, text: textOf(timestamp, draft, json) };
}

/** Moves the row's own member `source` to the end, where it is when the data is taken from the event again. */
function withSourceLast(data: Record<string, unknown>): Record<string, unknown> {
  if (!Object.hasOwn(data, 'source')) return data;
  const { source, ...others } = data;
  return { ...others, source };
}
