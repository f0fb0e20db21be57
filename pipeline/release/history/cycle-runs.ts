import { CathedralError } from '../../errors.ts';
import { CycleLabel } from '../../ledger/events/vocabulary.ts';

/** The length of consecutive rows of one cycle, in bytes. */
export interface CycleRun {
  cycle: string;
  bytes: number;
}

/**
 * The cycles of a segment's rows, stored beside the segment because the export's columns are fixed by the specification. One line of
 * text per run of rows, newest first, with its length in bytes: `C-151,20240`.
 */
export class CycleRuns {
  /** Oldest first. */
  readonly #runs: CycleRun[] = [];
  #bytes = 0;

  /** Bytes of the rows so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a row newer than all others. */
  add(cycle: string, bytes: number): void {
    const newest = this.#runs.at(-1);
    if (newest?.cycle === cycle) newest.bytes += bytes;
    else this.#runs.push({ cycle, bytes });
    this.#bytes += bytes;
  }

  /** Adds the cycles of rows that an earlier run wrote. */
  load(newestFirst: readonly CycleRun[]): void {
    for (const { cycle, bytes } of newestFirst.toReversed()) this.add(cycle, bytes);
  }

  format(): string {
    return this.#runs
      .toReversed()
      .map(({ cycle, bytes }) => `${cycle},${bytes}\n`)
      .join('');
  }
}

/** The runs of a segment of `bytes` bytes, newest first. Throws release_invalid if the lengths do not add up. */
export function parseCycleRuns(text: string, bytes: number, place: string): CycleRun[] {
  const lines = text.split('\n').slice(0, -1);
  const runs = lines.map((line) => {
    const [cycle = '', length = ''] = line.split(',');
    return { cycle, bytes: Number(length) };
  });
  const isWhole = runs.every((run) => CycleLabel.safeParse(run.cycle).success && run.bytes > 0);
  const found = runs.reduce((sum, run) => sum + run.bytes, 0);
  if (isWhole && found === bytes) return runs;
  throw new CathedralError('release_invalid', {
    place,
    expected: `cycles of ${bytes} bytes of rows`,
    found: isWhole ? `cycles of ${found}` : JSON.stringify(text.slice(0, 80)),
  });
}
