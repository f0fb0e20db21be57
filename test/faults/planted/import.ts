import type { PlantedFault } from './planted-fault.ts';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'each import begins with the same salts',
    breaks: 'Salts follow from the import key and the number of the event',
    file: 'pipeline/sources/import/sequence-salts.ts',
    change: ['BigInt(seq + n)', 'BigInt(n)'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'a late row does not say so',
    breaks: 'A late row has its own time and "late": true in its source',
    file: 'pipeline/sources/import/import-rows.ts',
    change: ['const context = { late: late !== null,', 'const context = { late: false,'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'a file that is newest first is taken',
    breaks: 'A first import of rows whose times descend is refused',
    file: 'pipeline/sources/import/import-rows.ts',
    change: ['late.length * 10 <= rows.length', 'late.length * 10 >= rows.length'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'a slot is sealed while a row of it waits',
    breaks: 'While a row waits, slots stay open from the time of the row before it',
    file: 'pipeline/sources/import/import-rows.ts',
    change: ['Math.min(until, Date.parse(heldSince))', 'until'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'the rows of a day stay newest first',
    breaks: '--sort reverses the rows of one time in a file that is newest first',
    file: 'pipeline/sources/rows/sorted-rows.ts',
    change: ['return this.#falls && !this.#rises;', 'return this.#falls && this.#rises;'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'half a row is read at once',
    breaks: 'A last row without a line end waits ten minutes',
    file: 'pipeline/sources/file/file-source.ts',
    change: ['isSettled: now - mtimeMs >= SETTLED_MS', 'isSettled: now - mtimeMs < SETTLED_MS'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'a modified row is not noticed',
    breaks: 'A row that was modified is a finding',
    file: 'pipeline/sources/import/compare-rows.ts',
    change: ['if (known.digest !== digest)', 'if (known.digest === null)'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'a deleted row is not noticed',
    breaks: 'A row that was deleted is a finding',
    file: 'pipeline/sources/import/compare-rows.ts',
    change: ['if (row.isLeftOut) index.forget(row);', 'if (row.place !== null) index.forget(row);'],
    tests: ['test/contract/import.test.ts'],
  },
  {
    name: 'rows of open transactions are passed over',
    breaks: 'The rows of transactions that are still open are neither lost nor late',
    file: 'pipeline/sources/postgres/open-writers.ts',
    change: ['if (!hasOpen(mark, open)) return', "if (mark.server !== '') return"],
    tests: ['test/contract/import.test.ts'],
  },
];
