import { CathedralError } from '../../errors.ts';
import { FEW_ROWS, MAX_CHANGES } from '../../ledger/events/import-alert.ts';
import { formatCount } from '../../words/number.ts';
import type { Change, Found, RowIndex } from './row-index.ts';
import type { RowSource, RowView, SourceRow, Start } from './source.ts';

/** A change of an imported row. `row`: as it is now; null: it was deleted. */
export type Changed<Content> = Change & { row: SourceRow<Content> | null };

/** Late rows that one import takes, and rows that are there again: a bound on the memory that it needs. The next one finds the others. */
const MAX_LATE = 10_000;

/** What differs between the rows of a source and what was imported from them. */
export class Comparison<Content> {
  /** Rows that came after rows that follow them, in the source's order. */
  readonly late = new Map<string, SourceRow<Content>>();
  /** Whether the next import has to compare all rows again: some late ones are left to it, or some are held back. */
  isPartial = false;
  readonly #changes = new Map<string, Changed<Content> & { seq: number }>();
  /** Of the changes, rows that were deleted and are there again as they were: they are no sign of another source. */
  readonly #back = new Set<string>();
  readonly #source: RowSource<Content>;
  readonly #view: RowView<Content>;
  readonly #index: RowIndex;
  /** Number of imported rows that were looked for. */
  #compared = 0;

  constructor(source: RowSource<Content>, view: RowView<Content>, index: RowIndex) {
    this.#source = source;
    this.#view = view;
    this.#index = index;
  }

  /** In the order of the ledger. */
  get changes(): Changed<Content>[] {
    return [...this.#changes.values()].sort((one, other) => one.seq - other.seq);
  }

  /**
   * Compares some of the imported rows, and all of them if `full` or if that shows that some are new or missing. Returns where new rows begin.
   * Throws `import_failed` if so many rows were changed that this is not the source that was imported.
   */
  async run(full: boolean): Promise<Start<Content>> {
    if (this.#index.state.end === null) return { last: null };
    for await (const rows of this.#view.some()) {
      for (const row of rows) {
        const known = this.#index.row(row.id);
        this.#compared += known?.digest ? 1 : 0;
        if (known) this.compare(row, known);
        else if (row.draft !== null) this.#addLate(row);
      }
      this.#assertFew();
    }
    this.#assertSame();
    // Where a row came late, as many rows as before lack another one.
    if (!full && this.late.size === 0 && (await this.#view.isSame())) return 'end';
    return { last: await this.#compareAll() };
  }

  /** Notes what a row says that is known. */
  compare(row: SourceRow<Content>, { id, seq, digest: known, last }: Found): void {
    const digest = this.#source.form.digest(row);
    if (digest === known) return;
    const isBack = digest === last;
    if (isBack && this.#back.size >= MAX_LATE) {
      this.isPartial = true;
      return;
    }
    if (isBack) this.#back.add(id);
    this.#changes.set(id, { id, seq, digest, row });
    // In a whole table of changes there is no room for each.
    this.#assertFew();
  }

  /** Returns the last row that was imported before. */
  async #compareAll(): Promise<SourceRow<Content> | null> {
    const index = this.#index;
    this.late.clear();
    let last: SourceRow<Content> | null = null;
    /** Rows behind the last imported one so far: they are new, or late if another imported one follows. */
    let others: SourceRow<Content>[] = [];
    for await (const rows of this.#view.all())
      for (const row of rows) {
        const known = index.row(row.id);
        // A source that brings events into its own order shows those that come back among the imported ones.
        if (!known || (known.digest === null && this.#source.oldestFirst !== null)) {
          if (row.draft !== null && others.length <= MAX_LATE) others.push(row);
          continue;
        }
        if (!index.see(row.id)) await this.#view.assertOnce?.(row);
        this.compare(row, known);
        for (const other of others) await this.#foundBefore(other);
        [others, last] = [[], row];
      }
    const unseen = index.unseen(MAX_CHANGES + 1);
    // A row that was moved to where rows are held back is not deleted: it is compared once it is shown.
    const held = unseen.length > 0 ? await this.#view.heldIds?.(unseen.map(({ id }) => id)) : undefined;
    this.isPartial ||= held !== undefined && held.size > 0;
    for (const { id, seq } of unseen)
      if (!held?.has(id)) this.#changes.set(id, { id, seq, digest: null, row: null });
    this.#compared = index.count();
    this.#assertSame();
    if (last?.timestamp) index.reach(last.id, last.timestamp);
    return last;
  }

  /** A row that is before an imported one: it was deleted and is there again, or is late. */
  async #foundBefore(row: SourceRow<Content>): Promise<void> {
    const known = this.#index.row(row.id);
    if (known ? !this.#index.see(row.id) : this.late.has(row.id)) await this.#view.assertOnce?.(row);
    if (known) this.compare(row, known);
    else this.#addLate(row);
  }

  #addLate(row: SourceRow<Content>): void {
    if (this.late.size < MAX_LATE) this.late.set(row.id, row);
    else this.isPartial = true;
  }

  #assertFew(): void {
    if (this.#different > MAX_CHANGES) throw this.#anotherSource();
  }

  get #different(): number {
    return this.#changes.size - this.#back.size;
  }

  #assertSame(): void {
    const size = this.#different;
    const { refusesEmpty } = this.#source.form;
    const isFew =
      this.#compared < FEW_ROWS &&
      !(refusesEmpty && this.#changes.values().every(({ digest }) => digest === null));
    if (size > MAX_CHANGES || (size > 0 && size >= this.#compared && !isFew)) throw this.#anotherSource();
  }

  #anotherSource(): CathedralError {
    const { name, form } = this.#source;
    const changes = this.changes.filter(({ id }) => !this.#back.has(id));
    const compared = formatCount(Math.max(this.#compared, changes.length), form.noun);
    return new CathedralError('import_failed', {
      place: name,
      expected: `${compared} as imported, up to ${form.noun} ${this.#index.state.end!.id}. Restore what was there, or import into another folder`,
      found: `${changes.length} of them changed or deleted, first ${changes[0]!.id}: ${form.other}`,
    });
  }
}
