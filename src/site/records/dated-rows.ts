import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SiteRelease } from '../layout/release.ts';

/** A CSV whose first column is the day that its rows are sorted by, newest first. */
interface DatedCsv<S extends z.ZodType = z.ZodType> {
  path: string;
  mediaType: `text/csv${string}`;
  schema: S;
}

const DAY_LENGTH = '2026-01-15'.length;
const PROBE = 512;

/**
 * A CSV that has only the rows of some days, which are found by bisection: of half a million rows, as there are after fifty years, a
 * page needs a few dozen. `spans`: the newest first, both ends included.
 */
export function filesOfDays(
  release: SiteRelease,
  { path }: DatedCsv,
  spans: readonly { from: string; to: string }[],
): PublishedFiles {
  using open = new DatedFile(release.placeOf(path), path);
  const begin = open.nextLine(0);
  const rows = spans.map(({ from, to }) => {
    const first = open.firstLine((day) => day <= to, begin);
    return open.text(first, open.firstLine((day) => day < from, first) - first);
  });
  return PublishedFiles.of({ [path]: open.text(0, begin) + rows.join('') });
}

class DatedFile implements Disposable {
  readonly #handle: number;
  readonly #path: string;
  readonly #size: number;

  constructor(file: string, path: string) {
    this.#handle = openSync(file, 'r');
    this.#path = path;
    this.#size = fstatSync(this.#handle).size;
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }

  /** Where the first row begins that `isWanted`, if all after it are wanted as well; the end of the file if there is none. */
  firstLine(isWanted: (day: string) => boolean, from: number): number {
    let [low, high] = [from, this.#size];
    let found = this.#size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = middle === low ? low : this.nextLine(middle - 1);
      if (line >= high) high = middle;
      else if (isWanted(this.text(line, DAY_LENGTH))) [found, high] = [line, middle];
      else low = this.nextLine(line);
    }
    return found;
  }

  /** Where the line begins that follows the first line end at or after `from`. */
  nextLine(from: number): number {
    for (let at = from; at < this.#size; at += PROBE) {
      const end = this.text(at, Math.min(PROBE, this.#size - at), 'latin1').indexOf('\n');
      if (end >= 0) return at + end + 1;
    }
    return this.#size;
  }

  text(at: number, bytes: number, encoding: 'utf8' | 'latin1' = 'utf8'): string {
    const buffer = Buffer.allocUnsafe(bytes);
    const read = readSync(this.#handle, buffer, 0, bytes, at);
    // The file is smaller than a moment ago.
    if (read < bytes)
      throw new CathedralError('site_failed', {
        place: `${this.#path}, byte ${at}`,
        expected: `${bytes} bytes`,
        found: `${read}`,
      });
    return buffer.toString(encoding);
  }
}
