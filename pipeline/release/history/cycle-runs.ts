import { CathedralError } from '../../errors.ts';
import { CycleLabel } from '../../ledger/event.ts';

/** Bytes of rows that stand together and are of one cycle. */
export interface CycleRun {
  cycle: string;
  bytes: number;
}

/**
 * Of which cycle the rows of a segment are, beside the segment and not in it: the export's columns are the
 * specification's, which has none for the cycle. As text one line for each run, newest first like the rows,
 * with its length in bytes: `C-151,20240`.
 */
export class CycleRuns {
  /** Oldest first. */
  readonly #runs: CycleRun[] = [];
  #bytes = 0;

  /** Of the rows so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a row that is newer than all so far. */
  add(cycle: string, bytes: number): void {
    const newest = this.#runs.at(-1);
    if (newest?.cycle === cycle) newest.bytes += bytes;
    else this.#runs.push({ cycle, bytes });
    this.#bytes += bytes;
  }

  /** Takes over those of the rows that an earlier run wrote. */
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

/** The runs of a segment of `bytes` bytes, newest first. Throws release_invalid where they are of another. */
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
