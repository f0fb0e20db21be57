import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SiteRelease } from '../layout/release.ts';

/**
 * Reads single rows of the published histories. A history has a row per line, the newest first; after fifty years that is ten
 * megabytes and more, of which a page needs a few hundred bytes.
 */

/** A CSV whose first column is the day, or the time, that its rows are sorted by. */
export interface DatedCsv<S extends z.ZodType = z.ZodType> {
  path: string;
  mediaType: `text/csv${string}`;
  schema: S;
}

const DAY_LENGTH = '2026-01-15'.length;
const CHUNK = 1 << 20;
const PROBE = 512;

/** The rows of the days `from` to `to`, both included, oldest first. */
export function rowsOfDays<S extends z.ZodType>(
  release: SiteRelease,
  file: DatedCsv<S>,
  from: string,
  to = from,
): readonly z.output<S>[] {
  return filesOfDays(release, file, [{ from, to }]).read(file) as readonly z.output<S>[];
}

/** A CSV that has only the rows of some days. Finds them by bisection. `spans`: the newest first, both ends included. */
export function filesOfDays(
  release: SiteRelease,
  { path }: DatedCsv,
  spans: readonly { from: string; to: string }[],
): PublishedFiles {
  using open = openHistory(release, path);
  const rows = spans.map(({ from, to }) => {
    const begin = open.firstLine((day) => day <= to);
    return open.text(begin, open.firstLine((day) => day < from, begin) - begin);
  });
  return PublishedFiles.of({ [path]: `${open.head}\n${rows.join('')}` });
}

/**
 * Calls `see` with each row of a history as text, the newest first, and its place. What is kept of a row should be parsed: a part of a
 * text that is kept as it is keeps all of it in memory.
 */
export function forEachLine(
  release: SiteRelease,
  path: string,
  see: (line: string, place: LinePlace) => void,
): void {
  using open = openHistory(release, path);
  for (const [line, place] of open.lines()) see(line, place);
}

/** A JSON string, in a regular expression. */
export const TEXT = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';

/** A JSON array of strings. */
export const TEXTS = `\\[(?:${TEXT},?)*\\]`;

export function unreadable(path: string, line: string, { at }: LinePlace): CathedralError {
  return new CathedralError('site_failed', {
    place: `${path}, byte ${at}`,
    expected: 'a row with its members in the order of the schema',
    found: line.slice(0, 80),
  });
}

/** Bytes of a file. */
export interface LinePlace {
  at: number;
  bytes: number;
}

/** Calls `read` with what reads one row of a JSON history at a place. Rows are in the file as `schema` has them. */
export function readRows<S extends z.ZodType, T>(
  release: SiteRelease,
  { path, schema }: { path: string; schema: S },
  read: (rowAt: (place: LinePlace) => z.output<S>) => T,
): T {
  using open = openHistory(release, path);
  return read(({ at, bytes }) =>
    parseJsonFile(open.text(at, bytes), schema, `${path}, byte ${at}`, 'site_failed'),
  );
}

function openHistory(release: SiteRelease, path: string): HistoryFile {
  return new HistoryFile(release.placeOf(path), path);
}

class HistoryFile implements Disposable {
  /** The line before the rows, without its end; empty for JSON lines, which have none. */
  readonly head: string;
  readonly #handle: number;
  readonly #path: string;
  readonly #size: number;
  readonly #begin: number;

  constructor(file: string, path: string) {
    this.#handle = openSync(file, 'r');
    this.#path = path;
    this.#size = fstatSync(this.#handle).size;
    this.#begin = path.endsWith('.ndjson') ? 0 : this.#nextLine(0);
    this.head = this.text(0, Math.max(0, this.#begin - 1));
  }

  [Symbol.dispose](): void {
    closeSync(this.#handle);
  }

  text(at: number, bytes: number): string {
    return this.#bytes(at, bytes).toString();
  }

  /** Where the first row begins that `isWanted`, if all after it are wanted as well; the end of the file if there is none. */
  firstLine(isWanted: (day: string) => boolean, from = this.#begin): number {
    let [low, high] = [from, this.#size];
    let found = this.#size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = middle === low ? low : this.#nextLine(middle - 1);
      if (line >= high) high = middle;
      else if (isWanted(this.text(line, DAY_LENGTH))) [found, high] = [line, middle];
      else low = this.#nextLine(line);
    }
    return found;
  }

  /** Each row without its end and separator. The last line of a JSON file closes its brackets and is no row. */
  *lines(): Generator<[string, LinePlace]> {
    const closes = this.head.endsWith('[');
    let rest: Buffer = Buffer.alloc(0);
    let at = this.#begin;
    for (let read = this.#begin; read < this.#size; ) {
      const chunk = this.#bytes(read, Math.min(CHUNK, this.#size - read));
      read += chunk.length;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let begin = 0;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, begin)) {
        const bytes = end - begin - (closes && rest[end - 1] === COMMA ? 1 : 0);
        const isRow = bytes > 0 && !(closes && rest[begin] === BRACKET);
        if (isRow) yield [rest.toString('utf8', begin, begin + bytes), { at, bytes }];
        at += end + 1 - begin;
        begin = end + 1;
      }
      rest = rest.subarray(begin);
    }
  }

  /** Where the line begins that follows the first line end at or after `from`. */
  #nextLine(from: number): number {
    for (let at = from; at < this.#size; at += PROBE) {
      const end = this.#bytes(at, Math.min(PROBE, this.#size - at)).indexOf(10);
      if (end >= 0) return at + end + 1;
    }
    return this.#size;
  }

  #bytes(at: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes);
    const read = readSync(this.#handle, buffer, 0, bytes, at);
    // The file is smaller than a moment ago.
    if (read < bytes)
      throw new CathedralError('site_failed', {
        place: `${this.#path}, byte ${at}`,
        expected: `${bytes} bytes`,
        found: `${read}`,
      });
    return buffer;
  }
}

const COMMA = 44;
const BRACKET = 93;
