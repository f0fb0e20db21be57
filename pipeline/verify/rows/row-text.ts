import { orNull } from '../../errors.ts';
import { readJson, unambiguousJson } from '../../ledger/events/json.ts';

/** Null if it is none, or if a reader may take another value from it: one that keeps the first of two members of a name, not the last. */
export function parsePlainObject(text: string): Record<string, unknown> | null {
  const value = parseObject(text);
  const exact = value && (unambiguousJson(text, value) as Record<string, unknown> | undefined);
  return exact ?? null;
}

export function parseObject(text: string): Record<string, unknown> | null {
  const value = orNull(() => readJson(text));
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The cells of a row without its line end, as in RFC 4180; null if quotes do not close, something follows them, or the row ends before the text. */
export function csvCells(text: string): string[] | null {
  const cells: string[] = [];
  let end = 0;
  for (const [all, quoted, plain] of `${text},`.matchAll(/(?:"((?:[^"]|"")*)"|([^"\n,][^\n,]*|)),/gy)) {
    end += all.length;
    cells.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
  }
  return end === text.length + 1 ? cells : null;
}
