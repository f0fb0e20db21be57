import type { CycleRun } from '../../../pipeline/release/history/cycle-runs.ts';
import type { Span } from './period.ts';
import type { RowTest } from './row-test.ts';

/** Consecutive rows of a segment, and the test that they must pass; null: all pass. */
export interface Part extends Span {
  test: RowTest | null;
}

/** The parts of a segment that a filter may match. Other parts are skipped without reading them. */
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

/** The intersection of a part with a span; it may be empty. */
export function clip({ begin, end, test }: Part, span: Span): Part {
  return { begin: Math.max(begin, span.begin), end: Math.min(end, span.end), test };
}
