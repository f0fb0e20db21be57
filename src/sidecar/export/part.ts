import type { CycleRun } from '../../../pipeline/release/history/cycle-runs.ts';
import type { Span } from './period.ts';
import type { RowTest } from './row-test.ts';

/** Rows of a segment that stand together, and of them those that the test takes; null: all. */
export interface Part extends Span {
  test: RowTest | null;
}

/** What of a segment a filter lets through: parts without any such row are left out, before one of them is read. */
export function partsByCycle(
  runs: readonly CycleRun[],
  testOf: (cycle: string) => RowTest | boolean,
): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  for (const { cycle, bytes } of runs) {
    const end = begin + bytes;
    const test = testOf(cycle);
    if (test !== false) parts.push({ begin, end, test: test === true ? null : test });
    begin = end;
  }
  return parts;
}

/** What of a part is in a span; it may be empty. */
export function clip({ begin, end, test }: Part, span: Span): Part {
  return { begin: Math.max(begin, span.begin), end: Math.min(end, span.end), test };
}
