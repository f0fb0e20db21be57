import { readJson, unambiguousJson } from '../../ledger/events/json.ts';

/** Null if it is none, or if a reader may take another value from it: one that keeps the first of two members of a name, not the last. */
export function parsePlainObject(text: string): Record<string, unknown> | null {
  const value = parseObject(text);
  const exact = value && (unambiguousJson(text, value) as Record<string, unknown> | undefined);
  return exact ?? null;
}

export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = readJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The cells of a text without its last line end, as in RFC 4180; null if quotes do not close or something follows them. */
export function csvRows(text: string, separator: ',' | '\t' = ','): string[][] | null {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"\\n${separator}][^\\n${separator}]*|))(${separator}|\\n)`,
    'gy',
  );
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  for (const [all, quoted, plain, ending] of `${text}\n`.matchAll(cell)) {
    end += all.length;
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (ending !== '\n') continue;
    rows.push(row);
    row = [];
  }
  return end === text.length + 1 ? rows : null;
}
