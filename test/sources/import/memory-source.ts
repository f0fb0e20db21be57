import type { EventDraft } from '../../../pipeline/ledger/events/draft.ts';
import { draftRow, OF_ROWS } from '../../../pipeline/sources/import/imported-row.ts';
import type {
  Opening,
  RowSource,
  RowView,
  SourceRow,
  Start,
} from '../../../pipeline/sources/import/source.ts';

const WINDOW = 4096;

/** A table in memory, in the order of its ids. Changes of `table` show when it is opened again. */
export class MemorySource {
  readonly table = new Map<number, SourceRow>();
  /** Rows from this id on are held back. */
  heldFrom = Number.POSITIVE_INFINITY;
  /** How many rows were read. */
  read = 0;

  /** Adds or replaces a row. */
  put(id: number, timestamp: string, draft: Partial<EventDraft> = {}): void {
    const whole = { type: 'heartbeat', agent: 'ATLAS', data: {}, timestamp, ...draft };
    this.table.set(id, draftRow({ id: `${id}` }, { ...whole, timestamp }));
  }

  get source(): RowSource {
    return {
      ...OF_ROWS,
      name: 'memory',
      oldestFirst: 'sort it',
      isReadTwice: false,
      open: async (opening) => this.#open(opening),
    };
  }

  #open({ index }: Opening): RowView {
    const rows = [...this.table].sort(([one], [other]) => one - other);
    const end = Number(index.state.end?.id ?? 0);
    let audited = Number(index.state.mark ?? 0);
    const reading = async function* (this: MemorySource, some: readonly [number, SourceRow][]) {
      this.read += some.length;
      for (let at = 0; at < some.length; at += 1000) yield some.slice(at, at + 1000).map(([, row]) => row);
    }.bind(this);
    const imported = rows.filter(([id]) => id <= end);
    return {
      some: () => {
        const older = imported.slice(0, -WINDOW).filter(([id]) => id > audited);
        audited = older.length > WINDOW ? older[WINDOW - 1]![0] : 0;
        return reading([...older.slice(0, WINDOW), ...imported.slice(-WINDOW)]);
      },
      isSame: async () => imported.length === index.count(),
      all: () => reading(rows.filter(([id]) => id < this.heldFrom)),
      fresh: (start: Start) => {
        const after = start === 'end' ? end : Number(start.last?.id ?? 0);
        return reading(rows.filter(([id]) => id > after && id < this.heldFrom));
      },
      held: async () => {
        const since = rows.find(([id]) => id >= this.heldFrom)?.[1].timestamp;
        return since === undefined ? null : { since };
      },
      mark: async () => audited,
      [Symbol.asyncDispose]: async () => {},
    };
  }
}
