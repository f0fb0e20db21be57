import { CathedralError } from '../../errors.ts';
import { type EventWarning, warningsOf } from '../../ledger/events/draft.ts';
import { formatEventLine } from '../../ledger/events/event-line.ts';
import { ALERT_CHANGES, firstNamed, importAlert, listed } from '../../ledger/events/import-alert.ts';
import { slotTime } from '../../ledger/events/slot.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import type { Signers } from '../../ledger/writing/head-and-snapshot-files.ts';
import { type EventLine, LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { absentColumn } from '../rows/mapping.ts';
import { type Changed, Comparison } from './compare-with-imported.ts';
import { slotStart } from './imported-row.ts';
import { oldestFirst } from './oldest-first.ts';
import { isIndexDamage, listedChange, openIndex, type RowIndex, removeIndex } from './row-index.ts';
import {
  type RowFinding,
  type RowSource,
  type RowView,
  rowPlace,
  type Salt,
  type SourceRow,
  type Start,
  type Unread,
  type WriteEvent,
} from './source.ts';

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
  /** Compare every row with what was imported. Default false: the newest, and `auditWindows`. */
  full?: boolean;
  /** Number of windows of older rows to compare again, resuming where the last import stopped. Default 1. */
  auditWindows?: number;
  /** Receives findings, also those of an import that stops at a row that is no event. */
  tell?: (finding: RowFinding) => void;
}

export interface ImportReport {
  /** Number of rows that became events. */
  imported: number;
  /** Ids of the new snapshots, oldest first. */
  sealed: string[];
  /** Number of events in the local ledger, its head included. */
  size: number;
  /** Number of events in the head. */
  head: number;
  findings: RowFinding[];
  unread: Unread | null;
}

/** For everybody, so without the name of the file. */
export function unreadMessage({ line, since, reason }: Unread): string {
  return `line ${line} of the source has ${reason}, since ${formatTimestamp(since)}: it waits, and its slot stays open, until it is whole or nothing was written for ten minutes`;
}

/**
 * Imports the new rows of a source into a local ledger, in order and each exactly once. Compares older rows with what was imported, and
 * records differences in the ledger. The ledger says what was imported, so an import that is killed at any moment resumes. If a row is no
 * event, the rows before it are imported, their slot stays open, and the error follows. Throws `import_failed`, `ledger_schema` or
 * `ledger_order` with the row's id, and the errors of reading and writing a ledger.
 */
export async function importRows(options: ImportOptions): Promise<ImportReport> {
  const { directory, verifiers, now, waitMs } = options;
  const holder = `import, process ${process.pid}`;
  using writer = await LedgerWriter.open(directory, { create: true, verifiers, now, waitMs, holder });
  try {
    return await importOnce(writer, options, null);
  } catch (error) {
    if (error instanceof RowFault) return await importOnce(writer, options, error);
    // Damage inside the index shows only when it is read. Without the index, the ledger is read instead.
    if (!isIndexDamage(error)) throw error;
    removeIndex(directory);
    return await importOnce(writer, options, null);
  }
}

/** A row that is no event: none is imported from it on. */
class RowFault extends Error {
  /** Time of the event before it; null for the first event. */
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
  const { source, full = false, auditWindows = 1 } = options;
  using index = await openIndex(options.directory, writer.end.size, options.verifiers, source.form);
  await using view = await source.open({ index, now: options.now(), auditWindows });
  const comparison = new Comparison(source, view, index);
  const start = await comparison.run(full);
  const held = await view.held(start);
  const intake = new Intake(writer, view, index, options, known !== null);
  const { snapshots, position, head } = await writer.seal(
    options.signers,
    known
      ? { until: known.since === null ? 0 : slotStart(known.since) }
      : {
          quiet: source.quiet,
          until: Math.min(options.now() - source.sealDelayMs, held ? Date.parse(held.since) : Infinity),
        },
    intake.events(comparison, start),
  );
  index.state.mark = await view.mark(start, intake.last, intake.hasAllLate && !comparison.isPartial);
  index.save(position, position.size + head);
  const { imported } = intake;
  const findings = [...intake.findings, ...intake.warnings()];
  const unread = held?.unread ?? null;
  if (unread) findings.push({ kind: 'unread', rows: [], message: unreadMessage(unread) });
  if (held?.future) findings.push({ kind: 'future', rows: [], message: held.future });
  for (const finding of findings) options.tell?.(finding);
  if (intake.fault) throw intake.fault.cause;
  const sealed = snapshots.map(({ id }) => id);
  return { imported, sealed, size: position.size + head, head, findings, unread };
}

/** Why the first of some changed rows is no event any more; without what was found, since findings are for everybody. */
function unreadable(changes: readonly Changed[], noun: string): string {
  for (const { id, row } of changes)
    if (row?.event instanceof CathedralError)
      return ` Now ${noun} ${id} is no event: expected ${row.event.expected}.`;
  return '';
}

type EventRow = SourceRow & { event: WriteEvent };

function isEvent(row: SourceRow): row is EventRow {
  return typeof row.event === 'function';
}

/** Turns what an import found into the ledger's next events. */
class Intake {
  imported = 0;
  readonly findings: RowFinding[] = [];
  /** Why no more rows were taken. */
  fault: RowFault | undefined;
  /** The last new row that was taken, or left out. */
  last: SourceRow | null = null;
  hasAllLate = false;
  readonly #view: RowView;
  readonly #index: RowIndex;
  readonly #source: RowSource;
  readonly #stopsAtFault: boolean;
  readonly #salt: Salt;
  readonly #now: number;
  /** End of the last sealed slot, Unix ms. */
  readonly #sealedUntil: number;
  #seq: number;
  #notBefore: string | null;
  readonly #late: string[] = [];
  readonly #warnings = new Map<string, RowFinding & { count: number }>();

  constructor(
    writer: LedgerWriter,
    view: RowView,
    index: RowIndex,
    { source, now, secret }: ImportOptions,
    stopsAtFault: boolean,
  ) {
    this.#stopsAtFault = stopsAtFault;
    this.#view = view;
    this.#index = index;
    this.#source = source;
    this.#now = now();
    this.#salt = source.form.salts(secret);
    const { snapshot } = writer.sealed;
    this.#sealedUntil = snapshot === null ? Number.NEGATIVE_INFINITY : slotTime(snapshot);
    this.#seq = writer.end.size;
    this.#notBefore = writer.notBefore;
  }

  /** Late rows, new rows, and alerts about what was found. */
  async *events(comparison: Comparison, start: Start): AsyncGenerator<readonly EventLine[]> {
    for (const row of comparison.late.values()) yield this.#take(row, true) ?? [];
    this.hasAllLate = !this.fault;
    // Where a fault is known, the order was looked at when it was found.
    const isFirst =
      this.#index.state.end === null && this.#source.oldestFirst !== null && !this.#stopsAtFault;
    const read = () => this.#view.fresh(start);
    // A table that was empty for a while may begin with a row of any time.
    const begin = this.#sealedUntil === Number.NEGATIVE_INFINITY ? this.#notBefore : null;
    for await (const batch of isFirst ? oldestFirst(read, this.#source, this.#now, begin) : read()) {
      const events: EventLine[] = [];
      for (const row of batch) {
        if (this.fault) break;
        const taken = this.#take(row, false);
        if (taken) events.push(...taken);
        else await this.#again(row, comparison);
        if (!this.fault) this.last = row;
      }
      yield events;
      if (this.fault) break;
    }
    // Later imports may have a few rows, of which none needs to have every column.
    if (isFirst && this.imported > 0 && !this.fault)
      for (const { kind, expected, found } of [...(this.#view.absent ?? [])].map(absentColumn))
        this.findings.push({
          kind,
          rows: [],
          message: `${this.#source.name}: expected ${expected}, found ${found}`,
        });
    yield* this.#alerts(comparison.changes);
  }

  /** A row that has an imported row's id: it was moved behind the last one, or was deleted and is there again. */
  async #again(row: SourceRow, comparison: Comparison): Promise<void> {
    const known = this.#index.row(row.id)!;
    // A source may have to read all rows for an answer, so it is not asked about each of many that are there again.
    const isOther = known.digest !== null || !this.#index.see(row.id);
    if (isOther) await this.#view.assertOnce?.(row);
    comparison.compare(row, known);
    if (isEvent(row)) this.#index.reach(row.id, row.timestamp);
  }

  /** A file that is written anew lacks its last rows for a moment: what they say must not count twice. */
  #isBack({ id, digest }: EventRow): boolean {
    return digest === this.#index.row(id)?.last;
  }

  /** The events of a row, none if it is left out or no event; null for one that was imported before. */
  #take(row: SourceRow, isLate: boolean): EventLine[] | null {
    if (this.fault) return [];
    try {
      if (isEvent(row)) return this.#isBack(row) ? null : this.#write(row, isLate);
      if (row.event === null) {
        this.#warn(row, []);
        return [];
      }
      if (this.#index.row(row.id)?.digest) return null;
      throw row.event;
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      this.fault = new RowFault(error, this.#notBefore);
      if (!this.#stopsAtFault) throw this.fault;
    }
    return [];
  }

  #write(row: EventRow, late: boolean): EventLine[] | null {
    const { name, form } = this.#source;
    const next = { seq: this.#seq, notBefore: this.#notBefore, now: this.#now };
    const place = () => rowPlace(name, row, form.noun);
    const context = { late, salt: this.#salt, index: this.#index, place };
    const { events, findings = [] } = row.event(next, context);
    if (!this.#index.add(row, this.#seq, late)) return null;
    const [{ event }] = events as [EventLine];
    if (late || form.isLate(row.timestamp, event.timestamp, this.#sealedUntil)) this.#late.push(row.id);
    this.findings.push(...findings);
    this.#warn(row, [...warningsOf(event), ...this.#index.names.of(event, `event ${event.seq}`)]);
    this.imported += 1;
    this.#seq += events.length;
    this.#notBefore = events.at(-1)!.event.timestamp;
    return events;
  }

  /** What is probably a mistake. Of those that have the same one, the first row is named. */
  #warn(row: SourceRow, ofEvent: readonly EventWarning[]): void {
    for (const warning of row.warning ? [row.warning, ...ofEvent] : ofEvent) {
      const { kind, expected, found } = warning;
      const known = this.#warnings.get(`${kind} ${expected}`);
      if (known) known.count += 1;
      else if (this.#index.tell(warning)) {
        const { name, form } = this.#source;
        const message = `${rowPlace(name, row, form.noun)}: expected ${expected}, found ${found}`;
        this.#warnings.set(`${kind} ${expected}`, { kind, rows: [row.id], message, count: 1 });
      }
    }
  }

  *warnings(): Generator<RowFinding> {
    for (const { count, message, ...finding } of this.#warnings.values()) {
      const times = count === 1 ? '' : ` (${formatNumber(count)} times)`;
      yield { ...finding, message: message + times };
    }
  }

  *#alerts(changes: readonly Changed[]): Generator<EventLine[]> {
    const { noun, names } = this.#source.form;
    const named = (ids: readonly string[]) => `${formatCount(ids.length, noun)} (${listed(ids)})`;
    if (this.#late.length > 0) {
      const message = `${named(this.#late)} came late. The ledger has ${this.#late.length === 1 ? 'it' : 'them'} with a later time.`;
      this.findings.push({ kind: 'late', rows: this.#late, message });
      const late = { count: this.#late.length, [`${noun}s`]: firstNamed(this.#late) };
      yield [this.#alert('source-late', { message, late })];
    }
    for (const kind of ['modified', 'deleted'] as const) {
      const own = changes.filter(({ row }) => (row === null) === (kind === 'deleted'));
      const ids = own.map(({ id }) => id);
      if (ids.length === 0) continue;
      const message = `${named(ids)} ${ids.length === 1 ? 'was' : 'were'} ${kind} after the import. The ledger keeps what was imported.`;
      this.findings.push({ kind, rows: ids, message: `${message}${unreadable(own, noun)}` });
    }
    for (let at = 0; at < changes.length; at += ALERT_CHANGES) {
      const some = changes.slice(at, at + ALERT_CHANGES);
      const message = `${named(some.map(({ id }) => id))} ${some.length === 1 ? 'was' : 'were'} changed after the import. The ledger keeps what was imported.`;
      yield [
        this.#alert('source-changed', { message, changes: some.map((one) => listedChange(one, names)) }),
      ];
      for (const change of some) this.#index.change(change);
    }
    // They may be about rows behind the one that is no event, which the next import takes.
    if (this.fault) return;
    for (const { finding, alert, data } of this.#view.alerts?.() ?? []) {
      this.findings.push(finding);
      yield [this.#alert(alert, data)];
    }
  }

  #alert(alert: string, data: { message: string } & Record<string, unknown>): EventLine {
    const next = { seq: this.#seq, notBefore: this.#notBefore, now: this.#now };
    const event = importAlert(alert, data, { ...next, salt: this.#salt(this.#seq, `${alert} ${this.#seq}`) });
    this.#seq += 1;
    this.#notBefore = event.timestamp;
    return { event, line: formatEventLine(event) };
  }
}
