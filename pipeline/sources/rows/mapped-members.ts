import { editDistance } from '../../config/nearest-name.ts';
import type { EventWarning } from '../../ledger/events/draft.ts';
import { shown } from '../../ledger/events/look-alikes.ts';
import { hasColumn, type Row } from './mapping.ts';

/** A letter more or less makes another word of a shorter name. */
const LEAST_LETTERS = 4;
/** Names of members that are remembered, since those of a row may be data, such as ids. */
const MOST_NAMES = 10_000;

/** The columns of a mapping in rows of JSON, each of which has its own members: nobody refuses a row that lacks one. */
export class MappedMembers {
  /** Columns that no row had so far. */
  readonly absent: Set<string>;
  /** The columns, and of `payee.name` also the member `payee`. */
  readonly #names: ReadonlySet<string>;
  /** Name of a member → the one of them whose name is nearly the same; null: it is one itself, or like none. */
  readonly #near = new Map<string, string | null>();

  constructor(columns: readonly string[]) {
    this.#names = new Set(columns.flatMap((column) => [column, column.split('.')[0]!]));
    this.absent = new Set(columns);
  }

  /** Takes note of a row. The warning is about a member whose name is nearly that of a column that the row lacks: `Note` for `note`. */
  see(row: Row): EventWarning | null {
    for (const column of this.absent) if (hasColumn(row, column)) this.absent.delete(column);
    for (const name in row) {
      const column = this.#nearTo(name);
      if (column === null || hasColumn(row, column)) continue;
      const expected = `the member ${shown(column, name)}, which the mapping file names`;
      return { kind: 'member', expected, found: `${shown(name, column)}, but not this one` };
    }
    return null;
  }

  #nearTo(name: string): string | null {
    if (this.#near.size >= MOST_NAMES) this.#near.clear();
    return this.#near.getOrInsertComputed(name, () => {
      if (this.#names.has(name)) return null;
      return [...this.#names].find((one) => isNear(name, one)) ?? null;
    });
  }
}

/** Whether names differ only by case, by what separates their words, or by one letter. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) =>
    name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  ) as [string, string];
  return a === b || (Math.min(a.length, b.length) >= LEAST_LETTERS && editDistance(a, b) === 1);
}
