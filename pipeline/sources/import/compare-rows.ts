import { CathedralError } from '../../errors.ts';
import { FEW_ROWS, MAX_CHANGES } from '../../ledger/events/import-alert.ts';
import { formatCount } from '../../words/number.ts';
import type { Change, Found, RowIndex, RowPlace } from './row-index.ts';
import type { RowSource, RowView, SourceRow, Stretch } from './source.ts';

/** What differs between the rows of a source and what was imported from them, in the source's order. */
export interface Differences<Content> {
  /** Rows that came after rows that follow them. */
  late: { row: SourceRow<Content>; place: number }[];
  /** `row`: as it is now; null: it was deleted. */
  changes: (Change & { row: SourceRow<Content> | null })[];
}

interface CompareOptions<Content> {
  source: RowSource<Content>;
  view: RowView<Content>;
  index: RowIndex;
  /** Compare every row. */
  full: boolean;
  /** Number of windows of older rows to compare again. */
  auditWindows: number;
}

/** Late rows that one import takes: a bound on the memory that it needs. The next one finds the others. */
const MAX_LATE = 10_000;
/** Windows whose rows one import counts. */
const COUNTED_WINDOWS = 1024;

/**
 * Compares the newest rows, the windows that the source suspects, and those that are next in the audit, or all of them. Throws `import_failed`
 * if so many rows were changed that this is not the source that was imported.
 */
export async function compareRows<Content>(options: CompareOptions<Content>): Promise<Differences<Content>> {
  const { index, source } = options;
  const { end } = index;
  if (end === null) return { late: [], changes: [] };
  const comparison = new Comparison(options, end);
  const recent = index.lastUpTo(end.place - source.overlap);
  await comparison.compare({ after: recent, until: end });
  for (const window of await olderWindows(recent, options)) await comparison.compare(window);
  return comparison.finish();
}

/** The windows before `recent` that this import compares, in the source's order. */
async function olderWindows<Content>(
  recent: RowPlace | null,
  { view, index, source, full, auditWindows }: CompareOptions<Content>,
): Promise<Stretch[]> {
  if (recent === null) return [];
  const most = full ? Number.POSITIVE_INFINITY : auditWindows + (view.suspects ? COUNTED_WINDOWS : 0);
  const inTurn = windowsInTurn(index, recent, source.window).take(most).toArray();
  const audited = full ? inTurn : inTurn.slice(0, auditWindows);
  const others = inTurn.slice(audited.length);
  const imported = ({ after, until }: Stretch) => index.count(after, until.place);
  const suspects = others.length === 0 ? [] : await view.suspects!(others, imported);
  // Suspects that come next in turn need no audit of their own, and the next import goes on behind them.
  const other = suspects.findIndex((one, n) => one.until.place !== others[n]!.until.place);
  const last = inTurn[audited.length + (other < 0 ? suspects.length : other) - 1]?.until;
  index.audited = last === undefined || last === recent ? null : last.place;
  return [...audited, ...suspects].sort((one, other) => one.until.place - other.until.place);
}

/** The windows before `recent`, each once, from where the last audit stopped; behind the last one the first follows. */
function* windowsInTurn(index: RowIndex, recent: RowPlace, size: number): Generator<Stretch> {
  const stop = index.lastUpTo(Math.min(index.audited, recent.place));
  const first = stop?.place === recent.place ? null : stop;
  yield* windowsBetween(index, first, recent, size);
  if (first !== null) yield* windowsBetween(index, null, first, size);
}

function* windowsBetween(
  index: RowIndex,
  begin: RowPlace | null,
  end: RowPlace,
  size: number,
): Generator<Stretch> {
  for (let after = begin; after?.place !== end.place; ) {
    const full = index.windowEnd(after, size);
    const until: RowPlace = full === null || full.place >= end.place ? end : full;
    yield { after, until };
    after = until;
  }
}

class Comparison<Content> {
  readonly #options: CompareOptions<Content>;
  readonly #late = new Map<string, { row: SourceRow<Content>; place: number }>();
  readonly #changes = new Map<string, { at: number; change: Change; row: SourceRow<Content> | null }>();
  readonly #missing = new Map<string, Found>();
  /** The last imported row. */
  readonly #end: RowPlace;
  /** Number of imported rows that were looked for. */
  #compared = 0;

  constructor(options: CompareOptions<Content>, end: RowPlace) {
    this.#options = options;
    this.#end = end;
  }

  async compare(stretch: Stretch): Promise<void> {
    if (this.#late.size > MAX_LATE) return;
    const { view, index } = this.#options;
    const missing = index.between(stretch.after, stretch.until);
    this.#compared += missing.size;
    for (let pass = 1; ; pass += 1) {
      const isWhole = await this.#read(stretch, missing);
      if (!isWhole) return;
      if (missing.size === 0 || pass >= (view.passes ?? 1)) break;
    }
    // A row that another stretch had is changed, and not missing.
    for (const [id, row] of missing) if (!this.#changes.has(id)) this.#missing.set(id, row);
    // At once, because a whole table of them would not fit into the memory.
    if (this.#changes.size > MAX_CHANGES) this.#assertSame([...this.#changes.values()]);
  }

  /** Reads a stretch, and takes the rows that it has from `missing`. False: it ended early. */
  async #read({ after, until }: Stretch, missing: Map<string, Found>): Promise<boolean> {
    const { view, index, source } = this.#options;
    /** The place of a row that has none yet: that of the next one in its place. */
    let next = (after?.place ?? 0) + 1;
    for await (const rows of view.rows(after, until)) {
      for (const row of rows) {
        const known = missing.get(row.id) ?? index.row(row.id);
        missing.delete(row.id);
        const isHere =
          known?.place != null && known.place > (after?.place ?? -Infinity) && known.place <= until.place;
        if (isHere && known.isInOrder) next = known.place! + 1;
        this.#take(row, known, isHere ? known.place! : next, source.form.digest(row));
      }
      if (this.#late.size > MAX_LATE) return false;
    }
    return true;
  }

  #take(row: SourceRow<Content>, known: Found | null, place: number, digest: string): void {
    const { index } = this.#options;
    const at = row.place ?? place;
    this.#missing.delete(row.id);
    if (!known && row.draft === null) index.leaveOut(row.id, at, digest);
    else if (!known || (known.isLeftOut && row.draft !== null)) this.#late.set(row.id, { row, place: at });
    else {
      // A place that the source gives follows from the row, and changes only with it.
      if (row.place === undefined && known.place !== at) index.move(known, at);
      if (known.digest !== digest)
        this.#changes.set(row.id, { at, change: { id: row.id, digest, place: row.place }, row });
    }
  }

  async finish(): Promise<Differences<Content>> {
    const { index, view } = this.#options;
    const ids = new Set([...this.#missing].filter(([, row]) => !row.isLeftOut).map(([id]) => id));
    const moved = ids.size === 0 ? ids : ((await view.elsewhere?.(ids)) ?? new Set());
    for (const [id, row] of this.#missing) {
      if (row.isLeftOut) index.forget(row);
      else if (moved.has(id)) index.unplace(row);
      else this.#changes.set(id, { at: row.place!, change: { id, digest: null }, row: null });
    }
    const changes = [...this.#changes.values()].sort((one, other) => one.at - other.at);
    this.#assertSame(changes);
    return {
      late: [...this.#late.values()].sort((one, other) => one.place - other.place),
      changes: changes.map(({ change, row }) => ({ ...change, row })),
    };
  }

  #assertSame(changes: readonly { change: Change }[]): void {
    const { source } = this.#options;
    const { length: changed } = changes;
    const isFew =
      this.#compared < FEW_ROWS &&
      !(source.form.refusesEmpty && changes.every(({ change }) => change.digest === null));
    if (changed <= MAX_CHANGES && (changed < this.#compared || isFew || changed === 0)) return;
    throw anotherSource(source, this.#compared, changed, { first: changes[0]!.change.id, end: this.#end.id });
  }
}

/** Too much differs. `compared`: number of rows; `end`: the last imported one. */
export function anotherSource<Content>(
  { name, form }: RowSource<Content>,
  compared: number,
  changed: number,
  { first, end }: { first: string; end: string },
): CathedralError {
  return new CathedralError('import_failed', {
    place: name,
    expected: `${formatCount(compared, form.noun)} as imported, up to ${form.noun} ${end}. Restore what was there, or import into another folder`,
    found: `${changed} of them changed or deleted, first ${first}: ${form.other}`,
  });
}
