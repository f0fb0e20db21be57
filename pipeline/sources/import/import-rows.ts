import { CathedralError } from '../../errors.ts';
import type { EventDraft } from '../../ledger/events/draft.ts';
import { formatEventLine } from '../../ledger/events/event-line.ts';
import { ALERT_CHANGES, firstNamed, importAlert, listed } from '../../ledger/events/import-alert.ts';
import { slotId, slotTime } from '../../ledger/events/slot.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { readHeadLines } from '../../ledger/reading/head.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import { type EventLine, LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import type { Signers } from '../../ledger/writing/write-snapshot.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { formatCount } from '../../words/number.ts';
import { isSealedAt } from '../civic/local-ledger.ts';
import { compareRows, type Differences } from './compare-rows.ts';
import { importRow } from './imported-row.ts';
import { readBlock } from './read-block.ts';
import { type Change, isIndexDamage, RowIndex, removeIndex } from './row-index.ts';
import { sequenceSalts } from './sequence-salts.ts';
import type { RowPlace, RowSource, RowView, SourceRow, Unread } from './source.ts';

export interface ImportOptions {
  source: RowSource;
  /** Folder of the local ledger, created if missing. */
  directory: string;
  signers: Signers;
  /** The keys of which one must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  /** Salts derive from it. With the same secret, a second import of the same rows gives the same bytes. */
  secret: Uint8Array;
  now: () => number;
  /** How long to wait for another writer of the ledger, ms. */
  waitMs: number;
  /** Compare every row with what was imported. Default false: the newest, and `auditBlocks`. */
  full?: boolean;
  /** Number of blocks of older rows to compare again, resuming where the last import stopped. Default 1. */
  auditBlocks?: number;
}

/** Something about the rows that does not stop the import. Nearly all of it is in the ledger as well, in an alert. */
interface RowFinding {
  /**
   * `late`: rows came after rows that follow them, or after the slot of their time had been sealed. `modified`, `deleted`: rows are no
   * longer as they were imported. `unread`: the last row of a file is not whole; no alert says so.
   */
  kind: 'late' | 'modified' | 'deleted' | 'unread';
  message: string;
}

export interface ImportReport {
  /** Number of rows that became events. */
  imported: number;
  /** Ids of the new snapshots, oldest first. */
  sealed: string[];
  findings: RowFinding[];
  unread: Unread | null;
}

/** For everybody, so without the name of the file. */
export function unreadMessage({ line, since, reason }: Unread): string {
  return `line ${line} of the source has ${reason}, since ${formatTimestamp(since)}: it waits, and its slot stays open, until it is whole or nothing was written for ten minutes`;
}

/** Rows of a first import that are looked at before any is taken. */
const LOOKED_AT = 1000;
/** Slots are sealed that long after their end, because a row becomes visible some time after its timestamp. */
const SEAL_DELAY_MS = 30_000;

/**
 * Imports the new rows of a source into a local ledger, in order and each exactly once. Compares older rows with what was imported, and
 * records differences in the ledger. The ledger says what was imported, so an import that is killed at any moment resumes. If a row is no
 * event, the rows before it are imported, their slot stays open, and the error follows. Throws `import_failed`, `ledger_schema` or
 * `ledger_order` with the row's id, and the errors of reading and writing a ledger.
 */
export async function importRows(options: ImportOptions): Promise<ImportReport> {
  const { directory, verifiers, now, waitMs } = options;
  const holder = `import, process ${process.pid}`;
  const writer = await LedgerWriter.open(directory, { create: true, verifiers, now, waitMs, holder });
  try {
    try {
      return await importOnce(writer, options, null);
    } catch (error) {
      if (error instanceof RowFault) return await importOnce(writer, options, error);
      // Damage inside the index shows only when it is read. Without the index, the ledger is read instead.
      if (!isIndexDamage(error)) throw error;
      removeIndex(directory);
      return await importOnce(writer, options, null);
    }
  } finally {
    writer.close();
  }
}

/** A row that is no event: none is imported from it on. */
class RowFault extends Error {
  /** Time of the event before it; null if there is none. */
  readonly since: string | null;

  constructor(cause: CathedralError, since: string | null) {
    super(cause.message, { cause });
    this.since = since;
  }
}

/** `known`: a row that is no event, which an attempt has just found. Slots of rows that may follow it are not sealed. */
async function importOnce(
  writer: LedgerWriter,
  options: ImportOptions,
  known: RowFault | null,
): Promise<ImportReport> {
  const { verifiers, directory, source } = options;
  const index = await openIndex(writer, options);
  try {
    const view = await source.open(index.mark, {
      rowsUpTo: (place) => rowsUpTo(place, index, options),
      now: options.now(),
    });
    try {
      const differences = await compareRows({
        view,
        index,
        readBlock: (block) => readBlock(directory, verifiers, block),
        full: options.full ?? false,
        auditBlocks: options.auditBlocks ?? 1,
        place: source.name,
      });
      const held = await view.held(index.end);
      const intake = new Intake(writer, view, index, differences, options, known !== null);
      const { snapshots, position } = await writer.seal(
        options.signers,
        known
          ? { until: known.since === null ? 0 : slotStart(known.since) }
          : { quiet: 'alive', until: sealableUntil(held?.since ?? null, options.now()) },
        [],
        intake.events(),
      );
      index.mark = view.mark;
      index.save(position);
      if (intake.fault) throw intake.fault.cause;
      const { imported, findings } = intake;
      const unread = held?.unread ?? null;
      if (unread) findings.push({ kind: 'unread', message: unreadMessage(unread) });
      return { imported, sealed: snapshots.map(({ id }) => id), findings, unread };
    } finally {
      await view.close();
    }
  } finally {
    index.close();
  }
}

/**
 * The rows of a first import, of which the first thousand are looked at before one is taken. A ledger cannot go back in time: where the
 * newest row comes first, all others would get its time, signed for good. A few rows that come late are reported instead.
 */
async function* oldestFirst(
  batches: AsyncIterable<readonly SourceRow[]>,
  source: RowSource,
): AsyncGenerator<readonly SourceRow[]> {
  let first: SourceRow[] | null = [];
  for await (const batch of batches) {
    if (first === null) {
      yield batch;
      continue;
    }
    first.push(...batch);
    if (first.length < LOOKED_AT) continue;
    assertInOrder(first, source);
    yield first;
    first = null;
  }
  if (first === null) return;
  assertInOrder(first, source);
  yield first;
}

function assertInOrder(rows: readonly SourceRow[], { name, oldestFirst: remedy }: RowSource): void {
  let latest: SourceRow | null = null;
  const late: SourceRow[] = [];
  for (const row of rows) {
    if (row.draft === null || row.draft instanceof CathedralError) continue;
    const isLate = latest !== null && Date.parse(row.timestamp) < slotStart(latest.timestamp) - SEAL_DELAY_MS;
    if (isLate) late.push(row);
    else latest = row;
  }
  const [one] = late;
  if (!one || late.length * 10 <= rows.length) return;
  throw new CathedralError('import_failed', {
    place: `${name}, row ${one.id}`,
    expected: `rows whose times ascend, oldest first, in a first import: ${remedy}`,
    found: `${one.timestamp} after ${latest!.timestamp}; so are ${late.length} of ${rows.length} rows, and the ledger would have them with a later time`,
  });
}

/** Slots that ended by then, Unix ms, may be sealed. */
function sealableUntil(heldSince: string | null, now: number): number {
  const until = now - SEAL_DELAY_MS;
  return heldSince === null ? until : Math.min(until, Date.parse(heldSince));
}

/** The index of what the ledger holds; reads the events that it lacks. */
async function openIndex(writer: LedgerWriter, { directory, verifiers }: ImportOptions): Promise<RowIndex> {
  const ledger = openDirectory(directory);
  const { size } = writer.end;
  const index = RowIndex.open(
    directory,
    (sealed, next) => next <= size && isSealedAt(directory, sealed, verifiers),
  );
  try {
    let position: LedgerPosition = index.sealed;
    for (const file of await ledger.snapshots(position.snapshot)) {
      const leaves = readSnapshot(file, position, verifiers);
      let step = await leaves.next();
      for (; !step.done; step = await leaves.next())
        for (const { event } of step.value) if (event.seq >= index.next) index.add(event);
      position = step.value;
    }
    for await (const lines of readHeadLines(ledger, Math.max(index.next, position.size)))
      for (const { event } of lines) index.add(event);
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Ids of the imported rows up to a place, from the newest, in parts. */
async function* rowsUpTo(
  { count }: RowPlace,
  index: RowIndex,
  { directory, verifiers }: ImportOptions,
): AsyncGenerator<readonly string[]> {
  const { tail } = index;
  if (tail && tail.until.count <= count) yield [...index.tailRows.keys()].reverse();
  for (let n = index.blocks - 1; n >= 0; n -= 1) {
    const block = index.block(n);
    if (block.until.count > count) continue;
    yield [...(await readBlock(directory, verifiers, block)).keys()].reverse();
  }
}

/** Turns what an import found into the ledger's next events. */
class Intake {
  imported = 0;
  readonly findings: RowFinding[] = [];
  /** Why no more rows were taken. */
  fault: RowFault | undefined;
  readonly #view: RowView;
  readonly #index: RowIndex;
  readonly #differences: Differences;
  readonly #options: ImportOptions;
  readonly #stopsAtFault: boolean;
  readonly #saltOf: (seq: number) => string;
  readonly #now: number;
  /** End of the last sealed slot, Unix ms. */
  readonly #sealedUntil: number;
  #seq: number;
  #notBefore: string | null;
  readonly #late: string[] = [];

  constructor(
    writer: LedgerWriter,
    view: RowView,
    index: RowIndex,
    differences: Differences,
    options: ImportOptions,
    stopsAtFault: boolean,
  ) {
    this.#stopsAtFault = stopsAtFault;
    this.#view = view;
    this.#index = index;
    this.#differences = differences;
    this.#options = options;
    this.#now = options.now();
    this.#saltOf = sequenceSalts(options.secret);
    const { snapshot } = writer.sealed;
    this.#sealedUntil = snapshot === null ? 0 : slotTime(snapshot);
    this.#seq = writer.end.size;
    this.#notBefore = writer.notBefore;
  }

  /** Late rows, new rows, and alerts about what was found. */
  async *events(): AsyncGenerator<readonly EventLine[]> {
    const { late, changes } = this.#differences;
    for (const { row, block } of late) yield this.#take([row], block);
    if (!this.fault) {
      const { end } = this.#index;
      const rows = this.#view.rows(end);
      for await (const batch of end === null ? oldestFirst(rows, this.#options.source) : rows) {
        yield this.#take(batch);
        if (this.fault) break;
      }
    }
    yield* this.#alerts(changes);
  }

  /** The events of rows, up to one that is no event. `block`: they came late, and belong between its rows. */
  #take(rows: readonly SourceRow[], block: number | null = null): EventLine[] {
    const events: EventLine[] = [];
    if (this.fault) return events;
    for (const { draft, ...row } of rows) {
      try {
        if (draft instanceof CathedralError) throw draft;
        if (draft !== null) events.push(this.#event({ ...row, draft }, block));
      } catch (error) {
        if (!(error instanceof CathedralError)) throw error;
        this.fault = new RowFault(error, this.#notBefore);
        if (!this.#stopsAtFault) throw this.fault;
        break;
      }
    }
    return events;
  }

  #event(row: SourceRow & { draft: EventDraft }, block: number | null): EventLine {
    const { source } = this.#options;
    const next = { seq: this.#seq, notBefore: this.#notBefore, now: this.#now };
    const place = () => `${source.name}, row ${row.id}`;
    const late = block !== null;
    const { event, line, text } = importRow(row, next, { late, salt: this.#saltOf(this.#seq), place });
    const { id, timestamp } = row;
    this.#index.addRow(event.seq, { id, timestamp, late, text }, block);
    if (late || this.#isBehindSlot(timestamp, event.timestamp)) this.#late.push(id);
    this.imported += 1;
    this.#seq += 1;
    this.#notBefore = event.timestamp;
    return { event, line };
  }

  /**
   * Whether a row's own slot was sealed before it came, or is long before the event's. Concurrent writers number rows in another order than
   * that of their times, so a row of the last seconds of a slot may follow one of the next slot.
   */
  #isBehindSlot(own: string, timestamp: string): boolean {
    const time = Date.parse(own);
    return own !== timestamp && (time < this.#sealedUntil || time < slotStart(timestamp) - SEAL_DELAY_MS);
  }

  *#alerts(changes: Differences['changes']): Generator<EventLine[]> {
    if (this.#late.length > 0) {
      const message = `${rowsNamed(this.#late)} came late. The ledger has ${this.#late.length === 1 ? 'it' : 'them'} with a later time.`;
      this.findings.push({ kind: 'late', message });
      const late = { count: this.#late.length, rows: firstNamed(this.#late) };
      yield [this.#alert('source-late', message, { late })];
    }
    for (const kind of ['modified', 'deleted'] as const) {
      const rows = changes.filter(({ change }) => change === kind).map(({ row }) => row);
      if (rows.length === 0) continue;
      const message = `${rowsNamed(rows)} ${rows.length === 1 ? 'was' : 'were'} ${kind} after the import. The ledger keeps what was imported.`;
      this.findings.push({ kind, message });
    }
    for (let at = 0; at < changes.length; at += ALERT_CHANGES) {
      const some = changes.slice(at, at + ALERT_CHANGES);
      const rows = rowsNamed(some.map(({ row }) => row));
      const message = `${rows} ${some.length === 1 ? 'was' : 'were'} changed after the import. The ledger keeps what was imported.`;
      const list: Change[] = some.map(({ block: _, ...change }) => change);
      yield [this.#alert('source-changed', message, { changes: list })];
      for (const { block, ...change } of some) this.#index.addChange(change, block);
    }
  }

  #alert(alert: string, message: string, more: Record<string, unknown>): EventLine {
    const next = {
      seq: this.#seq,
      notBefore: this.#notBefore,
      now: this.#now,
      salt: this.#saltOf(this.#seq),
    };
    const event = importAlert(alert, { message, ...more }, next);
    this.#index.add(event);
    this.#seq += 1;
    this.#notBefore = event.timestamp;
    return { event, line: formatEventLine(event) };
  }
}

/** Unix ms of the start of the slot that contains a time. */
function slotStart(timestamp: string): number {
  return slotTime(slotId(Date.parse(timestamp)));
}

function rowsNamed(rows: readonly string[]): string {
  return `${formatCount(rows.length, 'row')} (${listed(rows)})`;
}
