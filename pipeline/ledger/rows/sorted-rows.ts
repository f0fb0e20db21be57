import { DatabaseSync } from 'node:sqlite';
import { type EventDraft, inUtc } from '../draft.ts';
import type { Mapping } from './mapping.ts';

export interface SortedRow {
  draft: EventDraft;
  /** The file and the line that it comes from. */
  name: string;
  line: number;
  mapping: Mapping | null;
}

const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/** Sorts rows by time on disk, in a file that nobody else sees and that is gone after `close`. Rows of one time keep their order. */
export class SortedRows {
  // An empty name makes a temporary database.
  readonly #database = new DatabaseSync('');
  readonly #insert;
  readonly #files: Pick<SortedRow, 'name' | 'mapping'>[] = [];

  constructor() {
    this.#database.exec('CREATE TABLE row (time TEXT, file INTEGER, line INTEGER, draft TEXT) STRICT');
    this.#database.exec('BEGIN');
    this.#insert = this.#database.prepare('INSERT INTO row VALUES (?, ?, ?, ?)');
  }

  add({ draft, name, line, mapping }: SortedRow): void {
    const last = this.#files.at(-1);
    if (last?.name !== name || last.mapping !== mapping) this.#files.push({ name, mapping });
    this.#insert.run(sortKey(draft), this.#files.length - 1, line, JSON.stringify(draft));
  }

  /** Rows without a time come last: they get the time of appending. */
  *inOrder(): Generator<SortedRow> {
    const rows = this.#database.prepare('SELECT * FROM row ORDER BY time IS NULL, time, rowid').iterate();
    for (const { file, line, draft } of rows)
      yield {
        ...this.#files[file as number]!,
        line: line as number,
        draft: JSON.parse(draft as string) as EventDraft,
      };
  }

  close(): void {
    this.#database.close();
  }
}

/** As text it sorts like the time: a fraction without the zeros at its end sorts like its value. */
function sortKey({ timestamp }: EventDraft): string | null {
  if (typeof timestamp !== 'string') return null;
  const utc = inUtc(timestamp);
  return `${utc.slice(0, SECONDS)} ${utc.slice(SECONDS + 1, -1).replace(/0+$/, '')}`;
}
