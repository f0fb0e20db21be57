import { CathedralError } from '../../errors.ts';
import { FEW_ROWS, MAX_CHANGES } from '../../ledger/events/import-alert.ts';
import { rowText } from './imported-row.ts';
import { type Block, blockDigest, type Change, type RowIndex, TAIL, textDigest } from './row-index.ts';
import type { RowView, SourceRow } from './source.ts';

/** A row that came after rows that follow it. */
interface LateRow {
  row: SourceRow;
  /** The block between whose rows it is. */
  block: number;
}

/** What differs between the rows of a source and what was imported from them. */
export interface Differences {
  late: LateRow[];
  changes: (Change & { block: number })[];
  /** Whether there may be more: the comparison ended early. */
  isPartial: boolean;
}

export interface CompareOptions {
  view: RowView;
  index: RowIndex;
  /** Row id → text of a block's rows, from the ledger. */
  readBlock: (block: Block) => Promise<Map<string, string>>;
  /** Compare every row. */
  full: boolean;
  /** Number of older blocks to compare again. */
  auditBlocks: number;
  /** The source, for errors. */
  place: string;
}

/** Late rows that one import takes. The next one finds the others. */
const MAX_LATE = 10_000;
/** Of a row that the mapping leaves out. */
const LEFT_OUT = textDigest('left out');
/** Blocks whose rows one import counts. */
const COUNTED_BLOCKS = 1024;

/**
 * Compares the newest rows, those of blocks whose number of rows differs, and the blocks that are next in the audit, or all of them.
 * Throws `import_failed` if so many rows were changed that this is not the table that was imported.
 */
export async function compareRows(options: CompareOptions): Promise<Differences> {
  const { index } = options;
  const differences: Differences = { late: [], changes: [], isPartial: false };
  const compared = { rows: 0, unchanged: 0 };
  for (const block of await blocksToCompare(options)) {
    if (differences.late.length > MAX_LATE) {
      differences.isPartial = true;
      break;
    }
    await compareBlock(block, options, differences);
    compared.rows += block.rows;
  }
  compared.unchanged = compared.rows - differences.changes.length;
  const { length: changed } = differences.changes;
  if (changed > MAX_CHANGES || (compared.rows >= FEW_ROWS && compared.unchanged <= 0)) {
    throw new CathedralError('import_failed', {
      place: options.place,
      expected: `the ${compared.rows} rows as they were imported up to row ${index.end?.id}`,
      found: `${changed} of them changed or deleted, first ${differences.changes[0]?.row}: another table, an older copy of it, or another mapping`,
    });
  }
  return differences;
}

async function blocksToCompare({ view, index, full, auditBlocks }: CompareOptions): Promise<Block[]> {
  const { tail, blocks } = index;
  const chosen = new Set<number>();
  const first = index.audited;
  const number = full ? blocks : Math.min(auditBlocks, blocks);
  for (let n = 0; n < number; n += 1) chosen.add((first + n) % blocks);
  index.audited = blocks === 0 ? 0 : (first + number) % blocks;
  if (!full) for (const n of await miscounted(view, index, first)) chosen.add(n);
  const whole = [...chosen].sort((one, other) => one - other).map((n) => index.block(n));
  return tail ? [...whole, tail] : whole;
}

/** The blocks of which the source has more rows or fewer than it should. */
async function miscounted(view: RowView, index: RowIndex, first: number): Promise<number[]> {
  const number = Math.min(COUNTED_BLOCKS, index.blocks);
  const counted = Array.from({ length: number }, (_, n) => index.block((first + n) % index.blocks));
  if (number === 0) return [];
  const counts = await view.counts(counted);
  return counted.filter((block, at) => counts && counts[at] !== block.rows).map(({ n }) => n);
}

async function compareBlock(block: Block, options: CompareOptions, found: Differences): Promise<void> {
  const { view, index } = options;
  const plain: { row: SourceRow; text: string }[] = [];
  const leftOut = new Set<string>();
  let rowsNow = 0;
  const excepted = new Set<string>();
  for await (const rows of view.rows(block.after, block.until)) {
    rowsNow += rows.length;
    for (const row of rows) {
      const text = rowText(row);
      const exception = index.exception(row.id);
      if (row.draft === null && !exception) leftOut.add(row.id);
      else if (!exception) plain.push({ row, text });
      else {
        excepted.add(row.id);
        if (exception.block === null) index.place(row.id, block.n);
        const sha256 = textDigest(text);
        if (sha256 !== exception.sha256)
          found.changes.push({ row: row.id, change: 'modified', sha256, block: block.n });
      }
    }
    // Enough for this import, and a bound on the memory that it needs.
    if (plain.length - block.rows > MAX_LATE) {
      found.isPartial = true;
      break;
    }
  }
  const isAsImported = block.digest !== null && blockDigest(plain.map(({ text }) => text)) === block.digest;
  if (!isAsImported) {
    const own = block.n === TAIL ? index.tailRows : await options.readBlock(block);
    for (const { row, text } of plain) {
      const imported = own.get(row.id);
      own.delete(row.id);
      if (imported === undefined) found.late.push({ row, block: block.n });
      else if (imported !== text)
        found.changes.push({ row: row.id, change: 'modified', sha256: textDigest(text), block: block.n });
    }
    for (const row of found.isPartial ? [] : own.keys()) {
      if (index.exception(row)) continue;
      if (!leftOut.has(row)) found.changes.push({ row, change: 'deleted', block: block.n });
      else found.changes.push({ row, change: 'modified', sha256: LEFT_OUT, block: block.n });
    }
  }
  for (const { id, sha256 } of found.isPartial ? [] : index.exceptionsOf(block.n)) {
    if (sha256 !== null && !excepted.has(id))
      found.changes.push({ row: id, change: 'deleted', block: block.n });
  }
  if (!found.isPartial && block.n !== TAIL) index.expect(block.n, rowsNow);
}
