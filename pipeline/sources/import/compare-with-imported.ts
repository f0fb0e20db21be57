import { CathedralError } from '../../errors.ts';
import { FEW_ROWS, MAX_CHANGES } from '../../ledger/events/import-alert.ts';
import { formatCount } from '../../words/number.ts';
import type { Change, Found, RowIndex } from './row-index.ts';
import type { RowSource, RowView, SourceRow, Start } from './source.ts';

/** A change of an imported row. `row`: as it is now; null: it was deleted. */
export type Changed = Change & { row: SourceRow | null };

/** Late rows that one import takes, rows that are there again and deleted ones: a bound on the memory that it needs. The next one finds the others. */
const MAX_LATE = 10_000;

/** What differs between the rows of a source and what was imported from them. */
export class Comparison {
  /** Rows that came after rows that follow them, in the source's order. */
  readonly late = new Map<string, SourceRow>();
  /** Whether the next import has to compare all rows again: some late ones are left to it, or some are held back. */
  isPartial = false;
  readonly #changes = new Map<string, Changed & { seq: number }>();
  /** Of the changes, those that are no sign of another source: rows that are there again as they were, and old ones that were deleted. */
  readonly #usual = new Set<string>();
  /** Number of times that a row was as it was imported. */
  #same = 0;
  readonly #source: RowSource;
  readonly #view: RowView;
  readonly #index: RowIndex;
  /** Number of imported rows that were looked for. */
  #compared = 0;

  constructor(source: RowSource, view: RowView, index: RowIndex) {
    this.#source = source;
    this.#view = view;
    this.#index = index;
  }

  /** In the order of the ledger. */
  get changes(): Changed[] {
    return [...this.#changes.values()].sort((one, other) => one.seq - other.seq);
  }

  /**
   * Compares some of the imported rows, and all of them if `full` or if that shows that some are new or missing. Returns where new rows begin.
   * Throws `import_failed` if so many rows were changed that this is not the source that was imported.
   */
  async run(full: boolean): Promise<Start> {
    if (this.#index.state.end === null) return { last: null };
    for await (const rows of this.#view.some()) {
      for (const row of rows) {
        const known = this.#index.row(row.id);
        this.#compared += known?.digest ? 1 : 0;
        if (known) this.compare(row, known);
        else if (row.event !== null) this.#addLate(row);
        // Otherwise each import would report another row of the same id as a change.
        if (this.#changes.has(row.id)) await this.#view.assertOnce?.(row);
      }
      this.#assertFew();
    }
    this.#assertSame();
    // Where a row came late, as many rows as before lack another one.
    if (!full && this.late.size === 0 && (await this.#view.isSame())) return 'end';
    return { last: await this.#compareAll() };
  }

  /** Notes what a row says that is known. */
  compare(row: SourceRow, { id, seq, digest: known, last }: Found): void {
    const { digest } = row;
    const isBack = digest === last;
    if (digest === known || isBack) this.#same += 1;
    if (digest === known) return;
    if (isBack && this.#usual.size >= MAX_LATE) {
      this.isPartial = true;
      return;
    }
    if (isBack) this.#usual.add(id);
    this.#changes.set(id, { id, seq, digest, row });
    // In a whole table of changes there is no room for each.
    this.#assertFew();
  }

  /** Returns the last row that was imported before. */
  async #compareAll(): Promise<SourceRow | null> {
    const index = this.#index;
    this.late.clear();
    let last: SourceRow | null = null;
    /** Rows behind the last imported one so far: they are new, or late if another imported one follows. */
    let others: SourceRow[] = [];
    let leavesOut = false;
    for await (const rows of this.#view.all())
      for (const row of rows) {
        // It may have the id of an imported row that is there too: an earlier state of the same case.
        if (row.event === null) {
          leavesOut = true;
          continue;
        }
        const known = index.row(row.id);
        // A source that brings events into its own order shows those that come back among the imported ones.
        if (!known || (known.digest === null && this.#source.oldestFirst !== null)) {
          if (others.length <= MAX_LATE) others.push(row);
          continue;
        }
        if (!index.see(row.id)) await this.#view.assertOnce?.(row);
        this.compare(row, known);
        for (const other of others) await this.#foundBefore(other);
        [others, last] = [[], row];
      }
    await this.#addDeleted(leavesOut);
    this.#compared = index.count();
    this.#assertSame();
    if (last?.timestamp) index.reach(last.id, last.timestamp);
    return last;
  }

  /** Rows that the source has no longer. Old ones are deleted where they are kept for some years only; an older copy lacks the newest. */
  async #addDeleted(leavesOut: boolean): Promise<void> {
    const unseen = this.#index.unseen(MAX_LATE);
    this.isPartial ||= unseen.length === MAX_LATE;
    const leftOut = await this.#leftOut(leavesOut ? unseen : []);
    const isOlderCopy = unseen.some(({ id }) => id === this.#index.state.end!.id && !leftOut.has(id));
    // A row that was moved to where rows are held back is not deleted: it is compared once it is shown.
    const held = unseen.length > 0 ? await this.#view.heldIds?.(unseen.map(({ id }) => id)) : undefined;
    this.isPartial ||= held !== undefined && held.size > 0;
    for (const known of unseen) {
      const { id, seq } = known;
      if (held?.has(id)) continue;
      const row = leftOut.get(id);
      if (row) this.compare(row, known);
      else {
        this.#changes.set(id, { id, seq, digest: null, row: null });
        if (!isOlderCopy) this.#usual.add(id);
      }
    }
  }

  /** Of rows that are no events any more, those that the mapping leaves out now: they were modified, and not deleted. */
  async #leftOut(unseen: readonly Found[]): Promise<ReadonlyMap<string, SourceRow>> {
    const found = new Map<string, SourceRow>();
    if (unseen.length === 0) return found;
    const ids = new Set(unseen.map(({ id }) => id));
    for await (const rows of this.#view.all())
      for (const row of rows) if (row.event === null && ids.has(row.id)) found.set(row.id, row);
    return found;
  }

  /** A row that is before an imported one: it was deleted and is there again, or is late. */
  async #foundBefore(row: SourceRow): Promise<void> {
    const known = this.#index.row(row.id);
    const isAgain = known ? !this.#index.see(row.id) : this.late.has(row.id);
    // One that is no event, as for want of an id, is refused for that.
    if (isAgain && typeof row.event === 'function') await this.#view.assertOnce?.(row);
    if (known) this.compare(row, known);
    else this.#addLate(row);
  }

  #addLate(row: SourceRow): void {
    if (this.late.size < MAX_LATE) this.late.set(row.id, row);
    else this.isPartial = true;
  }

  #assertFew(): void {
    if (this.#different > MAX_CHANGES) throw this.#anotherSource();
  }

  get #different(): number {
    return this.#changes.size - this.#usual.size;
  }

  #assertSame(): void {
    const { refusesEmpty } = this.#source.form;
    const isFew =
      this.#compared < FEW_ROWS &&
      !(refusesEmpty && this.#changes.values().every(({ digest }) => digest === null));
    const isNoneSame = this.#changes.size > 0 && this.#same === 0 && !isFew;
    if (this.#different > MAX_CHANGES || isNoneSame) throw this.#anotherSource();
  }

  #anotherSource(): CathedralError {
    const { name, form } = this.#source;
    const counted = this.changes.filter(({ id }) => !this.#usual.has(id));
    const changes = counted.length > 0 ? counted : this.changes;
    const compared = formatCount(Math.max(this.#compared, changes.length), form.noun);
    return new CathedralError('import_failed', {
      place: name,
      expected: `${compared} as imported, up to ${form.noun} ${this.#index.state.end!.id}. Restore what was there, or import into another folder`,
      found: `${changes.length} of them changed or deleted, first ${changes[0]!.id}: ${form.other}`,
    });
  }
}
