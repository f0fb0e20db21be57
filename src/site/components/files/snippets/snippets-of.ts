import { curl } from './curl.ts';
import { duckdb } from './duckdb.ts';
import { julia } from './julia.ts';
import { latex } from './latex.ts';
import { python } from './python.ts';
import { r } from './r.ts';
import type { Snippet } from './snippet.ts';
import type { Source } from './source.ts';
import { spreadsheets } from './spreadsheets.ts';

/** How a file is read with each tool that can read it. */
export function snippetsOf(source: Source): Snippet[] {
  const perhaps = [curl, python, r, julia, duckdb, latex].map((snippet) => snippet(source));
  return [...perhaps.filter((snippet) => snippet !== null), ...spreadsheets(source)];
}
