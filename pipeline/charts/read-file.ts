import { csvParseRows } from 'd3';
import { z } from 'zod';
import type { RowSchema } from '../artifacts/format/csv.ts';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { CathedralError } from '../errors.ts';
import type { ChartFiles } from './chart.ts';

interface Source<S extends z.ZodType> {
  path: string;
  schema: S;
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** A published JSON file, checked against the schema it was made with. Throws release_invalid. */
export function readDocument<S extends z.ZodType>(
  files: ChartFiles,
  { path, schema }: Source<S>,
): z.output<S> {
  return parseJsonFile(textOf(files, path), schema, path, 'release_invalid');
}

/** The rows of a published CSV, oldest first (the file has them newest first), each checked. Throws release_invalid. */
export function readRows<S extends RowSchema>(files: ChartFiles, { path, schema }: Source<S>): z.output<S>[] {
  const text = textOf(files, path);
  // A file that was cut off ends in the middle of a row, which may look like a whole one.
  if (!text.endsWith('\n')) throw invalid(path, 'a line end after the last row', text.slice(-20));
  const [header = [], ...rows] = csvParseRows(text);
  const columns = Object.entries(schema.shape);
  const expected = columns.map(([name]) => name).join();
  if (header.join() !== expected) throw invalid(`${path}:1`, expected, header.join());
  const parsed = rows.map((cells, index) => {
    if (cells.length !== columns.length) throw invalid(`${path}:${index + 2}`, expected, cells.join());
    const row = columns.map(([name, type], at) => [name, typedCell(cells[at]!, type)]);
    const { data, error } = schema.safeParse(Object.fromEntries(row));
    if (error) throw invalid(`${path}:${index + 2}`, z.prettifyError(error), cells.join());
    return data;
  });
  return parsed.reverse();
}

/** A cell as the schema's type has it; one that is not of the type stays text, and the schema refuses it. */
function typedCell(cell: string, type: z.ZodType): unknown {
  if (type instanceof z.ZodNullable) return cell === '' ? null : typedCell(cell, type.unwrap() as z.ZodType);
  if (type instanceof z.ZodNumber) return NUMBER.test(cell) ? Number(cell) : cell;
  if (type instanceof z.ZodBoolean) return cell === 'true' ? true : cell === 'false' ? false : cell;
  return cell;
}

function textOf(files: ChartFiles, path: string): string {
  const text = Object.hasOwn(files, path) ? files[path] : undefined;
  if (text === undefined) throw invalid(path, 'a public file of the release', 'none');
  return text;
}

function invalid(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('release_invalid', { place, expected, found });
}
