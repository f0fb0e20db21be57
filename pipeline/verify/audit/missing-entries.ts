/** Entries of the log, by number, that no row was of so far. */
export interface MissingRange {
  first: number;
  last: number;
  /** Of the file: the row before which they should stand. */
  line: number;
}

/** What is missing, as ranges: a row that comes late is taken out of them. */
export class MissingEntries {
  readonly ranges: MissingRange[] = [];

  add(range: MissingRange): void {
    if (range.first <= range.last) this.ranges.push(range);
  }

  /** Whether the entry was missing; it is not any more. */
  take(index: number): boolean {
    const at = this.ranges.findIndex(({ first, last }) => first <= index && index <= last);
    if (at < 0) return false;
    const { first, last, line } = this.ranges[at]!;
    const rest = [
      { first, last: index - 1, line },
      { first: index + 1, last, line },
    ];
    this.ranges.splice(at, 1, ...rest.filter((range) => range.first <= range.last));
    return true;
  }
}
