import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { csvHeader, formatRow, type RowSchema } from '../../../pipeline/artifacts/format/csv.ts';
import type { PublishedFile } from '../../../pipeline/artifacts/published-files.ts';

/** The source of examples. It cannot read a restricted file. */
export interface PublicFiles {
  /** A whole JSON file. */
  read(file: PublishedFile): unknown;
  /** The first bytes of a text. */
  head(path: string, bytes: number): string;
}

/** Enough for some rows of any table, or one entry of a bibliography. */
const HEAD_BYTES = 16_384;
const ROWS = 3;

/** An excerpt of a published file, or an invented example of a restricted one; undefined for a file that is not text. */
export function exampleOf(artifact: Artifact, files: PublicFiles): unknown {
  const { path, mediaType, restricted, kind } = artifact;
  if (kind === 'printed') return undefined;
  if (restricted) return mediaType === 'application/json' ? artifact.example : exampleTable(artifact);
  if (mediaType === 'application/json') return trimExample(files.read(artifact));
  const head = files.head(path, HEAD_BYTES);
  return mediaType.startsWith('text/csv') ? trimTable(head) : firstEntry(head);
}

/** The example rows of a restricted CSV as text. */
export function exampleTable({ schema, example }: Exclude<Artifact, { kind: 'printed' }>): string {
  const rows = example as Record<string, string | number>[];
  return csvHeader(schema as RowSchema) + rows.map((row) => formatRow(schema as RowSchema, row)).join('');
}

/** Of a BibTeX text: up to the brace that stands alone. */
function firstEntry(text: string): string {
  const end = text.indexOf('\n}\n');
  return end < 0 ? text : text.slice(0, end + '\n}\n'.length);
}

/** Enough to show what a list contains. */
const ITEMS = 2;

/** Keeps only the first items of each list, so that a whole file can serve as an example. */
function trimExample(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(trimExample);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trimExample(member)]));
}

/** The header and the first complete rows of a CSV text; a line break inside a cell does not end a row. */
function trimTable(text: string): string {
  let isQuoted = false;
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    if (text[index] !== '\n' || isQuoted) continue;
    lines += 1;
    if (lines === ROWS + 1) return text.slice(0, index + 1);
  }
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
