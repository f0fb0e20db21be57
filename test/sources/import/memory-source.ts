import type { EventDraft } from '../../../pipeline/ledger/events/draft.ts';
import { OF_ROWS } from '../../../pipeline/sources/import/imported-row.ts';
import type { RowPlace } from '../../../pipeline/sources/import/row-index.ts';
import type { RowSource, RowView, SourceRow, Stretch } from '../../../pipeline/sources/import/source.ts';

/** A table in memory, in the order of its ids. Changes of `table` show when it is opened again. */
export class MemorySource {
  readonly table = new Map<number, SourceRow>();
  /** Rows from this id on are held back. */
  heldFrom = Number.POSITIVE_INFINITY;
  /** How many rows were read. */
  read = 0;

  /** Adds or replaces a row. */
  put(id: number, timestamp: string, draft: Partial<EventDraft> = {}): void {
    const whole = { type: 'heartbeat', agent: 'ATLAS', data: {}, ...draft };
    this.table.set(id, { id: `${id}`, timestamp, draft: whole });
  }

  get source(): RowSource {
    return { ...OF_ROWS, name: 'memory', oldestFirst: 'sort it', open: async () => this.#open() };
  }

  #open(): RowView {
    const rows = [...this.table].sort(([one], [other]) => one - other);
    const between = (after: RowPlace | null, until?: RowPlace) =>
      rows.filter(
        ([id]) =>
          (after === null || id > Number(after.id)) && (until ? id <= Number(until.id) : id < this.heldFrom),
      );
    const counted = (count: number) => {
      this.read += count;
    };
    return {
      async *rows(after: RowPlace | null, until?: RowPlace) {
        const some = between(after, until).map(([, row]) => row);
        counted(some.length);
        for (let at = 0; at < some.length; at += 1000) yield some.slice(at, at + 1000);
      },
      suspects: async (windows: readonly Stretch[], imported: (window: Stretch) => number) =>
        windows.filter((window) => between(window.after, window.until).length !== imported(window)),
      mark: null,
      held: async () => {
        const since = rows.find(([id]) => id >= this.heldFrom)?.[1].timestamp;
        return since === undefined ? null : { since };
      },
      close: async () => {},
    };
  }
}
