import { DatabaseSync } from 'node:sqlite';
import { type EventDraft, inUtc } from '../../ledger/events/draft.ts';
import { readJson } from '../../ledger/events/json.ts';
import type { RowFile } from '../rows/event-rows.ts';

/** A file of a batch. Two may have the same name, in other folders. */
export type NamedRows = Pick<RowFile, 'name' | 'mapping'>;

export interface SortedRow {
  draft: EventDraft;
  /** The file and the line that it comes from. */
  file: NamedRows;
  line: number;
}

/** As most exports, a file is newest first where its times fall and never rise. */
const IN_ORDER = `
  WITH step AS (SELECT file, time, lag(time) OVER (PARTITION BY file ORDER BY rowid) AS before FROM row WHERE time IS NOT NULL),
    newest_first AS (SELECT file FROM step GROUP BY file HAVING max(time < before) AND NOT max(time > before))
  SELECT * FROM row
  ORDER BY time IS NULL, time, file, CASE WHEN file IN newest_first THEN -line ELSE line END, rowid`;
const SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length;

/**
 * Sorts rows by time on disk, in a file that nobody else sees and that is gone after its disposal. Rows of one time keep their order, or have
 * the reverse one in a file that is newest first.
 */
export class SortedRows implements Disposable {
  // An empty name makes a temporary database.
  readonly #database = new DatabaseSync('');
  readonly #insert;
  readonly #files: NamedRows[] = [];

  constructor() {
    this.#database.exec('CREATE TABLE row (time TEXT, file INTEGER, line INTEGER, draft TEXT) STRICT');
    this.#database.exec('BEGIN');
    this.#insert = this.#database.prepare('INSERT INTO row VALUES (?, ?, ?, ?)');
  }

  add({ draft, file, line }: SortedRow): void {
    if (this.#files.at(-1) !== file) this.#files.push(file);
    this.#insert.run(sortKey(draft), this.#files.length - 1, line, JSON.stringify(draft));
  }

  /** Rows without a time come last: they get the time of appending. Rows of one time are in the order in which they happened. */
  *inOrder(): Generator<SortedRow> {
    const rows = this.#database.prepare(IN_ORDER).iterate();
    for (const { file, line, draft } of rows) {
      yield {
        file: this.#files[file as number]!,
        line: line as number,
        draft: readJson(draft as string) as EventDraft,
      };
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** As text it sorts like the time: a fraction without the zeros at its end sorts like its value. */
function sortKey({ timestamp }: EventDraft): string | null {
  if (typeof timestamp !== 'string') return null;
  const utc = inUtc(timestamp);
  return `${utc.slice(0, SECONDS)} ${utc.slice(SECONDS + 1, -1).replace(/0+$/, '')}`;
}
