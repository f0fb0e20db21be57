import { lines, type Snippet } from './snippet.ts';
import type { Source } from './source.ts';

/** SQL over the file where it is; null for what is no table and no JSON. */
export function duckdb(source: Source): Snippet | null {
  const query = queryOf(source);
  if (query === null) return null;
  const { restricted, url } = source;
  const secret = restricted
    ? `CREATE SECRET (TYPE http, BEARER_TOKEN 'YOUR_KEY', SCOPE '${new URL(url).origin}');\n`
    : null;
  const note = 'A query asks for the file in parts. To ask once: CREATE TABLE data AS FROM …';
  return { tool: 'DuckDB', note, code: lines(secret, query) };
}

function queryOf({ shape, url, parquet, ndjson }: Source): string | null {
  switch (shape.kind) {
    case 'csv':
      return lines(`FROM read_csv('${url}');`, parquet.length > 0 ? ofYears(parquet) : null);
    case 'list':
      return `SELECT unnest(${shape.member}, max_depth := 2)\nFROM read_json('${url}');`;
    case 'map':
      return `FROM read_json('${ndjson ?? url}');`;
    case 'record':
    case 'tree':
      return `FROM read_json('${url}');`;
    default:
      return null;
  }
}

function ofYears(urls: readonly string[]): string {
  const list = urls.map((url) => `  '${url}'`).join(',\n');
  return `\n-- Parquet, one file a year: types, and only the columns that are asked for.\nFROM read_parquet([\n${list}\n]);`;
}
