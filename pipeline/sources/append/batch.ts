import { CathedralError, errorOf } from '../../errors.ts';
import type { LedgerFindings } from '../../ledger/check/findings.ts';
import { type EventDraft, type EventWarning, warningsOf } from '../../ledger/events/draft.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { MemberFault } from '../../ledger/events/event-check.ts';
import { LookAlikes } from '../../ledger/events/look-alikes.ts';
import type { AppendOptions } from '../../ledger/writing/ledger-writer.ts';
import type { FileRow, RowFile } from '../rows/event-rows.ts';
import { JSON_EVENTS } from '../rows/json-rows.ts';
import { absentColumn } from '../rows/mapping.ts';
import { type NamedRows, SortedRows } from './sorted-rows.ts';

const misfit = errorOf('ledger_schema');

export interface BatchOptions {
  /** Receives errors and warnings. */
  findings: LedgerFindings;
  /** Takes every warning for an error. */
  strict: boolean;
  /** Sorts the rows of all files by time. */
  sort: boolean;
  /** Whether there is more than one file: then two of them may overlap. */
  several: boolean;
  /** The last events of the ledger. An event with a time of its own that is the same as one of them is refused. */
  known?: readonly LedgerEvent[];
  /** The names of the whole ledger. Missing: those of the batch and of `known` are compared. */
  names?: LookAlikes;
  /** What an event contradicts, given that the events before it happened; one clause each. */
  contradictions?: (event: LedgerEvent) => readonly string[];
}

/** Where the draft comes from that was taken last. */
interface Current {
  file: NamedRows;
  line: number;
  type: string;
  /** Whether the row has a time. Otherwise the event gets that of the clock. */
  isTimed: boolean;
}

const START: Current = {
  file: { name: 'the batch', mapping: JSON_EVENTS },
  line: 1,
  type: '',
  isTimed: false,
};

/** The rows of some files as one batch for `LedgerWriter.append`, with everything that is wrong with it. */
export class Batch {
  /** Number of errors. */
  errors = 0;
  /** Number of warnings. */
  warnings = 0;
  /** Number of rows that a mapping leaves out. */
  leftOut = 0;
  /** The first event; null before it. */
  first: LedgerEvent | null = null;
  readonly #options: BatchOptions;
  readonly #names: LookAlikes;
  #current = START;
  /** The last event that was accepted, and its place. */
  #accepted: { timestamp: string; place: string } | null = null;
  /** A table's mapping and the id of a row → its first place. */
  readonly #ids = new Map<string, string>();
  /** What an event says → the seq of the event that said it. */
  readonly #known: ReadonlyMap<string, number>;
  /** What the events of one moment say → the file and the place that said it first. Events come in the order of their times. */
  readonly #said = new Map<string, { file: NamedRows; place: string }>();

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#names = options.names ?? new LookAlikes();
    this.#known = new Map(options.known?.map((event) => [sayingOf(event), event.seq]));
    for (const event of options.known ?? []) this.#names.of(event, `event ${event.seq}`);
  }

  /** The drafts of all files, in their order or sorted by time, in parts. Rows that are no drafts are added to the findings. */
  async *drafts(files: AsyncIterable<RowFile>): AsyncGenerator<Iterable<EventDraft>> {
    using sorted = this.#options.sort ? new SortedRows() : null;
    try {
      for await (const file of files) {
        this.#checkUnread(file);
        let count = 0;
        for await (const rows of file.rows) {
          count += rows.filter(({ draft }) => !(draft instanceof CathedralError)).length;
          if (sorted)
            for (const draft of this.#part(file, rows)) sorted.add({ draft, file, line: this.#current.line });
          else yield this.#part(file, rows);
        }
        if (count > 0) this.#checkAbsent(file);
      }
      if (sorted) yield this.#placed(sorted);
    } catch (error) {
      // After it nothing can be read.
      if (!(error instanceof CathedralError)) throw error;
      this.#refuse(error);
    }
    if (this.errors > 0) throw this.#refused();
  }

  /** An answer of an API may be one page of many. */
  #checkUnread({ name, unread }: RowFile): void {
    if (unread.length === 0) return;
    const names = unread.map((member) => JSON.stringify(member)).join(', ');
    const found = `also ${names.slice(0, 400)}, not read: check that no events follow elsewhere`;
    const error = this.#warning({ kind: 'member', expected: 'only the member "events"', found }, name);
    if (error) this.#refuse(error);
  }

  #checkAbsent({ name, absent }: RowFile): void {
    for (const column of absent) {
      const error = this.#warning(absentColumn(column), name);
      if (error) this.#refuse(error);
    }
  }

  *#part(file: RowFile, rows: readonly FileRow[]): Generator<EventDraft> {
    for (const row of rows) {
      const draft = this.#take(row, file);
      if (draft !== null) yield draft;
    }
  }

  *#placed(sorted: SortedRows): Generator<EventDraft> {
    for (const { draft, file, line } of sorted.inOrder()) {
      this.#current = { file, line, type: draft.type, isTimed: draft.timestamp !== undefined };
      yield draft;
    }
  }

  /** For `LedgerWriter.append`, with the drafts of this batch. */
  get appendOptions(): AppendOptions {
    return {
      place: () => this.#place(),
      check: (event) => this.#check(event),
      refused: (error) => this.#refuse(this.#withColumn(error)),
    };
  }

  #take({ line, id, draft, warning }: FileRow, file: NamedRows): EventDraft | null {
    const error = warning && this.#warning(warning, `${file.name}:${line}`);
    if (error) this.#refuse(error);
    if (draft === null) this.leftOut += 1;
    if (draft instanceof CathedralError) this.#refuse(draft);
    if (draft === null || draft instanceof CathedralError) return null;
    this.#current = { file, line, type: draft.type, isTimed: draft.timestamp !== undefined };
    if (id !== null && this.#isKnown(id)) return null;
    // What a row before it should have been is not the error of this one.
    if (this.errors > 0) delete draft.seq;
    return draft;
  }

  #isKnown(id: string): boolean {
    // Two tables of one batch may number their rows alike.
    const key = `${this.#current.file.mapping.digest} ${id}`;
    const known = this.#ids.get(key);
    if (known === undefined) {
      this.#ids.set(key, this.#place());
      return false;
    }
    this.#refuse(misfit(this.#place(), 'each id once', `${JSON.stringify(id)}, which ${known} has`));
    return true;
  }

  #place(): string {
    return `${this.#current.file.name}:${this.#current.line}`;
  }

  #check(event: LedgerEvent): void {
    this.first ??= event;
    const place = this.#place();
    this.#assertNew(event, place);
    const warnings = [...warningsOf(event), ...this.#names.of(event, place)];
    const kinds = warnings.map((warning) => this.#warning(warning, place));
    const contradictions = this.#options.contradictions?.(event) ?? [];
    for (const clause of contradictions) kinds.push(this.#warning({ kind: 'fold', clause }, place));
    this.#accepted = { timestamp: event.timestamp, place };
    const [error] = kinds.filter((one) => one !== null);
    if (error) throw error;
  }

  /** A file that is appended twice must not mint twice, nor what two files have that overlap. */
  #assertNew(event: LedgerEvent, place: string): void {
    const { file, isTimed } = this.#current;
    const { several } = this.#options;
    if (!isTimed || (this.#known.size === 0 && !several)) return;
    const saying = sayingOf(event);
    const seq = this.#known.get(saying);
    if (seq !== undefined) throw repeated(place, 'an event that is not in the ledger yet', `event ${seq}`);
    if (!several) return;
    if (event.timestamp !== this.#accepted?.timestamp) this.#said.clear();
    const first = this.#said.getOrInsert(saying, { file, place });
    // In one file it may have happened twice.
    if (first.file !== file) throw repeated(place, 'an event that no other file has', first.place);
  }

  /** Adds a warning; with `strict`, returns it as an error instead. */
  #warning(warning: EventWarning | { kind: 'fold'; clause: string }, place: string): CathedralError | null {
    const { findings, strict } = this.#options;
    const parts =
      'clause' in warning
        ? { expected: 'an event that contradicts no other', found: warning.clause }
        : { expected: warning.expected, found: warning.found };
    if (strict) return new CathedralError('ledger_schema', { place, ...parts });
    this.warnings += 1;
    const message = 'clause' in warning ? warning.clause : `expected ${parts.expected}, found ${parts.found}`;
    findings.warn(warning.kind, place, message, message);
    return null;
  }

  #withColumn(error: CathedralError): CathedralError {
    if (!(error instanceof MemberFault)) return error;
    const { code, member, expected } = error;
    const { type, file } = this.#current;
    const before = this.#accepted;
    const isAfterRow =
      code === 'ledger_order' && before !== null && expected.includes(` ${before.timestamp},`);
    const limit = isAfterRow
      ? `timestamp to be at or after ${before.timestamp}, that of ${before.place} (--sort sorts a batch by time)`
      : expected;
    return error.inColumn(file.mapping.columnOf(type, member), { place: this.#place(), expected: limit });
  }

  #refuse(error: CathedralError): void {
    this.errors += 1;
    this.#options.findings.error(error);
  }

  #refused(): CathedralError {
    const [first] = this.#options.findings.listed.filter(({ severity }) => severity === 'error');
    return misfit(first?.place ?? 'the batch', 'a batch without errors', `${this.errors}`);
  }
}

function repeated(place: string, expected: string, first: string): CathedralError {
  const remedy = 'If it happened twice, give it a later time';
  return misfit(place, expected, `the same as ${first}, at the same time. ${remedy}`);
}

/** All of an event except its number and its salt. */
function sayingOf({ timestamp, cycle, type, agent, data }: LedgerEvent): string {
  return JSON.stringify([timestamp, cycle, type, agent, data]);
}
