import { csvParseRows } from 'd3';
import { z } from 'zod';
import { CathedralError, type ErrorCode } from '../errors.ts';
import type { RowSchema } from './format/csv.ts';
import { parseJsonFile } from './format/json.ts';

/** A published file as its artifact, or the module that writes it, describes it. */
export interface PublishedFile {
  path: string;
  mediaType: string;
  /** Of the whole document for JSON, of one row for CSV. */
  schema: z.ZodType;
}

/** What `read` returns: the document of a JSON file, the rows of a CSV, oldest first. */
export type Content<File extends PublishedFile> = File['mediaType'] extends `text/csv${string}`
  ? readonly z.output<File['schema']>[]
  : z.output<File['schema']>;

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** The public files of one release, read with the schemas that they were written with. */
export class PublishedFiles {
  readonly #textOf: (path: string) => string | undefined;
  readonly #code: ErrorCode;
  readonly #contents = new WeakMap<PublishedFile, unknown>();

  /** `textOf`: the text of a public file; undefined where the release has none at that path. */
  constructor(textOf: (path: string) => string | undefined, code: ErrorCode = 'release_invalid') {
    this.#textOf = textOf;
    this.#code = code;
  }

  /** Files whose texts are in memory, by path. */
  static of(texts: Readonly<Record<string, string>>): PublishedFiles {
    return new PublishedFiles((path) => (Object.hasOwn(texts, path) ? texts[path] : undefined));
  }

  /** Parses a file once; later calls return the same object. Throws `code` where the file is missing or does not fit its schema. */
  read<File extends PublishedFile>(file: File): Content<File> {
    if (!this.#contents.has(file)) this.#contents.set(file, this.#parse(file));
    return this.#contents.get(file) as Content<File>;
  }

  /** The whole text of a file. Throws `code` where it is missing. */
  text(path: string): string {
    const text = this.#textOf(path);
    if (text === undefined) throw this.#invalid(path, 'a public file of the release', 'none');
    return text;
  }

  #parse({ path, mediaType, schema }: PublishedFile): unknown {
    const text = this.text(path);
    if (mediaType.startsWith('text/csv')) return this.#parseRows(path, schema as RowSchema, text);
    return parseJsonFile(text, schema, path, this.#code);
  }

  /** A CSV lists the newest row first; the result starts with the oldest one. */
  #parseRows(path: string, schema: RowSchema, text: string): unknown[] {
    // A truncated file ends within a row, and what is left of the row may look complete.
    if (!text.endsWith('\n')) throw this.#invalid(path, 'a line end after the last row', text.slice(-20));
    const [header = [], ...rows] = csvParseRows(text);
    const columns = Object.entries(schema.shape);
    const expected = columns.map(([name]) => name).join();
    if (header.join() !== expected) throw this.#invalid(`${path}:1`, expected, header.join());
    const parsed = rows.map((cells, index) => {
      const place = `${path}:${index + 2}`;
      if (cells.length !== columns.length) throw this.#invalid(place, expected, cells.join());
      const row = columns.map(([name, type], at) => [name, parseCell(cells[at]!, type)]);
      const { data, error } = schema.safeParse(Object.fromEntries(row));
      if (error) throw this.#invalid(place, z.prettifyError(error), cells.join());
      return data;
    });
    return parsed.reverse();
  }

  #invalid(place: string, expected: string, found: string): CathedralError {
    return new CathedralError(this.#code, { place, expected, found });
  }
}

/** A cell as the column's type; a cell of another type stays text, which the schema refuses. */
function parseCell(cell: string, type: z.ZodType): unknown {
  if (type instanceof z.ZodNullable) return cell === '' ? null : parseCell(cell, type.unwrap() as z.ZodType);
  if (type instanceof z.ZodNumber) return NUMBER.test(cell) ? Number(cell) : cell;
  if (type instanceof z.ZodBoolean) return cell === 'true' ? true : cell === 'false' ? false : cell;
  return cell;
}
