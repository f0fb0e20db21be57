import { csvParseRows } from 'd3';
import * as z from 'zod/mini';
import { compile } from '#compile-schema';
import { CathedralError, type ErrorCode } from '../errors.ts';
import type { RowSchema } from './format/csv.ts';
import { parseJsonFile } from './format/json.ts';

/** A published file as its artifact, or the module that writes it, describes it. */
export interface PublishedFile {
  path: string;
  mediaType: string;
  /** Of the whole document for JSON, of one row for CSV. */
  schema: z.ZodMiniType;
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

  /** `textOf`: the text of a public file; undefined where the release has none at that path. `code`: of the errors. */
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
    const { columns, read } = rowReader(compile(schema));
    const expected = columns.join();
    const rows = csvParseRows(text, (cells, index) => {
      const refuse = (expected: string) => this.#invalid(`${path}:${index + 1}`, expected, cells.join());
      if (index === 0) {
        if (cells.join() !== expected) throw refuse(expected);
        return null;
      }
      const row = cells.length === columns.length ? read(cells) : expected;
      if (typeof row === 'string') throw refuse(row);
      return row;
    });
    return rows.reverse();
  }

  #invalid(place: string, expected: string, found: string): CathedralError {
    return new CathedralError(this.#code, { place, expected, found });
  }
}

interface RowReader {
  columns: readonly string[];
  /** Returns the row, or what the schema expected instead. */
  read(cells: readonly string[]): object | string;
}

/** What depends on the schema alone is done once: fifty years of a file by day are hundreds of thousands of rows. */
function rowReader(schema: RowSchema): RowReader {
  const columns = Object.keys(schema.shape);
  const parsers = Object.values(schema.shape).map(cellParser);
  return {
    columns,
    read(cells) {
      const row: Record<string, unknown> = {};
      for (let at = 0; at < columns.length; at += 1) row[columns[at]!] = parsers[at]!(cells[at]!);
      const { data, error } = schema.safeParse(row);
      return error ? z.prettifyError(error) : data;
    },
  };
}

/** A cell as the column's type; a cell of another type stays text, which the schema refuses. */
function cellParser(type: z.ZodMiniType): (cell: string) => unknown {
  if (type instanceof z.ZodMiniNullable) {
    const parse = cellParser(type.def.innerType as z.ZodMiniType);
    return (cell) => (cell === '' ? null : parse(cell));
  }
  if (type instanceof z.ZodMiniNumber) return (cell) => (NUMBER.test(cell) ? Number(cell) : cell);
  if (type instanceof z.ZodMiniBoolean)
    return (cell) => (cell === 'true' ? true : cell === 'false' ? false : cell);
  return (cell) => cell;
}
