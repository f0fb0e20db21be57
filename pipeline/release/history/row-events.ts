import { CathedralError } from '../../errors.ts';
import { counted } from '../../words/number.ts';

/**
 * The events that the rows of a segment follow from, stored beside the segment because the columns of the files are fixed by the
 * specification. One line of text per row, newest first like the rows: indices in the log, `70312` or `70000,70951`.
 */
export class RowEvents {
  /** A line per row, oldest first. */
  readonly #lines: string[] = [];

  /** Rows so far. */
  get rows(): number {
    return this.#lines.length;
  }

  /** Adds a row newer than all others, which follows from these events. */
  add(events: readonly number[]): void {
    this.#lines.push(events.join());
  }

  /** Adds what an earlier run wrote, newest first. */
  load(newestFirst: readonly string[]): void {
    for (const line of newestFirst.toReversed()) this.#lines.push(line);
  }

  format(): string {
    return this.#lines
      .toReversed()
      .map((line) => `${line}\n`)
      .join('');
  }
}

const LINE = /^\d{1,16}(,\d{1,16})*$/;

/** The lines of a segment's rows, newest first. Throws release_invalid if the text is no record of that many rows. */
export function parseRowEvents(text: string, rows: number, place: string): string[] {
  const lines = text.split('\n').slice(0, -1);
  const bad = lines.find((line) => !LINE.test(line));
  if (bad === undefined && lines.length === rows) return lines;
  throw new CathedralError('release_invalid', {
    place,
    expected: `events of ${counted(rows, 'row')}`,
    found: bad === undefined ? `those of ${lines.length}` : JSON.stringify(bad.slice(0, 80)),
  });
}

/** `70000,70951` → the two indices. */
export function eventsIn(line: string): number[] {
  return line.split(',').map(Number);
}
